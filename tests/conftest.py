"""What several test files share."""

import shutil
from pathlib import Path

import pytest

from tests import browsing
from tests.workshop.sample import make_course
from workshop.colab import machine

browser = pytest.fixture(scope="session")(browsing.browser)
colab = pytest.fixture(scope="session")(machine)


@pytest.fixture(scope="session")
def template(tmp_path_factory):
    root = tmp_path_factory.mktemp("course")
    make_course(root)
    return root


@pytest.fixture
def course(template, tmp_path):
    """A small course that keeps every rule, to break one."""
    return Path(shutil.copytree(template, tmp_path / "course"))
