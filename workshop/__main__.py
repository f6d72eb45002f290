"""What can be done here; each is a verb, and a target of the Makefile."""

import argparse
import inspect
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workshop import (
    check,
    contents,
    drawings,
    edit,
    export,
    printing,
    release,
    rules,
    slides,
    store,
    teach,
)
from workshop.page import ROOT, Page, notebooks

HTML = ROOT / "_build" / "html"


def call(*command: str | Path, quiet: bool = False) -> subprocess.CompletedProcess[str]:
    # The book's extensions import the course: this one, also where another is installed.
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=quiet, text=True)


def pytest(*arguments: str | Path) -> int:
    return call(sys.executable, "-m", "pytest", "-q", *arguments).returncode


def build(quiet: bool = False) -> subprocess.CompletedProcess[str]:
    # Always all of it: an incremental build shows the warnings of only the pages that it reads
    # again, so it could call a broken book whole. Nor may a page that was renamed stay behind.
    shutil.rmtree(ROOT / "_build", ignore_errors=True)
    command = [check.program("jupyter-book"), "build", ".", "--all", "-W", "-n", "--keep-going"]
    return call(*command, *["-q"] * quiet, quiet=quiet)


def write_all() -> bool:
    """What is generated from the pages. Return whether what they keep has changed."""
    for page in notebooks():
        if page.text != store.to_text(page.notebook):
            store.write(page, page.notebook)
    contents.write_tables()
    drawings.write()
    return export.write()


# ---------------------------------------------------------------- the verbs


def run_check() -> bool:
    """hold every page to the rules, without running it (seconds)"""
    started = time.perf_counter()
    found = list(dict.fromkeys(check.problems()))
    for problem in found:
        print(problem)
    if stale := [page.name for page in notebooks() if store.is_stale(page)]:
        print("Other code or data than the stored outputs', `make pages` runs it:", *stale)
    print(f"Problems: {len(found) or 'none'}, {time.perf_counter() - started:.0f} s.")
    return bool(found)


def run_format() -> None:
    """give all code the one style, and the pages their normal form"""
    for command in (("check", "--fix-only", "."), ("format", ".")):
        check.tool("ruff", *command)
    check.tool("oxfmt", *check.SCRIPTS)
    write_all()


def run_test(pages: str = "all") -> bool:
    """build the book, and run everything there is to check: make test, make test PAGES=changed

    With `changed`, of the pages only those that were edited or whose code, data, torch or numpy are
    not those of their last run.
    """
    if pages not in ("all", "changed"):
        raise ValueError(f"the pages are {pages!r}; wanted all or changed")
    # Fetched once, before the workers start. Where that fails, the tests that need it say so.
    call(sys.executable, "-m", "corpora.smollm_file", quiet=True)
    wanted = [*store.to_run(notebooks())] if pages == "changed" else notebooks()
    left_out = [page for page in notebooks() if page not in wanted]
    # The slowest pages first, so that no worker waits long for another, and the book meanwhile.
    slowest_first = sorted(wanted, key=lambda page: -page.notebook["metadata"]["course"]["seconds"])
    with ThreadPoolExecutor() as pool:
        building = pool.submit(build, quiet=True)
        failed = bool(wanted) and pytest(*(page.path for page in slowest_first))
        built = building.result()  # and go on, so that one run names every fault
    failed = bool(pytest("tests") or failed)
    if built.returncode:
        for line in (built.stdout + built.stderr).splitlines():
            if re.search(r"\b(WARNING|ERROR|Error)\b", line):
                print(line)
    print(f"The book: {'has warnings, named above' if built.returncode else 'built'}.")
    if left_out:
        print("As they were last run, and so not run again: pages", *(p.number for p in left_out))
    print(f"The tests: {'failed' if failed else 'passed'}.")
    return bool(built.returncode or failed)


def run_page(number: int) -> bool:
    """execute one page, store its outputs and judge it: make page P=03"""
    page = the_page(number)
    changed = write_all()
    failed = [pytest("--store", "-n", "0", page.path)]
    page = the_page(number)
    found = [*rules.problems(page), *export.problems(), *contents.table_problems()]
    for problem in found:
        print(problem)
    if changed:
        print("It keeps something else than before, so what is taught is tested:")
        failed.append(pytest(*taught_tests()))
    failed.append(build().returncode)
    failed.append(pytest("-n", "0", "tests/test_browser.py", "-k", page.path.stem))
    print("Open", (HTML / "chapters" / f"{page.path.stem}.html").as_uri())
    return bool(found) or any(failed)


def taught_tests() -> list[Path]:
    """The tests of what pages keep: the files that share its cases."""
    shared = re.compile(r"from tests\.(course|cases) import")
    files = sorted((ROOT / "tests").glob("test_*.py"))
    return [path for path in files if shared.search(path.read_text(encoding="utf-8"))]


def the_page(number: int) -> Page:
    found = [page for page in notebooks() if page.number == number]
    return found[0] if found else sys.exit(f"There is no page {number}: make page P=03")


def run_pages() -> int:
    """execute the pages whose code or data have changed, write what is made from pages"""
    write_all()
    stale = [page for page in notebooks() if store.is_stale(page)]
    print(f"To execute: {', '.join(map(repr, stale)) or 'no page'}.")
    return pytest("--store", *(page.path for page in stale)) if stale else 0


def run_new(number: int, title: str) -> None:
    """begin a page: make new N=12 TITLE="Linear attention" """
    path = edit.new(number, title)
    write_all()
    print(f"Now change {path.relative_to(ROOT)}, then: make page P={number:02}")


def run_renumber(old: int, new: int) -> bool:
    """give a page another number: make renumber FROM=4 TO=5"""
    edit.renumber(old, new)
    write_all()
    print("Now read the change (git diff), above all in phrases such as 'pages 5 to 7'.")
    return run_check()


def run_book() -> int:
    """build the book in _build/html; a warning is an error"""
    failed = build().returncode
    if not failed:
        print("\nThe book is built. Open", (HTML / "index.html").as_uri())
    return failed


def run_handout(number: int) -> None:
    """write notebooks without and with solutions, and an autograder: make handout P=03"""
    print(f"Look into {teach.handout(number).relative_to(ROOT)}.")


def run_slides(number: int) -> None:
    """write the slides of a page, its figures and exercises: make slides P=03"""
    print("Open", slides.deck(the_page(number), ROOT / "dist" / "slides").as_uri())


def run_pdf() -> bool:
    """print the built book as one PDF, solutions at its end"""
    if not (HTML / "index.html").is_file():
        sys.exit("No book yet: run 'make book' first.")
    found = map(shutil.which, [os.environ.get("CHROMIUM", ""), *printing.BROWSERS])
    if not (browser := next(filter(None, found), "")):
        sys.exit("There is no Chromium; set CHROMIUM to its path.")
    out = ROOT / "dist" / "book.pdf"
    sheets = printing.book(HTML, out, browser)
    print(f"{sheets} sheets, {out.stat().st_size / 1e6:.0f} MB. Open {out.as_uri()}")
    return sheets > printing.MOST_SHEETS


def run_release(version: str) -> None:
    """give the course a version and its tag, in two commits: make release V=1.0.0"""
    tag = release.prepare(version)
    print(f"{tag} is made. Look at it (git show {tag}), then: git push --atomic origin main {tag}")


def run_bundle() -> bool:
    """build the book and write the files of a release: notebooks, PDF, and the book"""
    failed = bool(build().returncode) or run_pdf()
    if not failed:
        for path in release.bundle(HTML, ROOT / "dist" / "book.pdf"):
            print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e6:.0f} MB")
    return failed


def run_bench() -> int:
    """measure how long attention and decoding take, beside torch's classes (minutes)"""
    # Without conftest.py, which leaves torch one thread, and without the options of the tests.
    options = ["--noconftest", "-o", "addopts=", "-o", "pythonpath=."]
    return pytest(*options, *sorted((ROOT / "tests" / "benchmarks").glob("bench_*.py")))


def run_lab() -> int:
    """open the chapters in JupyterLab"""
    is_root = hasattr(os, "getuid") and os.getuid() == 0
    return call(check.program("jupyter-lab"), "chapters", *["--allow-root"] * is_root).returncode


def run_serve(port: int = 8000) -> int:
    """show the built book at http://127.0.0.1:8000, to this machine alone: make serve PORT=8000"""
    if not (HTML / "index.html").is_file():
        sys.exit("No book yet: run 'make book' first.")
    served = ["http.server", "--bind", "127.0.0.1", "--directory", str(HTML), str(port)]
    return call(sys.executable, "-m", *served).returncode


def run_address(url: str) -> None:
    """move the course: make address URL=https://github.com/you/fork"""
    print("\n".join(edit.move(url)) or f"The address is {url} already.")


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m workshop", description=__doc__)
    verbs = parser.add_subparsers(required=True, metavar="verb")
    for name, run in list(globals().items()):
        if name.startswith("run_"):
            about = inspect.getdoc(run) or ""
            verb = verbs.add_parser(name[4:], help=about.partition("\n")[0], description=about)
            verb.set_defaults(run=run)
            for key, one in inspect.signature(run).parameters.items():
                nargs = None if one.default is one.empty else "?"
                verb.add_argument(key, type=one.annotation, nargs=nargs, default=one.default)
    given = vars(parser.parse_args())
    try:
        sys.exit(int(bool(given.pop("run")(**given))))
    except ValueError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:  # as one ends `serve` and `lab`
        sys.exit(130)


if __name__ == "__main__":
    main()
