"""Results that take longer than a reader waits, each made by a function of its page.

The files here hold them, a row a line, beside what made them: the code's fingerprint, the optimizer,
its rate and steps, the seconds of one core, the version of PyTorch and the day. `make measure P=09`
makes the rows of page 9 again, and `make check` names those whose code has changed since.
"""

import hashlib
import inspect
import json
import math
import os
import sys
import time
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import torch
from torch.optim.optimizer import register_optimizer_step_post_hook

FOLDER = Path(__file__).resolve().parent
PAGES = FOLDER.parents[1] / "chapters"
MEASURE = "COURSE_MEASURE"  # {run: its code}, set while `make measure` executes a page


def stored(run, settings, *, file, within, again, says=""):
    """{setting: what run(*setting) returned}, read from data/runs/<file>.json.

    run: a function of the page that seeds itself and returns numbers, in lists or a dict.
    settings: the arguments of each row, as tuples.
    again: settings to run here and now. Their numbers must be within `within` of the stored ones.
        One that isn't among `settings` is a row of your own: it is run, printed and returned, too.
    says: what else a reader needs to make the rows, such as the size of a batch.

    Prints what made the rows, as it was recorded while they were made. Raises `ValueError` for rows
    that are missing or were altered by hand, `AssertionError` for one that doesn't come again.
    """
    settings, name = [tuple(setting) for setting in settings], run.__name__
    if code := json.loads(os.environ.get(MEASURE, "{}")).get(name):
        measure(run, settings, file, within, code)
    table = tables(file).get(name, {"rows": []})
    if table["rows"] and table["digest"] != digest(table):
        raise ValueError(f"{file}.json: the rows of {name} were altered; `make measure` makes them")
    rows = {tuple(setting): row for setting, row in table["rows"]}
    if missing := [setting for setting in settings if setting not in rows]:
        raise ValueError(f"{file}.json has no {call(name, missing[0])}; `make measure` makes it")
    rows = {setting: rows[setting] for setting in settings}
    own = []
    for setting in map(tuple, again):
        with recorded() as record:
            numbers = rounded(run(*setting))
        if setting not in rows:
            own.append(f"{call(name, setting)} = {numbers}")
            rows[setting] = numbers
            continue
        far = distance(numbers, rows[setting])
        assert far <= within, f"{call(name, setting)} is {numbers}; stored is {rows[setting]}"
        for key, (low, high) in record.items():
            least, most = table["made by"][key]
            assert least <= low <= high <= most, (
                f"{key}: {low} to {high}; stored: {least} to {most}"
            )
    # At the end, because a bar of progress clears what was printed before it.
    print(recipe(run, settings, file, again, says), *own, sep="\n")
    return rows


def measure(run, settings, file, within, code):
    """Make all rows of a table, and write each into its file; go on where a break left them."""
    by_name, name, begun = tables(file), run.__name__, time.process_time()
    table = by_name.get(name, {})
    if table.get("code") != f"{code}, unfinished":
        table = {"code": f"{code}, unfinished", "made by": {}, "seconds": 0, "rows": []}
    rows, before, made_by = table["rows"], table["seconds"], table["made by"]
    for setting in settings:
        if list(setting) in [old for old, _ in rows]:
            continue
        print(call(name, setting), file=sys.__stderr__, flush=True)
        with recorded() as record:
            rows.append([list(setting), rounded(run(*setting))])
        for key, (low, high) in record.items():
            least, most = made_by.get(key, (low, high))
            made_by[key] = [min(low, least), max(high, most)]
        table = {
            "code": f"{code}, unfinished" if len(rows) < len(settings) else code,
            "made by": made_by,
            "within": within,
            "seconds": round(before + time.process_time() - begun, 1),
            "torch": torch.__version__.partition("+")[0],
            "day": date.today().isoformat(),
            "rows": rows,
        }
        by_name[name] = {"digest": digest(table)} | table
        write(file, by_name)


@contextmanager
def recorded():
    """Yield {what: [least, most]} of the optimizers that take steps meanwhile: rate and steps."""
    record, optimizers = {}, {}

    def count(optimizer, *_):
        group = optimizer.param_groups[0]
        steps, rates = optimizers.setdefault(id(optimizer), (optimizer, [0, []]))[1]
        optimizers[id(optimizer)][1][0] = steps + 1
        rates.append(group["lr"])

    hook = register_optimizer_step_post_hook(count)
    try:
        yield record
    finally:
        hook.remove()
    for optimizer, (steps, rates) in optimizers.values():
        name = type(optimizer).__name__
        for key, low, high in ((f"{name}, rate", max(rates), max(rates)), ("steps", steps, steps)):
            least, most = record.get(key, (low, high))
            record[key] = [min(low, least), max(high, most)]


def recipe(run, settings, file, again, says):
    """How the rows were made, and how to make them again: three lines."""
    table, name = tables(file)[run.__name__], run.__name__
    made_by = dict(table["made by"])
    steps = made_by.pop("steps", None)
    parts = [f"{key} {span(*ends)}" for key, ends in made_by.items()]
    if steps:
        parts.append(f"{span(*steps)} steps")
    names = list(inspect.signature(run).parameters)
    if "seed" in names:
        seeds = sorted({setting[names.index("seed")] for setting in settings})
        parts.append(f"seeds {span(seeds[0], seeds[-1])}")
    parts += [says] * bool(says)
    (page,) = PAGES.glob(f"[0-9]*_{file}.ipynb")
    seconds = table["seconds"]
    cost = f"{seconds / 60:.0f} minutes" if seconds >= 100 else f"{seconds:.0f} s"
    return (
        f"{name}({', '.join(names)}): {len(settings)} rows, {cost} of one core\n"
        f"{', '.join(parts)}\n"
        f"again here: {', '.join(call(name, row) for row in again)}; all: make measure P={page.name[:2]}"
    )


def span(low, high):
    """The ends of a range in words; of a rate two digits: a schedule may miss its top by a hair."""
    ends = [f"{end:.2g}" if isinstance(end, float) else f"{end:,}" for end in (low, high)]
    return ends[0] if ends[0] == ends[1] else " to ".join(ends)


def call(name, setting):
    return f"{name}({', '.join(map(repr, setting))})"


def distance(made, stored):
    """The largest difference of two rows of one form; infinite where the forms differ."""
    if isinstance(made, dict) and isinstance(stored, dict) and made.keys() == stored.keys():
        return distance(list(made.values()), list(stored.values()))
    if isinstance(made, list) and isinstance(stored, list) and len(made) == len(stored):
        return max(map(distance, made, stored), default=0)
    if isinstance(made, (int, float)) and isinstance(stored, (int, float)):
        return abs(made - stored) if math.isfinite(made - stored) else math.inf
    return 0 if made == stored else math.inf


def rounded(row):
    """A row as it is stored: plain lists and dicts, numbers of four digits."""
    if isinstance(row, dict):
        return {str(name): rounded(value) for name, value in row.items()}
    if hasattr(row, "tolist"):
        return rounded(row.tolist())
    if isinstance(row, (list, tuple)):
        return [rounded(value) for value in row]
    return float(f"{row:.4g}") if isinstance(row, float) else row


def tables(file):
    """{name of a run: its table} of a file; {} where there is none."""
    path = FOLDER / f"{file}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def write(file, known):
    """The file, with a row a line."""
    parts = []
    for name, table in known.items():
        head = json.dumps({key: value for key, value in table.items() if key != "rows"})[1:-1]
        rows = ",\n".join(f"   {json.dumps(row)}" for row in table["rows"])
        parts.append(f' "{name}": {{{head}, "rows": [\n{rows}\n ]}}')
    text = "{\n" + ",\n".join(parts) + "\n}\n"
    (FOLDER / f"{file}.json").write_text(text, encoding="utf-8", newline="\n")


def digest(table):
    """A short hash of a table: where a number was altered by hand, it is another."""
    content = {name: value for name, value in table.items() if name != "digest"}
    return hashlib.sha1(json.dumps(content).encode()).hexdigest()[:12]
