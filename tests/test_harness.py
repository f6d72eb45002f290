"""The properties of what the course teaches notice every wrong version of it.

A wrong version is the taught code itself with some words of one definition replaced, as
`wrong_versions.py` says: it differs from the right one by its fault and by nothing else.
"""

from functools import cache

import pytest

# Each file fills its part of PROPERTIES.
from tests import (  # noqa: F401
    test_attention,
    test_clinic,
    test_decoding,
    test_efficient,
    test_language_model,
    test_real_model,
    test_recurrent,
    test_transformer,
)
from tests.cases import PROPERTIES, Case
from tests.course import KEPT, with_words_replaced
from tests.wrong_versions import WRONG

# Anomaly mode names what wrong versions do wrong; one makes layers of width 0.
pytestmark = [
    pytest.mark.filterwarnings(
        "ignore:Error detected in", "ignore:Initializing zero-element tensors"
    ),
    pytest.mark.slow(30),
]

# Nearly all faults show in the first case, the others in the second, or without a mask.
CASES = [
    Case((3, 2), 4, 5, 2, 3, 6, 6, 7, num_heads=3, bias=True, kind="empty rows", seed=0),
    Case((3,), 5, 4, 5, 4, 4, 5, 3, num_heads=2, bias=False, kind="random", seed=1),
    Case((3,), 1, 4, 2, 3, 4, 5, 3, num_heads=2, bias=False, kind="none", seed=1),
]

PART = {
    "transformer": "blocks",
    "translation": "decoding",
    "language_model": "language",
    "real_model": "llama",
    "efficient": "efficient",
    "recurrent": "recurrent",
    "clinic": "clinic",
}
PART_OF = {  # whose properties are about a definition
    name: PART.get(module.__name__.removeprefix("taught."), "layers")
    for name, module in KEPT.items()
} | {"attention_maps": "blocks", "Cache": "layers"}
LIKELY = {part: [*names] for part, names in PROPERTIES.items()}  # what noticed the last is first
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


@cache
def notices(prop, name, case):
    part = PART_OF[VERSIONS[name][0]]
    try:
        PROPERTIES[part][prop](version(name), case)
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
        for prop in [*likely]:
            if notices(prop, name, case):
                likely.remove(prop)
                likely.insert(0, prop)
                return prop
    raise AssertionError(f"{name}: no property notices it")


def caught(part):
    """{version: the property that catches it} of a part, the last ones first."""
    return {
        name: caught_by(name) for name in reversed(VERSIONS) if PART_OF[VERSIONS[name][0]] == part
    }


# ---------------------------------------------------------------- tests


def test_all_that_the_pages_keep_has_wrong_versions():
    assert set(KEPT) == set(WRONG)


@grouped("name", {name: PART_OF[definition] for name, (definition, _) in VERSIONS.items()})
def test_wrong_version_is_caught(name):
    caught_by(name)


@grouped("part", {part: part for part in LIKELY})
def test_every_property_catches_something(part):
    """The versions of a definition that a property is named after are tried first."""
    found = caught(part)
    for prop in set(LIKELY[part]).difference(found.values()):
        its_own = [name for name in found if VERSIONS[name][0] in prop]
        assert any(notices(prop, name, case) for case in CASES for name in its_own + [*found]), prop
