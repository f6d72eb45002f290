"""Make a new page, give pages other numbers, and move the course to another address."""

import json
import re
from pathlib import Path

from workshop import measure
from workshop.contents import is_elective, parts
from workshop.page import RANGE, ROOT, Page, course_files, in_words, mention, notebooks, numbers_in, slug_of
from workshop.start import address, colab_link, start_cell
from workshop.store import fingerprint, is_stale, stamp, write

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
    title = " ".join(title.split())
    numbers = [page.number for page in notebooks(root)]
    last = min(max(numbers, default=0) + 1, 99)
    if not re.search(r"[^\W_]", title) or not 1 <= number <= last:
        raise ValueError(
            f"N is {number}, TITLE is {title!r}; wanted a number from 1 to {last} and a title with letters, "
            "of which the file gets its name: make new N=12 TITLE='Masks'"
        )
    row = [n for n in numbers if n >= number and {*range(number, n)} <= {*numbers}]  # up to a gap
    todo = rename({n: n + 1 for n in row}, root) if row else []
    stem = f"{number:02}_{slug_of(title).replace('-', '_')}"
    path = root / "chapters" / f"{stem}.ipynb"
    text = TEMPLATE.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    toc = root / "_toc.yml"
    lines = toc.read_text(encoding="utf-8").split("\n")
    files = [i for i, line in enumerate(lines) if re.match(r"\s*- file: chapters/", line)]
    above = [i for i in files if number_in_toc(lines[i]) < number]
    lines.insert(above[-1] + 1, re.sub(r"chapters/\S+", f"chapters/{stem}", lines[above[-1]]))
    toc.write_text("\n".join(lines), encoding="utf-8", newline="\n")
    (beside,) = (pages for _, pages in parts(root) if path in [page.path for page in pages])
    elective = any(map(is_elective, beside))  # as the others of its part
    words = {
        "NUMBER": str(number),
        "TITLE": title,
        "LINK": f"[Open in Colab]({colab_link(Page(path))})",
        "LEVEL": "medium" + " · elective" * elective,
        "# START": start_cell(root),
    }
    words = {name: json.dumps(value, ensure_ascii=False)[1:-1] for name, value in words.items()}
    text = re.sub("|".join(words), lambda match: words[match[0]], text)  # in one go: once each
    path.write_text(text, encoding="utf-8")
    page = Page(path)
    page.notebook["metadata"]["course"] = {**stamp(page), "seconds": 3}
    write(page, page.notebook)
    answers = root / "tests" / "wrong_answers" / f"{stem}.py"
    answers.parent.mkdir(parents=True, exist_ok=True)
    answers.write_text(WRONG.format(n=number), encoding="utf-8")
    return path, todo


def number_in_toc(line: str) -> int:
    """Of the page that a line of `_toc.yml` names; 0 for what stands before the pages."""
    match = re.match(r"\s*- file: chapters/(\d\d)_", line)
    return int(match[1]) if match else 100 * ("notation" not in line)


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


DATA = re.compile(r"([A-Za-z0-9+/=]{200,})")  # images in notebooks, most of their bytes


def rename(mapping: dict[int, int], root: Path) -> list[str]:
    """Rewrite the numbers of pages in the text of the course: {old: new}.

    These are names of files, titles, "page 7", "pages 5, 6 and 7", equations and their tags,
    figures, tables, exercises and solutions, and links to them. On its own page an equation may be
    called (3.1) alone. Each sentence goes on to speak of
    the pages that it spoke of: where a page comes between 16 and 20, "16 to 20" leaves it out.
    What is said otherwise ("pages 5, then 8") is left, and those lines are returned.
    """
    pages = notebooks(root)
    fresh = {page.number for page in pages if not is_stale(page)}
    fresh_recipes = measure.fresh_recipes(root)
    stems = {page.path.stem: page.number for page in pages}
    stems = {stem: f"{mapping[n]:02}{stem[2:]}" for stem, n in stems.items() if n in mapping}
    for page in pages:  # the anchor of a title begins with the number
        if page.number in mapping and page.headings:
            slug = page.headings[0].slug
            stems[slug] = re.sub(r"^\d+", str(mapping[page.number]), slug)

    def number(match):
        new = str(mapping.get(int(match[0]), int(match[0])))
        return new.zfill(2) if match[0].startswith("0") else new

    def numbers(match):  # of pages, in a phrase: not those behind a point
        phrase = re.sub(r"(?<![\d.])\d+", number, match[0])
        expected = [mapping.get(n, n) for n in numbers_in(match[0])]
        if not re.search(RANGE, phrase) or sorted(numbers_in(phrase)) == sorted(expected):
            return phrase
        head = re.match(r"\D*", phrase)
        return f"{head[0] if head else ''}{in_words(sorted(expected))}"

    def one(match):
        if re.search(r" \| \d+\.\d+$", match[0]):  # a question and an exercise for the class
            return re.sub(r"\d+(?=\.\d+$)", number, match[0])
        return stems.get(match[0]) or numbers(match)

    phrases = [
        r"\b[Pp]age \d+(?!\.?\d)",
        mention("pages", r"\d+(?!\.?\d)"),
        mention("(?:equation|exercise|solution|figure|table)s?", r"\(?[1-9]\d*\.\d+\)?"),
        r"\\tag\{\d+\.\d+\}",
        r'(?<=^    "# )\d+(?=\. )',  # the title, in a notebook's file
        link := r"(?<=\[)(?:Page )?\d+(?=(?:\. [^\]]*)?\]\((?:chapters/)?\d\d_)",  # its text
        r"(?<=#exercise-)\d+(?=\d-)",  # its heading
        r"\b(?:figure|equation|table)-\d+(?=-\d+\b)",  # their places in the book
        r"\bP=\d\d\b",  # what one types
        r"(?<=^\| )[^|\[\n]+ \| [\d ,;and]+(?= \|$)",  # a route of the teachers' page
        r"(?<=\.ipynb\) \| )[^|\n]+ \| \d+\.\d+(?= \|)",  # their exercise
    ]
    names = r"\b(?:" + "|".join(map(re.escape, stems)) + r")\b"
    pattern = re.compile("|".join([names, *phrases]), re.MULTILINE)
    head = re.compile(r"(?m)^# \d+(?=\.\d+: )")  # of a wrong answer
    bare = rf"(?:{'|'.join(map(str, mapping))})(?![\w-]|\.\d| [%a-z]+s\b)"
    more = re.compile(rf"\bpages(?:[,;]? (?:then|to|through|and|or|from|down to|up to))+ {bare}")
    alone = {}  # its equations, of each page that moves
    for page in pages:
        if page.number in mapping and (tags := re.findall(r"\\tag\{(\d+\.\d+)\}", page.text)):
            alone[page.path.stem] = re.compile(rf"{pattern.pattern}|(?<=\()(?:{'|'.join(tags)})(?=\))", re.MULTILINE)
    todo = []
    for path in course_files(root):
        folders = path.relative_to(root).parts
        is_text = path.suffix in (".md", ".ipynb", ".py", ".yml", ".svg", ".js", ".css")
        if not is_text or "workshop" in folders or path.name == "CHANGELOG.md":
            continue  # scripts of the workshop have examples; what was is history
        before = path.read_bytes().decode("utf-8")
        # The numbers of CONTRIBUTING.md are examples, but for those that lead to a page.
        regex = re.compile(f"{names}|{link}") if path.name == "CONTRIBUTING.md" else alone.get(path.stem, pattern)
        parts = DATA.split(before)  # every second one is data
        parts[::2] = [regex.sub(one, part) for part in parts[::2]]
        after = "".join(parts)
        if path.suffix in (".md", ".ipynb"):
            for j, line in enumerate(before.split("\n"), 1):
                if "pages" in line and path.name != "CONTRIBUTING.md" and more.search(pattern.sub("pages", line)):
                    todo.append(f"{path.relative_to(root).as_posix()}:{j}: {line.strip()[:120]}")
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
    for page in notebooks(root):  # whose outputs have the new numbers too
        if page.number in {mapping.get(n, n) for n in fresh} and is_stale(page):
            page.notebook["metadata"]["course"]["outputs_of"] = fingerprint(page)
            write(page, page.notebook)
    measure.renew_recipes(fresh_recipes, root)
    return todo


# ---------------------------------------------------------------- another address


def move(new: str, root: Path = ROOT) -> list[str]:
    """Rewrite the course's address in all its files; return the names of the files changed.

    Moved are `owner/name` in whatever address it stands (GitHub, Colab, badges), the address
    `owner.github.io/name` of the published book, and `cd name` after a clone.
    """
    pattern = r"https://github\.com/([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))/([A-Za-z0-9._-]+)"
    match = re.fullmatch(pattern, new)
    if not match or new.endswith((".git", ".")):
        raise ValueError(f"the address is {new!r}; wanted https://github.com/owner/name")
    new_owner, new_name = match.groups()
    old_owner, old_name = address(root).split("/")[-2:]

    def word(text):  # as no part of a longer name; .git may follow
        return rf"(?<![\w.-]){text}(?![\w-]|\.(?!git\b)\w)"

    owner, name, host = map(re.escape, (old_owner, old_name, f"{old_owner.lower()}.github.io"))
    rewrites = [
        (word(f"{owner}(/|%2F){name}"), rf"{new_owner}\g<1>{new_name}"),
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
