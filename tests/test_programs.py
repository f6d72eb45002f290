"""A program that doesn't want to end."""

import subprocess
import sys

import pytest

from tests.programs import running

STUBBORN = """
import signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("here", flush=True)
time.sleep(600)"""


def test_what_a_test_starts_is_ended_whatever_happens():
    with pytest.raises(ZeroDivisionError):
        with running([sys.executable, "-c", STUBBORN], 0.1, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            1 / 0  # noqa: B018
    assert process.returncode is not None
