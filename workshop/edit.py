"""Make a new page, give pages other numbers, and move the course to another address."""

import re

from workshop.frame import FOLDED, START_METADATA, address, colab_link, start_cell
from workshop.page import ROOT, Page, course_files, mention, notebooks, slug_of
from workshop.store import stamp, write

# ---------------------------------------------------------------- a new page


def markdown(source):
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def code(source, *tags, printed="", folded=False):
    metadata = {"tags": list(tags)} | (FOLDED if folded else {})
    outputs = [{"output_type": "stream", "name": "stdout", "text": printed}] if printed else []
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": outputs}


def template(number, title, link, start):
    """The cells of a new page. They keep every rule, so one can begin by changing them."""
    check, n = "def check_spread(candidate):", number
    stub = 'def spread(values):\n    """The largest minus the smallest of n values, (n,)."""\n'
    return [
        markdown(f"# {n}. {title}\n\n{link} · 30 minutes · medium"),
        {**code(start), "metadata": START_METADATA},
        # Here stands a folded cell with show_diagram(...), and its caption begins the next text.
        markdown(
            "A question that the reader can feel, on something concrete, and the picture that "
            "answers it.\n\n> **In this page**\n>\n> **You will build** the mean of some numbers."
            "\n>\n> **You need** tensors in PyTorch."
        ),
        code("# @title Setup: import what this page uses\nimport torch", "hide-cell", folded=True),
        markdown(
            "## The first idea\n\nIntuition with a diagram, then the formula, then the code that "
            f"is the formula:\n\n$$ a = \\frac{{1}}{{n}} \\sum_i x_i \\tag{{{n}.1}} $$"
        ),
        code(
            "x = torch.tensor([1.0, 2.0, 6.0])  # (n,)\nmean = x.sum() / len(x)  # ()\n"
            'print(f"{mean:.2f}")',
            printed="3.00\n",
        ),
        code(
            f"# @title Checked: the sum over n is the mean, as in equation ({n}.1)\n"
            "torch.testing.assert_close(mean, x.mean())",
            "verify",
            "hide-input",
            folded=True,
        ),
        markdown("What we learn from it."),
        markdown(
            f"## Exercises\n\n### Exercise {n}.1: the spread (easy, 5 minutes)\n\nPredict the "
            "spread of `x` above, then write `spread`.\n\n"
            "<details>\n<summary>Hint</summary>\n\n`max` and `min`.\n\n</details>"
        ),
        code(
            f"# @title Check of exercise {n}.1\n{check}\n    found = candidate(x)\n"
            '    if found is None:\n        return "not yet"\n    if found < 0:\n'
            '        return f"{found:.2f} is below 0; which is taken from which?"\n'
            '    return "right" if found == 5 else f"{found:.2f}; wanted 5.00"',
            "check",
            "hide-input",
            folded=True,
        ),
        code(
            f"{stub}    return None  # your code here\n\n\nprint(check_spread(spread))",
            "exercise",
            printed="not yet\n",
        ),
        code(
            f"# @title Solution {n}.1\n{stub}    return values.max() - values.min()\n\n\n"
            'assert check_spread(spread) == "right"',
            "hide-cell",
            "solution",
            folded=True,
        ),
        markdown(
            "<details>\n<summary>Why, and the usual mistake</summary>\n\nAll other values lie "
            "between these two. The usual mistake is to exchange them.\n\n</details>"
        ),
        markdown(
            "## What you can do now\n\nTake a mean, and say what it leaves out.\n\n"
            "<details>\n<summary>What does a mean leave out?</summary>\n\nThe spread.\n\n"
            "</details>\n\nThe next page's question."
        ),
    ]


WRONG = """\
# {n}.1: is below 0
def spread(values): return values.min() - values.max()
# {n}.1: wanted 5.00
def spread(values): return values.max()
"""


def new(number, title, root=ROOT):
    """Write page `number`; pages from there on get the next number. Return the new file."""
    if not title.strip() or not 1 <= number <= 99:
        raise ValueError("wanted a number from 1 to 99 and a title: make new N=12 TITLE='Masks'")
    numbers = [page.number for page in notebooks(root)]
    if number in numbers:
        shift(range(number, last_in_row(number, numbers) + 1), 1, root)
    stem = f"{number:02}_{slug_of(title).replace('-', '_')}"
    path = root / "chapters" / f"{stem}.ipynb"
    path.write_text('{"cells": []}', encoding="utf-8")
    page = Page(path)
    link = f"[Open in Colab]({colab_link(page)})"
    cells = template(number, title.strip(), link, start_cell(root))
    notebook = {"cells": cells, "metadata": {}}
    write(page, notebook)
    notebook["metadata"]["course"] = {**stamp(Page(path)), "seconds": 3}
    write(page, notebook)
    answers = root / "tests" / "wrong_answers" / f"{stem}.py"
    answers.parent.mkdir(parents=True, exist_ok=True)
    answers.write_text(WRONG.format(n=number), encoding="utf-8")
    toc = root / "_toc.yml"
    lines = toc.read_text(encoding="utf-8").split("\n")
    files = [i for i, line in enumerate(lines) if re.match(r"\s*- file: chapters/", line)]
    above = [i for i in files if number_in_toc(lines[i]) < number]
    row = re.sub(r"chapters/\S+", f"chapters/{stem}", lines[above[-1]])
    lines.insert(above[-1] + 1, row)
    toc.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    return path


def number_in_toc(line):
    """Of the page that a line of `_toc.yml` names; 0 for what stands before the pages."""
    found = re.match(r"\s*- file: chapters/(\d\d)_", line)
    return int(found[1]) if found else 100 * bool(re.search("glossary|references", line))


# ---------------------------------------------------------------- other numbers


def last_in_row(number, numbers):
    while number + 1 in numbers:
        number += 1
    return number


def shift(numbers, by, root):
    rename({number: number + by for number in numbers}, root)


def renumber(old, new, root=ROOT):
    """Give page `old` the number `new`; if that is taken, the pages between move over by one."""
    numbers = [page.number for page in notebooks(root)]
    if old not in numbers or not 1 <= new <= 99 or old == new:
        raise ValueError(f"FROM is {old}, TO is {new}; wanted one of {numbers} and another number")
    mapping = {old: new}
    if new in numbers:
        step = 1 if new < old else -1
        mapping |= {number: number + step for number in range(new, old, step) if number in numbers}
    rename(mapping, root)


def rename(mapping, root):
    """Rewrite the numbers of pages wherever they stand: {old: new}.

    These are names of files, titles, "page 7", "pages 5, 6 and 7", equations and their tags,
    figures, exercises and solutions, and links to them.
    """
    stems = {page.path.stem: page.number for page in notebooks(root)}
    stems = {stem: f"{mapping[n]:02}{stem[2:]}" for stem, n in stems.items() if n in mapping}

    def number(match):
        return str(mapping[int(match[0])]) if int(match[0]) in mapping else match[0]

    def numbers(match):  # of pages, in a phrase: not those behind a point
        return re.sub(r"(?<![\d.])\d+", number, match[0])

    phrases = [
        r"\b[Pp]age \d+(?!\.?\d)",
        mention("pages", r"\d+(?!\.?\d)"),
        mention("(?:equation|exercise|solution|figure)s?", r"\(?\d+\.\d+\)?"),
        r"\\tag\{\d+\.\d+\}",
        r'(?<=^    "# )\d+(?=\. )',  # the title, in a notebook's file
        r"(?<=\[)\d+(?=(?:\. [^\]]*)?\]\((?:chapters/)?\d\d_)",  # the text of a link
        r"(?<=#exercise-)\d+(?=\d-)",  # its heading
    ]
    names = r"\b(?:" + "|".join(map(re.escape, stems)) + r")\b"
    pattern = re.compile("|".join([names, *phrases]), re.MULTILINE)
    head = re.compile(r"(?m)^# \d+(?=\.\d+: )")  # of a wrong answer
    for path in course_files(root):
        folders = path.relative_to(root).parts
        if path.suffix not in (".md", ".ipynb", ".py", ".yml") or "workshop" in folders:
            continue
        before = path.read_bytes().decode("utf-8")
        some = re.compile(names) if folders[0] == "tests" else pattern
        after = some.sub(lambda match: stems.get(match[0]) or numbers(match), before)
        if "wrong_answers" in folders:
            after = head.sub(numbers, after)
        if after != before:
            path.write_bytes(after.encode("utf-8"))
    moved = [
        (path, path.with_name(stems[path.stem] + path.suffix))
        for folder in ("chapters", "tests/wrong_answers")
        for path in (root / folder).glob("[0-9][0-9]_*")
        if path.stem in stems
    ]
    for old, _ in moved:
        old.rename(old.with_suffix(".moving"))
    for old, new in moved:
        old.with_suffix(".moving").rename(new)
    toc = root / "_toc.yml"
    lines = toc.read_text(encoding="utf-8").split("\n")
    places = [i for i, line in enumerate(lines) if number_in_toc(line) in range(1, 100)]
    for place, line in zip(
        places, sorted((lines[i] for i in places), key=number_in_toc), strict=True
    ):
        lines[place] = line
    toc.write_text("\n".join(lines), encoding="utf-8", newline="\n")


# ---------------------------------------------------------------- another address


def move(new, root=ROOT):
    """Rewrite the course's address in all its files; return the names of the files changed.

    Moved are `owner/name` in whatever address it stands (GitHub, Colab, badges), the address
    `owner.github.io/name` of the published book, and `cd name` after a clone.
    """
    pattern = r"https://github\.com/([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]+)"
    wanted = re.fullmatch(pattern, new)
    if not wanted or new.endswith((".git", ".")):
        raise ValueError(f"the address is {new!r}; wanted https://github.com/owner/name")
    new_owner, new_name = wanted.groups()
    old_owner, old_name = re.fullmatch(pattern, address(root)).groups()

    def word(text):  # as no part of a longer name; .git may follow
        return rf"(?<![\w.-]){text}(?![\w-]|\.(?!git\b)\w)"

    owner, name, host = map(re.escape, (old_owner, old_name, f"{old_owner.lower()}.github.io"))
    rewrites = [
        (word(f"{owner}(/|%2F){name}"), rf"{new_owner}\1{new_name}"),
        (word(f"{host}/{name}"), f"{new_owner.lower()}.github.io/{new_name}"),
        (rf"\bcd {name}(?![\w.-])", f"cd {new_name}"),
    ]
    changed = []
    for path in course_files(root):
        before = path.read_bytes()
        after = before
        for old, replacement in rewrites:
            after = re.sub(old.encode(), replacement.encode(), after)
        if after != before:
            path.write_bytes(after)
            changed.append(path.relative_to(root).as_posix())
    return changed
