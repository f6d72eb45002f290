"""What several test files share."""

import pytest

from tests.browsing import chromium  # noqa: F401, a fixture
from workshop.colab import machine


@pytest.fixture(scope="session")
def colab():
    return machine()
