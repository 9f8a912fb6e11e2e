"""One step of the build that pyproject.toml cannot describe."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithoutLeftovers(build_py):
    """Copy the modules into an empty folder: setuptools adds what earlier builds left there."""

    def run(self) -> None:
        if not self.editable_mode:
            shutil.rmtree(Path(self.build_lib, "kododo_env"), ignore_errors=True)
        super().run()


setup(cmdclass={"build_py": BuildWithoutLeftovers})
