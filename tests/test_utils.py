"""`utils/device.py`, `plot.py` and `progress.py`: what they return, show, and refuse."""

import base64
import io
from itertools import pairwise
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from PIL import Image

from utils import plot
from utils.device import get_device
from utils.palette import DARK, LIGHT
from utils.plot import show, show_diagram, show_heatmaps
from utils.progress import progress


@pytest.mark.parametrize("cuda, mps, wish, device", [
    (0, False, None, "cpu"), (0, True, None, "mps"), (1, True, None, "cuda"),
    (2, False, "cuda:1", "cuda:1"), (0, False, "cuda", "here are cpu"),
    (1, False, "cuda:1", "here are cuda, cuda:0, cpu"),
])  # fmt: skip
def test_device_is_the_best_there_is_unless_overridden(monkeypatch, cuda, mps, wish, device):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda > 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: cuda)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
    monkeypatch.delenv("ATTENTION_DEVICE", raising=False)
    if wish:
        monkeypatch.setenv("ATTENTION_DEVICE", wish)
    if "here are" in device:
        with pytest.raises(ValueError, match=f"'{wish}'.*available {device}$"):
            get_device()
    else:
        assert get_device() == torch.device(device)


def heatmaps(*arguments, **options):
    """A figure that is drawn, and the axes of its maps."""
    fig = show_heatmaps(*arguments, "Keys", "Queries", **options)
    fig.canvas.draw()
    return fig, [ax for ax in fig.axes if ax.get_label() != "<colorbar>"]


@pytest.mark.parametrize(
    "matrices", [torch.rand(5, 7, requires_grad=True) * 2, torch.rand(5, 7).bfloat16(), [[0.1, 0.9]]]
)
def test_heatmap_shows_the_numbers_it_is_given(matrices):
    _, (ax,) = heatmaps(matrices)
    if isinstance(matrices, torch.Tensor):
        matrices = matrices.detach().double().numpy()
    np.testing.assert_allclose(np.ravel(ax.collections[0].get_array()), np.ravel(matrices), rtol=1e-6)


def test_grid_is_rows_by_columns_on_one_scale_with_titles_and_masks():
    mask = torch.rand(2, 3, 4, 3) > 0.3
    _, maps = heatmaps(
        torch.rand(2, 3, 4, 3, requires_grad=True), titles=["a", "b", "c"], mask=mask,
        xticks=torch.arange(3), yticks=["", "$\\foo$", "cat", "b"])  # fmt: skip
    top = max(ax.collections[0].get_array().max() for ax in maps)
    assert {ax.collections[0].get_clim() for ax in maps} == {(0, top)}
    assert [ax.get_title() for ax in maps] == ["a", "b", "c", "", "", ""]
    assert [ax.get_ylabel() for ax in maps] == ["Queries", "", ""] * 2
    assert [ax.get_xlabel() for ax in maps] == [""] * 3 + ["Keys"] * 3
    for ax, allowed in zip(maps, mask.flatten(0, 1), strict=True):
        masked = np.ma.getmaskarray(ax.collections[0].get_array())
        assert (masked.ravel() == ~allowed.numpy().ravel()).all()
    assert [text.get_text() for text in maps[3].get_xticklabels()] == ["0", "1", "2"]
    assert [text.get_text() for text in maps[3].get_yticklabels()] == ["", r"\$\foo\$", "cat", "b"]


def test_masked_cell_looks_unlike_a_zero_and_values_stand_in_the_cells():
    weights = torch.tensor([[1.0, 0.0, float("nan")]])
    fig, (ax,) = heatmaps(weights, mask=torch.tensor([True, True, False]))
    pixels = np.asarray(fig.canvas.buffer_rgba())[..., :3].astype(int)
    box = ax.get_window_extent()
    middle, width = pixels.shape[0] - int((box.y0 + box.y1) / 2), box.width / 3
    cells = [pixels[middle - 15 : middle + 15, int(box.x0 + width * k) + 5 :] for k in (1, 2)]
    zero, masked = (cell[:, : int(width) - 10].std(axis=(0, 1)).max() for cell in cells)
    assert zero < 1 and masked > 5, "a zero is one flat colour, a masked cell is hatched"
    _, (ax,) = heatmaps(torch.eye(2), values=True)
    assert [text.get_text() for text in ax.texts] == ["1.00", "0.00", "0.00", "1.00"]


@pytest.mark.parametrize("n, m, word", [(64, 64, None), (1, 12, "street"), (8, 64, "street")])
def test_text_of_a_heatmap_does_not_overlap_from_1_to_64(n, m, word):
    ticks = {"xticks": [word] * m, "yticks": [word] * n} if word else {}
    _, (ax,) = heatmaps(torch.rand(n, m), **ticks)
    for labels, side in ((ax.get_xticklabels(), "x"), (ax.get_yticklabels(), "y")):
        boxes = [label.get_window_extent() for label in labels if label.get_text()]
        boxes.sort(key=lambda box: getattr(box, f"{side}0"))
        for first, second in pairwise(boxes):
            assert getattr(first, f"{side}1") <= getattr(second, f"{side}0") + 1


@pytest.mark.parametrize("words, message", [
    (dict(matrices=torch.rand(3)), r"matrices has shape \(3,\); wanted \(rows, columns, n, m\)"),
    (dict(matrices=np.ma.masked_greater([[0.1, 0.9], [0.2, 77.0]], 1)), "matrices has numbers that numpy masks; wanted `mask`"),
    (dict(matrices=[[1], []]), "is ragged"), (dict(matrices=[[np.nan]]), "infinite or nan"),
    (dict(matrices=torch.rand(17, 17), values=True), "does not fit into a cell.* 17 x 17"),
    (dict(xticks=["a"]), "xticks has 1 labels; wanted 3"),
    (dict(titles="abc"), r"titles is 'abc'; wanted a list of strings, such as \['abc'\]"),
    (dict(size=(0, 2)), r"size is \(0, 2\); wanted a width and a height above 0"),
    (dict(mask=torch.ones(2, 3)), "mask has dtype float64; wanted booleans"),
    (dict(mask=torch.ones(3, 2).bool()), r"mask has shape \(3, 2\); wanted one that broadcasts"),
])  # fmt: skip
def test_heatmap_refuses_what_does_not_fit_and_says_what_is_wanted(words, message):
    with pytest.raises(ValueError, match=message):
        show_heatmaps(**{"matrices": torch.rand(2, 3), "xlabel": "x", "ylabel": "y"} | words)


def test_show_displays_one_sharp_small_picture_with_its_alt(monkeypatch):
    outputs = []
    monkeypatch.setattr(plot, "display", lambda *data, **how: outputs.append((*data, how)))
    for alt in ("No full stop at its end, sadly", "." * 20, "A line whose error is nan.", "Of the errors one is -inf."):
        with pytest.raises(ValueError, match="alt is .*wanted one sentence"):
            show(plt.figure(), alt)
    plt.close("all")
    assert not outputs
    fig, ax = plt.subplots(figsize=(4, 2))
    ax.plot([0, 1])
    show(fig, "A line that\n rises from 0 to 1.")
    show(plt.figure(), "A photograph of a cat.", picture=True)
    (data, how), (_, of_a_picture) = outputs
    assert of_a_picture["metadata"]["image/png"]["picture"] == []  # of no axes
    alt = "A line that rises from 0 to 1."
    assert data["text/plain"] == alt
    assert how == {"raw": True, "metadata": {"image/png": {"alt": alt, "width": 384}}}
    png = base64.b64decode(data["image/png"])
    picture = Image.open(io.BytesIO(png))
    assert picture.size == (768, 384) and len(png) < 60_000
    assert picture.convert("RGB").getpixel((0, 0)) == (255, 255, 255), "an opaque ground"
    assert not plt.fignum_exists(fig.number), "or the notebook would show it again"


def test_show_diagram_displays_a_drawing_with_its_alt(monkeypatch):
    outputs, alt = [], 'A word <attends> to "three" others & to padding.'
    monkeypatch.setattr(plot, "display", lambda *data, **how: outputs.append((*data, how)))
    show_diagram("mask_or_not", alt)
    ((data, how),) = outputs
    image = ElementTree.fromstring(data["text/html"].replace(">", "/>"))
    assert image.get("alt") == data["text/plain"] == alt and int(image.get("width")) > 300
    assert how == {"raw": True, "metadata": {"text/html": {"alt": alt, "diagram": "mask_or_not"}}}
    drawing = base64.b64decode(image.get("src").partition("base64,")[2]).decode()
    assert "prefers-color-scheme" in drawing, "it is whole without the book"
    with pytest.raises(ValueError, match="name is 'gone'; wanted a drawing.*mask_or_not"):
        show_diagram("gone", alt)
    with pytest.raises(ValueError, match="alt is 'a mask'; wanted one sentence"):
        show_diagram("mask_or_not", "a mask")


def contrast(first, second):
    """How far two colours are apart, 1 to 21 (WCAG 2.1, relative luminance)."""
    light = []
    for hue in (first, second):
        parts = [int(hue[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        light.append(0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05)
    return max(light) / min(light)


@pytest.mark.parametrize("hues", [LIGHT, DARK])
def test_text_can_be_read_on_every_ground_it_stands_on(hues):
    assert LIGHT.keys() == DARK.keys()
    for text in ("ink", "muted", "query", "key", "value", "weight"):
        assert contrast(hues[text], hues["paper"]) >= 4.5, text
    for ground in ("neutral", "query-fill", "key-fill", "value-fill"):
        assert contrast(hues["ink"], hues[ground]) >= 4.5, ground
    assert contrast(hues["line"], hues["paper"]) >= 3
    assert contrast(hues["paper"], hues["weight"]) >= 4.5


def test_progress_counts_the_steps_and_shows_what_is_left(capsys):
    assert [*progress(0), *progress(3), *progress(0, seconds=0)] == [0, 1, 2]
    assert not capsys.readouterr().out
    assert [*progress(np.int64(3), seconds=0)] == [0, 1, 2]
    output = capsys.readouterr().out
    for step in (1, 2, 3):
        assert output.count(f"step {step} of 3, about 0 seconds left\n") == 1
    with pytest.raises(ValueError, match="steps is 1.0; wanted a whole number of at"):
        progress(1.0)
