"""A fourth game: its folder, its door and one line of the registry, and everything plays it.

The steps are those of CONTRIBUTING.md, "Adding a game". The scripts run as they stand, after a
line that puts the door into the registry; that line is all that a game in ``kododo_env`` adds.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import kododo_env
from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent
from kododo_env.arena.match import Match
from kododo_env.gymnasium_ids import register_all
from kododo_env.testing import check_batch_game, check_parallel_env

ROOT = Path(__file__).parents[2]
GAME, DOOR = "high_card", "tests.toy_game.high_card_v0"
WITH_THE_LINE = f"""
import runpy, sys
from kododo_env import registry
registry.DOORS["{GAME}"] = "{DOOR}"
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
SHORT = (
    "--steps", "1", "--num-envs", "64", "--width", "16", "--games", "30", "--evaluations", "1",
)  # fmt: skip


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The line of the registry, and what follows from it when ``kododo_env`` is imported."""
    monkeypatch.setitem(registry.DOORS, GAME, DOOR)
    register_all()
    yield
    gymnasium.registry.pop(registry.door(GAME).GYMNASIUM_ID)


def script(name: str, *arguments: str | Path, cwd: Path) -> str:
    """The output of a script that knows the game."""
    done = subprocess.run(
        [sys.executable, "-c", WITH_THE_LINE, ROOT / name, "--game", GAME, *arguments],
        cwd=cwd, env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo's, of dictionaries
@pytest.mark.parametrize("players", [2, 3])
def test_it_conforms(players: int) -> None:
    door = registry.door(GAME)
    check_batch_game(door.batch_game, rules={"num_players": players}, places=4)
    check_parallel_env(lambda: door.parallel_env(num_players=players))
    parallel_api_test(door.parallel_env(num_players=players), num_cycles=20)
    api_test(door.env(num_players=players), num_cycles=20)


def test_gymnasium_makes_it() -> None:
    env = gymnasium.make(f"kododo_env:{registry.door(GAME).GYMNASIUM_ID}", num_players=3)
    check_env(env.unwrapped)


def test_its_scripted_players_are_found_beside_its_door() -> None:
    assert baselines(GAME) == ("random", "thrifty")
    thrifty = make_agent("thrifty", GAME)
    assert Match(thrifty, "random", GAME, 3, 12_000).play().share.low > 1 / 3


def test_train_export_load_and_evaluate(tmp_path: Path) -> None:
    said = script("train.py", "--players", "3", *SHORT, "--run-dir", "run", cwd=tmp_path)
    assert "thrifty" in said
    policy = kododo_env.load(tmp_path / "run" / "policy.onnx")
    view = registry.batch_game(GAME, 5, seed=0, num_players=3).view(1)
    chosen = policy.act(view, np.random.default_rng(0))
    assert np.take_along_axis(view.legal_action_mask, chosen[:, None], axis=1).all()
    table = script(
        "evaluate.py", "--players", "3", "--agents", "random", "run/policy.onnx",
        "--games", "300", "--workers", "1", "--json", "table.json", cwd=tmp_path,
    )  # fmt: skip
    assert re.search(r"^ *\d* *(run/)?policy", table, re.MULTILINE)
    assert json.loads((tmp_path / "table.json").read_text())
