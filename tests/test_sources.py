"""What `make check` checks, in every run of the tests: the rules of the pages, and the tools."""

import re
from collections import Counter
from types import SimpleNamespace

import pytest

from utils.palette import LIGHT
from workshop import check
from workshop.check import CHECKS
from workshop.page import notebooks


@pytest.mark.parametrize("check", CHECKS)
def test_sources(check):
    if problems := list(dict.fromkeys(CHECKS[check]())):
        pytest.fail("\n".join(problems), pytrace=False)


HUES = {"query": "quer", "key": "key", "value": "value", "weight": "weight|attention"}


def hues_of(source):
    """The hues that a cell draws with, of those that stand for something."""
    named = re.findall(r'LIGHT\["(\w+?)(?:-fill)?"\]', source)
    return {hue for hue in named if hue in HUES} | ({"weight"} if 'cmap="weights"' in source else set())


def test_a_hue_is_drawn_only_of_what_it_stands_for():
    """As chapters/notation.md promises: the code of a figure, or its caption, speaks of the thing."""
    drawn = Counter()
    for page in notebooks():
        for cell, below in zip(page.cells, [*page.cells[1:], None]):
            if cell.kind != "code":
                continue
            typed = re.findall(rf"(?i){'|'.join(LIGHT[hue] for hue in HUES)}", cell.source)
            assert not typed, f"{cell.at()}: {typed}; wanted LIGHT of utils.palette"
            text = re.sub(r'LIGHT\["[^]]*\]|cmap="weights"', "", cell.source)
            text += below.source.partition("\n\n")[0] if below else ""
            for hue in hues_of(cell.source):
                assert re.search(HUES[hue], text), f"{cell.at()}: the hue of a {hue}, and none there"
                drawn[hue] += 1
    assert min(drawn[hue] for hue in HUES) > 1


def test_what_make_format_mends_says_so(monkeypatch):
    said = "a.py:1:2: unformatted: File would be\na.py:1:1: E741 Ambiguous\na.py:1:1: I001 [*] Import\n./live/a.js\n"
    run = SimpleNamespace(stdout=said, stderr="", returncode=1)
    monkeypatch.setattr(check.subprocess, "run", lambda *_, **__: run)
    assert ["make format" in line for line in check.tools()] == [True, False, True, True]


def test_another_version_is_named(monkeypatch):
    read = check.read
    changed = read("CITATION.cff").replace("version: ", "version: 0.")
    monkeypatch.setattr(check, "read", lambda name: changed if name == "CITATION.cff" else read(name))
    (problem,) = check.versions()
    assert problem.startswith("CITATION.cff: the version is 0.") and "the newest in CHANGELOG.md" in problem


def test_a_workflow_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.yml").write_text('one: 1\nrun: say "a: b: c" twice: no\n')
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setattr(check, "tracked_files", lambda: [tmp_path / "a.yml"])
    assert [*check.settings()] == ["a.yml:2: mapping values are not allowed here"]
