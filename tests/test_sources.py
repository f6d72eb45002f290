"""What `make check` checks, in every run of the tests: the rules of the pages, and the tools."""

import re
import shlex

import pytest

from workshop import check
from workshop.check import CHECKS


@pytest.mark.parametrize("check", CHECKS)
def test_sources(check):
    if problems := list(dict.fromkeys(CHECKS[check]())):
        pytest.fail("\n".join(problems), pytrace=False)


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
