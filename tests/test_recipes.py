"""Each recipe runs, with a few steps, and writes what the course reads."""

import json

import pytest
import torch

from data import facts, smollm_file
from data.indexers import INDEXERS
from recipes import indexers, letters, patches, regress, regress_one, repairs, smollm_inside, translator
from taught import trained
from taught.real_model import Llama
from tests.test_real_model import real  # noqa: F401  (a fixture)


@pytest.fixture
def written(monkeypatch, tmp_path):
    """Run a recipe's `main` with other constants, and return what it has written."""

    def run(recipe, name="FILE", **constants):
        path = tmp_path / "written.json"
        for constant, value in {name: path, **constants}.items():
            assert hasattr(recipe, constant)
            monkeypatch.setattr(recipe, constant, value)
        recipe.main()
        return path.read_bytes()

    return run


def alike(actual, stored):
    """The same names, kinds of value and, in a list of lists, lengths."""
    if isinstance(stored, dict):
        assert actual.keys() == stored.keys()
        for name in stored:
            alike(actual[name], stored[name])
    else:
        assert isinstance(actual, (int, float)) == isinstance(stored, (int, float))


@pytest.mark.parametrize("recipe, unpacked, stored", [
    (letters, trained.unpacked_letters, trained.LETTERS),
    (translator, trained.unpacked, trained.FILE),
])  # fmt: skip
def test_a_model_of_two_steps_is_read_again(written, recipe, unpacked, stored):
    content = written(recipe, STEPS=2)
    model, *words = unpacked(content)
    stored_model, *its = unpacked(stored.read_bytes())
    assert words == its and not model.training
    alike(
        {name: tensor.shape[0] for name, tensor in model.state_dict().items()},
        {name: tensor.shape[0] for name, tensor in stored_model.state_dict().items()},
    )


@pytest.mark.parametrize("recipe", [patches, regress, regress_one])
def test_a_model_of_a_page_is_read_again(written, recipe):
    actual, stored = (json.loads(text) for text in (written(recipe, STEPS=2), recipe.FILE.read_bytes()))
    alike(actual, stored)
    assert actual["tensors"] == stored["tensors"]


def test_repairs(written):
    """A row of each task and kind, like the stored ones."""
    small = dict(STEPS=2, TRIGGER_STEPS=2, LONG_STEPS=2, KINDS=["gate", "sink from 0"])
    small |= dict(SEEDS=[0], RATES=[0.01], LENGTHS=[32, 64], SEARCHED=[32])
    rows = json.loads(written(repairs, "REPAIRS", **small))
    longer = {"128", "256", "512", "1024"}

    def keys_by_kind(rows):
        return {(row["task"], row["kind"], row.get("rotary"), row["seed"] == 9): row.keys() - longer for row in rows}

    assert len(rows) == 5 * 2 + 2 + 4 + 2
    assert keys_by_kind(rows).items() <= keys_by_kind(facts.repairs()).items()
    for row in rows:
        assert "32" not in row or 0 <= row["32"]["on"] <= 1


@pytest.fixture
def tiny(real):  # noqa: F811
    """A model of the real one's vocabulary and heads, and the real tokenizer."""
    torch.manual_seed(0)
    model = Llama(len(real[1].tokens), 36, 9, 3, 20, 8).eval().requires_grad_(False)
    return model, real[1]


def test_runs_inside_the_model(written, tiny, monkeypatch):
    monkeypatch.setattr(smollm_inside, "load", lambda path: tiny)
    few = smollm_inside.SEEN[:1]
    names = dict([*smollm_inside.NAMES.items()][:1])
    actual = json.loads(written(smollm_inside, "INSIDE", NAMES=names, HEADS=[(18, 6), (16, 0)], SEEN=few))
    stored = smollm_file.inside()
    assert actual.keys() == stored.keys() and len(actual["copying"]) == 2
    (name,), its = actual["names"], stored["names"][0]
    assert (name["tokens"], name["next"], len(name["p"])) == (its["tokens"], its["next"], 5)
    assert actual["sinks"]["tokens"] == stored["sinks"]["tokens"]
    alike(actual["sinks"]["runs"], stored["sinks"]["runs"])
    assert [len(row) for row in actual["few_seen"]["itself"]] == [10] * 12
    for run in actual["sinks"]["runs"].values():
        assert len(run["weights"]) == 40 and 0.9 < sum(run["weights"]) < 1.001


def test_indexers(written, tiny, monkeypatch):
    model, tokenizer = tiny
    model.blocks = model.blocks[:2]
    monkeypatch.setattr(indexers, "load", lambda path: tiny)
    variants = {name: (*spec, 1, seed) for name, (*spec, _, seed) in indexers.TRAINED.items()}
    runs = {"facts": variants["facts"]}
    actual = json.loads(written(indexers, "INDEXERS", TRAINED=runs, OTHERS=indexers.OTHERS[:2]))
    stored = json.loads(INDEXERS.read_bytes())
    assert actual.keys() == stored.keys() - (variants.keys() - runs.keys())
    alike(actual, {name: stored[name] for name in actual})
    assert actual["all"]["nats"] > 9  # it has learned nothing
