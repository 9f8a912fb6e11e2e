"""One player's knowledge of a batch of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int64
from kododo_env.arrays.rows import read_only
from kododo_env.core.capabilities import UndoSupport
from kododo_env.core.legality import same_for_all, shared_row

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame
    from kododo_env.layouts.actions import ActionLayout
    from kododo_env.layouts.observation import ObservationLayout


def own_copy(array: Array) -> Array:
    """Return a read-only copy of an array in the same memory order, whose ``base`` is None."""
    if array.dtype == np.bool_ and (row := shared_row(array)) is not None:
        return same_for_all(read_only(row.copy()), array.shape)
    return read_only(array.copy("K"))


class View:
    """One player's knowledge in each of N games. Agents get a view, never the game.

    A view is valid until the next step of its game; after that it raises RuntimeError.
    Its arrays are copies, made on first access, so that neither they nor their ``base`` arrays
    contain anything that the player does not know. A view cannot be copied or pickled. A game may
    add public facts in a subclass.

    Args:
        game: The batch.
        player: The seat of the player.
    """

    def __init__(self, game: BatchGame, player: int) -> None:
        self._game = game
        self._clock = game._clock
        self.player = player
        self._copies: dict[str, Array] = {}

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a view cannot be copied or pickled; keep its arrays instead")

    def __repr__(self) -> str:
        player = getattr(self, "players", self.player)
        return f"<{type(self).__name__} of player {player} in {self._game!r}>"

    def _current(self) -> BatchGame:
        if self._game._clock != self._clock:
            raise RuntimeError("this view belongs to an earlier turn; call game.view() again")
        return self._game

    def _cached_copy(self, name: str, read: Callable[[], Array]) -> Array:
        """Return the player's copy of an array of the game, made once."""
        self._current()
        if name not in self._copies:
            self._copies[name] = own_copy(read())
        return self._copies[name]

    @property
    def game_name(self) -> str:
        """The name of the game in the registry."""
        return self._game.name

    @property
    def game_version(self) -> int:
        """The game's version, which increases with any change that affects policies."""
        return self._game.version

    @property
    def rules(self) -> Any:
        """The frozen dataclass of the game's rules."""
        return self._game.rules

    @property
    def layout(self) -> ObservationLayout:
        """The pieces of the observation."""
        return self._game.layout

    @property
    def actions(self) -> ActionLayout:
        """The blocks of the actions."""
        return self._game.actions

    @property
    def num_envs(self) -> int:
        """N, the number of games."""
        return self._game.num_envs

    @property
    def num_players(self) -> int:
        """P, the number of players of each game."""
        return self._game.num_players

    @property
    def num_actions(self) -> int:
        """A, the number of actions."""
        return self._game.num_actions

    @property
    def steps_played(self) -> int:
        """The number of steps since the deal in which at least one game was running."""
        return self._current().steps_played

    @property
    def just_dealt(self) -> Bool:
        """Which games have not been stepped since their deal, shape (N,), read-only."""
        return self._cached_copy("just_dealt", lambda: self._game.just_dealt)

    @property
    def undoable_steps(self) -> int:
        """The number of steps that the games returned by ``determinize`` can undo."""
        game = self._current()
        return game.undoable_steps if isinstance(game, UndoSupport) else 0

    @property
    def observation(self) -> Array:
        """The player's observation, shape (N, F), ``layout.dtype``, read-only."""
        return self._cached_copy("observation", lambda: self._game._observation_of(self.player))

    @property
    def legal_action_mask(self) -> Bool:
        """The mask of legal actions, True = legal, shape (N, A), read-only."""
        return self._cached_copy("mask", lambda: self._game.legal_action_mask()[:, self.player])

    @property
    def pieces(self) -> dict[str, Array]:
        """The observation's pieces by name, each of shape (N, \\*piece.shape)."""
        self._current()
        return self._pieces

    @cached_property
    def _pieces(self) -> dict[str, Array]:
        return self.layout.views(self.observation)

    @property
    def scores(self) -> Array:
        """The points of all players so far, shape (N, P), read-only."""
        return self._cached_copy("scores", lambda: self._game.scores)

    @property
    def rewards(self) -> Array:
        """The points that each player scored in the last step, shape (N, P), read-only."""
        return self._cached_copy("rewards", lambda: self._game.rewards)

    def determinize(self, rng: np.random.Generator, samples: int) -> BatchGame:
        """Return possible games, sampled given all that the player knows.

        Args:
            rng: The source of randomness.
            samples: The number of samples of each game.

        Returns:
            A batch of N * samples games; the samples of game i start at index i * samples.
            Hidden cards are dealt uniformly among all possibilities.
        """
        return self._current().determinize(self.player, rng, samples)


class JoinedView(View):
    """Several seats of N games as one view of V * N rows, seat by seat: see ``RowAgent``.

    It has only observations and masks; use a seat's own view for cards or determinizations.

    Args:
        game: The batch.
        players: The V seats.
        games: For each seat an array of the indices of its games; None for all games. The view
            has a row for each game of each seat.
    """

    def __init__(
        self, game: BatchGame, players: Sequence[int], games: Sequence[Int64] | None = None
    ) -> None:
        super().__init__(game, players[0])
        self.players = players
        self._games = games
        lengths = [game.num_envs] * len(players) if games is None else map(len, games)
        self._rows = sum(lengths)

    @property
    def num_envs(self) -> int:
        """The number of rows; V * N if ``games`` is None."""
        return self._rows

    @property
    def observation(self) -> Array:
        """The players' observations, shape (V * N, F), ``layout.dtype``, read-only."""
        return self._cached_copy("observation", lambda: self._joined(self._game._observation_of))

    @property
    def legal_action_mask(self) -> Bool:
        """The mask of legal actions, True = legal, shape (V * N, A), read-only."""
        mask = self._game.legal_action_mask()
        if (row := shared_row(mask)) is not None:
            return self._cached_copy("mask", lambda: same_for_all(row, (self.num_envs, len(row))))
        return self._cached_copy("mask", lambda: self._joined(lambda player: mask[:, player]))

    def _joined(self, rows_of: Callable[[int], Array]) -> Array:
        """Concatenate the rows of all players, given a function that returns (N, ...) for each."""
        parts = [rows_of(player) for player in self.players]
        if self._games is not None:
            parts = [part[games] for part, games in zip(parts, self._games, strict=True)]
        return np.concatenate(parts)

    def determinize(self, rng: np.random.Generator, samples: int) -> BatchGame:
        """Raise TypeError: a joined view cannot be determinized."""
        raise TypeError("only the view of one player can be determinized")


def game_of(view: View) -> BatchGame:
    """Return the game of a view, for words and pictures, which contain only the view's knowledge.

    Raises:
        RuntimeError: The view belongs to an earlier turn.
    """
    return view._current()


def own_facts(view: View) -> dict[str, Any]:
    """Return the public facts that a game adds to its view: arrays (N, ...) or numbers by name."""
    return {name: getattr(view, name) for name in _names_of_facts(type(view).__mro__)}


@cache
def _names_of_facts(kinds: tuple[type, ...]) -> tuple[str, ...]:
    """The names of these facts, given the view's classes."""
    return tuple(
        name
        for kind in kinds[: kinds.index(View)]
        for name, fact in sorted(vars(kind).items())
        if isinstance(fact, property) and not name.startswith("_")
    )
