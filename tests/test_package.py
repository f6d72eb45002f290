"""What is installed from a wheel has all that `utils` reads, and its live figures work."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

from utils.live.bundle import KINDS
from workshop.colab import PACKAGES
from workshop.page import ROOT, course_files

TRY = """
import IPython.display
import matplotlib.pyplot as plt
import utils
from utils import live, plot
from utils.data.text import alice
from utils.data.trained import trained_translator

shown = []
IPython.display.display = lambda data, **more: shown.append(data["text/html"])
alt = "A figure that says in one sentence what there is to see."
live.mask(["a", "b"], [[0, 1], [1, 0]], static=plt.figure(), alt=alt)
code, sizes = dict(memory=""), dict(D=8, H=2, F=16, N=1, src_vocab=5, tgt_vocab=5)
live.transformer(dict(small=sizes), code, static="transformer", alt=alt)
trained_translator()
alice()
print(utils.__path__[0], *[len(html) > 20_000 for html in shown])
"""


def test_a_wheel_works_alone(tmp_path, colab):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, colab.repository], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
        names = {*archive.namelist()}
    ours = [path.relative_to(ROOT).as_posix() for path in course_files()]
    assert {name for name in ours if name.startswith("utils/")} <= names
    assert {f"utils/live/figures/{kind}.js" for kind in KINDS} <= names
    packages = [entry for entry in sys.path if PACKAGES & {*Path(entry).parts}]
    path = os.pathsep.join([str(tmp_path / "installed"), *packages])
    run = subprocess.run(
        [sys.executable, "-S", "-c", TRY],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": path, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
    )
    assert run.stdout.split() == [str(tmp_path / "installed" / "utils"), "True", "True"], run.stderr
