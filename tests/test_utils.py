"""`utils/device.py`, `plot.py` and `progress.py`: what they return, show, and refuse."""

import base64
import io
import subprocess
import sys

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient
from nbval.kernel import CURRENT_ENV_KERNEL_NAME, KernelManager, NbvalKernelspecManager
from PIL import Image

from tests.pages import ROOT
from utils import plot
from utils.device import get_device
from utils.plot import show, show_heatmaps
from utils.progress import progress


@pytest.fixture
def machine(monkeypatch):
    """A machine of which the test says what it has."""
    def has(cuda=0, mps=False, wish=None):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
        if wish is None:
            monkeypatch.delenv("ATTENTION_DEVICE", raising=False)
        else:
            monkeypatch.setenv("ATTENTION_DEVICE", wish)
        return get_device()
    return has


@pytest.mark.parametrize("there, device", [
    (dict(), "cpu"),
    (dict(mps=True), "mps"),
    (dict(cuda=1), "cuda"),
    (dict(cuda=1, mps=True), "cuda"),
    (dict(cuda=2, wish="cpu"), "cpu"),
    (dict(cuda=2, wish="cuda:1"), "cuda:1"),
    (dict(cuda=1, mps=True, wish="mps"), "mps"),
    (dict(wish=""), "cpu"),
])
def test_device_is_the_best_there_is_unless_overridden(machine, there, device):
    assert machine(**there) == torch.device(device)


@pytest.mark.parametrize("there, choices", [
    (dict(wish="tpu"), "cpu"),
    (dict(wish="cuda"), "cpu"),
    (dict(mps=True, wish="gpu"), "mps, cpu"),
    (dict(cuda=1, wish="cuda:1"), "cuda, cuda:0, cpu"),
])
def test_unknown_or_missing_device_is_an_error_that_names_the_choices(machine, there, choices):
    with pytest.raises(ValueError, match=f"'{there['wish']}'.*available here are {choices}$"):
        machine(**there)


def drawn(fig):
    """The heatmaps of a figure: for each map its title, its numbers and its masked cells."""
    fig.canvas.draw()
    maps = [ax for ax in fig.axes if ax.collections and ax.get_label() != "<colorbar>"]
    return [(ax.get_title(), ax.collections[0].get_array()) for ax in maps]


@pytest.mark.parametrize("matrices", [
    torch.rand(5, 7),
    torch.rand(5, 7, requires_grad=True) * 2,
    torch.rand(5, 7).bfloat16(),
    torch.rand(5, 7).half(),
    torch.rand(5, 7) > 0.5,
    torch.randint(0, 9, (5, 7)),
    torch.rand(7, 5).T,
    torch.eye(5).to_sparse(),
    np.random.default_rng(0).random((5, 7)),
    [[0.1, 0.9], [0.5, 0.5]],
])
def test_heatmap_shows_the_numbers_it_is_given(matrices):
    (_, shown), = drawn(show_heatmaps(matrices, "Keys", "Queries"))
    wanted = matrices
    if isinstance(matrices, torch.Tensor):
        wanted = matrices.detach().to_dense().double().numpy()
    np.testing.assert_allclose(np.asarray(shown).ravel(), np.ravel(wanted), rtol=1e-6)


def test_grid_is_rows_by_columns_on_one_scale_from_zero():
    fig = show_heatmaps(torch.rand(2, 3, 4, 5) + 1, "Keys", "Queries", titles=["a", "b", "c"])
    maps = [ax for ax in fig.axes if ax.get_label() != "<colorbar>"]
    assert len(maps) == 6
    assert {ax.collections[0].get_clim() for ax in maps} == {
        (0.0, max(ax.collections[0].get_array().max() for ax in maps))}
    assert [ax.get_title() for ax in maps] == ["a", "b", "c", "", "", ""]
    assert [ax.get_ylabel() for ax in maps] == ["Queries", "", ""] * 2
    assert [ax.get_xlabel() for ax in maps] == [""] * 3 + ["Keys"] * 3


def test_each_map_of_a_grid_has_its_own_title_and_mask_and_every_size_is_kept():
    mask = torch.ones(2, 2, 3, 3, dtype=torch.bool)
    for index in range(4):
        mask[index // 2, index % 2, index % 3, (index + 1) % 3] = False
    fig = show_heatmaps([torch.rand(2, 3, 3, requires_grad=True)] * 2, "Keys", "Queries",
                        titles=["a", "b", "c", "d"], mask=mask, size=(1.5, 1.0),
                        xticks=torch.arange(3), yticks=["", "$\\foo$", "cat"])
    maps = drawn(fig)
    assert [title for title, _ in maps] == ["a", "b", "c", "d"]
    for (_, shown), allowed in zip(maps, mask.flatten(0, 1)):
        assert np.array_equal(~np.ma.getmaskarray(shown).reshape(3, 3), allowed.numpy())
    lower_left = fig.axes[2]
    assert [text.get_text() for text in lower_left.get_xticklabels()] == ["0", "1", "2"]
    assert [text.get_text() for text in lower_left.get_yticklabels()] == ["", r"\$\foo\$", "cat"]
    assert fig.get_size_inches().tolist() == [1.5 * 2 + 1.5, 1.0 * 2 + 0.9]


def test_a_map_of_zeros_is_drawn_and_large_maps_are_numbered_rightly():
    (_, shown), = drawn(show_heatmaps(torch.zeros(2, 2), "Keys", "Queries"))
    assert (shown == 0).all()
    fig = show_heatmaps(torch.rand(64, 64), "Keys", "Queries")
    for text, place in zip(fig.axes[0].get_xticklabels(), fig.axes[0].get_xticks()):
        assert text.get_text() in ("", str(int(place)))


def test_tokens_stand_on_both_axes_and_numbers_in_the_cells():
    fig = show_heatmaps(torch.eye(2), "Keys", "Queries", xticks=["the", "cat"],
                        yticks=["le", "chat"], values=True)
    fig.canvas.draw()
    ax = fig.axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["the", "cat"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["le", "chat"]
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.00", "0.00", "1.00"]


def test_masked_cell_looks_unlike_a_zero():
    weights = torch.tensor([[1.0, 0.0, float("nan")]])
    fig = show_heatmaps(weights, "Keys", "Queries", mask=torch.tensor([True, True, False]))
    (_, shown), = drawn(fig)
    assert np.ma.getmaskarray(shown).ravel().tolist() == [False, False, True]
    pixels = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    box = fig.axes[0].get_window_extent()
    middle = pixels.shape[0] - int((box.y0 + box.y1) / 2)

    def cell(k):
        left = box.x0 + box.width * k / 3
        return pixels[middle - 15 : middle + 15, int(left) + 5 : int(left + box.width / 3) - 5]

    assert cell(1).std(axis=(0, 1)).max() < 1, "a zero is one flat colour"
    assert cell(2).std(axis=(0, 1)).max() > 5, "a masked cell is hatched"


@pytest.mark.parametrize("n, m", [(2, 2), (1, 12), (12, 1), (16, 16), (64, 64), (8, 64), (1, 1)])
@pytest.mark.parametrize("word", [None, "a", "street"])
def test_text_of_a_heatmap_does_not_overlap_from_1_to_64(n, m, word):
    fig = show_heatmaps(torch.rand(n, m), "Keys", "Queries", values=max(n, m) <= 16,
                        xticks=[word] * m if word else None, yticks=[word] * n if word else None)
    fig.canvas.draw()
    ax = fig.axes[0]
    for labels, low, high in ((ax.get_xticklabels(), "x0", "x1"), (ax.get_yticklabels(), "y0", "y1")):
        boxes = [label.get_window_extent() for label in labels if label.get_text()]
        boxes.sort(key=lambda box: getattr(box, low))
        for one, two in zip(boxes, boxes[1:]):
            assert getattr(one, high) <= getattr(two, low) + 1
    cell = ax.get_window_extent().width / m
    assert all(text.get_window_extent().width <= cell + 1 for text in ax.texts)
    assert fig.get_figwidth() <= 8 and fig.get_figheight() <= 8


@pytest.mark.parametrize("words, message", [
    (dict(matrices=torch.rand(3)), r"matrices has shape \(3,\); wanted \(rows, columns, n, m\)"),
    (dict(matrices=torch.rand(1, 1, 1, 2, 2)), r"matrices has shape \(1, 1, 1, 2, 2\)"),
    (dict(matrices=torch.rand(0, 3)), r"matrices has shape \(0, 3\)"),
    (dict(matrices=[[1.0, 2.0], [3.0]]), "matrices is ragged"),
    (dict(matrices=torch.tensor([[-0.1]])), "negative, infinite or nan"),
    (dict(matrices=torch.tensor([[float("nan")]])), "negative, infinite or nan"),
    (dict(matrices=torch.tensor([[float("inf")]])), "negative, infinite or nan"),
    (dict(xticks=["a"]), "xticks has 1 labels; wanted 3"),
    (dict(yticks=list("abc")), "yticks has 3 labels; wanted 2"),
    (dict(titles=["a", "b"]), "titles has 2 strings; wanted 1"),
    (dict(matrices=torch.rand(17, 17), values=True), "does not fit into a cell.* 17 x 17"),
    (dict(matrices=torch.rand(4, 16, 16), values=True), "does not fit into a cell.* 4 in a row"),
    (dict(matrices=torch.full((16, 16), 1000.0), values=True), "1000.00 does not fit into a cell"),
    (dict(matrices=torch.rand(2, 3) * 1j), "matrices holds complex"),
    (dict(matrices=[["0.1", "0.2"]]), "matrices holds <U3; wanted real numbers"),
    (dict(matrices=[torch.rand(2, 3), torch.rand(3, 2)]), "matrices is ragged"),
    (dict(titles="abc"), r"titles is 'abc'; wanted a list of strings, such as \['abc'\]"),
    (dict(size=3), "size is 3; wanted a width and a height above 0"),
    (dict(size=(0, 2)), r"size is \(0, 2\); wanted a width and a height above 0"),
    (dict(mask=torch.ones(2, 3)), "mask has dtype float64; wanted booleans"),
    (dict(mask=torch.ones(3, 2).bool()), r"mask has shape \(3, 2\); wanted one that broadcasts"),
])
def test_heatmap_refuses_what_does_not_fit_and_says_what_is_wanted(words, message):
    words = {"matrices": torch.rand(2, 3), "xlabel": "Keys", "ylabel": "Queries"} | words
    with pytest.raises(ValueError, match=message):
        show_heatmaps(**words)


@pytest.fixture
def displayed(monkeypatch):
    """What `show` hands to the notebook."""
    outputs = []
    monkeypatch.setattr(plot, "display", lambda data, metadata, raw: outputs.append((data, metadata)))
    return outputs


def test_show_displays_one_sharp_small_picture_with_its_alt(displayed):
    fig, ax = plt.subplots(figsize=(4, 2))
    ax.plot([0, 1])
    show(fig, "A line that\n rises from 0 to 1.")
    (data, metadata), = displayed
    alt = "A line that rises from 0 to 1."
    assert data["text/plain"] == alt
    assert metadata == {"image/png": {"alt": alt, "width": 384}}
    png = base64.b64decode(data["image/png"])
    picture = Image.open(io.BytesIO(png))
    assert picture.size == (768, 384) and len(png) < 60_000
    assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255), "an opaque ground"
    assert not plt.fignum_exists(fig.number), "or the notebook would show it again"


@pytest.mark.parametrize("alt", [
    "", "a plot", "figure.png", "No full stop at its end, sadly", "." * 20,
    "<Figure size 640x480 with 1 Axes>.", "A line whose error is nan.", "A word, " * 60 + "end."])
def test_show_refuses_an_alt_that_says_nothing(displayed, alt):
    with pytest.raises(ValueError, match="alt is .*wanted one sentence"):
        show(plt.figure(), alt)
    plt.close("all")
    assert not displayed


def test_progress_counts_the_steps():
    assert list(progress(3)) == list(progress(3, seconds=0)) == [0, 1, 2]
    assert list(progress(0)) == list(progress(0, seconds=0)) == []


@pytest.mark.parametrize("steps", [-1, 1.0, True, "3", None])
def test_progress_refuses_what_is_no_number_of_steps_before_the_loop(steps):
    with pytest.raises(ValueError, match=f"steps is {steps!r}; wanted a whole number of at"):
        progress(steps)


def test_progress_shows_what_is_done_and_left_without_a_notebook():
    code = ("from utils.progress import progress\n"
            "for step in progress(3, seconds=0): pass\n"
            "for step in progress(3, seconds=0): break\n"
            "print('done')\n")
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    for step in (1, 2, 3):
        assert run.stdout.count(f"step {step} of 3, about 0 seconds left\n") == 1
    assert run.stdout.endswith("done\n")


IN_A_NOTEBOOK = {  # code of a cell, in which the line is shown in every step -> what is left of it
    "for step in progress(3, 0): pass": "",
    "for step in progress(3, 0): pass\nprint('behind', step)": "behind 2\n",
    "for step in progress(3, 0):\n    if step: break\nprint('behind', step)": "behind 1\n",
    "for step, _ in zip(progress(9, 0), 'ab'): pass\nprint('behind', step)": "behind 1\n",
    "try:\n    for step in progress(3, 0): step / step\n"
    "except ZeroDivisionError: print('caught')": "caught\n",
    "def some():\n    for step in progress(3, 0):\n        if step: return step\n"
    "print('behind', some())": "behind 1\n",
    "print('before')\nfor step in progress(3): pass\nprint('behind')": "before\nbehind\n",
    "for step in progress(3, 0): pass\nfor step in progress(2, 0): pass\nstep": "1",
}


def test_progress_leaves_nothing_in_a_notebook():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code) for code in (
        "from utils.progress import progress", *IN_A_NOTEBOOK)])
    manager = KernelManager(
        kernel_name=CURRENT_ENV_KERNEL_NAME, kernel_spec_manager=NbvalKernelspecManager())
    NotebookClient(notebook, km=manager, timeout=120,
                   resources={"metadata": {"path": str(ROOT)}}).execute()
    for cell in notebook.cells[1:]:
        left = "".join(output.get("text") or output["data"]["text/plain"]
                       for output in cell.outputs)
        assert left == IN_A_NOTEBOOK[cell.source], cell.source
