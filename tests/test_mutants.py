"""The properties of what the course teaches notice every wrong version of it (`make mutants`).

A wrong version is the taught code itself with some words of one definition replaced, as
`wrong_versions.py` says: it differs from the right one by its fault and by nothing else.
"""

from importlib import import_module
from pathlib import Path

import pytest

from tests.cases import PROPERTIES, Case
from tests.course import KEPT, with_words_replaced
from tests.wrong_versions import WRONG

for path in sorted(Path(__file__).parent.glob("test_*.py")):
    if "from tests.cases import" in path.read_text(encoding="utf-8") and path.stem != Path(__file__).stem:
        import_module(f"tests.{path.stem}")  # which fills its part of PROPERTIES

# Nearly all faults show in the first case, the others in the second, or without a mask.
CASES = [
    Case((3, 2), 4, 5, 2, 3, 6, 6, 7, num_heads=3, bias=True, kind="empty rows", seed=0),
    Case((3,), 5, 4, 5, 4, 4, 5, 3, num_heads=2, bias=False, kind="random", seed=1),
    Case((3,), 1, 4, 2, 3, 4, 5, 3, num_heads=2, bias=False, kind="none", seed=1),
]

PART = {  # of a module whose properties aren't called as it is
    "attention": "layers",
    "transformer": "blocks",
    "translation": "decoding",
    "language_model": "language",
    "real_model": "llama",
}
PART_OF = {  # whose properties are about a definition
    name: PART.get(stem := module.__name__.removeprefix("taught."), stem) for name, module in KEPT.items()
} | {"attention_maps": "blocks", "CachedAttention": "layers", "SwiGLU": "llama"}
LIKELY = {part: [*names] for part, names in PROPERTIES.items()}  # what noticed the last is first


def notices(course, part, name, case):
    try:
        PROPERTIES[part][name](course, case)
    except NameError:  # no fault of the version: a slip in its words
        raise
    except (Exception, pytest.fail.Exception):
        return True
    return False


@pytest.mark.mutants
@pytest.mark.filterwarnings("ignore:Error detected in")  # anomaly mode says what is wrong
@pytest.mark.parametrize("version", WRONG)
def test_wrong_version_is_caught(version):
    definition = version.partition(":")[0]
    course, part = with_words_replaced(definition, WRONG[version]), PART_OF[definition]
    for case in CASES:
        for name in LIKELY[part]:
            if notices(course, part, name, case):
                LIKELY[part].remove(name)
                LIKELY[part].insert(0, name)
                return
    pytest.fail("no property notices it")


def test_all_that_the_pages_keep_has_wrong_versions():
    assert set(KEPT) == {version.partition(":")[0] for version in WRONG}
