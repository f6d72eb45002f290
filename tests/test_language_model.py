"""A language model's training and writing, compared with plain loops; more of it is in `test_transformer.py`."""

import copy
import itertools
import math

import torch
from torch import nn
from torch.testing import assert_close

from tests.cases import HALF, hold, lively, property_of, sizes, states_by_hand
from tests.course import COURSE
from tests.test_transformer import language_model_of


def texts(case, length, stream=3):
    """Tokens (B, length)."""
    (noise,) = case.randn(((case.batch or (2,))[0], length), stream=stream)
    return (1000 * noise).long() % sizes(case).src_vocab


# ---------------------------------------------------------------- training


class Table(nn.Module):
    """A logit for each pair of tokens, and no more."""

    def __init__(self, vocab):
        super().__init__()
        self.embedding = nn.Embedding(vocab, vocab, dtype=torch.float64)
        nn.init.zeros_(self.embedding.weight)

    def forward(self, tokens):
        assert self.training
        return self.embedding(tokens)


def different(case, vocab):
    """A text in which each token occurs once, and what follows each."""
    (noise,) = case.randn((vocab,), stream=6)
    text, after = noise.argsort(), torch.full((vocab,), -1)
    after[text[:-1]] = text[1:]
    return text, after


def fits(counts, expected):
    """Whether counts may come from these expectations, by a chi-square test; rare ones as one."""
    counts, expected = counts.double(), expected.double()
    assert (counts[expected == 0] == 0).all()
    rare = expected < 5
    counts, expected = (torch.cat([x[~rare], x[rare].sum()[None]]) for x in (counts, expected))
    distance = ((counts - expected).square() / expected.clamp(min=1)).sum()
    return distance < len(counts) + 20 + 10 * math.sqrt(2 * len(counts))


@property_of("language")
def language_training_takes_the_steps_of_a_plain_loop(course, case):
    """On what follows each token of its windows, 0 too; with dropout; a rate that also falls."""
    vocab = sizes(case).src_vocab
    real, table = language_model_of(COURSE, case, dropout=0.2), Table(vocab)
    usual = dict(rate=0.004, context=64, batch=16)
    context = 1 + case.seed % (vocab - 1)
    for model, steps, options in (
        (real, 3, dict(rate=0.1, context=context, batch=1 + case.m)),
        (table, 104, dict(rate=0.1, context=context, batch=2, seed=case.seed)),
        (Table(80), 2, {}),
    ):
        (text, after), settings = different(case, vocab if options else 80), usual | options
        twin, windows = copy.deepcopy(model).train(), []
        hook = model.register_forward_pre_hook(lambda _, inputs, windows=windows: windows.append(inputs[0].clone()))
        torch.manual_seed(case.seed)
        course.train_language_model(model.eval(), text, steps, **options)
        hook.remove()
        assert not any(module.training for module in model.modules())
        assert {window.shape for window in windows} == {(settings["batch"], settings["context"])}
        assert len(windows) == steps
        assert options or not torch.equal(*windows)  # each step draws its own

        def loss_of(twin, tokens, after=after):
            return -twin(tokens).log_softmax(-1).gather(-1, after[tokens].unsqueeze(-1)).mean()

        torch.manual_seed(case.seed)
        expected = states_by_hand(twin, windows, loss_of, steps, min(steps, 100), settings["rate"])
        assert_close(model.state_dict(), expected[-1])


@property_of("language")
def windows_begin_at_every_place(course, case):
    """From the first to the last that has a token behind it, all equally often."""
    context, places = case.m, 3 + case.n
    text, generator = torch.arange(places + context), torch.Generator().manual_seed(case.seed)
    windows = course.draw_windows(text, context, 1000, generator)
    assert torch.equal(windows, windows[:, :1] + torch.arange(context + 1))
    counts = windows[:, 0].bincount(minlength=places)
    assert len(counts) == places and (counts > 0).all()
    assert fits(counts, torch.full((places,), 1000 / places))


# ---------------------------------------------------------------- filters


def rows_of(case, stream=8):
    """Logits (*batch, V) in no order, without and with equal ones."""
    (logits,) = case.randn((*case.batch, sizes(case).src_vocab), stream=stream)
    yield 2 * logits
    yield (2 * logits).round()


def check_filter(keep, logits, count_of):
    """As many as that are as they were, from the likeliest on, and what is as likely as the last of them."""
    before, filtered = logits.clone(), keep(logits)
    assert filtered.shape == logits.shape and filtered.dtype == logits.dtype
    V = logits.shape[-1]
    for row, its in zip(logits.reshape(-1, V), filtered.reshape(-1, V)):
        least = row.sort(descending=True).values[count_of(row) - 1]
        assert torch.equal(its, torch.where(row >= least, row, -math.inf))
    assert torch.equal(logits, before)


@property_of("language")
def top_k_keeps_the_k_largest(course, case):
    """And the equals of the k-th."""
    for logits in rows_of(case):
        V = logits.shape[-1]
        for k in {1, 2, 1 + case.seed % V, V}:
            check_filter(lambda x: course.keep_top_k(x, k), logits, lambda row: k)
    check_filter(lambda x: course.keep_top_k(x, 2), logits.half(), lambda row: 2)


@property_of("language")
def nucleus_is_the_smallest_set_that_reaches_p(course, case):
    """The likeliest token always stays, and with p = 1 all that have a probability."""
    for logits, p in itertools.product(rows_of(case), (1e-9, 0.07, 0.3141, 0.6, 0.9, 0.9876, 1.0)):

        def count(row):
            sums = row.softmax(-1).sort(descending=True).values.cumsum(-1)
            return len(row) if p == 1 else (sums < p).sum() + 1

        check_filter(lambda x: course.keep_nucleus(x, p), logits, count)


@property_of("language")
def a_nucleus_has_a_probability_for_each_token(course, case):
    """Added up in 32 bits, also if the logits have 16."""
    (many,) = case.randn((4000,), stream=9)
    for dtype, p in itertools.product((*HALF, torch.float32), (0.5, 0.9, 0.97)):
        x = (2 * many).to(dtype)
        filtered = course.keep_nucleus(x, p)
        assert filtered.dtype == dtype
        kept, share = filtered == x, x.double().softmax(-1)
        assert share[kept].sum() > p - 1e-5 > share[kept & (x > x[kept].min())].sum() - 2e-5


# ---------------------------------------------------------------- writing


def writer(case):
    """A right model that has an opinion, whatever course is tested."""
    return lively(language_model_of(COURSE, case))


@property_of("language")
@torch.no_grad()
def bits_are_those_of_tokens_predicted_one_by_one(course, case):
    """Each from at most `context` tokens before it; windows begin at every half of one."""
    model, V = writer(case), sizes(case).src_vocab
    (text,) = texts(case, 17)[:1]
    for context in (6, 5, 40):
        bits = course.bits_of(model, text, context)
        assert bits.dtype == torch.float64 and bits.shape == text.shape
        assert_close(bits[0].item(), math.log2(V), rtol=0, atol=1e-6)
        half = context // 2
        for i in range(1, len(text)):
            start = max(-((context - i) // half), 0) * half
            p = model(text[None, start:i])[0, -1].softmax(-1)[text[i]].item()
            assert_close(bits[i].item(), -math.log2(p), rtol=0, atol=1e-5)


@torch.no_grad()
def logits_by_hand(model, text, begun, context):
    """After a text (B, n) of which `begun` tokens were given; a full context is forgotten but for its last half."""
    length = min(begun, context)
    for _ in range(text.shape[1] - begun):
        length = context // 2 if length == context else length + 1
    return model(text[:, -length:])[:, -1]


def shares(logits, temperature=1.0, k=4, p=1.0):
    """The probabilities of what is drawn, by the right filters, in the order of the page."""
    return COURSE.keep_nucleus(COURSE.keep_top_k(logits / temperature, k), p).softmax(dim=-1)


@property_of("language")
def with_k_1_the_likeliest_token_is_written(course, case):
    """As without a cache, behind the beginnings, beyond the context too; so with a tiny p."""
    model = writer(case)
    for context, n in ((2, 1), (2, case.n + 2), (6, 1 + case.n % 2), (6, case.n + 4), (64, case.n)):
        tokens, length = texts(case, n), min(2 * context, 8) + case.m % 3
        expected = tokens
        for _ in range(length):
            new = logits_by_hand(model, expected, n, context).argmax(-1, keepdim=True)
            expected = torch.cat([expected, new], dim=1)
        before = tokens.clone()
        for options in (dict(k=1), dict(p=1e-6, temperature=3.0, seed=3)):
            written = course.generate(model, tokens, length, context=context, **options)
            assert torch.equal(written, expected) and torch.equal(tokens, before)
    assert torch.equal(course.generate(model, tokens, 0), tokens)
    assert course.generate(model, tokens[:0], 7).shape == (0, tokens.shape[1] + 7)
    assert torch.equal(course.generate(model, tokens, 3, 1e-40), expected[:, : n + 3])
    likeliest = course.generate(model.half(), tokens, 3, k=1)
    assert torch.equal(course.generate(model, tokens, 3, 1e-7), likeliest)


@property_of("language")
def temperature_comes_first_then_k_then_p(course, case):
    """Each changes what the next one sees. Pairs drawn are as frequent as their probabilities."""
    (order,) = case.randn((4,), stream=10)
    model = COURSE.CachedLanguageModel(4, 2, 1, 1, 2).double().eval()
    nn.init.zeros_(model.output.weight)  # so it always gives the same
    model.output.bias.data = torch.tensor([0.4, 0.3, 0.2, 0.1])[order.argsort()].double().log()
    tokens = torch.zeros(1000, 1, dtype=torch.long)
    for options in (
        {},
        dict(k=2, p=0.5),  # the other way round two tokens are left
        dict(temperature=0.5, p=0.5),  # so here
        dict(temperature=4.0, p=0.65),  # and here there are fewer
        dict(temperature=2.0, k=3, p=0.75),
    ):
        written = course.generate(model, tokens, 2, seed=case.seed % 1000, **options)
        share = shares(model.output.bias.detach(), **options)
        counts = (4 * written[:, 1] + written[:, 2]).bincount(minlength=16)
        assert fits(counts, 1000 * share.outer(share).flatten()), options


test_property = hold("language", examples=6)
