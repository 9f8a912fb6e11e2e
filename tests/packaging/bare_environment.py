"""An environment that has numpy and nothing else, and what is printed in it."""

from __future__ import annotations

import os
import subprocess
from importlib.metadata import distribution
from pathlib import Path
from venv import EnvBuilder

ROOT = Path(__file__).parents[2]


def numpy_alone(folder: Path) -> Path:
    """The Python of a fresh environment with this one's numpy, by a link."""
    EnvBuilder(symlinks=True).create(folder)
    (site,) = folder.glob("lib/python*/site-packages")
    numpy = distribution("numpy")
    tops = {file.parts[0] for file in numpy.files or []} - {"..", "__pycache__"}
    for top in tops:
        (site / top).symlink_to(Path(str(numpy.locate_file(top))))
    return folder / "bin" / "python"


def told(python: Path, *arguments: str, path: Path = ROOT) -> str:
    """What a Python prints that has this checkout, or another path, beside its own libraries."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [str(python), "-P", *arguments],
        env={**kept, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(path)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout
