"""The lower bounds of pyproject.toml, tried: ``python -m tests.packaging.oldest`` (make oldest).

In an environment of its own, with the oldest versions of all that playing and drawing need;
torch and what learns with it are left out, and so are tests that use them.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from venv import EnvBuilder

ROOT = Path(__file__).parents[2]
ROOMS = ("core", "games/kododo", "wrappers", "arena", "search", "rendering", "baselines")
WITH_AGENTS = re.compile(r"^(from|import) (agents|torch|stable_baselines3|sb3_contrib)\b", re.M)


def oldest() -> list[str]:
    """What is to be installed; the tests' own libraries as new as they are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["play"], *extras["render"]]
    return [*(each.replace(">=", "==") for each in needed), "pytest", "hypothesis"]


def tests() -> list[str]:
    """The files of tests of the rooms that need nothing that learns."""
    files = [file for room in ROOMS for file in (ROOT / "tests" / room).glob("test_*.py")]
    return [str(file) for file in files if not WITH_AGENTS.search(file.read_text())]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        EnvBuilder(with_pip=True, symlinks=True).create(folder)
        python = f"{folder}/bin/python"
        print(*oldest(), flush=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *oldest()], check=True)
        # What old libraries warn of, each other and themselves, is not for us to mend.
        given = ("-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning", *tests())
        sys.exit(subprocess.run([python, "-m", "pytest", *given], cwd=ROOT, check=False).returncode)
