"""A game as text and as an SVG document."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.rendering import plain_picture
from kododo_env.rendering.game_words import Description, names_of
from kododo_env.rendering.scene import Scene

LONGEST_NAME = 8
"""The number of letters of a display name that fit into a picture."""


class Picture(Description):
    """Pictures of a batch of games; see ``registry.picture_of``."""

    plain = plain_picture

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

    def scene(
        self, index: int = 0, player: int | None = None, names: Sequence[str] | None = None
    ) -> Scene:
        """Return one game as data, with whole names; for the arguments and errors see ``text``."""
        viewer = self._reader if player is None else self._seat(player)
        all_names = names_of(self._game, names)
        return self._part("scene")(self._game, self._row(index), viewer, all_names)

    def _drawn(self, form: str, index: Any, player: Any, names: Sequence[str] | None) -> str:
        viewer = self._reader if player is None else self._seat(player)
        labels = [_shortened(name) for name in names_of(self._game, names)]
        return self._part(form)(self._game, self._row(index), viewer, labels)


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
