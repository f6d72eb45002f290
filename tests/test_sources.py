"""What `make check` checks, in every run of the tests: the rules of the pages, and the tools."""

import re
import shlex
from collections import Counter

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
    return {hue for hue in named if hue in HUES} | (
        {"weight"} if 'cmap="weights"' in source else set()
    )


def test_a_hue_is_drawn_only_of_what_it_stands_for():
    """As chapters/notation.md promises: the code of a figure, or its caption, speaks of the thing."""
    drawn = Counter()
    for page in notebooks():
        for cell, below in zip(page.cells, [*page.cells[1:], None]):
            if cell.kind != "code":
                continue
            typed = re.findall(rf"(?i){'|'.join(LIGHT[hue] for hue in HUES)}", cell.source)
            assert not typed, f"{cell.at()}: {typed}; wanted LIGHT of utils.palette"
            said = re.sub(r'LIGHT\["[^]]*\]|cmap="weights"', "", cell.source)
            said += below.source.partition("\n\n")[0] if below else ""
            for hue in hues_of(cell.source):
                assert re.search(HUES[hue], said), (
                    f"{cell.at()}: the hue of a {hue}, and none there"
                )
                drawn[hue] += 1
    assert min(drawn[hue] for hue in HUES) > 1


def test_a_hue_of_something_else_is_seen():
    assert hues_of('ax.plot(x, color=LIGHT["key-fill"])') == {"key"}
    assert hues_of('ax.imshow(x, cmap="weights")') == {"weight"} and not hues_of('LIGHT["ink"]')


@pytest.mark.parametrize(
    ("name", "words", "wrong", "said"),
    [
        ("CITATION.cff", "version: ", "version: 0.", "CITATION.cff: the version is 0."),
        (".zenodo.json", '"version": "', '"version": "0.', ".zenodo.json: the version is 0."),
        (
            "clinic/pyproject.toml",
            'version = "',
            'version = "0.',
            "clinic/pyproject.toml: the version",
        ),
    ],
)
def test_another_version_is_named(name, words, wrong, said, monkeypatch):
    read = check.read
    changed = read(name).replace(words, wrong)
    monkeypatch.setattr(check, "read", lambda asked: changed if asked == name else read(asked))
    (problem,) = check.versions()
    assert problem.startswith(said) and "the newest in CHANGELOG.md" in problem


def test_a_workflow_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.yml").write_text('one: 1\nrun: say "a: b: c" twice: no\n')
    monkeypatch.setattr(check, "ROOT", tmp_path)
    monkeypatch.setattr(check, "tracked_files", lambda: [tmp_path / "a.yml"])
    assert [*check.settings()] == ["a.yml:2: mapping values are not allowed here"]


def test_the_labels_of_the_forms_are_those_that_one_command_makes():
    forms = (check.ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")
    named = [
        found[1]
        for form in forms
        if (found := re.search(r"(?m)^labels: \[(.*)\]", form.read_text()))
    ]
    made = re.search(r"for label in (.*); do gh label create", check.read("workshop/README.md"))[1]
    assert sorted(named) == sorted(shlex.split(made))
