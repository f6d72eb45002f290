"""Page 20's server: readers never mix, whatever they ask, and however little memory there is."""

import ast
import copy
import math
import random
from dataclasses import dataclass, field
from functools import cache
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from taught.efficient import WindowCache
from taught.language_model import Cache
from taught.real_model import Llama
from tests.cases import named
from workshop.page import notebooks


class Letters:
    """Each letter is a token."""

    def encode(self, text):
        return [ord(letter) % 31 for letter in text]


@cache
def model():
    torch.manual_seed(0)
    llama = Llama(31, 32, 4, 2, 2, 64).eval().requires_grad_(False)
    llama.embedding.weight.mul_(0.05)  # else each token is followed by itself
    return llama


def page(stop=31):
    """The functions and classes of page 20, with solutions, a small model, and this end of a turn."""
    about = dict(copy=copy, math=math, torch=torch, nn=nn, F=F, Cache=Cache, STOP=stop)
    about |= dict(dataclass=dataclass, field=field, model=model(), tokenizer=Letters())
    about |= dict(chat=lambda turns: turns[0], random=random)
    about |= dict(READ={1: 0.05, 8: 0.1, 2048: 5.0}, CACHED=1e-5, ROOM=4096)
    (twenty,) = (p for p in notebooks() if p.number == 20)
    for cell in twenty.code[1:]:
        definitions = [x for x in cell.tree.body if isinstance(x, (ast.FunctionDef, ast.ClassDef))]
        if "exercise" not in cell.tags:
            exec(compile(ast.Module(definitions, []), "page 20", "exec"), about)
    return SimpleNamespace(**about)


@pytest.fixture(scope="module")
def course():
    return page()


def tell(kv_cache, text, numbers, dtype=torch.float32):
    """This text gets new tokens. Returns what it then reads."""
    batch = kv_cache.of([text])
    batch.begin(len(numbers))
    new = torch.tensor(numbers, dtype=dtype)[None, None, :, None]  # (1, 1, n, 1)
    return batch.update("layer", new, new)[0][0, 0, :, 0].tolist()


def state(kv_cache):
    """All that a refused call has to leave as it was."""
    tables = {text: [*table] for text, table in kv_cache.tables.items()}
    return [*kv_cache.free], tables, {**kv_cache.lengths}, [*getattr(kv_cache, "readers", [])]


def answer(course, request):
    """What its reader gets alone."""
    tokens = course.alone(course.tokenizer.encode(request.question), max(request.longest, 1))
    tokens = tokens.argmax(dim=-1).tolist()[: request.longest]
    end = tokens.index(course.STOP) + 1 if course.STOP in tokens else len(tokens)
    return tokens[:end]


# ---------------------------------------------------------------- requests

ASKED = [("three colours", 4), ("three colours", 14), ("a", 1), ("three colours", 9), ("a", 7)]
ASKED += [("a longer question about the sea", 12), ("a", 1), ("a", 7)]


WAYS = {
    "in batches": lambda course, requests, places: course.serve(requests, places, False),
    "join and leave": lambda course, requests, places: course.serve(requests, places, True),
    "reserve": lambda course, requests, places: course.serve_within(40, requests, places, reserve=True),
    "preempt": lambda course, requests, places: course.serve_within(40, requests, places, reserve=False),
    "preempt often": lambda course, requests, places: course.serve_within(3, requests, places, reserve=False),
}


@pytest.mark.parametrize("stop", [31, "met"])
@pytest.mark.parametrize("way", WAYS)
def test_each_reader_gets_what_a_reader_alone_gets(course, stop, way):
    """Also where several ask the same, where the first token is the last, and in little memory."""
    if stop == "met":  # a token in the middle of some answers, and the first of others
        course = page(answer(course, course.Request("three colours", 0, 5))[3])
    requests = [course.Request(text, i // 3, longest) for i, (text, longest) in enumerate(ASKED)]
    rows, *_ = WAYS[way](course, requests, 3)
    for request in requests:
        assert request.written == answer(course, request)
    if way == "join and leave":  # every row writes a token
        assert max(rows) <= 3
        assert sum(rows) == sum(len(request.written) - 1 for request in requests)


@pytest.mark.parametrize("way", [way for way in WAYS if way != "preempt often"])
def test_a_request_that_can_never_fit_is_refused_before_anything_is_read(course, way):
    """A text has its prompt and its answer but for the last token, which nobody reads."""
    fits, small = course.Request("a" * 620, 0, 21), course.Request("b", 0, 2)  # 640 tokens, 40 blocks
    WAYS[way](course, [course.Request("b", 0, 2), fits], 2)
    assert fits.written == answer(course, fits)
    for requests, places, words in (
        ([small, course.Request("a" * 620, 0, 22)], 2, "needs 41 blocks; wanted 40 at most"),
        ([small, course.Request("b" * 641, 0, 1)], 2, "needs 41 blocks; wanted 40 at most"),
        ([small], 0, "places is 0; wanted 1 or more"),
        ([small, small], 2, "requests has one of them twice; wanted each once"),
    ):
        with named(ValueError, words):
            WAYS[way](course, requests, places)
        assert small.written == []


def test_many_that_fit_one_by_one_wait_for_room(course):
    for way in ("in batches", "join and leave"):
        requests = [course.Request("a" * n, 0, 6) for n in (300, 280, 310, 5, 300)]
        WAYS[way](course, requests, 5)
        assert all(request.written == answer(course, request) for request in requests)


# ---------------------------------------------------------------- blocks


def test_only_what_is_there_is_shared_and_with_a_new_text(course):
    kv_cache = course.SharedCache(blocks=8, size=4)
    tell(kv_cache, "a", [1, 2, 3, 4, 5])
    tell(kv_cache, "d", [7])
    before = state(kv_cache)
    for text, length, words in (
        ("b", 7, "length is 7; wanted 0 to 5"),
        ("b", -1, "length is -1; wanted 0 to 5"),
        ("d", 5, "new is 'd'; wanted a text without a table"),
        ("a", 5, "new is 'a'; wanted a text without a table"),
    ):
        with named(ValueError, words):
            kv_cache.share("a", text, length)
        assert state(kv_cache) == before


def test_texts_come_and_go_and_each_reads_its_own(course):
    """Random sharing, writing and ending in little memory, against lists."""
    draw, refused = torch.Generator().manual_seed(0), 0
    pick = lambda n: torch.randint(n, (), generator=draw).item()  # noqa: E731
    kv_cache, texts = course.SharedCache(blocks=9, size=3), {}
    for step in range(600):
        before = state(kv_cache)
        try:
            if texts and pick(4) == 0:
                kv_cache.end(text := [*texts][pick(len(texts))])
                del texts[text]
            elif texts and pick(3) == 0:
                old = [*texts][pick(len(texts))]
                length = pick(len(texts[old]) + 1)
                kv_cache.share(old, step, length)
                texts[step] = texts[old][:length]
            else:
                text, numbers = [*texts, step][pick(len(texts) + 1)], [step] * (1 + pick(5))
                actual = tell(kv_cache, text, numbers)
                texts[text] = texts.get(text, []) + numbers
                assert actual == texts[text]
        except ValueError:
            refused += 1
            assert state(kv_cache) == before
        assert course.audit(kv_cache) == ([], [])
        named_by = [block for table in kv_cache.tables.values() for block in table]
        assert all(named_by.count(block) == kv_cache.readers[block] for block in range(9))
    assert 20 < refused < 400


@pytest.mark.parametrize("scale", [1, 60])  # also with scores beyond what exp can hold
def test_walking_the_block_table_is_attention(course, scale):
    """For one token, some, blocks that are just full, and blocks that a stranger had."""
    draw = torch.Generator().manual_seed(0)
    kv_cache = course.PagedCache(blocks=7, size=4)
    for text, n in (("a", 1), ("b", 4), ("c", 9), ("b", 3), ("d", 8)):
        if text in kv_cache.tables:
            kv_cache.end(text)
        query = scale * torch.randn(1, 2, 3, 8, generator=draw)
        batch = kv_cache.of([text])
        batch.begin(n)
        new = torch.randn(2, 1, 2, n, 8, generator=draw)
        keys, values = batch.update("layer", *new)
        expected = F.scaled_dot_product_attention(query, keys, values)
        torch.testing.assert_close(course.walk(query[0], kv_cache, "layer", text), expected[0])


@pytest.mark.parametrize("way", [None, "2,048 each", "padded", "blocks of 16"])
@pytest.mark.parametrize("piece", [None, 256])
def test_the_simulated_server_writes_every_answer(course, way, piece):
    """Each text gets its tokens one after another, also if it had to give way."""
    texts = course.arrivals(0.05, seed=0)
    assert len(texts) > 100 and max(text.unread + text.answer for text in texts) <= 2048
    result = course.simulate(texts, 4, piece, way)
    for text in texts:
        assert len(text.times) == text.answer and text.times[0] > text.arrives
        assert all(a < b for a, b in zip(text.times, text.times[1:]))
    assert 0 < result["at_once"] <= 4


# ---------------------------------------------------------------- guesses


def test_guesses_that_are_all_right_are_kept(course):
    """Where guesser and model agree, but for rounding too."""
    draw = torch.Generator().manual_seed(0)
    for p in (torch.full((8,), 1 / 8), torch.tensor([0.25, 0.75]), torch.tensor([0.0, 1.0])):
        for q in (p.clone(), p * (1 + 1e-7)):
            guesses = torch.multinomial(q, 50, replacement=True, generator=draw)
            tokens, keep = course.leviathan(p, q, guesses, draw)
            assert torch.equal(tokens, guesses) and keep.all() and keep.dtype == torch.bool


@pytest.mark.parametrize("count", [0, 1, 4, 50])
def test_guesses_change_no_answer_and_end_with_the_turn(count, course):
    for stop in {31, *answer(course, course.Request("three colours" * 2, 0, 9))[3:6]}:
        with_stop = page(stop)
        request = with_stop.Request("three colours" * 2, 0, 20)
        prompt = with_stop.tokenizer.encode(request.question)
        actual, passes = with_stop.write_ahead(prompt, 20, count)
        assert actual == answer(with_stop, request) and passes <= max(len(actual), 1)


def test_a_window_takes_no_guesses_back(course):
    with named(ValueError, "cache is WindowCache; wanted Cache"):
        course.forget(WindowCache(window=4), 2)
