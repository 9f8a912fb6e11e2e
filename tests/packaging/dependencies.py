"""The installed packages that the project requires, directly and through other packages."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = "kododo-env"
PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def required_packages(extra: str) -> dict[str, Distribution]:
    """Return the packages that the project requires with an extra ("" for none).

    The keys are normalized names. Packages that are not installed here, because another system
    or another version of Python needs them, are left out.
    """
    packages: dict[str, Distribution] = {}
    stack = [(PROJECT, extra)]
    visited = set()
    while stack:
        package = stack.pop()
        if package in visited:
            continue
        visited.add(package)
        name, package_extra = package
        for requirement in _requirements(name, packages):
            marker = requirement.marker
            if marker is None or marker.evaluate({"extra": package_extra}):
                required_name = normalized_name(requirement.name)
                stack += [(required_name, inner) for inner in ("", *requirement.extras)]
    return packages


def normalized_name(name: str) -> str:
    """Return a package's name in lower case, with single hyphens as separators."""
    return re.sub(r"[-_.]+", "-", name).lower()


def _requirements(name: str, packages: dict[str, Distribution]) -> list[Requirement]:
    """Return what a package requires; an installed package is added to ``packages``."""
    if name == PROJECT:
        return _project_requirements()
    try:
        packages[name] = distribution(name)
    except PackageNotFoundError:
        return []
    return [Requirement(line) for line in packages[name].requires or []]


def _project_requirements() -> list[Requirement]:
    """Return the requirements in pyproject.toml, which may be newer than the installed package."""
    project = tomllib.loads(PYPROJECT.read_text())["project"]
    lines = [*project["dependencies"]]
    for extra, extra_lines in project["optional-dependencies"].items():
        lines += [f"{line}; extra == '{extra}'" for line in extra_lines]
    return [Requirement(line) for line in lines]
