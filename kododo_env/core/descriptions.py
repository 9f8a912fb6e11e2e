"""Descriptions and renderings of a batch: actions in words, games as text and pictures."""

from __future__ import annotations

from abc import abstractmethod
from importlib.resources import files
from typing import Any, ClassVar

from kododo_env.core.arrays import Bool
from kododo_env.core.numbers import whole_number


class Descriptions:
    """The methods of a ``BatchGame`` that describe and render its games."""

    name: ClassVar[str]
    num_actions: int
    num_envs: int
    num_players: int
    _render: Any  # a module of the game's folder with the functions ``text`` and ``svg``

    @abstractmethod
    def legal_action_mask(self) -> Bool:
        """Return the legal actions of each player, shape (N, P, A), True = legal."""

    def rules_text(self) -> str:
        """Return the rules of the game as Markdown: ``rules.md`` beside the game's class.

        Raises:
            ValueError: The game has no ``rules.md``.
        """
        package = type(self).__module__.rpartition(".")[0]
        page = files(package or __package__) / "rules.md"  # in the folder of the game's class
        if not page.is_file():
            raise ValueError(f"{self.name} has no rules.md")
        return page.read_text("utf-8")

    def describe_action(self, action: int) -> str:
        """Return the meaning of an action in words.

        Raises:
            ValueError: There is no such action.
        """
        return self._describe(whole_number(action, "action", 0, self.num_actions - 1))

    def describe_choice(self, action: int, player: int, index: int = 0) -> str:
        """Return the meaning of a player's action in the current position, with card names.

        Uses only what the player knows. An action that is not legal now is described as by
        ``describe_action``.

        Raises:
            ValueError: There is no such action, player or game.
        """
        words = self.describe_action(action)
        player = whole_number(player, "player", 0, self.num_players - 1)
        index = whole_number(index, "index", 0, self.num_envs - 1)
        if not self.legal_action_mask()[index, player, action]:
            return words
        return self._describe_here(action, player, index) or words

    def text(self, index: int = 0, player: int | None = None) -> str:
        """Return one game as text, without colour codes.

        Args:
            index: The index of the game.
            player: The player whose knowledge is shown; None shows everything.

        Raises:
            ValueError: There is no such game or player.
        """
        return self._text(*self._checked_indices(index, player))

    def svg(self, index: int = 0, player: int | None = None) -> str:
        """Return one game as an SVG document.

        Args:
            index: The index of the game.
            player: The player whose knowledge is shown; None shows everything.

        Raises:
            ValueError: There is no such game or player.
        """
        return self._svg(*self._checked_indices(index, player))

    def _checked_indices(self, index: Any, player: Any) -> tuple[int, int | None]:
        """Return the index of a game and a player, checked."""
        seat = player
        if player is not None:
            seat = whole_number(player, "player", 0, self.num_players - 1)
        return whole_number(index, "index", 0, self.num_envs - 1), seat

    # --- implemented by each game -------------------------------------------------------

    @abstractmethod
    def _describe(self, action: int) -> str:
        """Return the meaning of an action, which exists, in words."""

    def _describe_here(self, action: int, player: int, index: int) -> str | None:
        """Return a legal action with card names, or None if ``_describe`` is sufficient."""
        return None

    def _text(self, index: int, player: int | None) -> str:
        """Render as ``text`` does, with arguments already checked."""
        text: str = self._render.text(self, index, player)
        return text

    def _svg(self, index: int, player: int | None) -> str:
        """Render as ``svg`` does, with arguments already checked."""
        svg: str = self._render.svg(self, index, player)
        return svg
