"""A game as text and as an SVG document."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

from kododo_env.checks.numbers import whole_number
from kododo_env.core.batch_game import BatchGame
from kododo_env.rendering import plain_picture
from kododo_env.rendering.game_words import checked_seat, names_of

LONGEST_NAME = 8
"""The number of letters of a display name that fit into a picture."""


class Picture:
    """Pictures of a batch of games; see ``registry.picture_of``.

    Args:
        game: The batch.
        module: The module that draws the game; what it lacks is taken from ``plain_picture``.
        reader: The only player whose knowledge may be drawn; None allows all players.
    """

    def __init__(self, game: BatchGame, module: ModuleType, reader: int | None = None) -> None:
        self._game = game
        self._module = module
        self._reader = reader

    def text(
        self, index: int = 0, player: int | None = None, names: Sequence[str] | None = None
    ) -> str:
        """Return one game as text, without colour codes.

        Args:
            index: The index of the game.
            player: The player whose knowledge is shown; None shows everything, or what the reader
                knows.
            names: The players' names by seat, shortened to 8 letters; None names them
                ``player_0``, ``player_1``, ...

        Raises:
            ValueError: There is no such game or player.
        """
        return self._drawn("text", index, player, names)

    def svg(
        self, index: int = 0, player: int | None = None, names: Sequence[str] | None = None
    ) -> str:
        """Return one game as an SVG document; for the arguments and errors see ``text``."""
        return self._drawn("svg", index, player, names)

    def _drawn(self, form: str, index: Any, player: Any, names: Sequence[str] | None) -> str:
        game = self._game
        viewer = self._reader if player is None else checked_seat(game, player, self._reader)
        row = whole_number(index, "index", 0, game.num_envs - 1)
        draw = getattr(self._module, form, getattr(plain_picture, form))
        labels = [_shortened(name) for name in names_of(game, names)]
        return draw(game, row, viewer, labels)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
