"""Writes docs/licences.md, the licences of all dependencies: ``python docs/update_licences.py``.

It lists the packages that the project, its extras and its groups bring, directly and by each other,
with the licence that each declares in the environment in which this runs (`make venv`).
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

PAGE = Path(__file__).with_name("licences.md")
PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
PROJECT = "kododo-env"
# A package is listed with the first that brings it.
EXTRAS = (
    "", "render", "play", "sb3", "export", "train", "open-spiel", "offline", "dataset", "mcp",
)  # fmt: skip
GROUPS = ("docs", "dev")
COPYLEFT = re.compile(r"GPL|GNU|MPL|Mozilla|EPL|CDDL|EUPL|OSL")
LONGEST_FIELD = 60  # letters; a longer License field is the licence itself, not its name

HEAD = """# Licences of the dependencies

The package itself is MIT. These are the packages that an installation brings at the pinned
versions, each with the licence that it declares. Licences in **bold** are copyleft: they bind
people who pass that package on, changed or not, but not people who merely install it. Wheels may
hold further libraries, whose licences lie in the wheel. `[play]` and its like are extras. `docs`
and `dev` are groups: `make venv` installs them, and a user need not.

| package | licence | comes with |
|---|---|---|
"""


def normal(name: str) -> str:
    """A package's name as all spellings of it have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def licence(package: Distribution) -> str:
    """What a package says of its licence, in short."""
    metadata = package.metadata
    kinds = [line for line in metadata.get_all("Classifier", []) if line.startswith("License ::")]
    names = [line.rpartition(" :: ")[2] for line in kinds]
    field = metadata.get("License") or ""
    short = "" if field == "UNKNOWN" or len(field) > LONGEST_FIELD or "\n" in field else field
    return metadata.get("License-Expression") or short or ", ".join(names) or _by_its_text(package)


def _by_its_text(package: Distribution) -> str:
    """What the text of a package's licence is, where nothing else tells."""
    files = [file for file in package.files or [] if "licen" in file.name.lower()]
    text = files[0].read_text() if files else ""
    return "MIT" if "Permission is hereby granted, free of charge" in text else "not declared"


def brought_by(extra: str) -> dict[str, Distribution]:
    """The packages that come with the project and an extra or group, by their normal names."""
    packages: dict[str, Distribution] = {}
    stack = [(PROJECT, extra)]
    visited = set()
    while stack:
        package = stack.pop()
        if package in visited:
            continue
        visited.add(package)
        name, package_extra = package
        for requirement in map(Requirement, _needs(name, packages)):
            marker = requirement.marker
            if marker is None or marker.evaluate({"extra": package_extra}):
                stack += [(normal(requirement.name), inner) for inner in ("", *requirement.extras)]
    return packages


def _needs(name: str, packages: dict[str, Distribution]) -> list[str]:
    """What a package requires; an installed package is added to ``packages``."""
    if name == PROJECT:  # as it is here, which may be newer than what is installed
        whole = tomllib.loads(PYPROJECT.read_text())
        project = whole["project"]
        extras = project["optional-dependencies"] | {
            name: [
                need if isinstance(need, str) else f"{PROJECT}[{need['include-group']}]"
                for need in needs
            ]
            for name, needs in whole["dependency-groups"].items()
        }
        marked = [f"{need}; extra == '{name}'" for name, needs in extras.items() for need in needs]
        return [*project["dependencies"], *marked]
    try:
        packages[name] = distribution(name)
    except PackageNotFoundError:  # what another system or Python needs
        return []
    return packages[name].requires or []


def rows() -> dict[str, str]:
    """The rows of the table by the packages' normal names, in order."""
    lines: dict[str, str] = {}
    for extra in (*EXTRAS, *GROUPS):
        for name, package in brought_by(extra).items():
            terms = licence(package).replace("|", "/")
            marked = f"**{terms}**" if COPYLEFT.search(terms) else terms
            by = "always" if not extra else f"`{extra}`" if extra in GROUPS else f"`[{extra}]`"
            lines.setdefault(name, f"| {package.metadata['Name']} | {marked} | {by} |")
    return dict(sorted(lines.items()))


def page() -> str:
    """The page as it should be."""
    return HEAD + "\n".join(rows().values()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
