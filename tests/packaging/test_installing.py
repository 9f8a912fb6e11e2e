"""The sdist and the wheel, and what users get who install them; no package index is used.

An environment is new except for links to the packages of an extra, so it contains only these.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.helpers import made_once
from tests.packaging import matrix, processors, workflow
from tests.packaging.bare_environment import fresh, run
from tests.packaging.dependencies import required_packages

ROOT = Path(__file__).parents[2]
NOT_BUILT_FROM = {
    ".git", ".nox", ".venv", ".venv-ray", ".hypothesis", "__pycache__", "build", "dist", "mutants",
    "runs",
    *(f".{name}_cache" for name in ("import_linter", "mypy", "pytest", "ruff")),
}  # fmt: skip
SDIST = "from setuptools.build_meta import build_sdist; import sys; build_sdist(sys.argv[1])"
PLAY = """
import kododo_env
from kododo_env import make_agent
from kododo_env.agent_registry import baselines, shipped
from kododo_env.held_out import held_out_policies
from kododo_env.arena.head_to_head import Match

print(kododo_env.__file__)
print(*baselines("kododo"))
print(*shipped())
print(*held_out_policies())
bot = kododo_env.load("kododo-4p")
print(Match(bot, "heuristic", "kododo", 4, 8).play().share.mean >= 0)
"""
AGENTS = ("kododo-2p", "heuristic", "--players", "2", "--workers", "1")
# For pip, in the text, and in the error for a missing library.


def held_out_policies() -> list[str]:
    """The names of the held-out policies of this checkout."""
    files = (ROOT / "kododo_env/policy").glob("[hp]*/*.onnx")
    return [f"held-out:{file.stem}" for file in sorted(files)]


def tree(root: Path = ROOT) -> list[Path]:
    """The files of the project, relative to its root, without what tools leave there."""
    paths = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f not in NOT_BUILT_FROM and not f.endswith(".egg-info")]
        paths += [Path(folder, file).relative_to(root) for file in files if file != ".git"]
    return paths


def pip(*arguments: str | Path, cwd: Path, python: Path | str = sys.executable, **env: str) -> str:
    into = ["--python", str(python)] if python != sys.executable else []
    quiet = ["--quiet", "--no-deps", "--no-index", "--disable-pip-version-check"]
    command, *options = arguments
    return run(sys.executable, "-m", "pip", *into, command, *quiet, *options, cwd=cwd, **env)


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, unpacked; built from a copy, since building writes beside what is built."""

    def build(folder: Path) -> None:
        for file in tree():
            (folder / "from" / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / "from" / file).write_bytes((ROOT / file).read_bytes())
        run(sys.executable, "-c", SDIST, folder, cwd=folder / "from")
        (archive,) = folder.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")

    (archive,) = made_once(tmp_path_factory, "sdist", build).glob("*.tar.gz")
    return archive.with_name(archive.name.removesuffix(".tar.gz"))


@pytest.fixture(scope="session")
def wheel(sdist: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist."""

    def build(folder: Path) -> None:
        pip("wheel", "--no-build-isolation", "--wheel-dir", folder, sdist, cwd=sdist.parent)

    (path,) = made_once(tmp_path_factory, "wheel", build).glob("*.whl")
    return path


def environment(folder: Path, extra: str) -> Path:
    """A fresh environment with what the project and an extra need, no more; its Python."""
    return fresh(folder, required_packages(extra).values())


def test_the_sdist_has_every_file_of_the_project(sdist: Path) -> None:
    assert {str(file) for file in tree()} - {str(file) for file in tree(sdist)} == set()


def test_the_sdists_own_tests_run(sdist: Path) -> None:
    """All of them are there, as the test above sees; some quick ones show that they can run."""
    pytest_ = (sys.executable, "-P", "-m", "pytest", "-q", "-p", "no:cacheprovider")
    assert " passed" in run(*pytest_, "tests/checks/test_numbers.py", cwd=sdist)


def test_the_wheel_has_what_plays_and_nothing_else(wheel: Path) -> None:
    """No package ``agents``, which would take the place of another distribution's."""
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.partition("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"kododo_env"}
    expected = [
        str(file) for file in tree()
        if file.parts[0] == "kododo_env"
        and (
            file.suffix in (".py", ".onnx", ".jsonl") or file.name.endswith(".meta.json")
            or {"data", "web", "served", "texts"} & {*file.parts}
            or file.name == "py.typed" or file.match("rules*.md")
        )
    ]  # fmt: skip
    assert sorted(expected) == sorted(name for name in names if name.startswith("kododo_env/"))


def test_users_who_installed_it_can_play(wheel: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "fresh", "play")
    pip("install", wheel, cwd=tmp_path, python=python)
    lines = run(python, "-c", PLAY, cwd=tmp_path).splitlines()
    where, baselines, shipped, names, played = lines
    assert Path(where).is_relative_to(tmp_path / "fresh")
    assert baselines.split()[0] == "random"
    assert len(shipped.split()) == 9
    assert names.split() == held_out_policies()
    assert played == "True"
    kododo = python.with_name("kododo")
    assert "let agents play each other" in run(kododo, "--help", cwd=tmp_path)
    table = run(kododo, "evaluate", "--agents", *AGENTS, "--games", "8", cwd=tmp_path)
    assert "parity 0.500" in table


MISSING = {
    "import kododo_env.arena.head_to_head": ("kododo_env.arena needs tabulate", "play"),
    "import kododo_env.wrappers.sb3": ("BatchVecEnv needs stable_baselines3", "sb3"),
    "import kododo_env.export": ("kododo_env.export needs onnx", "export"),
    "import kododo_env.wrappers.open_spiel": ("needs pyspiel", "open-spiel"),
    'kododo_env.kado_v0.env(render_mode="rgb_array")': (
        "rendering pixels needs resvg-py",
        "render",
    ),
}
TRY = """
try:
    {}
except ImportError as error:
    print(error)
"""


def test_without_an_extra_it_is_said_which_one_is_missing(wheel: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "fresh", "")
    pip("install", wheel, cwd=tmp_path, python=python)
    code = "import kododo_env\n" + "".join(map(TRY.format, MISSING))
    lines = run(python, "-c", code, cwd=tmp_path).splitlines()
    for line, (message, extra) in zip(lines, MISSING.values(), strict=True):
        assert message in line
        assert f"'kododo-env[{extra}]'" in line
    for command in (["-m", "kododo_env", "evaluate"], [str(ROOT / "train.py"), "--help"]):
        done = subprocess.run(
            [str(python), *command], capture_output=True, text=True, check=False, cwd=tmp_path
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "pip install 'kododo-env[" in done.stderr
        assert done.stderr.count("\n") == 1


IMPORT = """
import importlib
import sys

for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ImportError as error:
        print(name, error, sep=": ")
"""


def test_scripts_of_a_checkout_need_the_extra_train_or_say_what_else(tmp_path: Path) -> None:
    """``python -m docs.update_tables`` ended in a traceback without the group ``docs``."""
    python = environment(tmp_path / "fresh", "train")
    files = [
        file
        for folder in ("docs", "benchmarks")
        for file in sorted((ROOT / folder).rglob("*.py"))
        if not {"examples", "site"} & {*file.parts}
    ]
    names = [".".join(file.relative_to(ROOT).with_suffix("").parts) for file in files]
    assert {"docs.update_tables", "benchmarks.exact_truth"} < {*names}
    errors = run(python, "-c", IMPORT, *names, cwd=tmp_path, PYTHONPATH=str(ROOT)).splitlines()
    assert [line for line in errors if "pip install " not in line] == []
    assert not {"docs.update_tables", "docs.make_images"} & {line.split(":")[0] for line in errors}


def test_the_tests_that_sessions_of_nox_name_are_there() -> None:
    """A session named a file that had been renamed, and nothing else noticed."""
    rooms = [f"tests/{room}" for room in (*matrix.ROOMS, *processors.ROOMS)]
    named = [*matrix.ENVIRONMENT_MODULES, *matrix.LEARNS, *rooms]
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_hosts_workflow_runs_the_sessions_of_nox() -> None:
    listing = (sys.executable, "-m", "nox", "--noxfile", "tests/packaging/matrix.py", "--list")
    named = re.findall(r"^\* (\S+)", run(*listing, cwd=ROOT), re.MULTILINE)
    assert [name for name, _ in workflow.sessions()] == named
    assert workflow.FILE.read_text() == workflow.text(), "run python -m tests.packaging.workflow"
