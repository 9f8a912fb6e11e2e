"""The pictures of the games with a planted fault: plain ones, and what some games reveal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.rendering import plain_picture


def text(game: Any, index: int, player: int | None, names: Sequence[str]) -> str:
    secret = game.secret(index) if hasattr(game, "secret") else ""
    return plain_picture.text(game, index, player, names) + secret


def svg(game: Any, index: int, player: int | None, names: Sequence[str]) -> str:
    viewer = None if getattr(game, "draws_all", False) else player
    return plain_picture.svg(game, index, viewer, names)
