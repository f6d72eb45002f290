"""What `chapters/examine.md` says: the package that it installs, its code, its table."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clinic import published
from taught.clinic import examine
from workshop.page import ROOT

PAGE = (ROOT / "chapters" / "examine.md").read_text(encoding="utf-8")
SAID = dict(re.findall(r"(?m)^\| ([\w-]+ \| `[^`]+`) \| (.+) \|$", PAGE))
MULTIHEAD, FLAG = "nn.MultiheadAttention", "scaled_dot_product_attention, is_causal=True"
FOUND = [*published.layers()]


@pytest.fixture
def alone(tmp_path):
    """A folder in which nothing but `attention_clinic` is installed, made of a copy of two folders."""
    for name in ("clinic", "taught"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    target = tmp_path / "installed"
    options = "--quiet --no-deps --no-build-isolation --no-index --target".split()
    command = [sys.executable, "-m", "pip", "install", *options, target, tmp_path / "clinic"]
    subprocess.run(command, check=True)
    return target


def test_the_code_of_the_page_runs_and_says_what_the_table_says(alone):
    """In a program that finds no folder of the course; the block about Transformers only where they are installed."""
    assert {path.name.partition("-")[0] for path in alone.iterdir()} == {"attention_clinic"}
    blocks = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    expected = [SAID[f"torch | `{what}`"] for what in (MULTIHEAD, FLAG)]
    if importlib.util.find_spec("transformers"):
        expected.insert(0, SAID["transformers | `llama, eager_attention_forward`"])
    else:
        blocks[1] = "import torch"
    blocks.append("import sys, attention_clinic; print(attention_clinic.__file__, *sys.modules)")
    others = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join([str(alone), *(entry for entry in others if entry and Path(entry) != ROOT)])
    environment = os.environ | {"PYTHONPATH": path, "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-c", "\n".join(blocks)]
    done = subprocess.run(command, cwd=alone, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    *printed, names = done.stdout.strip().split("\n")
    assert printed == "; ".join(expected).split("; ")
    file, *modules = names.split()
    assert str(alone) in file
    assert not {"taught", "data", "live", "utils"} & {module.split(".")[0] for module in modules}


@pytest.mark.parametrize("layer", FOUND, ids=lambda layer: f"{layer[0]}, {layer[1]}")
def test_the_table_has_the_complaints_of_what_is_installed(layer):
    package, what, attention, rule = layer
    assert SAID[f"{package} | `{what}`"] == ("; ".join(examine(attention, rule)) or "none")


def test_the_heading_counts_the_rows():
    assert len(SAID) == 13 and "## Thirteen published ones" in PAGE
    assert len(FOUND) >= 4  # those of torch, which are always there
