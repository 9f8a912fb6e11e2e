"""What ``render`` gives in every dialect: one game as text or as pixels."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from gymnasium import logger

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of
from kododo_env.rendering.pixels import pixels

RENDER_MODES = ("ansi", "rgb_array")


def check_render_mode(render_mode: str | None) -> None:
    """Raise ValueError for a mode that there is not."""
    if render_mode is not None and not is_one_of(render_mode, RENDER_MODES):
        choices = ", ".join(map(repr, RENDER_MODES))
        raise ValueError(f"unknown render_mode {shown(render_mode)}; choose one of None, {choices}")


def draw(
    game: BatchGame, render_mode: str | None, index: int = 0, player: int | None = None
) -> str | npt.NDArray[Any] | None:
    """One game of a batch as it stands.

    Args:
        game: The batch.
        render_mode: ``"ansi"`` for text, ``"rgb_array"`` for uint8 pixels (H, W, 3).
        index: Which game.
        player: Hides what this player cannot see; None shows everything.

    Returns:
        The picture; None, with a warning, if there is no render mode.
    """
    if render_mode is None:
        logger.warn("render() draws nothing: the environment was made without a render_mode")
        return None
    if render_mode == "ansi":
        return game.text(index, player)
    return pixels(game.svg(index, player))
