"""What several test files share: a machine like Colab's."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest

from tests import pages


class Colab:
    """A bare Python with all packages but without the course, and git that clones a local copy.

    `repository` is a commit of the working tree's files. Where the start cell asks git for the
    course's address, git's `insteadOf` hands it that commit.
    """

    def __init__(self, folder):
        self.repository = folder / "repository"
        self.address = pages.address()
        self.name = self.address.rsplit("/", 1)[-1]  # of the folder that a clone makes
        packages = [entry for entry in sys.path
                    if Path(entry).name in ("site-packages", "dist-packages")]
        self.environment = {
            name: value for name, value in os.environ.items()
            if not name.startswith(("GIT_", "PYTHON", "PYTEST", "COV_", "MPL"))
        } | {
            "PYTHONPATH": os.pathsep.join(packages),
            "PYTHONDONTWRITEBYTECODE": "1",
            "MPLBACKEND": "Agg",
            "MPLCONFIGDIR": matplotlib.get_cachedir(),
            "HOME": str(folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        self.commit()

    def commit(self):
        """Make the repository: every file that git tracks or would track."""
        self.repository.mkdir(parents=True)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=pages.ROOT, capture_output=True, check=True,
        ).stdout.decode()
        for name in filter(None, listed.split("\0")):
            source, copy = pages.ROOT / name, self.repository / name
            if source.is_file():
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, copy)
        me = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
        for command in (["init", "--quiet"], ["add", "--all", "--force"],
                        [*me, "commit", "--quiet", "--no-verify", "--message=The course"]):
            subprocess.run(["git", *command], cwd=self.repository, env=self.environment, check=True)

    def python(self, folder, *arguments, reachable=True, path=()):
        """Run the bare Python in `folder`; `reachable`: whether git finds the course."""
        source = self.repository if reachable else self.repository.parent / "nothing"
        environment = self.environment | {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{source.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": self.address,
        }
        for entry in path:
            environment["PYTHONPATH"] += os.pathsep + str(entry)
        return subprocess.run(
            [sys.executable, "-S", *map(str, arguments)], cwd=folder, env=environment,
            capture_output=True, text=True, timeout=600,
        )


@pytest.fixture(scope="session")
def colab(tmp_path_factory):
    return Colab(tmp_path_factory.mktemp("colab"))
