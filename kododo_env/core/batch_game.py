"""The base class of a batch game: many games of the same kind, all at the same turn."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array, Bool, Float32, Float64, Int16, Intp, Uint8
from kododo_env.arrays.rows import all_true, any_true, games_last, read_only
from kododo_env.checks.numbers import quote, whole_number, whole_seed
from kododo_env.core.copies import GameCopies
from kododo_env.core.deck import check_decks, shuffled_decks
from kododo_env.core.legality import IllegalAction as IllegalAction
from kododo_env.core.legality import legal_actions, same_for_all, shared_row
from kododo_env.core.state import BatchState
from kododo_env.core.view import View
from kododo_env.layouts.actions import ActionLayout
from kododo_env.layouts.observation import Knowledge, ObservationLayout, gathered, numbered

GAMES_FIRST = [(ndim - 1, *range(ndim - 1)) for ndim in range(8)]  # axis orders, by ndim


class BatchGame(GameCopies, ABC):
    """A batch of games, all at the same turn.

    Shapes are written (N, P, ...): N = ``num_envs`` games, P = ``num_players`` players.
    In memory the game axis is the last and fastest, so that every numpy call runs over
    contiguous games; methods return transposed, read-only views.

    A batch and its views are not thread-safe: use one batch per thread. Threads with separate
    batches may share agents.

    A new game implements the abstract methods and sets ``_state_type`` to the dataclass of its
    state. It declares optional abilities by its base classes (``core.capabilities``).

    Args:
        num_envs: N, at least 1.
        rules: The game's frozen dataclass of rules.
        layout: The pieces of an observation.
        actions: The meaning of the action numbers.
        cards: The cards of one deck, each a number from 0 to 255, shape (D,).
        seed: Seed of the batch's own generator.
        max_deals: The maximum number of deals in a game; ``reset`` accepts as many decks per game.

    Attributes:
        name: The game's name in the registry.
        version: Increases with any change of rules, observation, action or reward.
        no_op: The only legal action of a player who has nothing to decide.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    no_op: int
    _state_type: ClassVar[type[BatchState]]

    def __init__(
        self,
        num_envs: int,
        rules: Any,
        layout: ObservationLayout,
        actions: ActionLayout,
        cards: Array,
        seed: int | None,
        max_deals: int = 1,
    ) -> None:
        self.num_envs = whole_number(num_envs, "num_envs", 1)
        self.num_players: int = rules.num_players
        self.num_actions = actions.size
        self.rules = rules
        self.layout = layout
        self.actions = actions
        if cards.min() < 0 or cards.max() > 255:
            raise ValueError(f"cards must be 0 to 255, not {cards.min()} to {cards.max()}")
        self.cards: Uint8 = cards.astype(np.uint8)
        self.cards.flags.writeable = False
        self._max_deals = max_deals
        self._clock = 0
        self._masked: tuple[int, Array] | None = None  # clock, mask
        self._observed: tuple[int, Array] | None = None  # clock, observations that views share
        self._source_rows: Intp | None = None
        self.reset(seed)

    # --- starting ---------------------------------------------------------------------

    def reset(self, seed: int | None = None, decks: npt.ArrayLike | None = None) -> None:
        """Deal every game again.

        Args:
            seed: An integer of at least 0 that seeds the batch's generator; None continues with
                the current generator (at first one from fresh entropy).
            decks: The exact order of the cards, shape (N, D); None shuffles. Each game
                documents how cards are dealt and drawn from a deck.

        Raises:
            ValueError: ``seed`` is not an integer of at least 0, or ``decks`` has the wrong shape
                or other cards than this game; nothing is changed.
        """
        seed = whole_seed(seed)
        checked_decks = None
        if decks is not None:
            checked_decks = check_decks(
                decks, self.cards, self.num_envs, self.name, self._max_deals
            )
        if seed is not None or not hasattr(self, "rng"):
            self.rng = np.random.default_rng(seed)
        if checked_decks is None:
            checked_decks = shuffled_decks(self.cards, self.num_envs, self.rng)[:, None]
        self._state = self._state_type.blank(self.rules, self.num_envs)
        self._start(games_last(checked_decks))
        self._clock += 1

    def fresh(self, num_envs: int, seed: int | None = None) -> Self:
        """Return a new batch of ``num_envs`` games with the same rules."""
        return type(self)(num_envs, self.rules, seed)  # type: ignore[call-arg, arg-type]

    def sample_decks(self, num: int, rng: np.random.Generator) -> Uint8:
        """Return shuffled decks that ``reset(decks=...)`` accepts.

        Args:
            num: The number of decks, at least 1.
            rng: The source of randomness; the batch's own generator is not used.

        Returns:
            Shape (num, D).
        """
        return shuffled_decks(self.cards, whole_number(num, "num", 1), rng)

    def restart_finished(self) -> Bool:
        """Deal all games again if all are finished; a game may also allow it at other times.

        Returns:
            Shape (N,): which games were dealt again.
        """
        if not self._state.terminated.all():
            return np.zeros(self.num_envs, np.bool_)
        self.reset()
        return np.ones(self.num_envs, np.bool_)

    # --- playing ----------------------------------------------------------------------

    def legal_action_mask(self) -> Bool:
        """Return the legal actions of each player: shape (N, P, A), True = legal.

        Every player has at least one legal action; a player with nothing to decide has only the
        no-op. The array is read-only and stays the same object for the whole turn.
        """
        if self._masked is None or self._masked[0] != self._clock:
            self._masked = None  # freed first: it may be the largest array of a batch
            self._masked = self._clock, self._with_idle(self._mask())
        return self._masked[1]

    def _with_idle(self, mask: Bool) -> Bool:
        """Return the mask of all games, (N, P, A): in finished games only the no-op is legal."""
        over = self._state.terminated
        actions = self.num_actions
        if any_true(over):
            shape = (self.num_players, actions, self.num_envs)
            idle = np.arange(actions) == self.no_op
            mask = np.broadcast_to(mask if mask.ndim == 3 else mask[:, None], shape)
            mask = np.where(over, idle[:, None], mask)
        if mask.ndim == 3:
            return self._games_first(read_only(mask))
        return same_for_all(read_only(mask), (self.num_envs, self.num_players, actions))

    def deciding(self) -> Bool:
        """Return which players have more than one legal action now, shape (N, P)."""
        mask = self.legal_action_mask()
        if (row := shared_row(mask)) is not None:
            return np.full(mask.shape[:2], np.count_nonzero(row) > 1)
        number = np.min_scalar_type(self.num_actions)
        return np.asarray(np.add.reduce(mask.view(np.uint8), axis=2, dtype=number) > 1)

    def step(self, actions: npt.ArrayLike) -> None:
        """Play the actions of all players at once. Finished games do not change.

        Args:
            actions: Action numbers, shape (N, P), any integer dtype.

        Raises:
            ValueError: Wrong shape or dtype, or an illegal action (IllegalAction); nothing is
                changed.
        """
        mask = self.legal_action_mask()
        state = self._state
        chosen = legal_actions(actions, mask, self.name, self.actions.describe)
        state.rewards = np.zeros((self.num_players, self.num_envs), np.float32)
        before = state.terminated
        going_on = not all_true(before)  # if all games are over, nothing is played
        state.terminated = before.copy()
        if not any_true(before):
            self._advance(chosen)
        elif going_on:
            with state.unchanged(before):  # finished games stay
                self._advance(chosen)
        state.just = state.terminated ^ before
        if going_on:
            state.steps_played += 1
        self._clock += 1

    # --- looking ----------------------------------------------------------------------

    def observe(self, out: Array | None = None, seats: Sequence[int] | None = None) -> Array:
        """Return the observation of each player; see ``layout``.

        Args:
            out: An array of shape (N, S, F) to fill, of any dtype that can hold the
                numbers; None creates a new one of ``layout.dtype``.
            seats: S players to observe; None for all P, in order.

        Returns:
            Shape (N, S, F): ``out``, or a new array.

        Raises:
            ValueError: ``out`` has the wrong shape, or a seat does not exist.
        """
        players = None if seats is None else [self._seat(seat) for seat in seats]
        if out is None:
            return self._observation(None, players).transpose(2, 0, 1)
        places = self.num_players if players is None else len(players)
        shape = (self.num_envs, places, self.layout.size)
        if (out_shape := _shape_of(out)) != shape:
            raise ValueError(f"out must be an array of shape {shape}, not {out_shape}")
        self._observation(out.transpose(1, 2, 0), players)
        return out

    @property
    def steps_played(self) -> int:
        """The number of steps since the deal in which at least one game was running."""
        return self._state.steps_played

    @property
    def just_dealt(self) -> Bool:
        """Which games have not been stepped since their deal, shape (N,).

        They are all equal here; a subclass that deals single games again overrides this.
        """
        return np.full(self.num_envs, self.steps_played == 0)

    @property
    def decks(self) -> Uint8:
        """The order of the cards in the current deal, as ``reset`` takes it; shape (N, D)."""
        dealt: Uint8 = self._state.arrays()["deck"][: len(self.cards)]
        return self._games_first(dealt)

    @property
    def deal_index(self) -> Int16:
        """The number of deals before the current one in each game, shape (N,)."""
        return np.zeros(self.num_envs, np.int16)

    @property
    def rewards(self) -> Float32:
        """Points scored by the last step, shape (N, P)."""
        return self._games_first(self._state.rewards)

    @property
    def scores(self) -> Int16:
        """Points so far, shape (N, P)."""
        return self._games_first(self._state.scores)

    @property
    def terminated(self) -> Bool:
        """Which games are over, shape (N,)."""
        return self._games_first(self._state.terminated)

    @property
    def just_terminated(self) -> Bool:
        """Which games ended in the last step, shape (N,)."""
        return self._games_first(self._state.just)

    def outcome(self) -> Float64:
        """Return each player's win share, shape (N, P); 1/k for each of k winners, otherwise 0.

        Where a game is not ``terminated``, it is the outcome if the game ended now.
        """
        leading = np.ones((self.num_players, self.num_envs), np.bool_)
        for key in self._standing():
            # A player who no longer leads gets the key's minimum, which is never above the best.
            best = np.where(leading, key, key.min(axis=0)).max(axis=0)
            leading &= key == best
        return (leading / leading.sum(axis=0)).T

    def view(self, player: int) -> View:
        """Return a player's view of the games, valid until the next step.

        Raises:
            ValueError: There is no such player.
        """
        return self._view(self._seat(player))

    def _seat(self, player: Any) -> int:
        """Return the number of a player, checked."""
        return whole_number(player, "player", 0, self.num_players - 1)

    def _view(self, player: int) -> View:
        return View(self, player)

    def _observation_of(self, player: int) -> Array:
        """Return a player's observation, (N, F), read-only.

        The observations of all players are computed once per turn.
        """
        if self._observed is None or self._observed[0] != self._clock:
            self._observed = self._clock, read_only(self._observation())
        return self._observed[1][player].T

    @staticmethod
    def _games_first(array: Array) -> Array:
        """Return a read-only view (N, ...) of a state array (..., N)."""
        return read_only(array.transpose(GAMES_FIRST[array.ndim]))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} num_envs={self.num_envs} {self.rules}>"

    # --- implemented by each game -------------------------------------------------------

    @abstractmethod
    def _start(self, decks: Uint8) -> None:
        """Deal the first turn into a blank state; ``decks`` is (K, D, N), K >= 1 deals."""

    @abstractmethod
    def _mask(self) -> Bool:
        """Return the legal actions of the running games: (P, A, N), or (A,) if all are equal."""

    @abstractmethod
    def _advance(self, chosen: Array) -> None:
        """Play one step with legal actions (P, N).

        Write the state's ``rewards``, add to ``scores`` and set ``terminated``. Finished games
        receive no-ops; changes to these games are reverted afterwards.
        """

    def _observation(self, out: Array | None = None, seats: list[int] | None = None) -> Array:
        """Return the observations of S players, (S, F, N).

        Args:
            out: An array to fill, in any memory order and of any dtype that can hold the numbers;
                None creates a new one.
            seats: The players; None for all.
        """
        knowledge = self._knowledge()
        rows = self._rows(knowledge)
        if seats is not None:
            rows = rows[seats]
        return gathered(knowledge, rows, self.layout.dtype, out)

    @abstractmethod
    def _knowledge(self) -> Knowledge:
        """Return what the players know: for each piece of the observation an array.

        An array (P, \\*piece.shape, N) has what each player sees, and an array (\\*piece.shape, N)
        what all players see; see ``ObservationLayout.rows``.
        """

    def _rows(self, knowledge: Knowledge) -> Intp:
        """Return the row of the knowledge that each number of an observation comes from, (P, F).

        A game whose arrays are not exactly the pieces of the observation overrides this.
        """
        if self._source_rows is None:
            self._source_rows = self.layout.rows(numbered(knowledge), self.num_players)
        return self._source_rows

    def _standing(self) -> tuple[Array, ...]:
        """Return the keys that decide the victory, (P, N) each, most important first.

        Higher is better. A game with tie-breaks overrides this method.
        """
        return (self._state.scores,)


def _shape_of(array: Any) -> Any:
    """The shape, or a repr if ``array`` is not a numpy array."""
    return array.shape if isinstance(array, np.ndarray) else quote(array)
