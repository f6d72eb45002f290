"""The properties of what the course teaches notice every wrong version of it.

A wrong version is `right_version.py` with some words of one definition replaced, as
`wrong_versions.py` says: it differs from a right one by its fault and by nothing else.
"""

import inspect
import random
import types
from collections import Counter
from functools import cache

import pytest
import torch
from torch.testing import assert_close

from tests import right_version
from tests.test_attention import PROPERTIES, Case, draw_case
from tests.test_decoding import DECODING
from tests.test_language_model import LANGUAGE
from tests.test_transformer import BLOCKS
from tests.wrong_versions import WRONG
from utils import attention

# Anomaly mode names what wrong versions do wrong; one makes layers of width 0, numpy warns of two.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Error detected in",
        "ignore:Initializing zero-element tensors",
        "ignore:overflow encountered",
    ),
    pytest.mark.slow(30),
]

# Nearly all faults show in the first case, the others in the second.
# fmt: off
CASES = [Case(batch=(3, 2), n=4, m=5, d=2, v=3, query_size=6, key_size=6, h=7,
              num_heads=3, bias=True, kind="empty rows", seed=0),
         Case(batch=(3,), n=5, m=4, d=5, v=4, query_size=4, key_size=5, h=3,
              num_heads=2, bias=False, kind="random", seed=1)]
# fmt: on

LAYERS = "[layers]"
# Pages 1 to 4 are one group, named after the last: page 1 has too few wrong versions for a share.
# So has page 13, whose maps are of the model of page 11.
GROUPS = {page: {13: 11}.get(page, max(page, 4)) for page, _ in WRONG}
PARTS = {
    group: {11: BLOCKS, 12: DECODING, 14: LANGUAGE}.get(group, LAYERS) for group in GROUPS.values()
}
LIKELY = {part: [] for part in PARTS.values()}  # properties; what noticed the last version is first
for prop in PROPERTIES:
    LIKELY[next((part for part in LIKELY if prop.endswith(part)), LAYERS)].append(prop)
VERSIONS = {
    f"{definition}: {fault}": (PARTS[GROUPS[page]], GROUPS[page], definition, changes)
    for (page, definition), faults in WRONG.items()
    for fault, changes in faults.items()
}


def each(name, part_of):
    """A test for each; those of one part in one worker, which remembers what it has found."""
    ids = [f"{one}@{part}" for one, part in part_of.items()]
    return pytest.mark.parametrize(name, part_of, ids=ids)


@cache
def version(name):
    """A module: the right version with the words of one definition replaced."""
    *_, definition, changes = VERSIONS[name]
    right = wrong = inspect.getsource(getattr(right_version, definition))
    for words, others in changes.items():
        assert words in wrong, f"{name}: {words!r} does not stand in right_version.py"
        wrong = wrong.replace(words, others)
    module, source = types.ModuleType(name), inspect.getsource(right_version)
    exec(compile(source.replace(right, wrong), name, "exec"), vars(module))
    return module


def notices(prop, name, case):
    course = version(name)
    try:
        PROPERTIES[prop](course, case)
    except NameError:  # no fault of the version: a slip in its words
        raise
    except (Exception, pytest.fail.Exception):
        return True
    return False


@cache
def caught_by(name):
    """The first property that notices a version."""
    likely = LIKELY[VERSIONS[name][0]]
    for case in CASES:
        for prop in likely:
            if notices(prop, name, case):
                likely.remove(prop)
                likely.insert(0, prop)
                return prop
    raise AssertionError(f"{name}: no property notices it")


def caught(some):
    """{version: the property that catches it} of a part or a group, the last ones first."""
    found = {}
    for name in reversed(VERSIONS):
        if some in VERSIONS[name][:2]:
            try:
                found[name] = caught_by(name)
            except Exception:
                continue  # as `test_wrong_version_is_caught` says, and no other test
    return found


def typical_results(course):
    """What a quick test calls, most sizes different: all results, and attention weights."""
    B, n, m, D = 2, 3, 5, 8
    torch.manual_seed(0)
    queries, keys, values = torch.randn(B, n, D), torch.randn(B, m, D), torch.randn(B, m, 4)
    lengths, src = torch.tensor([[1, 2, 3], [3, 4, 5]]), torch.arange(1, 6).repeat(B, 1)
    padding, causal = course.length_mask(lengths[:, 2], m), course.causal_mask(n)
    results = [padding, causal, course.length_mask(lengths, m), course.causal_mask(n, 2)]
    output, some = course.attention_pooling(queries, keys, values, lambda q, k: q @ k.mT)
    results.append(output)
    scores = (queries @ keys.mT, padding), (queries @ queries.mT, causal)
    weights = [some] + [course.masked_softmax(*pair) for pair in scores]
    single = course.DotProductAttention(0.1), course.AdditiveAttention(D, D, 16, 0.1)
    pairs = [(layer, values) for layer in single] + [(course.MultiHeadAttention(D, 4, 0.1), keys)]
    for layer, its in pairs:
        for mask in (None, padding):
            output, some = layer.eval()(queries, keys, its, mask, need_weights=True)
            results += [output, layer(queries, keys, its, mask)]
            weights.append(some)
    places = course.PositionalEncoding(D, 0.1).eval()
    results += [places(queries), places(queries, 2)]
    model, cache = course.Transformer(9, 11, D, 4, 2, 16, 0.1).eval(), {}
    with course.attention_maps(model) as maps:
        memory, logits = model.encode(src), model(src, src[:, :n])
    results += [memory, logits, course.next_token_loss(logits, src[:, : n + 1])]
    results += [course.to_tokens(["ab", "c"], "abc", [3], [4])]
    results += [some for pair in course.pair_batches(src, src[:, :n], 2) for some in pair]
    results += [model.decode(token, memory, src, cache) for token in src[:, :n].split(1, dim=1)]
    results += weights + [some[-1] for some in maps.values()]
    copies = course.train_translator(model, src, src[:, :n], 3, warm_up=1, snapshots=[2])
    results += [some(src, src) for some in (model, copies[2])]
    model.output.bias.data[2] = -1e9  # so that no sentence ends in n steps
    with course.attention_maps(model) as others:
        results += [course.greedy(model, src, 1, 2, n), *course.beam_search(model, src, 1, 2, n, 2)]
    model, cache = course.LanguageModel(9, D, 4, 2, 16, 0.1).eval(), {}
    course.train_language_model(model, torch.arange(40) % 9, 3, 4)
    with course.attention_maps(model) as more:
        logits = model(src)
    results += [logits, course.CausalBlock(D, 4, 16)(queries, causal)]
    results += [model(some, cache) for some in src.split([3, 2], dim=1)]
    results += [course.keep_top_k(logits, 3), course.keep_nucleus(logits, 0.5)]
    results += [course.generate(model, src, m, 0.8, k=3, p=0.9, context=4)]
    return results, weights + sum([*maps.values(), *others.values(), *more.values()], [])


def weak_check(course, shapes):
    """The one that notices a version: of shapes, or else of row sums, or none."""
    check = "shapes"
    try:
        results, weights = typical_results(course)
        assert [result.shape for result in results] == shapes
        check = "row sums"
        for some in weights:
            assert (some >= 0).all()
            assert_close(some.sum(-1), torch.ones_like(some[..., 0]))
    except Exception:
        return check


# ---------------------------------------------------------------- tests


def test_all_that_the_pages_keep_has_wrong_versions():
    """So have the checks, which stand in utils/checks.py and there have other names."""
    kept = inspect.getmembers(attention, lambda one: inspect.getmodule(one) is attention)
    wrong = {definition for _, definition in WRONG if not definition.startswith("check_")}
    assert {name for name, _ in kept} == wrong


@each("part", {part: part for part in LIKELY})
def test_the_right_version_has_all_properties(part):
    generator = random.Random(0)
    for prop in LIKELY[part]:
        for case in [*CASES, draw_case(generator), draw_case(generator)]:
            PROPERTIES[prop](right_version, case)


@each("name", {name: part for name, (part, *_) in VERSIONS.items()})
def test_wrong_version_is_caught(name):
    caught_by(name)


@each("part", {part: part for part in LIKELY})
def test_every_property_catches_something(part):
    found = caught(part)
    for prop in set(LIKELY[part]).difference(found.values()):
        its_own = [name for name in found if VERSIONS[name][2] in prop]
        assert any(notices(prop, name, case) for case in CASES for name in its_own + [*found]), prop


@each("page", PARTS)
def test_weak_checks_notice_few_of_what_the_properties_catch(page, record_property):
    """As the page says, without the numbers."""
    found, shapes = caught(page), [some.shape for some in typical_results(right_version)[0]]
    noticed = Counter(weak_check(version(name), shapes) for name in found)
    by_shapes, by_both = noticed["shapes"], noticed["shapes"] + noticed["row sums"]
    record_property(
        "said",
        f"page {page}: of {len(found)} wrong versions that the properties catch, a check of "
        f"shapes notices {by_shapes}, shapes and row sums {by_both}",
    )
    assert 5 * by_shapes < len(found) and 4 * by_both < len(found)
