"""``render`` in every dialect: one game as text or as pixels."""

from __future__ import annotations

from typing import Any

from gymnasium import logger

from kododo_env.core.arrays import Array
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of
from kododo_env.rendering.pixels import RenderingUnavailable, check_libraries, pixels

RENDER_MODES = ("ansi", "rgb_array")


def drawing_metadata() -> dict[str, Any]:
    """The part of an environment's metadata on pictures: the modes that can be drawn here.

    Pixels need the libraries of the extra ``[render]``.
    """
    modes = list(RENDER_MODES)
    try:
        check_libraries()
    except RenderingUnavailable:
        modes.remove("rgb_array")
    return {"render_modes": modes, "render_fps": 1}


def check_render_mode(render_mode: str | None) -> None:
    """Refuse a mode that cannot be drawn.

    Raises:
        ValueError: There is no such mode.
        RenderingUnavailable: Pixels need a library that is not installed.
    """
    if render_mode is not None and not is_one_of(render_mode, RENDER_MODES):
        choices = ", ".join(map(repr, RENDER_MODES))
        raise ValueError(f"unknown render_mode {shown(render_mode)}; choose one of None, {choices}")
    if render_mode == "rgb_array":
        check_libraries()


def draw(
    game: BatchGame, render_mode: str | None, index: int = 0, player: int | None = None
) -> str | Array | None:
    """One game of a batch as a player sees it, as text or as uint8 pixels (H, W, 3).

    Without a render mode it is None, with a warning; without a player everything is shown.
    """
    if render_mode is None:
        logger.warn("render() draws nothing: the environment was made without a render_mode")
        return None
    if render_mode == "ansi":
        return game.text(index, player)
    return pixels(game.svg(index, player))
