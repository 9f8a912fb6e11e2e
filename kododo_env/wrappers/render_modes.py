"""Render modes of all environments: one game as text or as pixels."""

from __future__ import annotations

from typing import Any, Literal, get_args

from gymnasium import logger

from kododo_env.arrays.dtypes import Array
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import is_one_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import picture_of
from kododo_env.rendering.pixels import RenderingUnavailable, check_libraries, pixels

PictureMode = Literal["ansi", "rgb_array"]
RenderMode = Literal["human"] | PictureMode


def drawing_metadata(batch: bool = False) -> dict[str, Any]:
    """Return the rendering part of an environment's metadata, with the modes available here.

    ``"rgb_array"`` needs the libraries of the extra ``[render]``.
    """
    modes = _modes(batch)
    try:
        check_libraries()
    except RenderingUnavailable:
        modes.remove("rgb_array")
    return {"render_modes": modes, "render_fps": 1}


def check_render_mode(render_mode: str | None, batch: bool = False) -> None:
    """Check a render mode.

    Args:
        render_mode: The mode, or None.
        batch: Whether the environment has several games, and so no ``"human"`` mode.

    Raises:
        ValueError: The mode is unknown.
        RenderingUnavailable: Pixels need a library that is not installed.
    """
    if render_mode is not None and not is_one_of(render_mode, _modes(batch)):
        choices = ", ".join(map(repr, _modes(batch)))
        raise ValueError(f"unknown render_mode {quote(render_mode)}; choose from None, {choices}")
    if render_mode == "rgb_array":
        check_libraries()


def _modes(batch: bool) -> list[str]:
    return [*([] if batch else ["human"]), *get_args(PictureMode)]


def draw(
    game: BatchGame, render_mode: str | None, index: int = 0, player: int | None = None
) -> str | Array | None:
    """Render one game of a batch.

    Args:
        game: The batch.
        render_mode: The mode, or None, which warns.
        index: The index of the game in the batch.
        player: The player whose knowledge is shown; None shows all hands.

    Returns:
        Text for ``"ansi"``, uint8 pixels (H, W, 3) for ``"rgb_array"``, else None; ``"human"``
        prints the text.
    """
    if render_mode is None:
        logger.warn("render() has no effect: the environment has no render_mode")
        return None
    if render_mode == "human":
        print(picture_of(game).text(index, player), end="\n\n", flush=True)
        return None
    if render_mode == "ansi":
        return picture_of(game).text(index, player)
    return pixels(picture_of(game).svg(index, player))
