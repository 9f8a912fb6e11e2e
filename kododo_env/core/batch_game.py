"""The contract of a batch game: many games of the same kind that play the same turn at once."""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator
from functools import cache
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout
from kododo_env.core.deck import check_decks, shuffled_decks
from kododo_env.core.numbers import shown, whole_indices, whole_number, whole_numbers, whole_seed
from kododo_env.core.observation import ObservationLayout
from kododo_env.core.rows import (
    ALL,
    all_true,
    any_true,
    blocks,
    column,
    games_last,
    into_any,
    numbers,
    read_only,
)
from kododo_env.core.state import BatchState, Invariant, generator_like
from kododo_env.core.view import View

Array = npt.NDArray[Any]
GAMES_FIRST = [(ndim - 1, *range(ndim - 1)) for ndim in range(8)]  # axes, by their number


class IllegalAction(ValueError):
    """An action that may not be played now."""


class BatchGame(ABC):
    """A batch of games, all at the same turn.

    Shapes are written (N, P, ...): N = ``num_envs`` games, P = ``num_players`` players.
    In memory the game axis is the last and fastest, so that every numpy call runs over
    contiguous games; what is handed out are transposed, read-only views.

    A batch and its views are one thread's: threads that step the same batch corrupt it. Threads
    with a batch each play as one thread does, and may share agents.

    A new game supplies the methods marked abstract and, as ``_state_type``, the dataclass of
    its state. What it can do besides it declares by its bases (``core.capabilities``).

    Args:
        num_envs: N, at least 1.
        rules: The game's frozen dataclass of rules.
        layout: What an observation holds.
        actions: What the action numbers mean.
        cards: The cards of one deck, shape (D,).
        seed: Seed of the batch's own generator.
        max_deals: How often a game may go through the deck: so many decks can be given to it.

    Attributes:
        name: The game's name in the registry.
        version: Goes up with any change of rules, observation, action or reward.
        no_op: The one legal action of a player who has nothing to decide.
    """

    name: ClassVar[str]
    version: ClassVar[int]
    no_op: int
    _state_type: ClassVar[type[BatchState]]
    _caches: ClassVar[tuple[str, ...]] = ("_masked", "_observed")  # None in every copy
    _state: BatchState

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
        self.cards: npt.NDArray[np.uint8] = cards.astype(np.uint8)
        self.cards.flags.writeable = False
        self._max_deals = max_deals
        self._clock = 0
        self._masked: tuple[int, Array] | None = None  # at which clock, the mask
        self._observed: tuple[int, Array] | None = None  # at which clock, what views share
        self.reset(seed)

    # --- starting ---------------------------------------------------------------------

    def reset(self, seed: int | None = None, decks: npt.ArrayLike | None = None) -> None:
        """Deal every game anew.

        Args:
            seed: A whole number from 0, starts the batch's generator anew; None lets it go
                on (the first time from fresh entropy).
            decks: The exact order of the cards, shape (N, D); None shuffles. How cards
                are dealt and drawn from a deck is documented with each game.

        Raises:
            ValueError: The seed is none, or the decks have the wrong shape or are not this
                game's; nothing is changed.
        """
        seed, given = whole_seed(seed), None
        if decks is not None:
            given = check_decks(decks, self.cards, self.num_envs, self.name, self._max_deals)
        if seed is not None or not hasattr(self, "rng"):
            self.rng = np.random.default_rng(seed)
        if given is None:
            given = shuffled_decks(self.cards, self.num_envs, self.rng)[:, None]
        self._state = self._state_type.blank(self.rules, self.num_envs)
        self._start(games_last(given))
        self._clock += 1

    def fresh(self, num_envs: int, seed: int | None = None) -> Self:
        """A new batch of the same rules."""
        return type(self)(num_envs, self.rules, seed)  # type: ignore[call-arg, arg-type]

    def sample_decks(self, num: int, rng: np.random.Generator) -> npt.NDArray[np.uint8]:
        """Shuffled decks that ``reset(decks=...)`` accepts.

        Args:
            num: How many, at least 1; to use them all, a batch of as many games.
            rng: The source of randomness; the batch's own is not touched.

        Returns:
            Shape (num, D).
        """
        return shuffled_decks(self.cards, whole_number(num, "num", 1), rng)

    def restart_finished(self) -> npt.NDArray[np.bool_]:
        """Deal finished games anew, where the schedule of the batch allows it now.

        Returns:
            Shape (N,): which games were started anew.
        """
        if not self._state.terminated.all():
            return np.zeros(self.num_envs, np.bool_)
        self.reset()
        return np.ones(self.num_envs, np.bool_)

    # --- playing ----------------------------------------------------------------------

    def legal_action_mask(self) -> npt.NDArray[np.bool_]:
        """What each player may do: shape (N, P, A), True = legal, never all False.

        A player with nothing to decide has exactly one legal action, the no-op.
        The array is read-only, and the same one whenever it is asked for in a turn.
        """
        if self._masked is None or self._masked[0] != self._clock:
            self._masked = self._clock, self._mask_shown()
        return self._masked[1]

    def _mask_shown(self) -> npt.NDArray[np.bool_]:
        """The mask of this turn as it is handed out."""
        return self._shown(read_only(self._mask_with_idle()))

    def _mask_with_idle(self) -> npt.NDArray[np.bool_]:
        """Legal actions of all games, (P, A, N): who is in none that runs has the no-op."""
        shape = (self.num_players, self.num_actions, self.num_envs)
        mask = self._mask()
        if mask.shape != shape:
            mask = np.broadcast_to(mask, shape)
        over = self._state.terminated
        if any_true(over):
            idle = np.arange(self.num_actions) == self.no_op
            mask = np.where(over, idle[:, None], mask)
        return mask

    def deciding(self) -> npt.NDArray[np.bool_]:
        """Which players have more than one legal action now, shape (N, P)."""
        choices = self.legal_action_mask().sum(axis=2, dtype=np.int16)
        return np.asarray(choices > 1)

    def step(self, actions: npt.ArrayLike) -> None:
        """Play everybody's choice at once. A finished game stays as it is.

        Args:
            actions: Action numbers, shape (N, P), any integer dtype.

        Raises:
            ValueError: Wrong shape or dtype, or an illegal action (IllegalAction); nothing is
                changed.
        """
        chosen, state = self._checked(actions), self._state
        state.rewards = np.zeros((self.num_players, self.num_envs), np.float32)
        before = state.terminated
        going_on = not all_true(before)  # when all are over, nothing is played
        state.terminated = before.copy()
        if not any_true(before):
            self._advance(chosen)
        elif going_on:
            with state.unchanged(before):  # the turn is the whole batch's
                self._advance(chosen)
        state.just = state.terminated ^ before
        state.steps_played += going_on
        self._clock += 1

    def _checked(self, actions: npt.ArrayLike) -> Array:
        """The actions feature-major, (P, N), after all checks."""
        given = whole_numbers(actions, f"actions of {self.name}")
        shape = (self.num_envs, self.num_players)
        if given.shape != shape:
            raise ValueError(f"actions of {self.name} must have the shape {shape}: {given.shape}")
        chosen = np.ascontiguousarray(given.T, np.intp)
        if not self._all_legal(chosen):
            raise IllegalAction(self._illegal_message(chosen, ~self._legal(chosen, ALL)))
        return chosen

    def _all_legal(self, chosen: Array) -> bool:
        """Whether the actions (P, N), any number being possible, are all legal."""
        if self.num_envs > 1:
            return all(
                all_true(self._legal(chosen[:, games], games)) for games in blocks(self.num_envs)
            )
        # With numpy's calls one game takes 3 times as long.
        legal, number = self.legal_action_mask()[0].tobytes(), self.num_actions
        for seat, action in enumerate(chosen[:, 0].tolist()):
            if not (0 <= action < number and legal[seat * number + action]):
                return False
        return True

    def _illegal_message(self, chosen: Array, wrong: npt.NDArray[np.bool_]) -> str:
        env, player = (int(i) for i in np.argwhere(wrong.T)[0])
        action = int(chosen[player, env])
        legal = np.flatnonzero(self.legal_action_mask()[env, player])
        what = self.describe_action(action) if 0 <= action < self.num_actions else "no such action"
        return (
            f"illegal action in {self.name}: game {env}, player {player}, action {action} "
            f"({what}); legal now: {', '.join(map(str, legal))}"
        )

    def _legal(self, chosen: Array, games: slice) -> npt.NDArray[np.bool_]:
        """Whether actions of some games are legal, any number being possible; shape (P, N)."""
        # np.clip and np.take_along_axis do the same; in a batch of one they take 3 times as long.
        known = np.minimum(np.maximum(chosen, 0), self.num_actions - 1)
        players = column(self.num_players, np.intp)
        picked = self.legal_action_mask()[games][numbers(chosen.shape[1]), players, known]
        return np.asarray(picked & (known == chosen))

    # --- what there is to see ---------------------------------------------------------

    def observe(self, out: Array | None = None) -> Array:
        """What each player knows, in numbers; see ``layout``.

        Args:
            out: An array of shape (N, P, F) to fill, of any dtype that can hold the
                numbers; None makes a fresh one of ``layout.dtype``.

        Returns:
            Shape (N, P, F): ``out``, or a fresh array.

        Raises:
            ValueError: ``out`` has the wrong shape.
        """
        shape = (self.num_envs, self.num_players, self.layout.size)
        if out is not None and getattr(out, "shape", None) != shape:
            given = getattr(out, "shape", shown(out))
            raise ValueError(f"out must be an array of the shape {shape}, not {given}")
        if out is None:
            return self._observation().transpose(2, 0, 1)
        self._observation(out.transpose(1, 2, 0))
        return out

    @property
    def steps_played(self) -> int:
        """Steps since the deal in which a game of the batch was going on."""
        return self._state.steps_played

    @property
    def decks(self) -> npt.NDArray[np.uint8]:
        """The order of the cards in the deal that is played, as ``reset`` takes it; (N, D)."""
        dealt: npt.NDArray[np.uint8] = self._state.arrays()["deck"][: len(self.cards)]
        return self._shown(dealt)

    @property
    def deal_index(self) -> npt.NDArray[np.int16]:
        """How many deals each game has been through before this one, shape (N,)."""
        return np.zeros(self.num_envs, np.int16)

    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """Points scored by the last step, shape (N, P)."""
        return self._shown(self._state.rewards)

    @property
    def scores(self) -> npt.NDArray[np.int16]:
        """Points so far, shape (N, P)."""
        return self._shown(self._state.scores)

    @property
    def terminated(self) -> npt.NDArray[np.bool_]:
        """Which games are over, shape (N,)."""
        return self._shown(self._state.terminated)

    @property
    def just_terminated(self) -> npt.NDArray[np.bool_]:
        """Which games the last step ended, shape (N,)."""
        return self._shown(self._state.just)

    def outcome(self) -> npt.NDArray[np.float64]:
        """Shares of the victory as things stand, shape (N, P), each game's sum 1.

        Final where ``terminated``; before that, what it would be if play stopped here.
        """
        leading = np.ones((self.num_players, self.num_envs), np.bool_)
        for key in self._standing():
            # Who no longer leads is given a number of the key's own: it cannot be above the best.
            best = np.where(leading, key, key.min(axis=0)).max(axis=0)
            leading &= key == best
        shares: npt.NDArray[np.float64] = (leading / leading.sum(axis=0)).T
        return shares

    def view(self, player: int) -> View:
        """All that a player may know, and no more. Good until the next step.

        Raises:
            ValueError: There is no such player.
        """
        return self._view(self._seat(player))

    def _seat(self, player: Any) -> int:
        """The number of a player, checked."""
        return whole_number(player, "player", 0, self.num_players - 1)

    def _view(self, player: int) -> View:
        return View(self, player)

    def _observation_of(self, player: int) -> Array:
        """A player's observation, (N, F); they are written once for all views of a turn."""
        if self._observed is None or self._observed[0] != self._clock:
            self._observed = self._clock, self._observation()
        observation: Array = self._observed[1][player].T
        return observation

    @staticmethod
    def _shown(array: Array) -> Array:
        """A state array (..., N) as users see it: games first, read-only."""
        # For up to two axes the same, in half the time.
        shown = array.T if array.ndim < 3 else array.transpose(GAMES_FIRST[array.ndim])
        shown.setflags(write=False)
        return shown

    # --- copies -----------------------------------------------------------------------

    def clone(self) -> Self:
        """An exact copy that goes its own way, generator included."""
        return self._take(np.arange(self.num_envs))

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        """For all kinds of copies: without the caches, which hold what everybody knows."""
        return {**self.__dict__, "_clock": 0, **dict.fromkeys(self._caches)}

    def _with(self, state: BatchState) -> Self:
        """A batch of the same rules in another state, with the same generator."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__getstate__())
        other._state, other.num_envs = state, len(state.terminated)
        return other

    def take(self, games: npt.NDArray[np.intp]) -> Self:
        """A batch made of copies of some of the games, in the order given.

        Args:
            games: Indices, shape (M,), M at least 1; one may come several times.

        Returns:
            A batch of M games; its generator is a copy of this batch's.

        Raises:
            ValueError: They are no indices of games.
        """
        return self._take(whole_indices(games, "games", self.num_envs))

    def _take(self, games: npt.NDArray[np.integer[Any]]) -> Self:
        other = self._with(self._state.take(games))
        other.rng = copy.deepcopy(self.rng)
        return other

    def determinize(self, player: int, rng: np.random.Generator, samples: int) -> Self:
        """Copies in which all that the player cannot know is dealt again, or is not there.

        Uniform among what is consistent with the player's knowledge. What has come to pass
        unseen and is of no more use, such as the order of cards that have been drawn, is
        made up or left out.

        Args:
            player: Whose knowledge is kept.
            rng: The source of randomness; the batch's own is not touched.
            samples: Copies of each game, at least 1.

        Returns:
            A batch of N * samples games; those of game i are i * samples and the
            following ones. Its generator is a new one, seeded from ``rng``.

        Raises:
            ValueError: There is no such player, or not at least one sample.
        """
        player, samples = self._seat(player), whole_number(samples, "samples", 1)
        other = self._with(self._state.take(np.repeat(np.arange(self.num_envs), samples)))
        other.rng = np.random.default_rng(rng.integers(1 << 63))
        other._deal_hidden(player, rng)
        return other

    def state(self) -> dict[str, Any]:
        """Everything that changes, copied: for ``load_state`` of a batch of the same shape."""
        return self._state.as_dict() | {"rng": self.rng.bit_generator.state}  # a new one each time

    def load_state(self, state: dict[str, Any]) -> None:
        """Go back to a state of this batch or of one with the same rules and size.

        Args:
            state: What ``state`` has given, perhaps by way of a file, or what looks like it:
                arrays of the same dtypes and shapes and numbers with which the game can go on.

        Raises:
            ValueError: It is no such state, and why; nothing is changed.
        """
        if not isinstance(state, dict):
            raise ValueError(f"not a state of {self.name}, a dictionary, but {shown(state)}")
        wrong = {*self._state.keys(), "rng"} ^ set(state)
        if wrong:
            raise ValueError(f"not a state of {self.name}: {shown(sorted(map(str, wrong)))} differ")
        other = self._with(self._state.like(state))
        rng = generator_like(self.rng, state["rng"])
        for must, holds in chain(other._shared_invariants(), other._invariants()):
            if not np.all(holds):
                raise ValueError(f"not a state of {self.name}: {must}")
        self._state = other._state
        self.rng.bit_generator.state = rng.bit_generator.state
        self._clock += 1

    def _shared_invariants(self) -> Iterator[Invariant]:
        """What holds in the states of all games."""
        points = self._state.rewards
        yield "_rewards must be points", np.isfinite(points) & (np.rint(points) == points)
        yield "_just must be among _terminated", self._state.terminated | ~self._state.just

    # --- in words and pictures ----------------------------------------------------------

    def describe_action(self, action: int) -> str:
        """What an action means, in words.

        Raises:
            ValueError: There is no such action.
        """
        return self._describe(whole_number(action, "action", 0, self.num_actions - 1))

    def describe_choice(self, action: int, player: int, index: int = 0) -> str:
        """What an action means to a player here and now, in words, cards by their names.

        No more than the player knows; as ``describe_action`` says it, if it is not legal now.

        Raises:
            ValueError: There is no such action, player or game.
        """
        index, seat = self._looked_at(index, self._seat(player))
        words = self.describe_action(action)
        if seat is None or not self.legal_action_mask()[index, seat, action]:
            return words
        return self._describe_here(action, seat, index) or words

    def text(self, index: int = 0, player: int | None = None) -> str:
        """One game as text; ``player`` hides what that player cannot see.

        Raises:
            ValueError: There is no such game, or no such player.
        """
        return self._text(*self._looked_at(index, player))

    def svg(self, index: int = 0, player: int | None = None) -> str:
        """One game as an SVG picture; ``player`` hides what that player cannot see.

        Raises:
            ValueError: There is no such game, or no such player.
        """
        return self._svg(*self._looked_at(index, player))

    def _looked_at(self, index: Any, player: Any) -> tuple[int, int | None]:
        """Which game is drawn for whom, checked."""
        seat = None if player is None else self._seat(player)
        return whole_number(index, "index", 0, self.num_envs - 1), seat

    def __repr__(self) -> str:
        return f"<{type(self).__name__} num_envs={self.num_envs} {self.rules}>"

    # --- what a game supplies -----------------------------------------------------------

    @abstractmethod
    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        """Deal the first turn into a blank state; ``decks`` is (K, D, N), K >= 1 deals."""

    @abstractmethod
    def _mask(self) -> npt.NDArray[np.bool_]:
        """Legal actions of the running games: (P, A, N), or what broadcasts to it."""

    @abstractmethod
    def _advance(self, chosen: Array) -> None:
        """Play one step with legal actions (P, N).

        Writes the state's ``rewards``, adds to ``scores``, sets ``terminated``. The actions
        of finished games are no-ops, and whatever is done to these games is undone after.
        """

    def _observation(self, out: Array | None = None) -> Array:
        """What each player knows, (P, F, N); here by ``_write_observation``.

        Args:
            out: An array to fill, in any order and of any dtype that can hold the numbers; None
                makes a fresh one.
        """
        layout, shape = self.layout, (self.num_players, self.layout.size, self.num_envs)
        flat = np.zeros(shape, layout.dtype)
        pieces = {
            piece.name: flat[:, layout.where(piece.name)].reshape(len(flat), *piece.shape, -1)
            for piece in layout.pieces
        }
        self._write_observation(pieces)
        if out is None:
            return flat
        into_any(flat, out)
        return out

    def _write_observation(self, into: dict[str, Array]) -> None:
        """Fill the observation's pieces: each an array (P, \\*piece.shape, N), 0 at first."""
        raise NotImplementedError

    @abstractmethod
    def _invariants(self) -> Iterator[Invariant]:
        """What holds in every state: by it ``load_state`` judges what it is given.

        All arrays have the right dtype and shape. Each thing may rely on those before it.
        """

    @abstractmethod
    def _standing(self) -> tuple[Array, ...]:
        """What decides the victory, most important first: each (P, N), higher is better."""

    @abstractmethod
    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        """Deal again, uniformly, what the player cannot know (see ``determinize``).

        In the games that are over as well. No array may keep anything of it, and what is
        dealt follows from the player's knowledge and the generator alone.
        """

    @abstractmethod
    def _describe(self, action: int) -> str:
        """What an action means, in words; there is such an action."""

    def _describe_here(self, action: int, player: int, index: int) -> str | None:
        """A legal action by the names of its cards; None where ``_describe`` says it all."""
        return None

    @abstractmethod
    def _text(self, index: int, player: int | None) -> str:
        """One game as text; ``player`` hides what that player cannot see."""

    @abstractmethod
    def _svg(self, index: int, player: int | None) -> str:
        """One game as an SVG picture; ``player`` hides what that player cannot see."""


@cache
def from_own_seat(num_players: int) -> npt.NDArray[np.intp]:
    """Whom each player sees where: themselves first, then the next ones in turn.

    Returns:
        Shape (P, P), the same array each time: the index that turns an array by player,
        (P, ...), into what each player sees, (P, P, ...), seat k being player (p + k) % P.
    """
    players = np.arange(num_players)
    seats: npt.NDArray[np.intp] = (players[:, None] + players) % num_players
    return seats
