"""`utils/attention.py`: what is written, and what is named."""

import pytest

from workshop import edit, export
from workshop.page import notebooks
from workshop.store import write

POOL = '''def pool(values):
    """The mean."""
    checks.floats("values", values)
    return torch.softmax(F.relu(values), -1) / math.sqrt(2)'''
BLOCK = """class Block(nn.Module):
    def forward(self, x):
        return pool(x).to(get_device())"""
IMPORTS = """import math
import numpy as np
import torch
from torch import nn, Tensor
from torch.nn import functional as F
from utils import checks
from utils.device import get_device"""


@pytest.fixture
def kept(course):
    """Two pages; the first keeps `pool`, the second imports it and keeps `Block`; one test."""
    first, second = notebooks(course)
    for page, imports, definition in (
        (first, IMPORTS, POOL),
        (second, f"{IMPORTS}\nfrom utils.attention import pool", BLOCK),
    ):
        cells = page.notebook["cells"]
        write(page, {"cells": [*cells[:2], edit.code(imports), edit.code(definition, "keep")],
                     "metadata": {}})  # fmt: skip
    (course / "tests" / "test_it.py").write_text("from utils.attention import Block\n")
    export.write(course)
    return course


def change(course, number, old, new):
    path = notebooks(course)[number - 1].path
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_what_is_written(kept):
    text, _, problems = export.export(kept)
    imports = (
        "import math\n\nimport torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n"
        "from utils import checks\nfrom utils.device import get_device"
    )
    wanted = f"{export.HEAD}\n{imports}\n\n\n# chapters/01_a_sample.ipynb\n\n\n{POOL}\n\n\n"
    assert text == f"{wanted}# chapters/02_a_sample.ipynb\n\n\n{BLOCK}\n"
    assert problems == export.problems(kept) == []


@pytest.mark.parametrize(
    "number, old, new, words",
    [
        (1, "math.sqrt(2)", "math.sqrt(3)", ["cell [3], line 4: utils/attention.py:", "sqrt(3)"]),
        (2, "class Block(nn.Module)", "class pool(nn.Module)", ["'pool' is kept a second time"]),
        (1, '"def pool(values):', '"width = 2\\n",\n    "def pool(values):', ["one definition"]),
        (1, "math.sqrt(2)", "scale", ["uses 'scale', which no import"]),
        (2, "import torch\\n", "import torch, math as F\\n", []),
    ],
)
def test_what_is_wrong_is_named(kept, number, old, new, words):
    change(kept, number, old, new)
    said = "\n".join(export.problems(kept))
    assert all(word in said for word in words)
    assert not words or f"chapters/0{number}_a_sample.ipynb:" in said


def test_an_edited_module_is_named(kept):
    module = kept / "utils" / "attention.py"
    module.write_text(module.read_text().replace('"""The mean."""', '"""A mean."""') + "more = 1\n")
    one, two = export.differences(kept)
    assert "cell [3], line 2: utils/attention.py:" in one and "`make pages`" in one
    assert two.startswith("chapters/02_a_sample.ipynb:") and "- more = 1" in two


def test_a_kept_name_that_nobody_imports_is_named(kept):
    (kept / "tests" / "test_it.py").unlink()
    (problem,) = export.unused(kept)
    assert problem.startswith("chapters/02_a_sample.ipynb:") and "'Block' is kept" in problem
