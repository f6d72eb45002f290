"""What `make check` checks, in every run of the tests: the rules of the pages, and the tools."""

import pytest

from workshop.check import CHECKS


@pytest.mark.parametrize("check", CHECKS)
def test_sources(check):
    if problems := list(dict.fromkeys(CHECKS[check]())):
        pytest.fail("\n".join(problems), pytrace=False)
