"""What page 14 keeps, a language model, its training and its writing, compared with plain loops.

As in `test_transformer.py`: a property is a function of the code under test, `course`, and of a
`Case`, and `test_harness.py` shows that it catches wrong versions. Their names end in LANGUAGE.
"""

import copy
import dataclasses
import itertools
import math
from functools import partial

import pytest
import torch
from hypothesis import given, settings
from torch import nn
from torch.testing import assert_close

from tests.course import COURSE
from tests.test_attention import HALF, PROPERTIES, cases, codes, named
from tests.test_transformer import (
    in_torchs_names,
    later,
    own,
    own_state,
    pieces,
    results_of,
    sizes,
    torchs_layer,
)

LANGUAGE = "[language model]"


def of_language(function):
    PROPERTIES[function.__name__ + LANGUAGE] = function
    return function


# ---------------------------------------------------------------- models and texts


def options_of(case):
    its = sizes(case)
    return dict(
        vocab=its.src_vocab,
        d_model=its.d_model,
        num_heads=its.num_heads,
        num_layers=its.num_layers,
        d_hidden=its.d_hidden,
    )


def model_of(course, case, dropout=0.0):
    return own(course.LanguageModel(**options_of(case), dropout=dropout), case).eval()


def texts(case, length, stream=3):
    """Tokens (B, length)."""
    (noise,) = case.randn(((case.batch or (2,))[0], length), stream=stream)
    return (1000 * noise).long() % sizes(case).src_vocab


def in_pieces(course, model, tokens, cuts):
    cache = course.Cache()
    return torch.cat([model(piece, cache) for piece in tokens.tensor_split(cuts, 1)], dim=1)


# ---------------------------------------------------------------- the model


@of_language
def logits_equal_torch(course, case):
    """Embeddings, positions and the last map by hand; the rest is `nn.TransformerEncoder`."""
    its, tokens = sizes(case), texts(case, case.n)
    model = model_of(course, case)
    state = own_state(model, case)
    inner = [name for name in state if name.startswith(("blocks", "norm"))]
    layer = torchs_layer(nn.TransformerEncoderLayer, case, norm_first=True)
    norm = nn.LayerNorm(its.d_model, dtype=torch.float64)
    theirs = nn.TransformerEncoder(layer, its.num_layers, norm, enable_nested_tensor=False)
    renamed = in_torchs_names({name: state[name] for name in inner})
    theirs.load_state_dict({name.replace("blocks", "layers"): renamed[name] for name in renamed})
    x = state["embedding.weight"][tokens] + codes(0, case.n, its.d_model).float().double()
    wanted = theirs(x, later(case.n)) @ state["output.weight"].mT + state["output.bias"]
    for training in (True, False):
        assert_close(model.train(training)(tokens), wanted)


@of_language
def no_logit_knows_a_later_token(course, case):
    """Not a bit of it; but each knows all earlier ones. In one pass, and with a cache."""
    n, vocab = case.n + 2, sizes(case).src_vocab
    model, tokens = model_of(course, case), texts(case, n)
    for training in (True, False):
        model.train(training)
        for cuts in ([], [1], [1 + case.seed % (n - 1)]):
            before = in_pieces(course, model, tokens, cuts)
            for j in range(n):
                other = tokens.clone()
                other[:, j] = (other[:, j] + 1 + case.seed % (vocab - 1)) % vocab
                after = in_pieces(course, model, other, cuts)
                assert torch.equal(after[:, :j], before[:, :j])
                assert (after[:, j:] != before[:, j:]).any(-1).all()


@of_language
def the_cache_changes_no_logits(course, case):
    """To 10 digits, in pieces of any sizes. Keys and values are made once of each token."""
    n = case.n + 2
    model, tokens = model_of(course, case), texts(case, n)
    wanted = model(tokens)
    made = results_of(model)
    for cuts in ([], *pieces(case, n)):
        made.clear()
        assert_close(in_pieces(course, model, tokens, cuts), wanted, rtol=0, atol=1e-10)
        for name, results in made.items():
            assert sum(result.shape[1] for result in results) == n, name


@of_language
def everything_drops_in_training_only(course, case):
    """Where all is dropped, in the positions and in each block, nothing of the tokens is left."""
    tokens = texts(case, case.n)
    model = model_of(course, case, dropout=1.0)
    assert_close(model(tokens), model_of(course, case)(tokens))
    nothing = model.output(model.norm.bias).expand(*tokens.shape, -1)
    assert_close(model.train()(tokens), nothing)
    p = [layer.p for layer in model_of(course, case, 0.25).modules() if type(layer) is nn.Dropout]
    assert p == [0.25] * (1 + 3 * sizes(case).num_layers)


@of_language
def logits_in_all_precisions(course, case):
    tokens, wanted = texts(case, case.n), model_of(course, case)(texts(case, case.n))
    for dtype in (*HALF, torch.float32):
        model = model_of(course, case).to(dtype)
        for logits in (model(tokens), in_pieces(course, model, tokens, [1])):
            assert logits.dtype == dtype and logits.isfinite().all()
    assert_close(logits.double(), wanted, rtol=0, atol=1e-2)


# ---------------------------------------------------------------- training


class Table(nn.Module):
    """A logit for each pair of tokens, and no more. It notes what goes in."""

    def __init__(self, vocab):
        super().__init__()
        self.embedding, self.seen = nn.Embedding(vocab, vocab, dtype=torch.float64), []
        nn.init.zeros_(self.embedding.weight)

    def forward(self, tokens):
        self.seen.append(tokens.clone())
        assert self.training
        return self.embedding(tokens)


def different(case, vocab):
    """A text in which each token occurs once, and what follows each."""
    (noise,) = case.randn((vocab,), stream=6)
    text, after = noise.argsort(), torch.full((vocab,), -1)
    after[text[:-1]] = text[1:]
    return text, after


def state_by_hand(model, windows, after, steps, rate):
    """After Adam's steps with these windows, at the rates of equation (12.2)."""
    optimizer = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    warm_up = min(steps, 100)
    for s, tokens in enumerate(windows, 1):
        share = min(s / warm_up, (steps + 1 - s) / (steps + 1 - warm_up))
        optimizer.param_groups[0]["lr"] = rate * share
        log_p = model(tokens).log_softmax(-1)
        optimizer.zero_grad()
        (-log_p.gather(-1, after[tokens].unsqueeze(-1)).mean()).backward()
        optimizer.step()
    return model.state_dict()


def starts_of(model, text, after, context):
    """Where the windows that a table has seen begin; all tokens in one follow each other."""
    windows = torch.cat(model.seen)
    assert windows.shape[1] == context
    assert torch.equal(windows[:, 1:], after[windows[:, :-1]])
    return (windows[:, :1] == text).long().argmax(-1)


def fits(counts, expected):
    """Whether counts may come from these expectations, by a chi-square test; rare ones as one."""
    counts, expected = counts.double(), expected.double()
    assert (counts[expected == 0] == 0).all()
    rare = expected < 5
    counts, expected = (torch.cat([x[~rare], x[rare].sum()[None]]) for x in (counts, expected))
    distance = ((counts - expected).square() / expected.clamp(min=1)).sum()
    return distance < len(counts) + 20 + 10 * math.sqrt(2 * len(counts))


@of_language
def language_training_takes_the_steps_of_a_plain_loop(course, case):
    """On what follows each token of its windows, 0 too; with dropout; a rate that also falls."""
    vocab = sizes(case).src_vocab
    real, table = model_of(COURSE, case, dropout=0.2), Table(vocab)
    context = 1 + case.seed % (vocab - 1)
    for model, steps, options in (
        (real, 3, dict(rate=0.1, context=context, batch=1 + case.m)),
        (table, 104, dict(rate=0.1, context=context, batch=2, seed=case.seed)),
        (Table(80), 2, {}),
    ):
        text, after = different(case, vocab if options else 80)
        twin, windows = copy.deepcopy(model).train(), []
        hook = model.register_forward_pre_hook(
            lambda _, given, windows=windows: windows.append(given[0].clone())
        )
        torch.manual_seed(case.seed)
        course.train_language_model(model.eval(), text, steps, **options)
        hook.remove()
        assert not any(module.training for module in model.modules())
        shape = options.get("batch", 16), options.get("context", 64)
        assert [tuple(some.shape) for some in windows] == steps * [shape]
        torch.manual_seed(case.seed)
        wanted = state_by_hand(twin, windows, after, steps, options.get("rate", 0.004))
        assert_close(model.state_dict(), wanted)


@of_language
def windows_begin_at_every_place(course, case):
    """From the first to the last that has a token behind it, all equally often."""
    context, places = case.m, 3 + case.n
    length = places + context
    text, after = different(case, length)
    table = Table(length)
    course.train_language_model(table, text, 20, context, 50, seed=case.seed)
    counts = starts_of(table, text, after, context).bincount(minlength=places)
    assert len(counts) == places and (counts > 0).all()
    assert fits(counts, torch.full((places,), 1000 / places))


@of_language
def a_seed_makes_training_repeatable(course, case):
    """Whatever others draw meanwhile, whose generator stays as it was."""
    (text, after), found = different(case, 30), []
    for options in ({}, {"seed": 0}, {"seed": 1 + case.seed}):
        table, state = Table(30), torch.get_rng_state()
        course.train_language_model(table, text, 3, 4, 8, **options)
        assert torch.equal(torch.get_rng_state(), state)
        found.append(starts_of(table, text, after, 4).tolist())
        torch.rand(1)
    assert found[0] == found[1] != found[2]
    batches = [tuple(found[0][i : i + 8]) for i in (0, 8, 16)]
    assert len(set(batches)) == 3


@of_language
def a_cycle_is_learned(course, case):
    """0, 1, 2, ... again and again: then t is followed by t + 1, and the text goes on so."""
    vocab, context = 3 + case.n % 5, 8
    text = torch.arange(40) % vocab
    torch.manual_seed(case.seed)
    model = course.LanguageModel(vocab, 16, 2, 1, 16)
    course.train_language_model(model, text, 60, context, 8, rate=0.02)
    windows = text.unfold(0, context + 1, 1)[:vocab]
    with torch.no_grad():
        logits = model(windows[:, :-1])
    assert nn.functional.cross_entropy(logits.mT, windows[:, 1:]) < 0.1
    assert torch.equal(logits.argmax(-1), windows[:, 1:])
    written = course.generate(model, windows[:, :5], 20, k=1, context=context)
    assert torch.equal(written, (windows[:, :1] + torch.arange(25)) % vocab)


# ---------------------------------------------------------------- filters


def rows_of(case, stream=8):
    """Logits (*batch, V) in no order, without and with equal ones."""
    (logits,) = case.randn((*case.batch, sizes(case).src_vocab), stream=stream)
    yield 2 * logits
    yield (2 * logits).round()


def kept_rows(filtered, logits):
    """Row by row the logits, and whether each was kept; those that were are as before."""
    assert filtered.shape == logits.shape and filtered.dtype == logits.dtype
    kept = filtered != -math.inf
    assert torch.equal(filtered[kept], logits[kept])
    V = logits.shape[-1]
    return zip(logits.reshape(-1, V).tolist(), kept.reshape(-1, V).tolist(), strict=True)


def check_kept(row, kept, count):
    """As many as that, from the likeliest on, and what is as likely as the last of them."""
    least = sorted(row, reverse=True)[count - 1]
    assert kept == [x >= least for x in row]


@of_language
def top_k_keeps_the_k_largest(course, case):
    """As they were, and the equals of the k-th. It changes nothing in place."""
    for logits in rows_of(case):
        V, before = logits.shape[-1], logits.clone()
        for k in {1, 2, 1 + case.seed % V, V}:
            for row, kept in kept_rows(course.keep_top_k(logits, k), logits):
                check_kept(row, kept, k)
        assert torch.equal(logits, before)
        small = logits.to(HALF[case.seed % 2])
        for row, kept in kept_rows(course.keep_top_k(small, 2), small):
            check_kept(row, kept, 2)


@of_language
def nucleus_is_the_smallest_set_that_reaches_p(course, case):
    """The likeliest token always stays, and with p = 1 all that have a probability."""
    for logits in rows_of(case):
        before = logits.clone()
        for p in (1e-9, 0.07, 0.3141, 0.6, 0.9, 0.9876, 1.0):
            for row, kept in kept_rows(course.keep_nucleus(logits, p), logits):
                likeliest = sorted((math.exp(x) for x in row), reverse=True)
                sums = [x / sum(likeliest) for x in itertools.accumulate(likeliest)]
                count = len(row) if p == 1 else sum(total < p for total in sums) + 1
                check_kept(row, kept, count)
        assert torch.equal(logits, before)


@of_language
def a_nucleus_may_reach_p_exactly(course, case):
    """Then nothing less likely is kept. What can't be drawn stays so."""
    others = 2 + 2 * (case.seed % 2)  # that many share one half, exactly
    (noise,) = case.randn((*case.batch, 1 + others + case.n), stream=9)
    rank = noise.argsort(-1).argsort(-1)
    logits = torch.zeros_like(noise).masked_fill(rank > 0, -math.log(others))
    logits = logits.masked_fill(rank > others, -math.inf)
    for p, wanted in ((0.3, 1), (0.5, 1), (0.51, 1 + others), (1.0, 1 + others)):
        assert torch.equal(course.keep_nucleus(logits, p) != -math.inf, rank < wanted)


# ---------------------------------------------------------------- writing


@torch.no_grad()
def writer(case, dropout=0.0):
    """A right model that has an opinion, whatever course is tested."""
    model = model_of(COURSE, case, dropout)
    for name, parameter in model.named_parameters():
        if "norm" in name or name == "output.bias":
            nn.init.constant_(parameter, float("weight" in name))
        elif name in ("embedding.weight", "output.weight"):
            parameter *= 3
    return model


def constant(case, probabilities):
    """A model that always gives these."""
    model = COURSE.LanguageModel(len(probabilities), 2, 1, 1, 2).double().eval()
    nn.init.zeros_(model.output.weight)
    model.output.bias.data = torch.tensor(probabilities).double().log()
    return model


@torch.no_grad()
def logits_by_hand(model, text, begun, context):
    """After a text (B, n) of which `begun` tokens were given: without a cache.

    When the model has seen as many as context, it forgets all but the last context / 2.
    """
    seen = min(begun, context)
    for _ in range(text.shape[1] - begun):
        seen = context // 2 if seen == context else seen + 1
    return model(text[:, -seen:])[:, -1]


def filtered_by_hand(logits, temperature=1.0, k=None, p=None):
    """Probabilities of one row, a list."""
    likely = [math.exp(x / temperature) for x in logits]
    order = sorted(range(len(likely)), key=lambda i: -likely[i])[:k]
    total = sum(likely[i] for i in order)
    if p is not None:
        before = itertools.accumulate((likely[i] for i in order), initial=0.0)
        order = [i for i, some in zip(order, before) if some / total < p]  # noqa: B905
        total = sum(likely[i] for i in order)
    return [likely[i] / total if i in order else 0.0 for i in range(len(likely))]


@of_language
def with_k_1_the_likeliest_token_is_written(course, case):
    """As without a cache, behind the beginnings, beyond the context too; so with a tiny p."""
    model, V = writer(case), sizes(case).src_vocab
    for context, n in ((2, 1), (2, case.n + 2), (6, 1 + case.n % 2), (6, case.n + 4), (64, case.n)):
        tokens, length = texts(case, n), min(2 * context, 8) + case.m % 3
        wanted = tokens
        for _ in range(length):
            new = logits_by_hand(model, wanted, n, context).argmax(-1, keepdim=True)
            wanted = torch.cat([wanted, new], dim=1)
        given_ = tokens.clone()
        for options in (dict(k=1), dict(p=1e-6, temperature=3.0, seed=3)):
            written = course.generate(model, tokens, length, context=context, **options)
            assert torch.equal(written, wanted) and torch.equal(tokens, given_)
    assert V > 1 and torch.equal(course.generate(model, tokens, 0), tokens)


@of_language
def what_is_drawn_follows_the_model(course, case):
    """Pairs of tokens drawn after one beginning, as often as the product of probabilities."""
    case = dataclasses.replace(case, query_size=1)
    model, V, many = writer(case), 4, 2000
    assert sizes(case).src_vocab == V
    (tokens,) = texts(dataclasses.replace(case, batch=(1,)), case.n)
    plans = {}, dict(temperature=0.7), dict(k=3, temperature=2.0), dict(p=0.8)
    options = plans[case.seed % 4]
    written = course.generate(model, tokens.repeat(many, 1), 2, seed=case.seed, **options)
    assert torch.equal(written[:, :-2], tokens.repeat(many, 1))
    first = model(tokens[None])[0, -1].tolist()
    expected = []
    for token, share in enumerate(filtered_by_hand(first, **options)):
        both = torch.cat([tokens, torch.tensor([token])])
        second = model(both[None])[0, -1].tolist()
        expected += [many * share * its for its in filtered_by_hand(second, **options)]
    pairs = V * written[:, -2] + written[:, -1]
    assert fits(pairs.bincount(minlength=V * V), torch.tensor(expected))


@of_language
def temperature_comes_first_then_k_then_p(course, case):
    """Each changes what the next one sees."""
    (order,) = case.randn((4,), stream=10)
    shares = torch.tensor([0.4, 0.3, 0.2, 0.1])[order.argsort()].tolist()
    model, tokens = constant(case, shares), torch.zeros(300, 1, dtype=torch.long)
    logits = model.output.bias.tolist()
    for options in (
        {},
        dict(temperature=0.5),
        dict(temperature=4.0),
        dict(k=2),
        dict(p=0.65),
        dict(k=2, p=0.5),  # the other way round two tokens are left
        dict(temperature=0.5, p=0.5),  # so here
        dict(temperature=4.0, p=0.65),  # and here there are fewer
        dict(temperature=2.0, k=3, p=0.75),
    ):
        written = course.generate(model, tokens, 4, seed=case.seed % 1000, **options)
        expected = 1200 * torch.tensor(filtered_by_hand(logits, **options))
        assert fits(written[:, 1:].flatten().bincount(minlength=4), expected), options


@of_language
def a_seed_makes_texts_repeatable(course, case):
    """Whatever others draw meanwhile, whose generator stays as it was."""
    model, tokens = writer(case), texts(case, 2).repeat(20, 1)
    found = []
    for options in ({}, {"seed": 0}, {"seed": 1 + case.seed}):
        state = torch.get_rng_state()
        found.append(course.generate(model, tokens, 10, temperature=5.0, **options))
        assert torch.equal(torch.get_rng_state(), state)
        torch.rand(1)
    assert torch.equal(found[0], found[1]) and not torch.equal(found[0], found[2])


@of_language
def texts_do_not_reach_each_other(course, case):
    """Another beginning in one row changes no other row, and greedy texts are the same alone."""
    model, tokens = writer(case), texts(case, 3)
    tokens = torch.cat([tokens, texts(case, 3, stream=11)])
    other = tokens.clone()
    other[1] = (other[1] + 1) % sizes(case).src_vocab
    rest = torch.arange(len(tokens)) != 1
    for options in ({}, dict(k=2, p=0.9), dict(p=0.6)):
        before, after = (
            course.generate(model, some, 7, context=4, **options) for some in (tokens, other)
        )
        assert torch.equal(after[rest], before[rest])
    every = course.generate(model, tokens, 7, k=1, context=4)
    for i in range(len(tokens)):
        assert torch.equal(
            course.generate(model, tokens[i : i + 1], 7, k=1, context=4)[0], every[i]
        )
    assert course.generate(model, tokens[:0], 7).shape == (0, 10)


@of_language
def tokens_go_in_once_until_the_cache_is_renewed(course, case):
    """Then half a context goes in again. The model never sees more, and keeps no gradient."""
    model, went_in, grads = writer(case), [], []

    def note(layer, given, result):
        went_in.append(given[0].clone())
        grads.append(result.requires_grad)

    model.embedding.register_forward_hook(note)
    context, length = 2 + case.m % 5, 9
    for n in (1, case.n + 2):
        went_in.clear()
        written = course.generate(model, texts(case, n), length, context=context)
        assert len(went_in) == length
        new, seen = min(n, context), 0
        for end, some in enumerate(went_in, n):
            new, seen = (context // 2, 0) if seen == context else (new, seen)
            assert torch.equal(some, written[:, end - new : end])
            new, seen = 1, seen + new
        assert not written.requires_grad and written.dtype == torch.int64
    assert not any(grads)


# ---------------------------------------------------------------- tests


@pytest.mark.parametrize("name", [name for name in PROPERTIES if name.endswith(LANGUAGE)])
@given(case=cases())
@settings(max_examples=10)
def test_property(name, case):
    PROPERTIES[name](COURSE, case)


IDS, TEXT = torch.ones(2, 4, dtype=torch.int64), torch.arange(20) % 9


@pytest.mark.parametrize("name, options, error, words", [
    ("train_language_model", dict(text="Alice", steps=1), TypeError,
     "text is str; wanted a tensor of torch.int64"),
    ("train_language_model", dict(text=TEXT, steps=1, context=20), ValueError,
     "text has shape (20,); wanted (N,), N more than context, 20"),
    ("generate", dict(tokens=9 * IDS, length=2), ValueError, "tokens holds 9; wanted 0 to 8"),
    ("generate", dict(tokens=IDS, length=2, context=1), ValueError, "context is 1; wanted 2"),
    ("generate", dict(tokens=IDS, length=2, temperature=0), ValueError, "temperature is 0; wanted"),
    ("generate", dict(tokens=IDS, length=2, p=1.5), ValueError, "p is 1.5; wanted more than 0 and"),
])  # fmt: skip
def test_what_does_not_fit_is_named(name, options, error, words):
    model = COURSE.LanguageModel(9, 8, 2, 1, 16).eval()
    with named(error, words):
        getattr(COURSE, name)(model, **options)


def test_writing_is_refused_in_training_mode():
    model = COURSE.LanguageModel(9, 8, 2, 1, 16)
    with named(ValueError, "model is in training mode; wanted model.eval() before"):
        COURSE.generate(model, IDS, 2)
    with named(ValueError, "x ends at position 1000; wanted 999 or less"):
        model(IDS[:, :1].expand(2, 1001))


def test_filters_by_hand():
    off, logits = -math.inf, torch.tensor([[0.1, 0.4, 0.2, 0.3], [0.7, 0.1, 0.1, 0.1]]).log()
    two = COURSE.keep_top_k(logits[:1], 2)
    assert_close(two.exp(), torch.tensor([[0.0, 0.4, 0.0, 0.3]]))
    nucleus = COURSE.keep_nucleus(logits, 0.65)
    assert_close(nucleus.exp(), torch.tensor([[0.0, 0.4, 0.0, 0.3], [0.7, 0.0, 0.0, 0.0]]))
    assert torch.equal(COURSE.keep_nucleus(nucleus, 1.0), nucleus) and nucleus[1, 1] == off


def test_parameters_by_hand():
    """Equation (11.5) for D = 8 and a hidden width of 16; two tables, as they are not tied."""
    D, F = 8, 16
    a_block = 4 * (D * D + D) + 2 * D * F + F + D + 2 * 2 * D
    model = COURSE.LanguageModel(5, D, 2, 3, F)
    count = sum(parameter.numel() for parameter in model.parameters())
    assert count == 5 * D + 3 * a_block + 2 * D + 5 * D + 5


def test_a_table_learns_what_follows():
    """0 1 2 0 2 0 1 2 0 2 ...: after 0 comes 1 or 2, after 1 only 2, after 2 only 0."""
    text, table = torch.tensor([0, 1, 2, 0, 2]).repeat(20), Table(3)
    COURSE.train_language_model(table, text, 300, context=10, rate=0.1)
    wanted = torch.tensor([[0, 0.5, 0.5], [0, 0, 1], [1, 0, 0]], dtype=torch.float64)
    assert_close(table.embedding.weight.softmax(-1), wanted, rtol=0, atol=0.03)


def test_what_is_written_begins_with_what_is_given():
    model = COURSE.LanguageModel(5, 8, 2, 1, 8).eval()
    begin = torch.tensor([[1, 2, 3], [3, 4, 0]])
    written = partial(COURSE.generate, model, begin)
    assert torch.equal(written(0), begin) and torch.equal(written(4)[:, :3], begin)
    assert torch.equal(written(200, context=6)[:, :50], written(47, context=6))
