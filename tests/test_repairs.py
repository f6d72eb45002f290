"""The repairs of the softmax on page 18, and the texts of facts with which they are compared."""

import torch
from torch.testing import assert_close

from data.facts import NAMES, NONE, VALUES, facts
from recipes.repairs import KINDS
from taught.attention import DotProductAttention, causal_mask
from taught.repairs import Repaired, answers, chain, read_facts, what_follows


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


def test_a_reader_begins_at_chance():
    reader = read_facts("log n", False, 0, 0.01, steps=1)
    found = answers(reader, 32, count=8)
    assert 2 < found["nats"] < 4 and found["on"] < 0.1  # of 17 answers, and of 32 keys
