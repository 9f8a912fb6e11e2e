"""Test every supported Python and numpy: ``make test-matrix``, by nox.

Each session has its own environment. Sessions without training leave out torch, libraries that need
it, and the tests that use them. torch keeps its pinned version, because other builds may take
gigabytes. A Python that is not installed is skipped, and so is a Python for which the lowest
versions do not exist.

    nox --noxfile tests/packaging/matrix.py --sessions newest-3.12
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import nox

ROOT = Path(__file__).parents[2]
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
ROOMS = (
    "checks", "core", "layouts", "games/kododo", "wrappers", "arena", "search", "rendering",
    "baselines",
)  # fmt: skip
LEARNS = ("tests/ppo", "tests/networks", "tests/export", "tests/wrappers/test_sb3.py")
WITHOUT_PIXELS = "tests/wrappers/test_sb3_without_pixels.py"
LEARN_EXTRAS = ("play", "render", "sb3", "export", "train")
ENVIRONMENT_MODULES = [
    f"tests/wrappers/test_{name}.py"
    for name in ("every_wrapper", "gymnasium", "gymnasium_vector", "pettingzoo")
]
WITH_AGENTS = re.compile(
    r"^(from|import) (agents|benchmarks|torch|stable_baselines3|sb3_contrib|"
    r"kododo_env\.(networks|export|wrappers\.sb3))\b",
    re.M,
)
# We cannot fix warnings that libraries cause.
PYTEST = ("pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore::DeprecationWarning")
TORCH = next(
    line for line in (ROOT / "constraints.txt").read_text("utf-8").split() if "torch==" in line
)

nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "venv"


def needed(*extras: str) -> list[str]:
    """The requirements of the package and its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    optional = project["optional-dependencies"]
    requirements = [
        *project["dependencies"],
        *(requirement for extra in extras for requirement in optional[extra]),
    ]
    return [
        requirement
        for requirement in requirements
        if not requirement.startswith(("kododo-env", "torch"))
    ]


def tests() -> list[str]:
    """The files of tests of the rooms that need nothing that learns."""
    files = [file for room in ROOMS for file in (ROOT / "tests" / room).glob("test_*.py")]
    return [str(file) for file in files if not WITH_AGENTS.search(file.read_text("utf-8"))]


def try_with(
    session: nox.Session,
    *versions: str,
    targets: list[str],
    tools: Sequence[str] = ("hypothesis", "psutil"),
) -> None:
    """Install these versions of what the tests need, and run them."""
    session.chdir(ROOT)
    session.install("--quiet", *versions, "pytest", *tools)
    session.run("python", "-m", "pip", "list", "--format", "freeze", silent=False)
    environment = {"OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg", "PYTHONPATH": str(ROOT)}
    session.run("python", "-m", *PYTEST, *targets, env=environment)


def oldest(names: list[str]) -> list[str]:
    """The lower bounds."""
    return [re.sub(r">=([\w.]+).*", r"==\1", name) for name in names]


@nox.session(python=PYTHONS)
def bare(session: nox.Session) -> None:
    """The package's own requirements and no extra: the environment modules, and the checks of other
    projects."""
    try_with(session, *needed(), targets=ENVIRONMENT_MODULES, tools=())


@nox.session(python=PYTHONS)
def newest(session: nox.Session) -> None:
    """The newest versions of all that playing and drawing need."""
    try_with(session, "--upgrade", *needed("play", "render"), targets=tests())


@nox.session(python=PYTHONS[:2])
def numpy_1(session: nox.Session) -> None:
    """The newest versions that go with the last numpy below 2, which later Pythons never had."""
    try_with(session, *needed("play", "render"), "numpy<2", targets=tests())


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The lower bounds of all that playing and drawing need; some have no later Python."""
    try_with(session, *oldest(needed("play", "render")), targets=tests())


@nox.session(python=PYTHONS)
def newest_training(session: nox.Session) -> None:
    """The newest versions of what learns, beside torch; at first of the extra ``sb3`` alone."""
    session.install("--quiet", TORCH)
    try_with(session, "--upgrade", TORCH, *needed("sb3"), targets=[WITHOUT_PIXELS], tools=())
    try_with(session, "--upgrade", TORCH, *needed(*LEARN_EXTRAS), targets=list(LEARNS))


@nox.session(python=PYTHONS[0])
def lowest_training(session: nox.Session) -> None:
    """The lower bounds of what learns, beside torch; at first of the extra ``sb3`` alone."""
    session.install("--quiet", TORCH)
    try_with(session, TORCH, *oldest(needed("sb3")), targets=[WITHOUT_PIXELS], tools=())
    try_with(session, TORCH, *oldest(needed(*LEARN_EXTRAS)), targets=list(LEARNS))
