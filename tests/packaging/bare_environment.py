"""Fresh environments with only some libraries, and the output of programs in them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path
from venv import EnvBuilder

ROOT = Path(__file__).parents[2]


def fresh(folder: Path, packages: Iterable[Distribution]) -> Path:
    """The Python of a fresh environment with links to packages that are installed here."""
    EnvBuilder(symlinks=True).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    for package in packages:
        for top in {file.parts[0] for file in package.files or []} - {"..", "__pycache__"}:
            target = Path(str(package.locate_file(top)))
            if target.exists() and not (site / top).exists():
                (site / top).symlink_to(target)
    return folder / "bin" / "python"


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """The output of a command; it knows nothing of this checkout, nor of the user's settings."""
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [*map(str, command)],
        cwd=cwd, env={**inherited, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def output_of(python: Path, *arguments: str, path: Path = ROOT) -> str:
    """The output of a Python that has this checkout, or another path, beside its own libraries."""
    return run(python, "-P", *arguments, cwd=ROOT, PYTHONPATH=str(path))
