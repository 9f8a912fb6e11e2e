"""The policy file that an example leaves: it is measured, played against, and opened in a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import kododo_env
from tests.packaging.bare_environment import fresh
from tests.play.static.folder import build_with_numpy, missing

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "tests" / "play" / "static"
PLAYED, IN_PYODIDE = STATIC / "played.py", STATIC / "in_pyodide.mjs"
# All that played.py, which is run as text, is asked for.
ALL_OF = "import sys; exec(open(sys.argv[1]).read()); print(all_of(sys.argv[2]))"


def use(policy: Path, python: str | Path) -> list[str]:
    """What a policy file was used for, in the environment that has made it and in others.

    Args:
        policy: The file, in a folder to work in.
        python: Of the environment. It has the project, and needs the extra play.

    Returns:
        ``measured``, ``played``, ``by numpy alone`` and, where node and Pyodide are here, ``in
        Pyodide``, as the static page plays it.

    Raises:
        ValueError: One of them fails, or plays otherwise than the first.
    """
    agent = kododo_env.load(policy)
    game, players = agent.metadata.game, agent.metadata.num_players
    at_table = ["--players", str(players)]
    kododo = [python, "-m", "kododo_env"]
    _told(
        [*kododo, "evaluate", "--agents", policy, "random", "--game", game, *at_table,
         "--games", "100", "--workers", "1"], policy.parent,
    )  # fmt: skip
    player = shutil.copy(ROOT / "docs" / "examples" / "stdio_player.py", policy.parent)
    _told([python, player, game, *at_table, "--opponents", policy], policy.parent)
    asked = [["choices", [str(policy), 4]], ["page", [game, players, str(policy), 3]]]
    # The first is by onnxruntime, from the project as it is installed there.
    wanted = json.loads(_told([python, "-c", ALL_OF, PLAYED, json.dumps(asked)], policy.parent))
    found = {"by numpy alone": _by_numpy_alone(policy, asked)}
    if shutil.which("node") and not missing():
        found["in Pyodide"] = _in_pyodide(policy, asked)
    for where, answers in found.items():
        if answers != wanted:
            raise ValueError(f"{policy.name} plays otherwise {where}")
    return ["measured", "played", *found]


def _by_numpy_alone(policy: Path, asked: list[object]) -> object:
    python = cached("alone", lambda path: fresh(path, [distribution("numpy")])) / "bin" / "python"
    command = [python, "-P", "-c", ALL_OF, PLAYED, json.dumps(asked)]
    return json.loads(_told(command, policy.parent, PYTHONPATH=str(ROOT)))


def _in_pyodide(policy: Path, asked: list[object]) -> object:
    """The same in the static page's folder, where a policy is known by its name alone."""
    site = cached("site", build_with_numpy)
    there = site / "policies" / policy.name
    shutil.copy(policy, there)
    text = json.dumps(asked).replace(json.dumps(str(policy)), json.dumps(policy.stem))
    try:
        return json.loads(_told(["node", IN_PYODIDE, site, PLAYED, text], policy.parent))
    finally:
        there.unlink()


@cache
def scratch() -> TemporaryDirectory[str]:
    """A folder that goes with the process."""
    return TemporaryDirectory()


def cached(name: str, make: Callable[[Path], object]) -> Path:
    """What is made once for all examples."""
    path = Path(scratch().name) / name
    if not path.exists():
        make(path)
    return path


def _told(command: Sequence[str | Path], folder: Path, **environment: str) -> str:
    """The output of a command; ValueError if it fails."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ValueError(f"{' '.join(map(str, command))[:200]} fails:\n{done.stderr[-2000:]}")
    return done.stdout
