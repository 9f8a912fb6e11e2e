"""The types that users' editors see: mistakes are reported, and correct code passes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import kododo_env

ROOT = Path(__file__).parents[2]
PROGRAM = """
import numpy as np

import kododo_env
from kododo_env import combi_combo_v0, kado_v0, kododo_v0
from kododo_env.core import BatchGame
from kododo_env.wrappers import SingleSeatEnv

agent: kododo_env.agent_registry.Agent = kododo_env.load("kododo-4p")  # wrong: not imported
bot = kododo_env.load("kododo-4p")
kododo_env.lod("kododo-4p")  # wrong
bot.axt  # wrong

kododo_v0.parallel_env(4, "long", reward="margin", render_mode="human", num_colours=3)
kododo_v0.parallel_env(reward=lambda game: game.rewards, opponents=["heuristic", bot, None])
kododo_v0.env(variant="longer")  # wrong
kododo_v0.env(reward="glory")  # wrong
kododo_v0.env(render_mode="rgb")  # wrong
kododo_v0.env(illegal_action="ignore")  # wrong
kododo_v0.env(action_mask="nowhere")  # wrong
kododo_v0.env(num_colors=3)  # wrong
kododo_v0.env(max_cycles="3")  # wrong
kado_v0.batch_game(8, variant="long")  # wrong
combi_combo_v0.batch_game("8")  # wrong

game: BatchGame = kododo_v0.batch_game(8, seed=1)
chosen = bot.act(game.view(0), np.random.default_rng(0))
bot.act(game, np.random.default_rng(0))  # wrong: a view is asked for
SingleSeatEnv(game, seat=1, illegal_action="raise")
SingleSeatEnv(game, autoreset_mode="NextStep")  # wrong
"""


def test_a_type_checker_finds_the_planted_mistakes_and_no_others(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = subprocess.run(  # strict, with the cache of `make types`
        [sys.executable, "-m", "mypy", str(program)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    error_lines = {int(line) for line in re.findall(r"program\.py:(\d+): error", done.stdout)}
    lines = enumerate(PROGRAM.splitlines(), start=1)
    assert error_lines == {number for number, line in lines if "# wrong" in line}, done.stdout


def test_an_editor_sees_what_can_be_written_after_the_dot() -> None:
    assert {"load", "make_agent", "kododo_v0", "wrappers", "__version__"} <= {*dir(kododo_env)}
