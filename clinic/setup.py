"""Makes `attention_clinic` of `taught/clinic.py`, which page 23 writes, and the checks that it calls."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

MODULES = {"__init__": "../taught/clinic.py", "checks": "../taught/checks.py"}


class Build(build_py):
    def find_package_modules(self, package, folder):
        return [(package, name, path) for name, path in MODULES.items()]

    def build_module(self, module, source, package):
        text = Path(source).read_text(encoding="utf-8")
        target = Path(self.build_lib, package, f"{module}.py")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(
            text.replace("from taught import", f"from {package} import"), encoding="utf-8"
        )
        return str(target), True


setup(package_dir={"attention_clinic": "../taught"}, cmdclass={"build_py": Build})
