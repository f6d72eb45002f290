"""What the Makefile calls: python -m workshop check | test | format | page | pages | new | renumber | address"""

import argparse
import re
import shutil
import subprocess
import sys
import time

from workshop import check, contents, drawings, edit, export, rules, store
from workshop.page import ROOT, notebooks
from workshop.run import plain


def pytest(*arguments):
    return subprocess.run([sys.executable, "-m", "pytest", "-q", *arguments], cwd=ROOT).returncode


def run_check():
    """All that can be said without executing a page."""
    started = time.perf_counter()
    found = list(dict.fromkeys(check.problems()))
    for problem in found:
        print(problem)
    if stale := [page.name for page in notebooks() if store.is_stale(page)]:
        print("Other code than that of the stored outputs, `make pages` runs it:", ", ".join(stale))
    print(f"Problems: {len(found) or 'none'}, {time.perf_counter() - started:.0f} s.")
    return bool(found)


def write_all():
    """What is generated from the pages. Return whether what they keep has changed."""
    for page in notebooks():
        if page.text != store.to_text(page.notebook):
            store.write(page, page.notebook)
    contents.write_tables()
    drawings.write()
    return export.write()


def run_pages():
    """Write what is generated, and execute the pages whose code has changed."""
    write_all()
    stale = [page for page in notebooks() if store.is_stale(page)]
    print(f"To execute: {', '.join(map(repr, stale)) or 'no page'}.")
    return stale and pytest("--store", *(page.path for page in stale))


def build(**options):
    """Build the book as `make book` does, always all of it: that takes ten seconds."""
    shutil.rmtree(ROOT / "_build", ignore_errors=True)
    command = ("build", ".", "--all", "-W", "-n", "--keep-going", "-q")
    return subprocess.run([check.program("jupyter-book"), *command], cwd=ROOT, **options)


def run_test():
    """Build the book, then run all tests; both, so that one run names every fault."""
    built = build(capture_output=True, text=True)
    tested = pytest()
    # The rules have named the links that lead nowhere; the build warns of them too.
    named = {place(problem) for problem in check.pages()}
    for line in (built.stdout + built.stderr).splitlines() if built.returncode else ():
        if re.search(r"\b(WARNING|ERROR|Error)\b", line) and place(line) not in named:
            print(line)
    print(f"The book: {'has warnings, named above' if built.returncode else 'built'}.")
    print(f"The tests: {'failed' if tested else 'passed'}.")
    return built.returncode or tested


def place(problem):
    """File and cell of a problem."""
    found = re.match(r"(\S+?\.\w+)(?::\d+)?(?::.*?(cell \[\d+\]))?", plain(problem))
    return found and found.groups()


def run_format():
    """Give every file the one style, and write what is generated."""
    for command in (("check", "--fix-only", "."), ("format", ".")):
        check.tool("ruff", *command)
    write_all()


def run_page(number):
    """Execute a page, store it, check all that concerns it, and build the book."""
    page = the_page(number)
    changed = write_all()
    failed = [pytest("--store", "-n", "0", page.path)]
    page = the_page(number)
    found = [*rules.problems(page), *export.problems(), *contents.table_problems()]
    for problem in found:
        print(problem)
    failed.append(bool(found))
    if changed:
        print("It keeps something else than before, so what is taught is tested:")
        failed.append(pytest(*taught_tests()))
    failed.append(build().returncode)
    failed.append(pytest("-n", "0", "tests/test_browser.py", "-k", page.path.stem))
    print("Open", (ROOT / "_build/html/chapters" / f"{page.path.stem}.html").as_uri())
    return any(failed)


def taught_tests():
    """The tests of what pages keep: the files that import all of it."""
    files = (ROOT / "tests").glob("test_*.py")
    return sorted(path for path in files if "tests.course import COURSE" in path.read_text())


def the_page(number):
    found = [page for page in notebooks() if page.number == number]
    return found[0] if found else sys.exit(f"There is no page {number}: make page P=03")


def run_new(number, title):
    path = edit.new(number, title)
    write_all()
    print(f"Now change {path.relative_to(ROOT)}, then: make page P={number:02}")


def run_renumber(old, new):
    edit.renumber(old, new)
    write_all()
    print("Now read the change (git diff), above all in phrases such as 'pages 5 to 7'.")
    return run_check()


def run_address(url):
    print("\n".join(edit.move(url)) or f"The address is {url} already.")


def main():
    parser = argparse.ArgumentParser(prog="python -m workshop", description=__doc__)
    commands = parser.add_subparsers(required=True)
    for name, run, arguments in (
        ("check", run_check, {}),
        ("test", run_test, {}),
        ("format", run_format, {}),
        ("pages", run_pages, {}),
        ("page", run_page, {"number": int}),
        ("new", run_new, {"number": int, "title": str}),
        ("renumber", run_renumber, {"old": int, "new": int}),
        ("address", run_address, {"url": str}),
    ):
        command = commands.add_parser(name, help=run.__doc__)
        command.set_defaults(run=run)
        for argument, kind in arguments.items():
            command.add_argument(argument, type=kind)
    given = vars(parser.parse_args())
    try:
        sys.exit(int(bool(given.pop("run")(**given))))
    except ValueError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
