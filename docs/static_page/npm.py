"""Packages of npm at pinned versions, whose hashes are checked before use."""

from __future__ import annotations

import base64
import hashlib
import subprocess
import tarfile
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

CACHE = Path(__file__).parents[2] / "build" / "npm"


class Package(NamedTuple):
    """A package of npm at one version, and the SHA-512 of its archive in the format of npm."""

    name: str
    version: str
    integrity: str


PYODIDE = Package(
    "pyodide",
    "0.29.5",
    "sha512-TkYrUv9m8QmfImADKRmpwZulL48E0uUaBSO+dvRQKyAJc0qh9gu7jn8btyHPh3NZm1r2IH2YrJhIr7Q2B9urAw==",
)


def archive(package: Package) -> Path:
    """Return the path of a package's archive, which ``npm pack`` fetches if it is missing.

    Raises:
        ValueError: The archive cannot be fetched, or has another hash than the pinned one.
    """
    path = stored(package)
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=CACHE) as scratch:
            _fetch(package, scratch)
            (Path(scratch) / path.name).replace(path)
    if _integrity(path.read_bytes()) != package.integrity:
        path.unlink()
        raise ValueError(f"{path.name} has the wrong SHA-512 and was removed: try again")
    return path


def stored(package: Package) -> Path:
    """Return where the archive of a package is stored, under the name that ``npm pack`` uses."""
    name = package.name.removeprefix("@").replace("/", "-")
    return CACHE / f"{name}-{package.version}.tgz"


def _fetch(package: Package, folder: str) -> None:
    specifier = f"{package.name}@{package.version}"
    command = ["npm", "pack", "--silent", "--pack-destination", folder, specifier]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise ValueError(f"npm, which fetches {specifier}, is not installed") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ValueError(f"npm cannot fetch {specifier}: {last[:200]}") from error


def members(package: Package, names: Sequence[str]) -> dict[str, bytes]:
    """Return some files of a package, by their names in the archive.

    Raises:
        ValueError: The archive cannot be fetched or has another hash, or a file is missing.
    """
    contents = {}
    with tarfile.open(archive(package)) as tar:
        for name in names:
            try:
                file = tar.extractfile(f"package/{name}")
            except KeyError as error:
                raise ValueError(f"{package.name} {package.version} has no {name}") from error
            assert file is not None, "a folder"
            contents[name] = file.read()
    return contents


def _integrity(content: bytes) -> str:
    return "sha512-" + base64.b64encode(hashlib.sha512(content).digest()).decode()
