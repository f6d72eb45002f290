"""The repairs of the softmax on page 18, and the texts of facts with which they are compared."""

import math

import torch
from torch import nn
from torch.testing import assert_close

from corpora.facts import NAMES, NONE, VALUES, facts, repairs
from recipes.repairs import KINDS, of_triggers
from taught.attention import DotProductAttention, causal_mask, masked_softmax
from taught.inside import (
    Reader,
    Repaired,
    answers,
    chain,
    differential,
    gated,
    read_facts,
    scalable_softmax,
    sigmoid_weights,
    what_follows,
    with_sink,
)


def test_each_repair_with_its_neutral_setting_is_the_softmax():
    torch.manual_seed(0)
    scores, other = torch.randn(2, 3, 2, 5, 5)
    mask = causal_mask(5)
    plain = masked_softmax(scores, mask)
    assert_close(with_sink(scores, mask, torch.tensor(-math.inf)), plain)
    assert_close(differential(scores, other, mask, 0.0), plain)
    n = mask.sum(dim=-1, keepdim=True)
    assert_close(
        scalable_softmax(scores / n.log().clamp(min=1e-9), mask, 1.0)[..., 1:, :], plain[..., 1:, :]
    )
    small = scores - 20  # each weight is then its exponential
    assert_close(sigmoid_weights(small, mask, 1) / small.exp(), mask.expand_as(scores).float())
    output, gate = torch.randn(2, 3, 5, 4), nn.Linear(4, 4)
    nn.init.zeros_(gate.weight)
    nn.init.constant_(gate.bias, 100.0)
    assert_close(gated(output[0], output[1], gate), output[0])


def test_no_repair_gives_weight_to_a_later_key():
    torch.manual_seed(1)
    queries, keys, values = torch.randn(3, 2, 1, 6, 64)
    mask = causal_mask(6)
    changed = values.clone()
    changed[..., 4:, :] += 1
    for kind in (*KINDS, "differential, no norm", "norm alone", "sigmoid, n of the text"):
        attention = Repaired(kind, 6)
        attention.x = queries
        found = attention(queries, keys, values, mask)
        assert not attention.weights[..., ~mask].any(), kind
        assert_close(attention(queries, keys, changed, mask)[..., :4, :], found[..., :4, :])
        if kind == "softmax":
            assert_close(found, DotProductAttention()(queries, keys, values, mask))


def test_a_text_of_facts_has_the_answers():
    text, asked, answer, where = facts(50, 40, torch.Generator().manual_seed(0))
    shares = []
    for tokens, questions, wanted, positions in zip(text, asked, answer, where):
        known = {(a, b): c for a, b, c in tokens.tolist() if a < NAMES}
        assert len(known) == sum(a < NAMES for a, _, _ in tokens.tolist())  # no name twice
        for (a, b, _), value, position in zip(questions.tolist(), wanted.tolist(), positions):
            assert known.get((a, b), 2 * NAMES + NONE) == 2 * NAMES + value
            if value < VALUES:
                assert tokens[position].tolist()[:2] == [a, b]
            shares.append(value == NONE)
    assert 0.25 < sum(shares) / len(shares) < 0.42


def test_after_a_trigger_the_token_before_it_comes_again():
    tokens, truth = chain(20, torch.Generator().manual_seed(0))
    assert_close(truth[:, 1:].sum(dim=-1), torch.ones(20, 47))
    trigger = tokens[:, 2:-1] < 4
    assert torch.equal(tokens[:, 3:][trigger], tokens[:, 1:-2][trigger])
    assert_close(truth[:, 2:][~trigger], what_follows()[tokens[:, 2:-1]][~trigger])


def test_the_stored_runs_are_what_the_recipe_makes():
    rows = repairs()
    compared = [row["kind"] for row in rows if row["task"] == "facts" and not row["rotary"]]
    assert set(KINDS) <= set(compared)
    row = of_triggers("sigmoid", 0, steps=2)
    stored = next(row for row in rows if row["task"] == "triggers")
    assert set(row) == set(stored)
    before, after = read_facts("log n", False, 0, 0.01, steps=1), Reader("log n", False)
    assert answers(before, 32, count=4)["nats"] > 1 and not hasattr(after.attention, "weights")
