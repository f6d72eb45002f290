"""How the tests are run: one thread, no window, and the pages by `workshop/run.py`."""

import os

# Two torch threads on two busy cores are ten times slower than one. Before torch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The kernels of the pages choose their own backend, as they do for a reader.
os.environ.pop("MPLBACKEND", None)

import matplotlib  # noqa: E402

matplotlib.use("Agg")  # for the tests themselves
import matplotlib.font_manager  # noqa: E402, F401  (finds the fonts once, before the workers start)

pytest_plugins = ["workshop.run"]
