"""The commands, where they speak for the whole course."""

import copy
import re
import subprocess

from jupyterlab.commands import get_app_dir
from jupyterlab_server.settings_utils import _get_overrides

from workshop import __main__ as commands


def test_one_cause_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr(commands.check, "CHECKS", {"nothing": list})
    monkeypatch.setattr(commands.store, "is_stale", lambda page: page.number in (3, 4, 5, 9))
    assert commands.run_check()
    output = capsys.readouterr()
    stale, count = output.out.splitlines()
    assert stale.startswith("Pages 3 to 5 and 9: other code or data") and count == "Problems: 1."
    assert output.err.startswith("nothing ...")  # a sign of life
    monkeypatch.setattr(commands.store, "is_stale", lambda page: page.number == 4)
    (line,) = commands.check.outputs()
    assert re.match(r"Page 4: other code .* \(`make pages` runs them, \d+ minutes of one core\)", line)


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
    monkeypatch.setattr(commands.measure, "old", lambda: [("page", "a", 20.0), ("page", "b", 30.0)])
    stale, altered = commands.check.runs()
    assert stale.startswith("5 runs and recipes have rows of other code") and altered == "altered"
    match = re.search(r"P=all` makes them again, (\d+) minutes of one core", stale)
    assert match and int(match[1]) >= 50  # and those of recipes, if any is old


def test_what_the_teachers_lack_of_a_page_is_named():
    page = copy.copy(commands.notebooks()[0])
    assert not [*commands.unsaid(page)]
    page.notebook = {"metadata": {"course": {}}}
    (line,) = commands.unsaid(page)
    assert line.startswith("chapters/01_queries_keys_values.ipynb: chapters/teaching.md says")


def test_the_lab_saves_no_page_in_the_middle_of_a_run(monkeypatch):
    def call(*command, **variables):
        monkeypatch.setenv("JUPYTER_CONFIG_PATH", variables["JUPYTER_CONFIG_PATH"])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(commands, "call", call)
    assert commands.run_lab() == 0
    settings, fault = _get_overrides(f"{get_app_dir()}/settings")
    assert settings["@jupyterlab/docmanager-extension:plugin"] == {"autosave": False} and not fault
