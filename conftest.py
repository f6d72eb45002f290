"""How the tests are run, and what is said at the end."""

import os
import re
from collections import Counter, defaultdict

# Two torch threads on two busy cores are ten times slower than one. Before torch is imported.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# The kernels of the pages choose their own backend, as they do for a reader.
os.environ.pop("MPLBACKEND", None)

import matplotlib  # noqa: E402
import pytest  # noqa: E402

matplotlib.use("Agg")  # for the tests themselves
import matplotlib.font_manager  # noqa: E402, F401  (finds the fonts once, before the workers start)

from tests.pages import Page, failing_line  # noqa: E402


def pytest_addoption(parser):
    parser.addoption(
        "--write", action="store_true",
        help="tests/test_sync.py: write utils/attention.py from the cells tagged `keep`",
    )


# ---------------------------------------------------------------- a failing cell of a page


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Say of a cell that fails in which line of the .ipynb file to look."""
    report = yield
    if report.failed and call.excinfo and hasattr(item, "cell_num"):
        place = place_of_failure(Page(item.path), item.cell_num, call.excinfo.value)
        report.longrepr = f"{place}\n\n{report.longrepr}"
    return report


def place_of_failure(page, cell_num, error):
    """Where a cell failed, as file, line, and cell, and how."""
    cell = page.code[cell_num]  # nbval counts code cells from 0
    shown = getattr(error, "inner_traceback", None) or ""
    if "outputs differ" in str(error):
        line = differing_line(page, cell, shown)
        return (f"{page.name}:{line}: cell [{cell.number}]: "
                "the stored output differs from what the cell prints")
    line = failing_line([shown])
    # The head of a traceback names the exception, and its end says `exception: message`.
    raised = re.search(r"(?ms)^(\S+) +Traceback .*^\1: ?([^\n]*)", plain(shown))
    if "Timeout" in str(error) or not raised:
        return f"{cell.at(line)}: {error}"
    return f"{cell.at(line)}: {raised[1]}: {raised[2] or cell.lines[line - 1].strip()}"


def differing_line(page, cell, shown):
    """The line of the file with the first stored line that the fresh output does not have.

    The comparison that nbval shows marks such lines with `+`.
    """
    lines = page.text.splitlines()
    for extra in re.findall(r"(?m)^ *\+ (.*)$", plain(shown)):
        for number in range(cell.outputs_line, cell.line):
            if extra.strip() and extra.strip() in lines[number - 1]:
                return number
    return cell.outputs_line


def plain(text):
    """Without the codes for colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


# ---------------------------------------------------------------- what was run


def pytest_terminal_summary(terminalreporter):
    """List each file with its counts, why tests were skipped, and every place that was named."""
    counts, reasons, places = defaultdict(Counter), defaultdict(set), []
    notes = defaultdict(list)  # what tests say with record_property("said", ...)
    for outcome in ("passed", "failed", "error", "skipped", "xfailed", "xpassed"):
        for report in terminalreporter.stats.get(outcome, []):
            name = report.nodeid.partition("::")[0]
            counts[name][outcome] += 1
            notes[name] += [text for key, text in report.user_properties if key == "said"]
            if outcome == "skipped" and isinstance(report.longrepr, tuple):
                reasons[name].add(report.longrepr[2].removeprefix("Skipped: "))
            if outcome in ("failed", "error"):
                places += re.findall(r"(?m)^[\w./-]+:\d+: .*$", report.longreprtext)
    if not counts:
        return
    terminalreporter.section("What was run")
    width = max(map(len, counts))
    for name in sorted(counts, key=lambda name: (not name.startswith("tests"), name)):
        said = ", ".join(f"{count} {outcome}" for outcome, count in counts[name].items())
        terminalreporter.line(f"{name:{width}}  {said}")
        for text in notes[name]:
            terminalreporter.line(f"{'':{width}}  {text}")
        for reason in sorted(reasons[name]):
            terminalreporter.line(f"{'':{width}}  skipped: {reason}")
    for place in dict.fromkeys(places):
        terminalreporter.line(place)
