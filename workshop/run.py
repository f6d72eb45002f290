"""Run a page once, with nbval as its runner, and take from that run all that can be learned.

A plugin of pytest. While nbval executes a page and compares its outputs, the same kernel checks
the shape comments; afterwards it tries the plausible wrong answers to the exercises, each on a
copy of the page's names. The kernel starts in an empty folder of a machine like Colab's, so the
start cell has to fetch the course. With `--store` the outputs are stored instead of compared.
"""

import gc
import json
import os
import re
from collections import Counter, defaultdict

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

from data import smollm_file
from live.bundle import DATA_SCRIPT
from workshop import shapes
from workshop.colab import BareKernel
from workshop.page import Cell, Page
from workshop.store import normal_form, stamp, write
from workshop.wrong_answers import wrong_answers

HIDDEN = f"""
import importlib.util
spec = importlib.util.spec_from_file_location("course_shapes", {shapes.__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
shell.user_ns["__in_kernel__"] = module.InKernel(shell)
"""
REPORT = "import json; print(json.dumps(shell.user_ns['__in_kernel__'].report({unreached})))"
ANSWER = """
import json
scope = dict(shell.user_ns)
exec({code!r}, scope)
print({mark!r} + json.dumps(str(eval({check!r}, scope))))
"""
MARK = "\x00told "
NEEDS_FILE = "data.smollm_file"  # which is fetched once


class CoursePage(IPyNbFile):
    """A page: its cells, then the questions that its kernel is asked when they have run."""

    broken = False  # a cell has failed to run
    running: IPyNbCell
    kernel: BareKernel
    clear_next = False

    def collect(self):
        self.page = Page(self.path)
        self.storing = self.config.option.store
        self.compare_outputs = self.compare_outputs and not self.storing
        fetches = self.storing or os.environ.get("CI") == "true"
        if NEEDS_FILE in self.page.text and not fetches and not smollm_file.is_here():
            pytest.skip(smollm_file.MISSING)
        self.code = []
        for item in super().collect():  # named by numbers from 1, as readers count them
            about = dict(cell_num=item.cell_num, cell=item.cell, options=item.options)
            name = f"cell [{item.cell_num + 1}]"
            self.code.append(IPyNbCell.from_parent(self, name=name, **about))
        items = [*self.code]
        items.append(Shapes.from_parent(self, name="shapes"))
        try:
            answers = wrong_answers(self.page)
        except ValueError as error:
            raise self.CollectError(str(error)) from None
        for answer in answers:
            items.append(WrongAnswer.from_parent(self, name=answer.name, answer=answer))
        if self.storing:
            items.append(Stored.from_parent(self, name="stored"))
        return items

    def setup(self):
        self.kernel = BareKernel(self.config.option.nbval_kernel_startup_timeout)
        self.setup_sanitize_files()
        # The picture inside a live figure is no more compared than any other PNG.
        self.sanitize_patterns[r'src="data:image/png;base64,[^"]*"'] = "PNG"
        # The data file of a figure is in no stored output.
        self.sanitize_patterns[DATA_SCRIPT.pattern] = ""
        self.ask(HIDDEN)

    def ask(self, code):
        """Run code that is not the page's, with `shell`, in names of its own."""
        return self.kernel.ask(f"exec({code!r}, {{'shell': get_ipython()}})")

    def get_kernel_message(self, timeout=None, stream="iopub"):
        """As nbval does; but what clears earlier output clears it, which nbval does not know."""
        while True:
            message = super().get_kernel_message(timeout, stream)
            if message["msg_type"] == "clear_output":
                if message["content"]["wait"]:
                    self.clear_next = True
                else:
                    (self.running.test_outputs or []).clear()
                continue
            if self.clear_next and message["msg_type"] in ("stream", "display_data"):
                (self.running.test_outputs or []).clear()
                self.clear_next = False
            return message


class Question(pytest.Item):
    """Something that the kernel is asked when all cells have run."""

    parent: CoursePage  # ty: ignore[incompatible-mutable-override]  # pytest: Collector | None

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value)

    def reportinfo(self):
        return self.path, None, f"{self.parent.page.name}::{self.name}"


class Shapes(Question):
    def runtest(self):
        code = self.parent.page.code
        # Where a cell has failed, that is named already, and what follows is not reached.
        problems = json.loads(self.parent.ask(REPORT.format(unreached=not self.parent.broken)))
        assert not problems, "\n".join(
            f"{code[number - 1].at(line)}: {problem}" for (number, line), problem in problems
        )


class WrongAnswer(Question):
    """A plausible wrong answer must be told what is wrong with it."""

    def __init__(self, *, answer, **options):
        super().__init__(**options)
        self.answer = answer

    def runtest(self):
        answer, place = self.answer, f"{self.answer.at}: exercise {self.answer.exercise}: "
        if self.parent.broken:
            pytest.skip("a cell of the page has failed")
        assert answer.check, f"{place}no solution on the page asserts a check"
        code = ANSWER.format(code=answer.code, check=answer.check, mark=MARK)
        try:
            reply = json.loads(self.parent.ask(code).rpartition(MARK)[2])
        except RuntimeError as error:
            raise AssertionError(f"{place}{plain(str(error)).splitlines()[-1]}") from None
        expected = answer.words
        assert expected in reply, f"{place}the answer is told {reply!r}; wanted words: {expected!r}"


class Stored(Question):
    def runtest(self):
        parent = self.parent
        if parent.broken:
            pytest.skip("a cell of the page has failed")
        notebook = parent.page.notebook
        before = normal_form(notebook)["cells"]
        code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for cell, item in zip(code, parent.code, strict=True):
            cell["outputs"] = [out for out in item.test_outputs or [] if out.output_type != "error"]
        facts = notebook["metadata"].setdefault("course", {})
        if facts.items() >= stamp(parent.page).items():
            if all(map(alike, before, normal_form(notebook)["cells"])):
                return  # nothing is new but what differs in each run
        facts |= stamp(parent.page)
        # Of one processor core, since a clock would measure what else the machine does.
        seconds = float(parent.ask("import time\nprint(time.process_time())"))
        facts["seconds"] = seconds_to_store(facts.get("seconds", 0), round(seconds))
        write(parent.page, notebook)


def seconds_to_store(stored: int, measured: int) -> int:
    """For the order of the pages and their budget, a page's old seconds do on any machine."""
    differs = not measured / 3 < stored < measured * 3 and abs(measured - stored) > 10
    return measured if differs or not stored else stored


def alike(old: dict, new: dict) -> bool:
    """Whether two runs of a cell differ at most in what isn't compared: pictures, and times."""
    ignored = "nbval-ignore-output" in new["metadata"].get("tags", [])

    def told(output):
        kinds = sorted(output.get("data", {}))
        words = output.get("text", output.get("data", {}).get("text/plain"))
        return output["output_type"], output.get("name"), kinds, None if ignored else words

    return [*map(told, old.get("outputs", []))] == [*map(told, new.get("outputs", []))]


# ---------------------------------------------------------------- hooks


def pytest_addoption(parser):
    about = "store the outputs of the pages instead of comparing"
    parser.addoption("--store", action="store_true", help=about)


def pytest_configure(config):
    config.addinivalue_line("markers", "slow(seconds): begins before what is quicker")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    collectors = yield
    if any(type(collector) is IPyNbFile for collector in collectors):
        return [CoursePage.from_parent(parent, path=file_path)]
    return collectors


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Slow things first, or one worker is left with them when the other has nothing to do."""
    items.sort(key=lambda item: -seconds_of(item))


def seconds_of(item: pytest.Item) -> float:
    if isinstance(item.parent, CoursePage):
        return 1 + item.parent.page.notebook["metadata"].get("course", {}).get("seconds", 60)
    slow = item.get_closest_marker("slow")
    return slow.args[0] if slow else 0


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """A worker that needs over five seconds to end is interrupted: on a busy machine pytest's last
    collection of garbage alone can take so long, so it finds none to look through."""
    if hasattr(session.config, "workerinput"):
        gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config):
    """A worker a core, as each has one thread: two at least, as pages wait for their kernels."""
    return min(max(2, os.cpu_count() or 2), 8)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """A page is run by one worker, and so are tests whose ids end with the same `@group`.

    (`--dist loadgroup` of xdist 3.8 would do that, but it groups nothing under pytest 9.2.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByPage(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            whole = file.endswith((".ipynb", "test_book.py"))  # which reads and builds books, once
            return file if whole else nodeid.rpartition("@")[2]

    return ByPage(config, log)


def pytest_runtest_call(item):
    if isinstance(item.parent, CoursePage):
        item.parent.running, item.parent.clear_next = item, False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Say of a cell that fails in which line of the .ipynb file to look."""
    report = yield
    if report.failed and call.when == "call" and isinstance(item, IPyNbCell):
        place = place_of_failure(item.parent, item.cell_num, call.excinfo.value)
        # nbval counts from 0, and the kernel anew.
        message = re.sub(rf"\bCell (In\[\d+\]|{item.cell_num}\b)", item.name, plain(str(report.longrepr)))
        report.location = (*report.location[:2], item.nodeid)
        report.longrepr = f"{place}\n\n{message}"
    return report


def place_of_failure(parent: CoursePage, cell_num: int, error: BaseException) -> str:
    """Where a cell failed, as file, line, and cell, and how."""
    page, cell = parent.page, parent.page.code[cell_num]  # nbval counts code cells from 0
    traceback = getattr(error, "inner_traceback", None) or ""
    if "outputs differ" in str(error):
        line = differing_line(page, cell, traceback)
        message = "the stored output differs from what the cell prints"
        return f"{page.name}:{line}: cell [{cell.number}]: {message}"
    parent.broken = True
    match = re.search(r"Cell In\[\d+\], line (\d+)", plain(traceback))
    line = int(match[1]) if match else 1
    # The head of a traceback names the exception, and its end says `exception: message`.
    raised = re.search(r"(?ms)^(\S+) +Traceback .*^\1: ?([^\n]*)", plain(traceback))
    if "Timeout" in str(error) or not raised:
        return f"{cell.at(line)}: {error}"
    return f"{cell.at(line)}: {raised[1]}: {raised[2] or cell.lines[line - 1].strip()}"


def differing_line(page: Page, cell: Cell, traceback: str) -> int:
    """The line of the file with the first stored line that is not printed: marked with `+`."""
    lines = page.text.splitlines()[: cell.line]
    for extra in re.findall(r"(?m)^ *\+ *(\S.*?) *$", plain(traceback)):
        for number, line in enumerate(lines[cell.outputs_line - 1 :], cell.outputs_line):
            if extra in line:
                return number
    return cell.outputs_line


def plain(text: str) -> str:
    """Without the codes for colours."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


# ---------------------------------------------------------------- what was run


def pytest_terminal_summary(terminalreporter):
    """List each file with its counts and seconds, and every place named."""
    counts, places, seconds, notes = defaultdict(Counter), {}, Counter(), []
    for outcome, reports in terminalreporter.stats.items():
        for report in reports:
            if not isinstance(report, (pytest.TestReport, pytest.CollectReport)):
                continue
            name = report.nodeid.partition("::")[0]
            seconds[name] += getattr(report, "duration", 0)  # a file that cannot be read has none
            if outcome:
                counts[name][outcome] += 1
                properties = getattr(report, "user_properties", [])
                notes += [(name, text) for key, text in properties if key == "said"]
            if report.failed:
                message = plain(report.longreprtext)
                places |= dict.fromkeys(re.findall(r"(?m)^[\w./-]+:\d+: .*$", message))
    if not counts:
        return
    terminalreporter.section("What was run")
    width = max(map(len, counts))
    for name in sorted(counts, key=lambda name: (not name.endswith(".py"), name)):
        summary = ", ".join(f"{count} {outcome}" for outcome, count in counts[name].items())
        terminalreporter.line(f"{name:{width}} {seconds[name]:6.1f} s  {summary}")
        for text in (text for file, text in notes if file == name):
            terminalreporter.line(f"{'':{width}}           {text}")
    for place in places:
        terminalreporter.line(place)
