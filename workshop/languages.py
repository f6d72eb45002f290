"""The book in a language that has an accent on every other letter must have all that the English one has.

Why: nobody here can judge a translation, but what a page loses by being translated can be counted.
"""

import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

from live.words import messages
from workshop.page import ROOT

LANGUAGE = "de"  # one in which Sphinx and the theme have words of their own
# What a translator leaves: {names} of what is put in, code, formulas, where links lead, HTML, ...
KEPT = r"(\{\w+\}|`+[^`]*`+|\$[^$]+\$|\]\([^)]*\)|<[^>]*>|https?://\S+|&#?\w+;|\\.)"
ACCENTS = str.maketrans("aeioucgnszylrtAEIOUCGNSZYLRT", "áéíóúçğñšžýľŕťÁÉÍÓÚÇĞÑŠŽÝĽŔŤ")
# What stands in a tag and is translated, or is made of a title.
SAYS = re.compile(r""" (?:alt|aria-label|title|placeholder)="[^"]*"| spec='[^']*'|(?<=&page=)[^"]*""")
LABEL = r"(?s)<text\b[^>]*>(.*?)</text>"  # of a drawing
NAMED = {
    "exercises": '<section class="exercise"',
    "captions of figures": "<figcaption>",
    "captions of tables": "table-caption",
    "folds": '<details class="fold',
    "links to formulas": 'internal" href="[^"]*#equation-',
    "links to figures": 'internal" href="[^"]*#figure-',
    "links inside the book": 'class="reference internal',
}
COUNTED = len(NAMED) + 2  # and what drawings and live figures say


def translated(message: str) -> str:
    parts = re.split(KEPT, message)
    parts[::2] = [part.translate(ACCENTS) for part in parts[::2]]
    return re.sub(r"^(\d+)\. ", r"\1\\. ", "".join(parts))  # a title, not the first of a list


def translate(messages: Path, locale: Path) -> None:
    """Write a translation of all messages to where Sphinx looks for it."""
    from babel.messages.pofile import read_po, write_po

    for path in messages.rglob("*.pot"):
        with path.open("rb") as file:
            catalog = read_po(file, locale=LANGUAGE)
        for message in catalog:
            if message.id:  # that of the head is empty
                message.string = translated(str(message.id))
        target = locale / LANGUAGE / "LC_MESSAGES" / path.relative_to(messages).with_suffix(".po")
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("wb") as file:
            write_po(file, catalog)


def articles(html: Path) -> dict[str, str]:
    """The HTML of each page's article."""
    files = [path for path in sorted(html.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.relative_to(html).as_posix(): path.read_text(encoding="utf-8") for path in files}
    return {name: page.partition("<article ")[2].partition("</article>")[0] for name, page in pages.items()}


def tags(article: str) -> Counter[str]:
    """The tags of an article, counted, without what they say."""
    return Counter(re.findall(r"<[a-z][^>]*>", SAYS.sub("", article)))


def plain(words: str) -> str:
    """What a reader sees of it."""
    return unescape(re.sub("<[^>]*>", "", words))


def count(book: dict[str, Counter[str]], part: str) -> int:
    return sum(n for page in book.values() for tag, n in page.items() if re.search(part, tag))


def silent(html: Path) -> tuple[int, list[str]]:
    """How many sentences live figures have, and those that their scripts in a book don't say."""
    files = sorted(html.glob("_static/live-*.js"))
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in files)
    sentences = sorted({message for message, *_ in messages()})
    words = {each: re.split(r"\{\w+\}", translated(each).replace('"', r"\"")) for each in sentences}
    return len(words), [each for each in words if not all(part in scripts for part in words[each])]


def differences(english: Path, other: Path) -> Iterator[str]:
    """What the pages of two books have, each tag that isn't there as often, and what stayed English."""
    pages = articles(other)
    wanted = {name: tags(article) for name, article in articles(english).items()}
    found = {name: tags(article) for name, article in pages.items()}
    for what, part in NAMED.items():
        numbers = (count(book, part) for book in (wanted, found))
        yield "{}: {} in English, {} translated".format(what, *numbers)
    sentences, untold = silent(other)
    yield f"sentences of live figures: {sentences} in English, {sentences - len(untold)} translated"
    labels = [plain(label) for page in pages.values() for label in re.findall(LABEL, page)]
    labels = [label for label in labels if re.search(r"[^\W\d_]{2}", label)]  # not a lone letter
    english_ones = [label for label in labels if re.search("[aeiou]", label)]
    yield f"labels of drawings: {len(labels)} in English, {len(labels) - len(english_ones)} translated"
    for words in [*untold, *english_ones]:
        yield f"a figure: not translated: {words[:80]}"
    for page in sorted({*wanted, *found}):
        here, there = wanted.get(page, Counter()), found.get(page, Counter())
        for tag in sorted((here - there) + (there - here)):
            yield f"{page}: {here[tag]} x {tag[:200]} in English, {there[tag]} translated"
        for words in re.findall(r'(?:alt|aria-label)="([^"]*)"', pages.get(page, "")):
            if re.search("[aeiou]", unescape(words)):
                yield f"{page}: not translated: {words[:80]}"


def build(call: Callable[..., int], out: Path) -> int:
    """Take the messages out of the book, translate them, and build it with `call` in `out`/book."""
    shutil.rmtree(out, ignore_errors=True)
    options = ["-W", "-n", "--keep-going", "-q", "--path-output"]
    messages = ["--builder", "custom", "--custom-builder", "gettext"]
    if failed := call(*options, out / "messages", *messages):
        return failed
    translate(out / "messages" / "_build" / "gettext", out / "locale")
    settings = (ROOT / "_config.yml").read_text(encoding="utf-8")
    for old, new in (
        ("language: en\n", f"language: {LANGUAGE}\n    locale_dirs: [{out / 'locale'}]\n"),
        ("image_alt: _ext\n", f"image_alt: {ROOT / '_ext'}\n"),
    ):
        if old not in settings:
            raise ValueError(f"_config.yml:1: wanted the line {old.strip()}")
        settings = settings.replace(old, new)
    (out / "_config.yml").write_text(settings, encoding="utf-8")
    return call(*options, out / "book", "--config", out / "_config.yml")
