"""How many names a game and its views have, and what a user who only trains imports."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kododo_env import registry
from tests.game_tables import GAMES

MOST_NAMES = {"kododo": (45, 22), "combi_combo": (41, 19), "kado": (55, 18)}
TRAINING = """
import sys
import kododo_env
from kododo_env import gymnasium_ids, kado_v0, kododo_v0
from kododo_env.arena.head_to_head import Match
import agents.training.trainer
env = kado_v0.env()
env.reset(seed=0)
kododo_v0.parallel_env().reset(seed=0)
Match("heuristic", "random", "kododo", 2, 40).play()
words = [name for name in sys.modules if name.startswith("kododo_env.") and (
    name.endswith(".text") or "rendering" in name)]
print(*words)
"""


@pytest.mark.parametrize("name", GAMES)
def test_a_game_and_its_view_have_few_public_names(name: str) -> None:
    game = registry.batch_game(name, 1, seed=0)
    numbers = [
        len([word for word in dir(thing) if not word.startswith("_")])
        for thing in (game, game.view(0))
    ]
    assert numbers <= list(MOST_NAMES[name])


def test_who_plays_without_pictures_imports_no_words() -> None:
    """``rendering.pixels`` says which render modes an environment has."""
    done = subprocess.run([sys.executable, "-c", TRAINING], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {"kododo_env.rendering", "kododo_env.rendering.pixels"}
