"""Programs that tests start: each is gone when its test is, whatever happens."""

import subprocess
from contextlib import contextmanager


@contextmanager
def running(command, patience=60, **options):
    """A program for the time of a block. Asked to end, it has so many seconds before it must."""
    process = subprocess.Popen(command, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
