"""What several test files share."""

import pytest

from workshop.colab import machine


@pytest.fixture(scope="session")
def colab():
    return machine()
