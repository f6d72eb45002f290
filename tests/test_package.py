"""What is installed from a wheel has all that `utils` reads, and its live figures work."""

import subprocess
import sys

from workshop.page import ROOT, course_files

TRY = """
import sys
sys.path.insert(0, "installed")
import IPython.display
import matplotlib.pyplot as plt
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
print(*[len(html) > 20_000 for html in shown], "installed" in live.__file__)
"""


def test_a_wheel_works_alone(tmp_path, colab):
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "--wheel-dir", tmp_path, colab.repository], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([sys.executable, "-m", "zipfile", "-e", wheel, tmp_path / "installed"])
    ours = [path.relative_to(ROOT) for path in course_files()]
    for name in ours:
        if name.parts[0] == "utils":
            assert (tmp_path / "installed" / name).is_file(), name
    run = colab.python(tmp_path, "-c", TRY)
    assert run.stdout.split() == ["True"] * 3, run.stderr
