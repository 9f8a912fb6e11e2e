"""The words and pictures of a batch: its actions in words, its games as text and pictures."""

from __future__ import annotations

from abc import abstractmethod
from importlib.resources import files
from typing import Any, ClassVar

from kododo_env.core.arrays import Bool
from kododo_env.core.numbers import whole_number


class Told:
    """The words and pictures of a ``BatchGame``."""

    name: ClassVar[str]
    num_actions: int
    num_envs: int
    num_players: int
    _render: Any  # a module of the game's folder with the functions ``text`` and ``svg``

    @abstractmethod
    def legal_action_mask(self) -> Bool:
        """The legal actions of each player, (N, P, A)."""

    def rules_text(self) -> str:
        """The rules of the game in words, as Markdown: ``rules.md`` beside the game's class.

        Raises:
            ValueError: The game has none.
        """
        package = type(self).__module__.rpartition(".")[0]
        page = files(package or __package__) / "rules.md"  # our own folder has none
        if not page.is_file():
            raise ValueError(f"{self.name} has no rules.md that tells its rules")
        return page.read_text("utf-8")

    def describe_action(self, action: int) -> str:
        """The meaning of an action, in words.

        Raises:
            ValueError: There is no such action.
        """
        return self._describe(whole_number(action, "action", 0, self.num_actions - 1))

    def describe_choice(self, action: int, player: int, index: int = 0) -> str:
        """The meaning of an action to a player here and now, in words, cards by their names.

        No more than the player knows; as ``describe_action`` says it, if it is not legal now.

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
        """One game as text, without colour codes; ``player`` hides what that player cannot see.

        Raises:
            ValueError: There is no such game, or no such player.
        """
        return self._text(*self._looked_at(index, player))

    def svg(self, index: int = 0, player: int | None = None) -> str:
        """One game as an SVG document, without what ``player`` cannot see; None sees everything.

        Raises:
            ValueError: There is no such game, or no such player.
        """
        return self._svg(*self._looked_at(index, player))

    def _looked_at(self, index: Any, player: Any) -> tuple[int, int | None]:
        """Which game is drawn for whom, checked."""
        seat = player
        if player is not None:
            seat = whole_number(player, "player", 0, self.num_players - 1)
        return whole_number(index, "index", 0, self.num_envs - 1), seat

    # --- what a game supplies -----------------------------------------------------------

    @abstractmethod
    def _describe(self, action: int) -> str:
        """The meaning of an action, in words; there is such an action."""

    def _describe_here(self, action: int, player: int, index: int) -> str | None:
        """A legal action by the names of its cards; None where ``_describe`` says it all."""
        return None

    def _text(self, index: int, player: int | None) -> str:
        """See ``text``; there are such a game and player."""
        text: str = self._render.text(self, index, player)
        return text

    def _svg(self, index: int, player: int | None) -> str:
        """See ``svg``; there are such a game and player."""
        svg: str = self._render.svg(self, index, player)
        return svg
