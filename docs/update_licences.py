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
    said = package.metadata
    kinds = [line for line in said.get_all("Classifier", []) if line.startswith("License ::")]
    names = [line.rpartition(" :: ")[2] for line in kinds]
    field = said.get("License") or ""
    short = "" if field == "UNKNOWN" or len(field) > LONGEST_FIELD or "\n" in field else field
    return said.get("License-Expression") or short or ", ".join(names) or _by_its_text(package)


def _by_its_text(package: Distribution) -> str:
    """What the text of a package's licence is, where nothing else tells."""
    files = [file for file in package.files or [] if "licen" in file.name.lower()]
    text = files[0].read_text() if files else ""
    return "MIT" if "Permission is hereby granted, free of charge" in text else "not declared"


def brought_by(extra: str) -> dict[str, Distribution]:
    """The packages that come with the project and an extra or group, by their normal names."""
    found: dict[str, Distribution] = {}
    left, seen = [(PROJECT, extra)], set()
    while left:
        each = left.pop()
        if each in seen:
            continue
        seen.add(each)
        for needed in map(Requirement, _needs(each[0], found)):
            if needed.marker is None or needed.marker.evaluate({"extra": each[1]}):
                left += [(normal(needed.name), inner) for inner in ("", *needed.extras)]
    return found


def _needs(name: str, found: dict[str, Distribution]) -> list[str]:
    """What a package requires; it is noted among those that were found."""
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
        found[name] = distribution(name)
    except PackageNotFoundError:  # what another system or Python needs
        return []
    return found[name].requires or []


def rows() -> dict[str, str]:
    """The rows of the table by the packages' normal names, in order."""
    found: dict[str, str] = {}
    for extra in (*EXTRAS, *GROUPS):
        for name, package in brought_by(extra).items():
            what = licence(package).replace("|", "/")
            marked = f"**{what}**" if COPYLEFT.search(what) else what
            by = "always" if not extra else f"`{extra}`" if extra in GROUPS else f"`[{extra}]`"
            found.setdefault(name, f"| {package.metadata['Name']} | {marked} | {by} |")
    return dict(sorted(found.items()))


def page() -> str:
    """The page as it should be."""
    return HEAD + "\n".join(rows().values()) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
