"""Diagrams, heatmaps of attention weights, and plots, each with a description.

Importing this module sets the look of the course's plots (`matplotlib.rcParams`): the course's
colours and typeface, and a width at which a label is still 11 pixels high on a phone. The ground is
an opaque white, which can be read in JupyterLab and on Colab in the dark as well; the book shows a
second picture in its dark theme (`_ext/dark_plots.py`).
"""

import base64
import io
import re
from html import escape
from pathlib import Path

import matplotlib as mpl
import matplotlib.font_manager
import matplotlib.pyplot as plt
import numpy as np
import torch
from IPython.display import display
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from utils.palette import LIGHT, SERIES

HERE = Path(__file__).resolve().parent
DRAWINGS = HERE.parent / "chapters" / "figures"
CSS_PIXELS_PER_INCH = 96
SHARPNESS = 2  # image pixels per CSS pixel: sharp on a phone
# Inches. A phone shows 358 pixels of a figure, so at this width a label of 11 points is 11 pixels.
WIDEST = 4.9

# From almost nothing, which is told apart from the ground, to the hue of weights: more is more ink.
# What isn't a weight is grey, and where it has a sign, slate above zero and brick below.
SCALES = {
    "weights": ["#f8f3f7", LIGHT["weight"]],
    "numbers": ["#f3f5f7", SERIES[0]],
    "signed": [SERIES[2], "white", SERIES[0]],
}
for scale, ends in SCALES.items():
    drawn = mpl.colors.LinearSegmentedColormap.from_list(scale, ends)
    mpl.colormaps.register(drawn, name=scale, force=True)
WEIGHTS = mpl.colormaps["weights"]

# The book's typeface; its letters are a little smaller than other faces', so 12 points look like 11.
for face in sorted((HERE / "fonts").glob("*.ttf")):
    mpl.font_manager.fontManager.addfont(face)
# Faces for letters that it has not, such as Chinese or Hindi ones; those that are installed are used.
OTHERS = """Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, WenQuanYi Zen Hei, WenQuanYi Micro Hei,
    PingFang SC, Heiti SC, Heiti TC, Microsoft YaHei, SimHei, Arial Unicode MS, Noto Sans Devanagari,
    Lohit Devanagari, Kohinoor Devanagari, Devanagari MT, Nirmala UI"""
OTHERS = [name for name in re.split(r",\s+", OTHERS) if name in mpl.font_manager.get_font_names()]
mpl.rcParams.update(
    {
        "axes.edgecolor": LIGHT["line"],
        "axes.labelcolor": LIGHT["ink"],
        "axes.labelsize": 12,
        "axes.prop_cycle": mpl.cycler(color=SERIES),
        "axes.spines.right": False,
        "axes.spines.top": False,
        "axes.titlesize": 12,
        "figure.constrained_layout.use": True,
        "figure.facecolor": "white",
        "figure.figsize": (WIDEST, 3.2),
        "font.family": ["Course Text", "DejaVu Sans", *OTHERS],  # the first that has a letter
        "font.size": 12,
        "legend.frameon": False,
        "text.color": LIGHT["ink"],
        "xtick.color": LIGHT["ink"],
        "ytick.color": LIGHT["ink"],
    }
)


def show(fig, alt, *, picture=False):
    """Display a figure as a PNG image, with a description for those who do not see it.

    `fig` is a `matplotlib.figure.Figure`. `alt` is one sentence that says what there is to see;
    it becomes the alternative text of the image, and the plain-text form of the output.
    `picture=True` is for what has colours of its own, such as a photograph: in its dark theme the
    book gives the rest a dark ground and light ink, and leaves what is inside the axes as it is.

    Raises `ValueError` when `alt` says nothing: fewer than four words or than 20 characters, no
    full stop at its end, or a nan or inf among its numbers; and when it is longer than 400 characters.
    """
    data, alt, width = png(fig, alt)
    about = {"alt": alt, "width": width}
    if picture:  # the parts that keep their colours: left, top, right, bottom, in pixels
        high, scale = fig.bbox.height, CSS_PIXELS_PER_INCH * SHARPNESS / fig.dpi
        boxes = [ax.get_window_extent() for ax in fig.axes]
        corners = [(box.x0, high - box.y1, box.x1, high - box.y0) for box in boxes]
        about["picture"] = [[round(scale * x) for x in corner] for corner in corners]
    display({"image/png": data, "text/plain": alt}, metadata={"image/png": about}, raw=True)


def png(fig, alt):
    """A figure as a PNG image in base64, its description, and its width in CSS pixels; closes it.

    Raises `ValueError` for an `alt` as `show` does.
    """
    alt = sentence(alt)
    drawn, packed = io.BytesIO(), io.BytesIO()
    fig.savefig(drawn, format="png", dpi=CSS_PIXELS_PER_INCH * SHARPNESS, facecolor="white")
    plt.close(fig)  # or the notebook would show it a second time
    # 256 colours are enough for a chart, and make the file a third as large.
    Image.open(drawn).convert("RGB").quantize(256).save(packed, format="png", optimize=True)
    data = base64.b64encode(packed.getvalue()).decode()
    return data, alt, round(fig.get_figwidth() * CSS_PIXELS_PER_INCH)


def show_diagram(name, alt):
    """Display a drawing of the course, `chapters/figures/<name>.svg`, with a description.

    It is stored as an output, so that it is there wherever the page is read. It follows light and
    dark: in the book, which writes it into the page, the book's theme, elsewhere the reader's
    system. `alt` is a sentence as for `show`.

    Raises `ValueError` when there is no such drawing, and for an `alt` as `show` does.
    """
    path = DRAWINGS / f"{name}.svg"
    if not path.is_file():
        names = ", ".join(sorted(drawing.stem for drawing in DRAWINGS.glob("*.svg")))
        raise ValueError(f"name is {name!r}; wanted a drawing in chapters/figures: {names}")
    alt = sentence(alt)
    svg = path.read_text(encoding="utf-8").strip()
    width = re.search(r'\bwidth="(\d+)"', svg)[1]
    # An image in HTML, because JupyterLab shows no SVG in a notebook that it has not yet run.
    source = f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
    display(
        {
            "text/html": f'<img alt="{escape(alt)}" width="{width}" src="{source}">',
            "text/plain": alt,
        },
        metadata={"text/html": {"alt": alt, "diagram": name}},
        raw=True,
    )


def show_runs(groups, xlabel, alt, *, lines=None, xlim=None, digits=2):
    """Display training runs: a dot for each, a bar and its number for their mean, a row a group.

    groups: {name: the numbers of its runs}, from top to bottom.
    lines: {name: number}, dotted: what chance gives, or the best that is possible.
    xlim: the ends of the axis; by default those of the numbers.
    digits: decimals of the means, which stand at the end of their rows.

    Raises `ValueError` for a group without numbers or with one that isn't finite, and for an `alt`
    as `show` does.
    """
    for name, numbers in groups.items():
        if not len(numbers) or not np.isfinite(numbers).all():
            raise ValueError(f"groups[{name!r}] is {numbers}; wanted finite numbers, at least one")
    fig, ax = plt.subplots(figsize=(WIDEST, 0.42 * len(groups) + 0.75 + 0.2 * bool(lines)))
    for row, numbers in enumerate(groups.values()):
        places = row + 0.26 * np.linspace(-1, 1, len(numbers)) * (len(numbers) > 1)
        mean = np.mean(numbers)
        ax.plot(numbers, places, "o", color=LIGHT["line"], ms=5, mew=0)
        ax.plot([mean, mean], [row - 0.4, row + 0.4], color=LIGHT["ink"], lw=2.5)
        ax.annotate(
            f"{mean:.{digits}f}", (1, row), (6, 0), va="center",
            xycoords=("axes fraction", "data"), textcoords="offset points",
        )  # fmt: skip
    for name, number in (lines or {}).items():
        ax.axvline(number, color=LIGHT["ink"], lw=1, ls=":")
        ax.annotate(name, (number, 1), (0, 4), ha="center", size=11,
                    xycoords=("data", "axes fraction"), textcoords="offset points")  # fmt: skip
    ax.set_yticks(range(len(groups)), [*groups])
    ax.set(xlabel=xlabel, xlim=xlim, ylim=(len(groups) - 0.45, -0.55))
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    show(fig, alt)


def sentence(alt):
    """The description of a figure on one line; a ValueError where it says nothing."""
    alt = " ".join(str(alt).split())
    sentence = 20 <= len(alt) <= 400 and alt.count(" ") >= 3 and alt.endswith(".")
    if not sentence or "<Figure" in alt or re.search(r"\b(nan|inf)\b", alt):
        raise ValueError(
            f"alt is {alt!r}; wanted one sentence of 20 to 400 characters that says what there "
            "is to see and ends with a full stop, without nan or inf"
        )
    return alt


def show_heatmaps(
    matrices,
    xlabel,
    ylabel,
    titles=None,
    *,
    xticks=None,
    yticks=None,
    values=False,
    mask=None,
    size=None,
):
    """Draw a grid of matrices as heatmaps on one colour scale that begins at 0.

    After `d2l.show_heatmaps` of *Dive into Deep Learning* (section 11.1), with labels, values
    and masks. Returns the `Figure`; hand it to `show`.

    matrices: numbers >= 0 of shape (rows, columns, n, m), (columns, n, m) or (n, m): a tensor on
        any device, with or without gradient, an array, or nested lists. Axis n runs down. What numpy
        masks is refused: `mask` says what isn't to be shown.
    xlabel, ylabel: the names of the axes, m and n.
    titles: strings, one for each column, or one for each map (rows * columns), row by row.
    xticks, yticks: m and n labels, such as the tokens of a sentence; an empty string where a
        column or row shall have none. By default they are numbered, from 0.
    values: whether to write each number into its cell, with two decimals, where there is room.
    mask: booleans broadcastable to `matrices`; False marks a cell that may not be attended to.
        It is drawn hatched, so that it cannot be taken for a weight of 0, and its number may be
        anything.
    size: width and height of one map in inches; by default chosen from n, m and the columns.

    Raises `ValueError` for shapes that do not fit, for a number in an unmasked cell that is
    negative, infinite or nan, and for values that do not fit into their cells.
    """
    import seaborn as sns  # here, as pages without heatmaps needn't wait for it

    matrices = _array(matrices, "matrices").astype(float)
    if not 2 <= matrices.ndim <= 4 or 0 in matrices.shape:
        raise ValueError(
            f"matrices has shape {matrices.shape}; wanted (rows, columns, n, m), "
            "(columns, n, m) or (n, m), none of them 0"
        )
    matrices = matrices.reshape((1,) * (4 - matrices.ndim) + matrices.shape)
    rows, columns, n, m = matrices.shape
    xticks, yticks = _strings(xticks, "xticks"), _strings(yticks, "yticks")
    titles = _strings(titles, "titles")
    for name, labels, count in (("xticks", xticks, m), ("yticks", yticks, n)):
        if labels is not None and len(labels) != count:
            raise ValueError(
                f"{name} has {len(labels)} labels; wanted {count}, one for each "
                f"{'column' if name == 'xticks' else 'row'} of a map"
            )
    if titles is not None and len(titles) not in (columns, rows * columns):
        raise ValueError(
            f"titles has {len(titles)} strings; wanted {columns} (one for each "
            f"column) or {rows * columns} (one for each map)"
        )
    hidden = _hidden(mask, matrices.shape)
    visible = matrices[~hidden]
    if not np.isfinite(visible).all() or (visible < 0).any():
        raise ValueError(
            "matrices holds a number that is negative, infinite or nan; "
            "wanted numbers >= 0 in every cell that is not masked"
        )

    fig = Figure(layout="constrained")
    Undrawn(fig)
    axes = fig.subplots(rows, columns, squeeze=False)
    if size is not None and (np.shape(size) != (2,) or not all(0 < x < np.inf for x in size)):
        raise ValueError(f"size is {size}; wanted a width and a height above 0, in inches")
    width, height = size or _size_of_a_map(n, m, columns, values)
    fig.set_size_inches(width * columns + (1.0 if values else 1.5), height * rows + 0.9)
    top = visible.max() if visible.size and visible.max() > 0 else 1.0
    room = min(width / m, 2 * height / n)
    if values and room < len(f"{top:.2f}") * 0.078:  # inches of a digit of 10 points
        raise ValueError(
            f"values=True: {top:.2f} does not fit into a cell of {room:.2f} inches; "
            f"matrices are {n} x {m}, {columns} in a row: show fewer, or set size"
        )
    xticks, x_size, x_upright = _tick_labels(xticks, m, width / m)
    yticks, y_size, _ = _tick_labels(yticks, n, height / n)
    for index, ax in enumerate(axes.flat):
        row, column = divmod(index, columns)
        if index == max(rows * columns - 2, 0):
            FigureCanvasAgg(fig)  # drawn for the last two, after which the layout stays
        ax.label_outer()  # as shared axes do, each of which would look at all others
        # What seaborn masks it leaves open: the hatched ground shows through.
        ax.patch.set(facecolor="white", edgecolor="0.6", hatch="////", linewidth=0)
        sns.heatmap(
            matrices[row, column],
            mask=hidden[row, column],
            ax=ax,
            cmap="weights",
            vmin=0,
            vmax=top,
            annot=values,
            fmt=".2f",
            annot_kws={"size": 10},
            cbar=False,
            square=size is None and 0.25 <= n / m <= 4,
            linewidths=0.5 if max(n, m) <= 16 else 0,
            xticklabels=xticks,
            yticklabels=yticks,
        )
        if values:
            grounds = ax.collections[0].get_facecolors()[~hidden[row, column].ravel()]
            for text, ground in zip(ax.texts, grounds):
                text.set_color(_on(ground))
        ax.set_xlabel(xlabel if row == rows - 1 else "")
        ax.set_ylabel(ylabel if column == 0 else "")
        ax.tick_params(axis="x", length=0, labelsize=x_size, labelrotation=90 * x_upright)
        ax.tick_params(axis="y", length=0, labelsize=y_size, labelrotation=0)
        if titles is not None and (len(titles) > columns or row == 0):
            ax.set_title(titles[index], fontsize=11)
    if not values:  # else each cell says its number
        bar = fig.colorbar(axes[0, 0].collections[0], ax=axes, shrink=0.8, pad=0.02)
        bar.outline.set_visible(False)
    return fig


class Undrawn(FigureCanvasAgg):
    """For a figure that isn't complete.

    seaborn draws all of it with each heatmap, to see whether labels overlap: of 64 maps each was
    drawn 64 times. `_tick_labels` has seen to the labels.
    """

    def draw(self):
        self.figure.stale = False


def _on(ground):
    """The colour, black or white, that can be read better on a ground given as RGBA."""
    parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in ground[:3]]
    light = 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    return "black" if light > 0.179 else "white"  # where both have a contrast of 4.6


def _array(numbers, name):
    """Numbers of any kind as a numpy array: detached, on the CPU, half precisions widened."""
    if isinstance(numbers, (list, tuple)):
        inner = (list, tuple, torch.Tensor, np.ndarray)
        numbers = [_array(part, name) if isinstance(part, inner) else part for part in numbers]
    if np.ma.is_masked(numbers):  # its mask is the other way round, and would be dropped
        raise ValueError(f"{name} has numbers that numpy masks; wanted `mask`, False = not shown")
    if isinstance(numbers, torch.Tensor):
        numbers = numbers.detach().cpu().to_dense()
        numbers = (numbers.double() if numbers.is_floating_point() else numbers).numpy()
    try:
        numbers = np.asarray(numbers)
    except ValueError:
        raise ValueError(f"{name} is ragged; wanted rows of one length") from None
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"{name} holds {numbers.dtype}; wanted real numbers")
    return numbers


def _strings(labels, name):
    """Labels as a list of strings; a tensor of numbers gives its numbers; a string is refused."""
    if labels is None:
        return None
    if isinstance(labels, str):
        raise ValueError(f"{name} is {labels!r}; wanted a list of strings, such as [{labels!r}]")
    return [str(label) for label in (labels.tolist() if hasattr(labels, "tolist") else labels)]


def _hidden(mask, shape):
    """The cells not to be shown, as booleans of the shape of the matrices."""
    if mask is None:
        return np.zeros(shape, dtype=bool)
    mask = _array(mask, "mask")
    if mask.dtype != bool:
        raise ValueError(f"mask has dtype {mask.dtype}; wanted booleans, True = may attend")
    try:
        return ~np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(
            f"mask has shape {mask.shape}; wanted one that broadcasts to "
            f"the shape of matrices, {shape}"
        ) from None


def _size_of_a_map(n, m, columns, values):
    """Width and height in inches: readable cells, and up to three maps no wider than a page."""
    margin = 1.0 if values else 1.5
    cell = min(0.55, max(WIDEST - margin, 1.6 * columns) / columns / m, 5 / n)
    if values and (m * columns <= 16):  # room for the numbers, on a wider figure if it must be
        cell = max(cell, 0.32)
    return max(cell * m, 1.2), max(cell * n, 0.8)


def _tick_labels(labels, count, cell):
    """The labels of an axis of `count` cells of `cell` inches, so that none touches the next.

    Returns the labels as strings, their size in points, and whether they must stand upright to
    fit side by side.
    """
    if labels is None:
        step = 1 if count <= 16 else -(-count // 9)
        labels = [i if i % step == 0 else "" for i in range(count)]
    labels = [str(label).replace("$", r"\$") for label in labels]
    printed = [i for i, label in enumerate(labels) if label]
    gap = cell * min((b - a for a, b in zip(printed, printed[1:])), default=count)
    points = min(11, 0.85 * 72 * gap)
    longest = max(map(len, labels)) * 0.7 * points / 72
    return labels, points, longest > gap
