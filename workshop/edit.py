"""Make a new page, give pages other numbers, and move the course to another address."""

import json
import re
from pathlib import Path

from workshop.contents import is_elective
from workshop.frame import address, colab_link, start_cell
from workshop.page import ROOT, Page, course_files, mention, notebooks, slug_of
from workshop.store import stamp, write

# ---------------------------------------------------------------- a new page


# It keeps every rule, so one can begin by changing it. Its words in capitals are filled in.
TEMPLATE = Path(__file__).with_name("template.ipynb")
WRONG = """\
# {n}.1: is below 0
def spread(values): return values.min() - values.max()
# {n}.1: wanted 5.00
def spread(values): return values.max()
"""


def new(number: int, title: str, root: Path = ROOT) -> tuple[Path, list[str]]:
    """Write page `number`; pages from there on get the next number.

    Return the new file, and the lines that still have a number of before.
    """
    if not title.strip() or not 1 <= number <= 99:
        raise ValueError("wanted a number from 1 to 99 and a title: make new N=12 TITLE='Masks'")
    numbers = [page.number for page in notebooks(root)]
    row = [n for n in numbers if n >= number and {*range(number, n)} <= {*numbers}]  # up to a gap
    left = rename({n: n + 1 for n in row}, root) if row else []
    stem = f"{number:02}_{slug_of(title).replace('-', '_')}"
    path = root / "chapters" / f"{stem}.ipynb"
    text = TEMPLATE.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    for name, value in {
        "NUMBER": str(number),
        "TITLE": title.strip(),
        "LINK": f"[Open in Colab]({colab_link(Page(path))})",
        "# START": start_cell(root),
    }.items():
        text = text.replace(name, json.dumps(value, ensure_ascii=False)[1:-1])
    path.write_text(text, encoding="utf-8")
    page = Page(path)
    page.notebook["metadata"]["course"] = {**stamp(page), "seconds": 3}
    write(page, page.notebook)
    answers = root / "tests" / "wrong_answers" / f"{stem}.py"
    answers.parent.mkdir(parents=True, exist_ok=True)
    answers.write_text(WRONG.format(n=number), encoding="utf-8")
    toc = root / "_toc.yml"
    lines = toc.read_text(encoding="utf-8").split("\n")
    files = [i for i, line in enumerate(lines) if re.match(r"\s*- file: chapters/", line)]
    above = [i for i in files if number_in_toc(lines[i]) < number]
    lines.insert(above[-1] + 1, re.sub(r"chapters/\S+", f"chapters/{stem}", lines[above[-1]]))
    toc.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    if is_elective(Page(path)):
        text = path.read_text(encoding="utf-8").replace(" · medium", " · medium · elective", 1)
        path.write_text(text, encoding="utf-8", newline="\n")
    return path, left


def number_in_toc(line: str) -> int:
    """Of the page that a line of `_toc.yml` names; 0 for what stands before the pages."""
    found = re.match(r"\s*- file: chapters/(\d\d)_", line)
    return int(found[1]) if found else 100 * ("notation" not in line)


# ---------------------------------------------------------------- other numbers


def renumber(old: int, new: int, root: Path = ROOT) -> list[str]:
    """Give page `old` the number `new`; if that is taken, the pages between move over by one.

    Return the lines that still have a number of before.
    """
    numbers = [page.number for page in notebooks(root)]
    if old not in numbers or not 1 <= new <= 99 or old == new:
        raise ValueError(f"FROM is {old}, TO is {new}; wanted one of {numbers} and another number")
    mapping = {old: new}
    if new in numbers:
        step = 1 if new < old else -1
        mapping |= {number: number + step for number in range(new, old, step) if number in numbers}
    return rename(mapping, root)


def rename(mapping: dict[int, int], root: Path) -> list[str]:
    """Rewrite the numbers of pages in the text of the course: {old: new}.

    These are names of files, titles, "page 7", "pages 5, 6 and 7", equations and their tags,
    figures, tables, exercises and solutions, and links to them. What stands otherwise ("then 8 to
    11") or elsewhere (scripts, drawings, tests) is left, and those lines are returned.
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
        mention("(?:equation|exercise|solution|figure|table)s?", r"\(?\d+\.\d+\)?"),
        r"\\tag\{\d+\.\d+\}",
        r'(?<=^    "# )\d+(?=\. )',  # the title, in a notebook's file
        r"(?<=\[)\d+(?=(?:\. [^\]]*)?\]\((?:chapters/)?\d\d_)",  # the text of a link
        r"(?<=#exercise-)\d+(?=\d-)",  # its heading
        r'data-(?:page|needs)="[\d ]+"',  # on the map of pages
    ]
    names = r"\b(?:" + "|".join(map(re.escape, stems)) + r")\b"
    pattern = re.compile("|".join([names, *phrases]), re.MULTILINE)
    head = re.compile(r"(?m)^# \d+(?=\.\d+: )")  # of a wrong answer
    bare = rf"(?<![\d.\w-])({'|'.join(map(str, mapping))})(?![\w-]|\.\d)"
    left = []
    for path in course_files(root):
        folders = path.relative_to(root).parts
        if path.name in ("CHANGELOG.md", "CONTRIBUTING.md", "requirements.lock"):
            continue  # what was is history; and examples
        rewritten = (
            path.suffix in (".md", ".ipynb", ".py", ".yml", ".svg") and "workshop" not in folders
        )
        if path.suffix in (".md", ".svg", ".js", ".css", ".toml", ".py"):
            for j, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
                rest = pattern.sub("pages", line) if rewritten else line
                if re.search(
                    rf"\b[Pp]ages?\b[^.|]{{,40}}{bare}|\| [\d ,;and]*{bare}[\d ,;and]* \|$", rest
                ):
                    left.append(f"{path.relative_to(root).as_posix()}:{j}: {line.strip()[:120]}")
        if not rewritten:
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
    ordered = sorted((lines[i] for i in places), key=number_in_toc)
    for place, line in zip(places, ordered):
        lines[place] = line
    toc.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    return left


# ---------------------------------------------------------------- another address


def move(new: str, root: Path = ROOT) -> list[str]:
    """Rewrite the course's address in all its files; return the names of the files changed.

    Moved are `owner/name` in whatever address it stands (GitHub, Colab, badges), the address
    `owner.github.io/name` of the published book, and `cd name` after a clone.
    """
    pattern = r"https://github\.com/([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]+)"
    wanted = re.fullmatch(pattern, new)
    if not wanted or new.endswith((".git", ".")):
        raise ValueError(f"the address is {new!r}; wanted https://github.com/owner/name")
    new_owner, new_name = wanted.groups()
    old_owner, old_name = address(root).split("/")[-2:]

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
        before = after = path.read_bytes()
        for old, replacement in rewrites:
            after = re.sub(old.encode(), replacement.encode(), after)
        if after != before:
            path.write_bytes(after)
            changed.append(path.relative_to(root).as_posix())
    return changed
