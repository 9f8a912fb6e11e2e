"""The policy file that an example writes: evaluate it, play against it, and open it in a page."""

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
PLAYED = STATIC / "game_hashes.py"
IN_PYODIDE = STATIC / "in_pyodide.mjs"
# The checks of game_hashes.py, which is run as text.
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
    game = agent.metadata.game
    players = agent.metadata.num_players
    at_table = ["--players", str(players)]
    kododo = [python, "-m", "kododo_env"]
    _output(
        [*kododo, "evaluate", "--agents", policy, "random", "--game", game, *at_table,
         "--games", "100", "--workers", "1"], policy.parent,
    )  # fmt: skip
    player = shutil.copy(ROOT / "docs" / "examples" / "stdio_player.py", policy.parent)
    _output([python, player, game, *at_table, "--opponents", policy], policy.parent)
    questions = [["choices", [str(policy), 4]], ["page", [game, players, str(policy), 3]]]
    # The first check uses onnxruntime, with the project installed there.
    expected = json.loads(
        _output([python, "-c", ALL_OF, PLAYED, json.dumps(questions)], policy.parent)
    )
    answers_by_place = {"by numpy alone": _by_numpy_alone(policy, questions)}
    if shutil.which("node") and not missing():
        answers_by_place["in Pyodide"] = _in_pyodide(policy, questions)
    for place, answers in answers_by_place.items():
        if answers != expected:
            raise ValueError(f"{policy.name} plays otherwise {place}")
    return ["measured", "played", *answers_by_place]


def _by_numpy_alone(policy: Path, questions: list[object]) -> object:
    python = cached("alone", lambda path: fresh(path, [distribution("numpy")])) / "bin" / "python"
    command = [python, "-P", "-c", ALL_OF, PLAYED, json.dumps(questions)]
    return json.loads(_output(command, policy.parent, PYTHONPATH=str(ROOT)))


def _in_pyodide(policy: Path, questions: list[object]) -> object:
    """The same in the static page's folder, where a policy is known by its name alone."""
    site = cached("site", build_with_numpy)
    copy = site / "policies" / policy.name
    shutil.copy(policy, copy)
    text = json.dumps(questions).replace(json.dumps(str(policy)), json.dumps(policy.stem))
    try:
        return json.loads(_output(["node", IN_PYODIDE, site, PLAYED, text], policy.parent))
    finally:
        copy.unlink()


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


def _output(command: Sequence[str | Path], folder: Path, **environment: str) -> str:
    """The output of a command; ValueError if it fails."""
    done = subprocess.run(
        [*map(str, command)],
        cwd=folder, env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise ValueError(f"{' '.join(map(str, command))[:200]} fails:\n{done.stderr[-2000:]}")
    return done.stdout
