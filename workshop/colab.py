"""A machine like Colab's: a bare Python with all packages but without the course, and git."""

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache, cached_property
from pathlib import Path

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import KernelManager
from nbval.kernel import RunningKernel

from workshop import warm
from workshop.page import ROOT, tracked_files
from workshop.start import address, version

PACKAGES = {"site-packages", "dist-packages"}


class Colab:
    """`repository` is a commit of the working tree's files.

    Where the start cell asks git for the course's address, git's `insteadOf` hands it that commit.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.repository = folder, folder / "repository"
        self.name = address().rsplit("/", 1)[-1]  # of the folder that a clone makes
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GIT_", "PYTHON", "PYTEST", "COV_", "MPL"))
        } | {
            "PYTHONPATH": os.pathsep.join(  # with what packages have put on the path below them
                entry for entry in sys.path if PACKAGES & set(Path(entry).parts)
            ),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            "MPLCONFIGDIR": str(folder / "matplotlib"),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
        # Threads and device of the stored outputs, unless somebody asks for others.
        self.environment.setdefault("OMP_NUM_THREADS", "1")
        self.environment.setdefault("ATTENTION_DEVICE", "cpu")
        for path in tracked_files():
            copy = self.repository / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        identity = ["-c", "user.name=Tests", "-c", "user.email=tests@example.org"]
        commit = [*identity, "commit", "--quiet", "--no-verify", "--message=The course"]
        branch = f"--initial-branch={version()}"
        # Packed once here, a clone costs a quarter of a second; there is one for each page.
        pack = ["repack", "-a", "-d", "--quiet"]
        for command in (["init", "--quiet", branch], ["add", "--all", "--force"], commit, pack):
            subprocess.run(["git", *command], cwd=self.repository, env=self.environment, check=True)
        # The fonts are found once, here: a page would be told about that on stderr.
        self.python(folder, "-c", "import matplotlib.font_manager")

    @cached_property
    def warm(self) -> Path:
        """Where `workshop/warm.py` waits, run as text: its folder is on no path of this Python."""
        place = self.folder / "warm"
        self.waits = subprocess.Popen(  # until its input ends, with this process
            [sys.executable, "-S", "-c", Path(warm.__file__).read_text("utf-8"), place],
            cwd=self.folder,
            env=self.environment | {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self.waits.stdout and self.waits.stdout.readline() == b"ready\n"
        return place

    def reaching(self, reachable: bool = True) -> dict[str, str]:
        """The environment in which git finds the course, or does not."""
        source = self.repository if reachable else self.folder / "nothing"
        return self.environment | {
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{source.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": address(),
        }

    def python(self, folder, *arguments, reachable=True, environment=None):
        """Run the bare Python in `folder`. `-S`: it does not see the installed course.

        environment: variables that take the place of those by which git finds the course.
        """
        return subprocess.run(
            [sys.executable, "-S", *map(str, arguments)],
            cwd=folder,
            env=self.reaching(reachable) | {"MPLBACKEND": "Agg"} | (environment or {}),
            capture_output=True,
            encoding="utf-8",
            timeout=600,
        )


@cache
def machine() -> Colab:
    """One such machine for the whole process."""
    folder = tempfile.mkdtemp(prefix="colab-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Colab(Path(folder))


FRESH = ["-m", "ipykernel_launcher", "-f"]  # where fork is not safe


class BareKernels(KernelSpecManager):
    def get_kernel_spec(self, kernel_name):
        ask = ["-c", warm.ASK, str(machine().warm)] if sys.platform == "linux" else FRESH
        command = [sys.executable, "-S", *ask, "{connection_file}"]
        return KernelSpec(argv=command, display_name="bare", language="python")


class BareKernel(RunningKernel):
    """nbval's kernel, in an empty folder of such a machine."""

    def __init__(self, timeout):
        self.folder = tempfile.mkdtemp(prefix="page-", dir=machine().folder)
        try:
            self.start(timeout)
        except RuntimeError:  # two kernels that start at once may have drawn the same port
            self.start(timeout)
        self._ensure_iopub_up()

    def start(self, timeout):
        self.km = KernelManager(kernel_spec_manager=BareKernels(), kernel_name="bare")
        with open(os.devnull, "wb") as nowhere:
            self.km.start_kernel(stderr=nowhere, cwd=self.folder, env=machine().reaching())
        self.kc = self.km.client()
        self.kc.start_channels()
        try:
            self.kc.wait_for_ready(timeout=timeout)
        except RuntimeError:
            self.kc.stop_channels()
            self.km.shutdown_kernel(now=True)
            raise

    def ask(self, code: str, timeout: float = 600) -> str:
        """What the kernel prints when it runs some code unseen by the page; it raises as that."""
        texts = []
        reply = self.kc.execute_interactive(
            code,
            silent=True,
            allow_stdin=False,
            timeout=timeout,
            output_hook=lambda message: texts.append(message["content"].get("text", "")),
        )["content"]
        if reply["status"] == "error":
            raise RuntimeError("\n".join(reply["traceback"]))
        return "".join(texts)

    def stop(self):
        super().stop()
        shutil.rmtree(self.folder, ignore_errors=True)
