"""Draws the pictures of the documentation: ``python docs/make_images.py``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from agents.training.learning_curve import draw_learning_curve
from kododo_env import kododo_v0
from kododo_env.agent_registry import POLICIES
from kododo_env.core.agent import RandomAgent, joint_action
from kododo_env.rendering.pixels import png

IMAGES = Path(__file__).parent / "images"
POLICY = "kododo-4p"
CURVE = "curve"  # the picture's text that says what is drawn


def kododo_table() -> str:
    """A game of four in its fourth round, as player_0 sees it."""
    game = kododo_v0.batch_game(1, num_players=4, seed=1155)
    agents, rng = [RandomAgent()] * 4, np.random.default_rng(1155)
    for _ in range(3 * game.rules.num_turns + 2):
        game.step(joint_action(agents, game, rng))
    return game.svg(player=0)


def curve() -> list[dict[str, Any]]:
    """How the policy fared while it learned, from what its card is made of."""
    found: list[dict[str, Any]] = json.loads((POLICIES / f"{POLICY}.json").read_text())["training"][
        "curve"
    ]
    return found


def draw_curve(path: Path) -> None:
    """Draw it, and write into the file what is drawn."""
    draw_learning_curve(path, curve(), 4, f"{POLICY} while it learned")
    said = PngInfo()
    said.add_text(CURVE, json.dumps(curve()))
    with Image.open(path) as picture:
        picture.save(path, pnginfo=said, optimize=True)


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    (IMAGES / "kododo_table.png").write_bytes(png(kododo_table()))
    draw_curve(IMAGES / "learning_curve.png")
