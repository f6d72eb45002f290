"""The commands, where they speak for the whole course."""

import shutil
import subprocess

import pytest
from jupyterlab.commands import get_app_dir
from jupyterlab_server.settings_utils import _get_overrides

from workshop import __main__ as commands
from workshop.page import ROOT


def test_one_cause_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(commands.check, "CHECKS", {"nothing": list})
    monkeypatch.setattr(commands.store, "is_stale", lambda page: page.number in (3, 4, 5, 9))
    assert commands.run_check()
    said = capsys.readouterr()
    stale, count = said.out.splitlines()
    assert stale.startswith("Pages 3 to 5 and 9: other code or data") and count == "Problems: 1."
    assert said.err.startswith("nothing ...")  # a sign of life


def test_a_wrong_edit_of_what_is_taught_is_named_once(monkeypatch, capsys):
    checks = {"exported": lambda: ["taught/attention.py:1: wanted x"], "runs": lambda: ["a", "b"]}
    monkeypatch.setattr(commands.check, "CHECKS", checks)
    monkeypatch.setattr(commands.store, "is_stale", lambda page: True)
    assert commands.run_check()
    assert capsys.readouterr().out == "taught/attention.py:1: wanted x\nProblems: 1.\n"


def test_runs_of_other_code_are_one_line_where_they_are_many(monkeypatch):
    lines = [f"{n}: the rows of a were made by other code" for n in range(5)]
    monkeypatch.setattr(commands.measure, "problems", lambda page: lines * (page.number == 9))
    monkeypatch.setattr(commands.measure, "recipes", lambda: ["altered"])
    one, altered = commands.check.runs()
    assert one.startswith("5 runs and recipes have rows of other code") and altered == "altered"


def test_the_lab_saves_no_page_in_the_middle_of_a_run(monkeypatch):
    def call(*command, **variables):
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", variables["JUPYTER_CONFIG_PATH"])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(commands, "call", call)
    assert commands.run_lab() == 0
    settings, fault = _get_overrides(f"{get_app_dir()}/settings")
    assert settings["@jupyterlab/docmanager-extension:plugin"] == {"autosave": False} and not fault


@pytest.mark.skipif(not shutil.which("make"), reason="there is no make here")
def test_make_reads_names_in_any_locale():
    command = ["make", "--eval=said: ; @echo utf8 is $$PYTHONUTF8", "said"]
    done = subprocess.run(
        command, cwd=ROOT, env={"LC_ALL": "C", "PYTHONUTF8": "0", "PATH": "/usr/bin:/bin"},
        capture_output=True, text=True,
    )  # fmt: skip
    assert "utf8 is 1" in done.stdout
