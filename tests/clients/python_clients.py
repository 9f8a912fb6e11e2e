"""Run the example of a Python library in its own environment."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from venv import EnvBuilder

from tests.clients.libraries import Client
from tests.clients.policy_files import use

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"
VERSIONS = "import json, sys; from importlib.metadata import version; " \
    "print(json.dumps({name: version(name) for name in sys.argv[1:]}))"  # fmt: skip


LEARNED = 0.03  # of the victory; three standard errors of a share in 2,000 games


class Skipped(Exception):
    """It cannot be tried here; says why."""


def run_example(client: Client, python: str | Path, folder: Path) -> str:
    """The output of an example; ValueError if it fails."""
    script = folder / client.example
    shutil.copy(EXAMPLES / client.example, script)
    done = subprocess.run(
        [python, script, *client.arguments],
        cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    if done.returncode or not re.search(client.says, done.stdout):
        raise ValueError(f"{client.example} fails:\n{done.stdout[-4000:]}")
    if client.learns:
        before, after = shares(done.stdout)
        if after < before + LEARNED:
            raise ValueError(f"{client.example} learns nothing: {before} before, {after} after")
    return done.stdout


def shares(output: str) -> list[float]:
    """Those that an example which learns tells, before and after."""
    return [float(share) for share in re.findall(r"([\d.]+) (?:before|after)", output)]


def try_client(client: Client, folder: Path) -> dict[str, Any]:
    """Install a library in a folder, run its example and use its file; what was seen, for the page.

    Raises:
        Skipped: The library cannot be installed.
        ValueError: The example fails, or what it leaves.
    """
    python = make_environment(client, folder)
    output = run_example(client, python, folder)
    return {
        "example": client.example,
        "versions": {**versions(python, client.installs), "Python": platform.python_version()},
        "shares": shares(output),
        "file": use(folder / client.leaves, python) if client.leaves else [],
    }


def make_environment(client: Client, folder: Path) -> Path:
    """Install a library into an environment in a folder, unless it is there; returns its Python.

    Raises:
        Skipped: The library cannot be installed.
    """
    python = folder / "environment" / "bin" / "python"
    complete = folder / "environment" / ".complete"
    if complete.exists():
        return python
    EnvBuilder(with_pip=True, symlinks=True, clear=True).create(folder / "environment")
    pins = (ROOT / "constraints.txt").read_text()
    torch = re.findall(r"^torch==.*$", pins, re.MULTILINE) if client.torch else []
    for packages in (torch, [f"{source(folder)}{client.extras}", *client.installs, *torch]):
        if packages:
            install(python, packages)
    complete.touch()
    return python


def versions(python: Path, packages: Iterable[str]) -> dict[str, str]:
    """The versions of packages in an environment."""
    done = subprocess.run(
        [python, "-c", VERSIONS, *packages], capture_output=True, text=True, check=True
    )
    return {name: text.partition("+")[0] for name, text in json.loads(done.stdout).items()}


def install(python: Path, requirements: list[str]) -> None:
    """Have pip install something; Skipped if it cannot."""
    quiet = ["--quiet", "--disable-pip-version-check"]
    command = [str(python), "-m", "pip", "install", *quiet, *requirements]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines()]
        errors = [line for line in lines if line.startswith("ERROR")] or ["pip fails"]
        raise Skipped(f"it cannot be installed here: {errors[0][:200]}")


def source(folder: Path) -> Path:
    """A copy of what the wheel is built from, since building writes beside it."""
    copy = folder / "source"
    if not copy.exists():
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / "kododo_env", copy / "kododo_env", ignore=ignored)
        for name in ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in"):
            shutil.copy(ROOT / name, copy)
    return copy


def is_here(client: Client) -> bool:
    """Whether this environment has what an example needs."""
    done = subprocess.run(
        [sys.executable, "-c", VERSIONS, *client.installs], capture_output=True, check=False
    )
    return done.returncode == 0
