"""The properties of what the course teaches notice every wrong version of it.

A wrong version is the taught code itself with some words of one definition replaced, as
`wrong_versions.py` says: it differs from the right one by its fault and by nothing else.
"""

from functools import cache

import pytest

from tests.course import KEPT, with_words_replaced
from tests.test_attention import PROPERTIES, Case
from tests.test_decoding import DECODING
from tests.test_language_model import LANGUAGE
from tests.test_transformer import BLOCKS
from tests.wrong_versions import WRONG

# Anomaly mode names what wrong versions do wrong; one makes layers of width 0.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Error detected in", "ignore:Initializing zero-element tensors"
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
# The properties that are about a definition, by the module that has it, or by what they are of.
PART = {"transformer": BLOCKS, "translation": DECODING, "language_model": LANGUAGE}
PART_OF = {
    name: PART.get(module.__name__.removeprefix("utils."), LAYERS) for name, module in KEPT.items()
} | {"attention_maps": BLOCKS, "Cache": LAYERS}
LIKELY = {part: [] for part in (LAYERS, *PART.values())}  # what noticed the last version is first
for prop in PROPERTIES:
    LIKELY[next((part for part in LIKELY if prop.endswith(part)), LAYERS)].append(prop)
VERSIONS = {
    f"{definition}: {fault}": (definition, changes)
    for definition, faults in WRONG.items()
    for fault, changes in faults.items()
}


def grouped(name, part_of):
    """A test for each; those of one part in one worker, which remembers what it has found."""
    return pytest.mark.parametrize(
        name, part_of, ids=[f"{k}@{part}" for k, part in part_of.items()]
    )


@cache
def version(name):
    return with_words_replaced(*VERSIONS[name])


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
    likely = LIKELY[PART_OF[VERSIONS[name][0]]]
    for case in CASES:
        for prop in likely:
            if notices(prop, name, case):
                likely.remove(prop)
                likely.insert(0, prop)
                return prop
    raise AssertionError(f"{name}: no property notices it")


def caught(part):
    """{version: the property that catches it} of a part, the last ones first."""
    found = {}
    for name in reversed(VERSIONS):
        if PART_OF[VERSIONS[name][0]] == part:
            try:
                found[name] = caught_by(name)
            except Exception:
                continue  # as `test_wrong_version_is_caught` says, and no other test
    return found


# ---------------------------------------------------------------- tests


def test_all_that_the_pages_keep_has_wrong_versions():
    assert set(KEPT) == set(WRONG)


@grouped("name", {name: PART_OF[definition] for name, (definition, _) in VERSIONS.items()})
def test_wrong_version_is_caught(name):
    caught_by(name)


@grouped("part", {part: part for part in LIKELY})
def test_every_property_catches_something(part):
    found = caught(part)
    for prop in set(LIKELY[part]).difference(found.values()):
        its_own = [name for name in found if VERSIONS[name][0] in prop]
        assert any(notices(prop, name, case) for case in CASES for name in its_own + [*found]), prop
