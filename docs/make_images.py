"""Draws the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from kododo_env import kododo_v0
from kododo_env.core.agent import RandomAgent, joint_action
from kododo_env.rendering.pixels import png

IMAGES = Path(__file__).parent / "images"


def kododo_table() -> str:
    """A game of four in its fourth round, as player_0 sees it."""
    game = kododo_v0.batch_game(1, num_players=4, seed=1155)
    agents, rng = [RandomAgent()] * 4, np.random.default_rng(1155)
    for _ in range(3 * game.rules.num_turns + 2):
        game.step(joint_action(agents, game, rng))
    return game.svg(player=0)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "kododo_table.png").write_bytes(png(kododo_table()))
