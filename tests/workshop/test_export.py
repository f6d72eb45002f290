"""What the pages keep, by modules: what is written, and what is named."""

import subprocess
import sys

import pytest

from tests.workshop.sample import code
from workshop import export
from workshop.page import ROOT, git_files, notebooks
from workshop.store import write

POOL = '''def pool(values):
    """The mean."""
    checks.floats("values", values)
    return torch.softmax(F.relu(values), -1) / math.sqrt(2)'''
BLOCK = """class Block(nn.Module):
    def forward(
        self, x
    ):
        x = pool(x)  # new: (n,)
        return x.to(get_device())  # new"""
IMPORTS = """import math
import numpy as np
import torch
from torch import nn, Tensor
from torch.nn import functional as F
from taught import checks
from utils.device import get_device"""


@pytest.fixture
def two_modules(course):
    """Two pages; the first keeps `pool`, the second imports it and keeps `Block`; one test."""
    first, second = notebooks(course)
    for page, imports, definition, module in (
        (first, IMPORTS, POOL, {}),
        (second, f"{IMPORTS}\nfrom taught.attention import pool", BLOCK, {"module": "blocks"}),
    ):
        cells = [*page.notebook["cells"][:2], code(imports), code(definition, "keep")]
        write(page, {"cells": cells, "metadata": {"course": module}})
    (course / "tests" / "test_it.py").write_text("from taught.blocks import Block\n")
    export.write(course)
    return course


def test_what_is_written(two_modules):
    """A module for each name, with the imports that it uses, from other modules too."""
    modules = {path.name: path.read_text() for path in (two_modules / "taught").glob("*.py")}
    functions = "import torch\nfrom torch.nn import functional as F\n\nfrom taught import checks"
    body = f"\n\n# chapters/01_a_sample.ipynb\n\n\n{POOL}\n"
    assert modules["attention.py"] == f"{export.HEAD}\nimport math\n\n{functions}{body}"
    imports = "from torch import nn\n\nfrom taught.attention import pool\nfrom utils.device import get"
    block = BLOCK.replace("new: (", "(").removesuffix("  # new")
    body = f"_device\n\n# chapters/02_a_sample.ipynb\n\n\n{block}\n"
    assert modules["blocks.py"] == f"{export.HEAD}\n{imports}{body}"
    assert export.problems(two_modules) == [] and not export.write(two_modules)
    subprocess.run([sys.executable, "-m", "ruff", "format", "--isolated", two_modules / "taught"], check=True)
    assert not export.write(two_modules)  # a module keeps the layout of its cells


def test_what_is_written_is_known_as_written():
    """GitHub's diffs know all modules."""
    command = ["git", "check-attr", "linguist-generated", *git_files(ROOT, "ls-files", "taught")]
    output = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    marked = {line.split(":")[0] for line in output.splitlines() if line.endswith(": set")}
    expected = {str(ROOT / "taught" / f"{name}.py") for name in export.keeping()}
    assert marked == expected


FIRST, SECOND = "chapters/01_a_sample.ipynb", "chapters/02_a_sample.ipynb"


@pytest.mark.parametrize(
    "name, old, new, says",
    [
        (FIRST, "math.sqrt(2)", "math.sqrt(3)", "taught/attention.py:22: "),
        (SECOND, "class Block(nn", "class pool(nn", "'pool' is kept a second time"),
        (FIRST, '"def pool(', '"width = 2\\n",\n    "def pool(', "one definition alone"),
        ("taught/blocks.py", "class Block", "class Other", "'class Other("),
        ("tests/test_it.py", "Block", "Other", "'Block' is kept, and no later page"),
    ],
)
def test_what_is_wrong_is_named(two_modules, name, old, new, says):
    text = (two_modules / name).read_text()
    assert old in text
    (two_modules / name).write_text(text.replace(old, new, 1))
    assert says in "\n".join(export.problems(two_modules))
