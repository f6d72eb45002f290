"""What can be done here; each is a verb, and a target of the Makefile."""

import argparse
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workshop import (
    check,
    contents,
    drawings,
    export,
    handouts,
    map_of_pages,
    measure,
    numbering,
    printing,
    rules,
    slides,
    store,
)
from workshop.page import NOTHING, ROOT, Page, course_files, notebooks

HTML = ROOT / "_build" / "html"


def call(*command: str | Path, quiet: bool = False, **variables: str) -> subprocess.CompletedProcess[str]:
    # The book's extensions import the course: this one, also where another is installed.
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=quiet, encoding="utf-8", errors="replace")


def program(name: str) -> Path:
    return Path(sys.executable).with_name(name)


def pytest(*arguments: str | Path) -> int:
    return call(sys.executable, "-m", "pytest", "-q", *arguments).returncode


def build(*options: str, quiet: bool = False, whole: bool = True) -> subprocess.CompletedProcess[str]:
    # All of it, but for a look at one page: an incremental build shows the warnings of only the pages
    # that it reads again, so it could call a broken book whole. Nor may a page that was renamed stay.
    command = [program("jupyter-book"), "build", ".", "-W", "-n", "--keep-going"]
    if whole:
        shutil.rmtree(ROOT / "_build", ignore_errors=True)
        command.append("--all")
    result = call(*command, *options, quiet=quiet)
    if not whole:
        for file in HTML.rglob("*.html"):
            file.touch()  # what wasn't built again is as it would be
    return result


def write_all() -> bool:
    """What is generated from the pages. Return whether what they keep has changed."""
    for page in notebooks():
        if page.text != store.to_text(page.notebook):
            store.write(page, page.notebook)
    contents.write_tables()
    map_of_pages.write()
    drawings.write()
    return export.write()


# ---------------------------------------------------------------- the verbs


def run_check() -> bool:
    """hold every page to the rules, without running it (half a minute)"""
    problems = {}
    for name, function in check.CHECKS.items():
        print(f"{name} ...", end=" ", flush=True, file=sys.stderr)
        problems[name] = list(function())
    print(file=sys.stderr)
    if problems.get("exported"):
        problems["runs"] = []  # a wrong edit in `taught` is named once, and not by all that it reaches
    else:
        problems["outputs"] = list(check.outputs())
    lines = list(dict.fromkeys(line for named in problems.values() for line in named))
    print(*lines, f"Problems: {len(lines) or 'none'}.", sep="\n")
    return bool(lines)


def run_format() -> None:
    """give all code the one style, and the pages their normal form; say what was rewritten"""
    before = {path: path.read_bytes() for path in course_files()}
    for command in (("ruff", "check", "--quiet", "--fix-only", "."), ("ruff", "format", "--quiet", ".")):
        call(program(command[0]), *command[1:])
    call(program("oxfmt"), *"live tests/live _static _ext/search/find.js".split())
    write_all()
    for path in before:
        if path.is_file() and path.read_bytes() != before[path]:
            print("Rewritten:", path.relative_to(ROOT).as_posix(), export.origin(path))


def run_measure(page_or_recipe: str = "", only: str = "") -> int:
    """make runs of a page (09), one of them (09 run_of), a recipe (letters) or all old ones (all); or list these"""
    failed = 0
    if page_or_recipe.isdigit():
        failed, said = measure.measure(the_page(int(page_or_recipe)), *filter(None, [only]))
    elif page_or_recipe not in ("", "all"):
        failed, said = measure.cook(page_or_recipe)
    elif page_or_recipe:
        failed, said = measure.measure_old()
    else:
        said = [f"page {page.number:2} {name:20} {cost:5.1f} minutes" for page, name, cost in measure.old()]
        said += measure.recipes()
        said += [f"In all {measure.minutes():.0f} minutes of one core: make measure P=all"] * (len(said) > 1)
    print(*said or ["All rows and files are those of today's code."], sep="\n")
    return failed


def run_test() -> bool:
    """build the book, and run everything there is to check"""
    # Fetched once, before the workers start. Where that fails, the tests that need it say so.
    call(sys.executable, "-m", "data.smollm_file", quiet=True)
    # The slowest pages first, so that no worker waits long for another, and the book meanwhile.
    pages = sorted(notebooks(), key=lambda page: -page.notebook["metadata"]["course"]["seconds"])
    with ThreadPoolExecutor() as pool:
        building = pool.submit(build, "-q", quiet=True)
        failed = pytest(*(page.path for page in pages))
        built = building.result()  # and go on, so that one run names every fault
    failed = bool(pytest("tests") or failed)
    if built.returncode:
        for line in (built.stdout + built.stderr).splitlines():
            if re.search(r"\b(WARNING|ERROR|Error)\b", line):
                print(line)
    print(f"The book: {'has warnings, named above' if built.returncode else 'built'}.")
    print(f"The tests: {'failed' if failed else 'passed'}.")
    return bool(built.returncode or failed)


def run_mutants() -> int:
    """show that the tests notice code that is wrong on purpose (minutes)"""
    failed = build("-q", quiet=True).returncode  # of which some of each week's tests are
    return pytest("-m", "mutants", "tests") or failed


def run_page(number: int) -> bool:
    """execute one page, store its outputs and judge it: make page P=03"""
    page = the_page(number)
    write_all()
    for part, step in (
        ("the page, as named above", lambda: pytest("--store", "-n", "0", page.path)),
        ("rules that it breaks", lambda: print_all(rules_of(the_page(number)))),
        ("tests of what is taught", lambda: (tests := taught_tests()) and pytest(*tests)),
        ("the book, for the reason above", lambda: build("-q", whole=False).returncode),
        ("its look in the browser", lambda: pytest("-n", "0", "tests/test_browser.py", "-k", page.path.stem)),
    ):
        if step():
            print(f"Failed: {part}. Not tried: what comes after it.")
            return True
    print_all([*check.outputs(), *check.runs(), *unsaid(the_page(number))])
    print("Open", (HTML / "chapters" / f"{page.path.stem}.html").as_uri())
    return False


def unsaid(page: Page) -> Iterator[str]:
    """What the teachers' table says of a page before its metadata do."""
    if NOTHING in page.in_class.values():
        example = '`"in class": {"ask": "...?", "exercise": "1", "seminar": "..."}` under `course`'
        yield f"{page.name}: chapters/teaching.md says {NOTHING!r} of it; its metadata want {example}"


def rules_of(page: Page) -> list[str]:
    return [*rules.problems(page), *export.problems(), *contents.table_problems()]


def print_all(problems: list[str]) -> bool:
    print(*problems, sep="\n", end="\n" * bool(problems))
    return bool(problems)


def taught_tests() -> list[Path]:
    """The tests of what is taught, where `taught` isn't what the last commit has."""
    if not call("git", "status", "--porcelain", "taught", quiet=True).stdout:
        return []
    asks = re.compile(r"(?m)^from (taught|tests\.cases|tests\.course)\b")
    return [path for path in sorted((ROOT / "tests").glob("test_*.py")) if asks.search(path.read_text("utf-8"))]


def the_page(number: int) -> Page:
    pages = [page for page in notebooks() if page.number == number]
    return pages[0] if pages else sys.exit(f"There is no page {number}: make page P=03")


def run_pages() -> int:
    """execute the pages whose code or data have changed, write what is made from pages"""
    write_all()
    stale = [page for page in notebooks() if store.is_stale(page)]
    print(f"To execute: {', '.join(map(repr, stale)) or 'no page'}.")
    return pytest("--store", *(page.path for page in stale)) if stale else 0


ONCE_MORE = (
    "Read the change (git diff) and the lines above, if any, which have numbers that were left as "
    "they are. In _toc.yml a page may have come into another part."
)


def run_new(number: int, title: str) -> None:
    """begin a page: make new N=12 TITLE="Linear attention" """
    path, todo = numbering.new(number, title)
    write_all()
    print_all(todo)
    print(f"Now change {path.relative_to(ROOT)}, then: make page P={number:02}. {ONCE_MORE}")
    print(
        "It has a box at the bottom of the map of pages. The front page's picture is on "
        "its card, its title where a link to it is shared, and its first closing question with its first "
        "exercise in the teachers' table, until its metadata say others: under `course`, as `map` (column and "
        "row, and other words than the title), `card`, `question` and `in class`."
    )


def run_renumber(old: int, new: int) -> bool:
    """give a page another number: make renumber FROM=4 TO=5"""
    todo = numbering.renumber(old, new)
    write_all()
    print_all(todo)
    print(ONCE_MORE)
    return run_check()


def run_book() -> int:
    """build the book in _build/html; a warning is an error"""
    failed = build().returncode
    if not failed:
        print("\nThe book is built. Open", (HTML / "index.html").as_uri())
    return failed


def run_handout(number: int) -> None:
    """write notebooks without and with solutions, and what Otter grades with: make handout P=03"""
    print("Look into", handouts.handout(the_page(number), ROOT / "dist" / "handouts"))


def run_slides(number: int) -> None:
    """write the slides of a page: make slides P=03"""
    print("Open", slides.deck(the_page(number), ROOT / "dist" / "slides").as_uri())


def run_pdf() -> int:
    """print the book as one PDF, dist/book.pdf"""
    browser, out = printing.browser(), ROOT / "dist" / "book.pdf"
    one_page = ["build", ".", "-q", "-n", "--keep-going", "--builder", "singlehtml"]
    if not (failed := call(program("jupyter-book"), *one_page).returncode):
        out.parent.mkdir(exist_ok=True)
        printing.book(ROOT / "_build" / "singlehtml" / "index.html", out, browser)
        print(f"{out.stat().st_size / 1e6:.0f} MB. Open {out.as_uri()}")
    return failed


def run_lock() -> int:
    """renew requirements.lock after a change in requirements.txt; pins that still fit stay"""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").split("\n")
    dependencies = "\n".join(line for line in lines if line[:1] != "-")
    command = [program("uv"), *"pip compile --universal --python-version=3.11 -q".split()]
    command += [*"--no-annotate --custom-compile-command".split(), "make lock"]
    command += ["-", "-o", "requirements.lock"]
    return subprocess.run(command, cwd=ROOT, input=dependencies, encoding="utf-8").returncode


def run_lab() -> int:
    """open the chapters in JupyterLab"""
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    # Which saves a page when one says so, and never in the middle of a run.
    folders = os.environ.get("JUPYTER_CONFIG_PATH", "")
    settings = os.pathsep.join([str(ROOT / "workshop" / "lab"), folders]).strip(os.pathsep)
    options = ["--allow-root"] * is_root
    return call(program("jupyter-lab"), "chapters", *options, JUPYTER_CONFIG_PATH=settings).returncode


def run_address(url: str) -> None:
    """move the course: make address URL=https://github.com/you/fork"""
    print("\n".join(numbering.move(url)) or f"The address is {url} already.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m workshop", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="verb")
    for name, run in list(globals().items()):
        if name.startswith("run_"):
            about = inspect.getdoc(run) or ""
            line = about.partition("\n")[0]
            verb = verbs.add_parser(name[4:], help=line, description=about, usage=line)
            verb.set_defaults(run=run)
            for key, option in inspect.signature(run).parameters.items():
                nargs = None if option.default is option.empty else "?"
                verb.add_argument(key, type=option.annotation, nargs=nargs, default=option.default)
    if not sys.argv[1:]:
        parser.print_help()
        sys.exit()
    arguments = vars(parser.parse_args())
    for key, value in arguments.items():  # a title as it was typed, whatever the locale
        arguments[key] = os.fsencode(value).decode() if isinstance(value, str) else value
    if isinstance(sys.stdout, io.TextIOWrapper):  # a console needn't have every letter
        sys.stdout.reconfigure(errors="replace")
    try:
        sys.exit(int(bool(arguments.pop("run")(**arguments))))
    except ValueError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:  # as one ends `lab`
        sys.exit(130)


if __name__ == "__main__":
    main()
