"""The start cell, run as on Colab: an empty folder, no course installed, git at hand."""

import ast
import sys

import pytest

from workshop.frame import start_cell
from workshop.page import notebooks

START = start_cell()
WHERE = "\nimport utils\nprint(utils.__file__)"


def silent(result):
    """The cell has run, and has printed nothing."""
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def test_template_is_short_and_of_the_standard_library():
    assert sum(bool(line) for line in START.split("\n")) <= 12
    modules = [
        node.names[0].name if isinstance(node, ast.Import) else node.module
        for node in ast.walk(ast.parse(START))
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert modules and set(modules) <= sys.stdlib_module_names


def test_without_it_there_is_no_course(colab, tmp_path):
    """The bare Python does not see the installed course; else these tests would prove nothing."""
    result = colab.python(tmp_path, "-c", "import numpy, utils")
    assert "No module named 'utils'" in result.stderr


def test_clones_into_an_empty_folder_and_prints_nothing(colab, tmp_path):
    silent(colab.python(tmp_path, "-c", START))
    assert [path.name for path in tmp_path.iterdir()] == [colab.name]
    assert (tmp_path / colab.name / "chapters").is_dir()


def test_twice_clones_once(colab, tmp_path):
    silent(colab.python(tmp_path, "-c", f"{START}\n{START}\nassert sys.path.count(course) == 1"))
    silent(colab.python(tmp_path, "-c", START, reachable=False))  # nor does a new kernel clone
    assert [path.name for path in tmp_path.iterdir()] == [colab.name]


def test_utils_come_from_the_clone(colab, tmp_path):
    code = f"{START}\nimport utils.plot\nprint(utils.plot.__file__)"
    result = colab.python(tmp_path, "-c", code)
    assert result.stderr == ""
    assert result.stdout.strip() == str(tmp_path / colab.name / "utils" / "plot.py")


@pytest.mark.parametrize("folder", ["chapters", "chapters/mine/deeper", "."])
def test_finds_the_course_above_without_cloning(colab, folder):
    here = colab.repository / folder
    here.mkdir(exist_ok=True, parents=True)
    before = set(here.iterdir())
    result = colab.python(here, "-c", START + WHERE, reachable=False)
    assert result.stderr == ""
    assert result.stdout.strip() == str(colab.repository / "utils" / "__init__.py")
    assert set(here.iterdir()) == before


def test_unreachable_repository_raises(colab, tmp_path):
    result = colab.python(tmp_path, "-c", START + "\nprint('went on')", reachable=False)
    assert result.returncode != 0
    assert "CalledProcessError" in result.stderr
    assert "went on" not in result.stdout


def test_all_imports_of_the_pages_work_after_it(colab, tmp_path):
    found = {
        ast.unparse(node)
        for page in notebooks()
        for cell in page.code
        for node in ast.walk(cell.tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    silent(colab.python(tmp_path, "-c", "\n".join([START, *sorted(found)])))
