"""A stored run: what is read, what is made again, and what made it."""

import json
import re

import pytest
import torch

from data import runs
from utils import plot

SETTINGS = [(rate, seed) for rate in (0.1, 0.5) for seed in (0, 1)]


def trained(rate, seed):
    torch.manual_seed(seed)
    weight = torch.nn.Parameter(torch.randn(2))
    optimizer = torch.optim.SGD([weight], lr=rate)
    for _ in range(3):
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
    return {"loss": weight.square().sum(), "weight": weight.detach()}


@pytest.fixture
def read(tmp_path, monkeypatch):
    """`stored` on a file of its own, measured once."""
    monkeypatch.setattr(runs, "FOLDER", tmp_path)

    def stored(run=trained, settings=SETTINGS, **options):
        return runs.stored(run, settings, file="multi_head_attention", within=1e-3, **{"again": []} | options)

    with monkeypatch.context() as measuring:
        measuring.setenv(runs.MEASURE, '{"trained": "abc"}')
        stored()
    return stored


def test_rows_are_those_of_the_run(read, capsys):
    rows = read(again=[(0.1, 1), (0.1, 7)], says="2 weights a step")
    assert list(rows) == [*SETTINGS, (0.1, 7)]
    for setting, row in rows.items():
        result = trained(*setting)
        assert row["loss"] == pytest.approx(result["loss"].item(), rel=1e-3)
        assert row["weight"] == pytest.approx(result["weight"].tolist(), rel=1e-3)
    output = capsys.readouterr().out
    assert re.search(r"trained\(rate, seed\): 4 rows, \d s of one core\n", output)
    assert "SGD, rate 0.1 to 0.5, 3 steps, seeds 0 to 1, 2 weights a step\n" in output
    assert "again here: trained(0.1, 1), trained(0.1, 7); all: make measure P=09\n" in output
    assert "trained(0.1, 7) = " in output  # a row of one's own


def test_a_number_that_is_altered_is_noticed(read, tmp_path):
    path = tmp_path / "multi_head_attention.json"
    table = json.loads(path.read_text())["trained"]
    for place in range(len(table["rows"])):
        altered = json.loads(json.dumps(table))
        altered["rows"][place][1]["weight"][1] += 0.001
        path.write_text(json.dumps({"trained": altered}))
        with pytest.raises(ValueError, match="rows of trained were altered"):
            read()
        # Also with a digest that fits, where this row is made again.
        altered["rows"][place][1]["weight"][1] += 0.01
        altered["digest"] = runs.digest(altered)
        path.write_text(json.dumps({"trained": altered}))
        with pytest.raises(AssertionError, match="stored is"):
            read(again=[SETTINGS[place]])


def test_a_measuring_that_broke_off_goes_on(tmp_path, monkeypatch):
    monkeypatch.setattr(runs, "FOLDER", tmp_path)
    called = []

    def run(seed):
        called.append(seed)
        if called == [0, 1]:
            raise KeyboardInterrupt
        return [seed]

    with pytest.raises(KeyboardInterrupt):
        runs.measure(run, [(0,), (1,), (2,)], "multi_head_attention", 0.1, "abc")
    assert runs.tables("multi_head_attention")["run"]["code"] == "abc, unfinished"
    runs.measure(run, [(0,), (1,), (2,)], "multi_head_attention", 0.1, "abc")
    assert called == [0, 1, 1, 2] and runs.tables("multi_head_attention")["run"]["code"] == "abc"
    runs.measure(run, [(0,), (1,), (2,)], "multi_head_attention", 0.1, "abc")  # all of them, once more
    assert called[4:] == [0, 1, 2] == [row for [row], _ in runs.tables("multi_head_attention")["run"]["rows"]]


def test_a_row_that_is_missing_is_named(read):
    with pytest.raises(ValueError, match=r"multi_head_attention.json has no trained\(0.1, 5\)"):
        read(settings=[(0.1, 5)])


def test_other_steps_and_other_rates_are_noticed(read, monkeypatch):
    def trained(rate, seed):  # the same numbers, by another way
        row = globals()["trained"](rate, seed)
        torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=rate).step()
        return row

    with pytest.raises(AssertionError, match="steps: 1 to 3; stored: 3 to 3"):
        read(trained, again=[(0.1, 0)])


def test_runs_are_drawn_a_dot_each_and_their_means_as_numbers(monkeypatch):
    shown = []
    monkeypatch.setattr(plot, "show", lambda fig, alt: shown.append(fig.axes[0]))
    plot.show_runs({"one": [0.2, 0.4], "two": [1.0]}, "error", "A", lines={"chance": 0.9})
    (ax,) = shown
    dots = [line.get_xdata().tolist() for line in ax.lines if line.get_marker() == "o"]
    assert dots == [[0.2, 0.4], [1.0]]
    assert [text.get_text() for text in ax.texts] == ["0.30", "1.00", "chance"]
    for numbers in ([], [float("nan")]):
        with pytest.raises(ValueError, match="wanted finite numbers, at least one"):
            plot.show_runs({"one": numbers}, "error", "A")
