"""Each check of the papers names what is made wrong in one file; and a few of the verbs."""

import re
import sys
from functools import cache
from subprocess import CompletedProcess

import pytest

from workshop import __main__ as verbs
from workshop import store
from workshop.page import ROOT, notebooks
from workshop.papers import WORKFLOW, commands, no_machine, read, same_words, table_of_masks

# (check, file, a pattern in it, what to write instead, what the report says)
BROKEN = [
    (commands, "README.md", r"`make lab`", "`make labs`", "make labs"),
    (commands, "README.md", r"workshop page 3", "workshop pag 3", "python -m workshop pag;"),
    (commands, "Makefile", r"\$\(WORKSHOP\) lab", "jupyter-lab", "Makefile: lab does"),
    (commands, "Makefile", r"lab:", "labs:", "target labs is no verb"),
    (same_words, "_config.yml", r'title: "Attention', 'title: "Attending', "README.md"),
    (same_words, "pyproject.toml", r'version = "0', 'version = "7', "CITATION.cff"),
    (same_words, ".zenodo.json", r'"version": "\d', '"version": "7', ".zenodo.json"),
    (same_words, ".ci/run", r"exec make test", "exec make book", ".ci/run"),
    (same_words, "README.md", r"(?m)^make test$", "make check", "make test"),
    (same_words, WORKFLOW, r"run: \.ci/run", "run: make book", "run: .ci/run"),
    (same_words, WORKFLOW, r', "3\.13"\]', "]", "3.13"),
    (same_words, "requirements.txt", r"torch==\d+", "torch==9", "torch==9"),
    (same_words, "pyproject.toml", r"torch>=2\.6", "torch>=2.7", "2.7.0"),
    (same_words, "README.md", r"3\.12 or", "3.12, 3.14 or", "Python 3.11"),
    (table_of_masks, "chapters/masks.md", r"~mask\[:, 0, 0, :\]", "~mask[:, 0]", "~mask[:, 0]"),
    (no_machine, "README.md", r"\Z", "See /home/ann/course.", "/home/ann"),
    (no_machine, "requirements.txt", r"\A", "--extra-index-url https://a.example\n", "index-url"),
    (no_machine, "Makefile", r"\Z", "# https://pypi.example.org/simple\n", "pypi.example"),
    (no_machine, "tests/test_start_cell.py", r"\Z", f"# {ROOT}\n", str(ROOT)),
]


@cache
def said_now(check):
    return {*check(read)}


@pytest.mark.parametrize("check, name, old, new, told", BROKEN)
def test_a_wrong_paper_is_named(check, name, old, new, told):
    changed = re.sub(old, new, read(name), count=1)
    found = {*check(lambda each: changed if each == name else read(each))} - said_now(check)
    assert changed != read(name) and any(told in problem for problem in found), found


def test_what_is_taught_has_tests():
    """Those that `make page` runs when the page keeps something else than before."""
    assert {"test_attention.py", "test_transformer.py"} <= {
        path.name for path in verbs.taught_tests()
    }


def test_what_is_left_out_of_the_tests(monkeypatch):
    asked, (_, _, *others) = [], notebooks()
    monkeypatch.setattr(verbs, "build", lambda quiet: CompletedProcess([], 0))
    monkeypatch.setattr(verbs, "pytest", lambda *arguments: asked.append(arguments))
    monkeypatch.setattr(store, "to_run", lambda pages: others)
    for words in ("test", "test changed"):
        monkeypatch.setattr(sys, "argv", ["workshop", *words.split()])
        with pytest.raises(SystemExit, match="0"):
            verbs.main()
    everything, tests, changed, again = asked
    assert {*everything} == {page.path for page in notebooks()} and tests == again == ("tests",)
    assert {*changed} == {page.path for page in others}
    seconds = {page.path: page.notebook["metadata"]["course"]["seconds"] for page in notebooks()}
    assert [seconds[path] for path in everything] == sorted(seconds.values(), reverse=True)
