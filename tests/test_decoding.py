"""What the page on translation keeps, from tokens to beam search, compared with loops without tensors."""

import copy
import dataclasses
import itertools
from functools import lru_cache, partial
from typing import NamedTuple

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pad_sequence
from torch.testing import assert_close

from tests.cases import hold, lively, property_of, sizes, states_by_hand
from tests.course import COURSE
from tests.test_transformer import model_of, pair, tokens


@property_of("decoding")
def tokens_are_positions_in_the_list(course, case):
    """Between what begins and what ends them; 0 stands behind. What has none is an error."""
    ids, lengths = tokens(case, V := sizes(case).src_vocab, case.m, stream=3)
    words = [str(V - i) for i in range(V)]
    rows = [row[:length] for row, (length,) in zip(ids.tolist(), lengths.tolist())]
    rows += [2 * rows[0], []]
    sentences = [[words[token] for token in row] for row in rows]
    for begin, end in (([V], []), ([], (V,)), ([V + 1, V + 2], [V])):
        options = {name: x for name, x in (("begin", begin), ("end", end)) if x}
        result = course.to_tokens(sentences, words, **options)
        expected = [torch.tensor([*begin, *row, *end]) for row in rows]
        assert_close(result, pad_sequence(expected, True))
    assert_close(course.to_tokens(sentences[:1], words), torch.tensor(rows[:1]))
    with pytest.raises(KeyError, match="new"):
        course.to_tokens([*sentences, ["new"]], words)


@property_of("decoding")
def batches_hold_64_pairs_of_similar_length(course, case):
    """With one seed always the same. No column of them holds nothing but padding."""
    pad, column, row = sizes(case).pad, torch.arange(12), torch.arange(1000)
    lengths, ids = 1 + row % 8, 3 + row[:, None] + column  # the first token says which row it is
    sources = ids.where(column < lengths[:, None], pad)
    targets = (ids + 5).where(column < lengths[:, None] + 2, pad)
    rows = []
    for options in ({}, {"seed": 0}, {"seed": 1}):
        for src, tgt in course.pair_batches(sources, targets, 25, pad=pad, **options):
            rows.append(numbers := src[:, 0] - 3)
            assert len(numbers) == 64 and len(numbers.unique()) > 32
            m, _ = lengths[numbers].max(), torch.rand(1 + len(options))  # others draw, too
            assert torch.equal(src, sources[numbers, :m]) and torch.equal(tgt, targets[numbers, : m + 2])
    assert len(rows) == 75 and all(map(torch.equal, rows[:25], rows[25:50]))
    tens = rows[:10], rows[10:20], rows[50:60]
    assert len({tuple(torch.cat(ten).sort().values.tolist()) for ten in tens}) == 3
    for ten in tens:
        ends = [(lengths[numbers].min(), lengths[numbers].max()) for numbers in ten]
        assert ends != sorted(ends)
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(sorted(ends)))
    few = [src[:, 0] for src, _ in course.pair_batches(sources[:3], targets[:3], 10, 0, pad, 7)]
    assert {batch.shape for batch in few} == {(7,)} and set(torch.cat(few).tolist()) == {3, 4, 5}


@property_of("decoding")
def loss_is_the_mean_over_real_tokens(course, case):
    """With smoothing and without, and whatever number stands for padding, two real tokens or more in a row."""
    V, own_pad = sizes(case).tgt_vocab, sizes(case).pad
    ids, _ = tokens(case, V, case.n + 1, stream=3)
    ids[:, 1] = ids[:, 1].where(ids[:, 1] != own_pad, V - 1)
    logits = 3 * case.randn((len(ids), case.n, V), stream=4)[0]
    for pad, smoothing in itertools.product((own_pad, 0, 1, V - 1, -1), (0.0, 0.1, 0.9)):
        others = torch.where(ids == own_pad, pad, torch.where(ids == pad, own_pad, ids))
        real = others[:, 1:] != pad
        expected = F.cross_entropy(logits[real], others[:, 1:][real], label_smoothing=smoothing)
        options = ({"pad": pad} if pad else {}) | ({"smoothing": smoothing} if smoothing else {})
        assert_close(course.next_token_loss(logits, others, **options), expected)


def loss_by_hand(model, batch, loss_of=COURSE.next_token_loss):
    src, tgt = batch
    return loss_of(model(src, tgt[:, :-1]), tgt)


@property_of("decoding")
def training_takes_the_steps_of_a_plain_loop(course, case):
    """With dropout, up to the end; what it returns are copies, and all in eval mode."""
    case = dataclasses.replace(case, batch=(20,), v=3, seed=case.seed | 1)
    src, tgt = pair(case)
    assert (sizes(case).pad, sizes(case).num_layers) == (0, 1)
    smoothed = partial(COURSE.next_token_loss, smoothing=0.3)
    usual = dict(steps=1000, warm_up=100, rate=0.005)
    for plan, stop, others in (
        (dict(steps=6, warm_up=0, rate=0.1), 2, {"stop": 2}),
        (dict(steps=4, warm_up=2), 4, {"snapshots": [1, 3, 4], "seed": 1, "loss_of": smoothed}),
        (dict(), 2, {"stop": 2, "snapshots": (1, 5)}),
    ):
        model = model_of(COURSE, case, dropout=0.2).eval()
        batches = course.pair_batches(src, tgt, stop, others.get("seed", 0))
        options = {"loss_of": others["loss_of"]} if "loss_of" in others else {}
        torch.manual_seed(case.seed)
        states = states_by_hand(copy.deepcopy(model).train(), batches, partial(loss_by_hand, **options), **usual | plan)
        torch.manual_seed(case.seed)
        copies = course.train_translator(model, src, tgt, **plan, **others)
        assert set(copies) == {step for step in others.get("snapshots", ()) if step <= stop}
        for step, snapshot in [*copies.items(), (stop, model)]:
            assert not snapshot.training
            assert_close(snapshot.state_dict(), states[step - 1])


# ---------------------------------------------------------------- writing, by hand


class Task(NamedTuple):
    model: nn.Module
    src: torch.Tensor
    bos: int
    eos: int
    max_len: int


def task_of(case):
    """eos is a token that ends the sentences at many places."""
    config, max_len = sizes(case), case.n + 1
    (src, _), (V, pad) = tokens(case, config.src_vocab, case.m, stream=3), (config.tgt_vocab, config.pad)
    model = lively(model_of(COURSE, case))
    task = Task(model, src, (pad + 1 + case.seed % (V - 1)) % V, -1, max_len)
    rows = beam_by_hand(task, 1)[0].tolist()
    ends = {eos: {(row + [eos] * max_len).index(eos) for row in rows} for eos in range(V)}
    many = {eos: (len(positions), 0 < min(positions) < max_len) for eos, positions in ends.items() if eos != pad}
    return task._replace(eos=max(many, key=many.get))


@lru_cache(100)
def misleading(case):
    """If one is near, a task in which the likeliest step misleads, always with the right model."""
    for seed in range(case.seed, case.seed + 5):
        task = task_of(dataclasses.replace(case, seed=seed))
        narrow, wide = (COURSE.beam_search(*task, width)[1] for width in (1, 3))
        if (wide > narrow + 1e-6).any():
            break
    return task


@lru_cache(1000)
@torch.no_grad()
def beam_by_hand(task, width):
    """Lists of (log-probability, tokens) in the place of tensors."""
    written, totals = [], []
    for sentence in task.src:
        beams = [(0.0, [])]
        for _ in range(task.max_len):
            candidates = [beam for beam in beams if task.eos in beam[1]]
            if beams[0] in candidates:
                break
            open_ = [beam for beam in beams if task.eos not in beam[1]]
            rows = torch.tensor([[task.bos, *row] for _, row in open_])
            steps = task.model(sentence.expand(len(rows), -1), rows)[:, -1].log_softmax(-1)
            for (total, row), log_p in zip(open_, steps.tolist(), strict=True):
                candidates += [(total + step, [*row, token]) for token, step in enumerate(log_p)]
            beams = sorted(candidates, reverse=True)[:width]
        totals.append(beams[0][0])
        written.append(torch.tensor(beams[0][1]))
    return pad_sequence(written, True, task.model.pad), torch.tensor(totals, dtype=torch.float64)


@property_of("decoding")
def greedy_takes_the_likeliest_token(course, case):
    """As a beam of one. Behind eos is padding, as much of it as the longest sentence needs."""
    task = misleading(case)
    assert torch.equal(course.greedy(*task), beam_by_hand(task, 1)[0])


@property_of("decoding")
def beam_search_keeps_the_likeliest_beginnings(course, case):
    """Sentences by hand are alone: none reaches another."""
    task = misleading(case)
    for width in (1, 2 + case.seed % 3, sizes(case).tgt_vocab + 2):  # more than there are tokens
        written, total = course.beam_search(*task, width)
        expected, expected_total = beam_by_hand(task, width)
        assert_close(total, expected_total)
        m = expected.shape[1]
        assert torch.equal(written[:, :m], expected) and (written[:, m:] == task.model.pad).all()
        assert not any(map(len, course.beam_search(*task._replace(src=task.src[:0]), width)))


test_property = hold("decoding", examples=4)
