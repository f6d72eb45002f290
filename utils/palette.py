"""The course's colours, once for all: plots, diagrams, live figures and the book take them here.

A hue means the same thing everywhere: query, key, value, weight. More weight is more ink, so a
weight is darker on a light ground and brighter on a dark one. The pairs were chosen so that
colour-blind eyes tell them apart, and no text is told by its colour alone.
"""

LIGHT = {
    "ink": "#222832",
    "muted": "#55626f",
    "line": "#7c8a98",
    "paper": "#ffffff",
    "neutral": "#eef1f4",
    "query": "#b45f06",
    "query-fill": "#fde6c8",
    "key": "#2478bd",
    "key-fill": "#dcebf8",
    "value": "#0f7a5a",
    "value-fill": "#d3f0e4",
    "weight": "#6d1f5f",
    "on-half": "#222832",  # text on a weight of about a half
}
DARK = {
    "ink": "#d5dce4",
    "muted": "#9aa7b4",
    "line": "#6f7d8b",
    "paper": "#14181e",
    "neutral": "#252c35",
    "query": "#f5b041",
    "query-fill": "#4a3110",
    "key": "#4f9fe6",
    "key-fill": "#15344f",
    "value": "#3fc79a",
    "value-fill": "#0f3d30",
    "weight": "#f7bfe9",
    "on-half": "#14181e",
}

# Lines and bars of plots, C0, C1, ..., which are no query, key, value or weight: what the page is
# about in slate, its rival in grey, what the text points at in brick, and two more greys, told apart
# by dashes or markers.
SERIES = ["#2a3340", "#6b7885", "#a8323a", "#a3adb8", "#c8cfd6"]

# What the classes of a diagram in chapters/figures look like; CONTRIBUTING.md lists them.
CLASSES = """\
.diagram{font:14px system-ui,"Segoe UI",Helvetica,Arial,sans-serif;fill:var(--ink);\
background:var(--paper)}
.diagram .small{font-size:12px}.diagram .strong{font-weight:600}.diagram .muted{fill:var(--muted)}
.diagram .mid{text-anchor:middle}.diagram .end{text-anchor:end}
.diagram .box{fill:var(--neutral);stroke:var(--line);stroke-width:1.5}
.diagram .open{fill:var(--paper);stroke:var(--line);stroke-width:1.5}
.diagram .ghost{fill:none;stroke:var(--line);stroke-width:1.5;stroke-dasharray:3 3}
.diagram .line{fill:none;stroke:var(--line);stroke-width:1.5;stroke-linecap:round}
.diagram .head{fill:var(--line)}
.diagram .hatch{fill:none;stroke:var(--line);stroke-opacity:.55}
.diagram .frame{fill:none;stroke:var(--query);stroke-width:2}
.diagram .cell{fill:var(--weight)}.diagram .arc{fill:none;stroke:var(--weight)}
.diagram .on{fill:var(--paper)}.diagram .on-half{fill:var(--on-half)}
"""
for _name in ("query", "key", "value", "weight"):
    CLASSES += f".diagram .{_name}{{fill:var(--{_name})}}"
    CLASSES += f".diagram .line-{_name}{{stroke:var(--{_name})}}\n"
for _name in ("query", "key", "value"):
    CLASSES += f".diagram .box-{_name}{{fill:var(--{_name}-fill);stroke:var(--{_name});"
    CLASSES += "stroke-width:1.5}\n"


def variables(hues):
    """The colours as CSS variables: `--ink:#222832;...`."""
    return "".join(f"--{name}:{hue};" for name, hue in hues.items())


def stylesheet(selector=".diagram"):
    """The colours for what `selector` names, and the classes of the diagrams, as CSS.

    They follow the theme that the page is in (`data-theme`, on any box around), and else the
    reader's system.
    """
    light, dark = variables(LIGHT), variables(DARK)
    inside = selector if selector == ":root" else f" {selector}"
    return (
        f"{selector}{{{light}}}\n@media(prefers-color-scheme:dark){{{selector}{{{dark}}}}}\n"
        f"{inside_theme('light', inside)}{{{light}}}\n{inside_theme('dark', inside)}{{{dark}}}\n"
        f"{CLASSES}"
    )


def inside_theme(theme, inside):
    """`[data-theme=dark] .diagram`, or `:root[data-theme=dark]`."""
    theme = f"[data-theme={theme}]"
    return f"{inside}{theme}" if inside == ":root" else f"{theme}{inside}"
