"""Copies of a batch: clones, subsets of its games, saved states and determinizations."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from kododo_env.arrays.dtypes import Integer, Intp
from kododo_env.checks.numbers import check_generator, quote, whole_indices, whole_number
from kododo_env.core.state import BatchState, Invariant, generator_like


class GameCopies:
    """The methods of a ``BatchGame`` that copy it, or save and load its state."""

    name: ClassVar[str]
    num_envs: int
    num_players: int
    rng: np.random.Generator
    _caches: ClassVar[tuple[str, ...]] = ("_masked", "_observed")  # None in every copy
    _clock: int
    _state: BatchState

    def clone(self) -> Self:
        """Return an independent exact copy, including the generator."""
        return self._take(np.arange(self.num_envs))

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes without caches, which contain the knowledge of all players."""
        return {**self.__dict__, "_clock": 0, **dict.fromkeys(self._caches)}

    def _with(self, state: BatchState) -> Self:
        """Return a batch of the same rules in another state, with the same generator."""
        batch = object.__new__(type(self))
        batch.__dict__.update(self.__getstate__())
        batch._state = state
        batch.num_envs = len(state.terminated)
        return batch

    def take(self, games: Intp) -> Self:
        """Return a batch of copies of some of the games, in the order of ``games``.

        Args:
            games: Indices, shape (M,), M at least 1; repetitions are allowed.

        Returns:
            A batch of M games; its generator is a copy of this batch's.

        Raises:
            ValueError: ``games`` is empty or has invalid indices.
        """
        return self._take(whole_indices(games, "games", self.num_envs))

    def _take(self, games: Integer) -> Self:
        batch = self._with(self._state.take(games))
        batch.rng = copy.deepcopy(self.rng)
        return batch

    def determinize(self, player: int, rng: np.random.Generator, samples: int) -> Self:
        """Return copies in which everything hidden from a player is dealt again.

        The copies are uniform among all games consistent with the player's knowledge. Hidden past
        events that cannot affect the rest of the game, such as the order of cards already drawn,
        may be replaced by arbitrary ones or omitted.

        Args:
            player: The player whose knowledge is kept.
            rng: The source of randomness; the batch's own generator is not used.
            samples: The number of copies of each game, at least 1.

        Returns:
            A batch of N * samples games; the copies of game i start at index i * samples.
            Its generator is a new one, seeded from ``rng``.

        Raises:
            ValueError: There is no such player, ``samples`` is below 1, or ``rng`` is not a numpy
                generator.
        """
        check_generator(rng)
        player = whole_number(player, "player", 0, self.num_players - 1)
        samples = whole_number(samples, "samples", 1)
        worlds = self._with(self._state.take(np.repeat(np.arange(self.num_envs), samples)))
        worlds.rng = np.random.default_rng(rng.integers(1 << 63))
        worlds._deal_hidden(player, rng)
        return worlds

    def state(self) -> dict[str, Any]:
        """Return a copy of the state, for ``load_state`` of a batch of the same rules and size."""
        return self._state.as_dict() | {"rng": self.rng.bit_generator.state}

    def load_state(self, state: dict[str, Any]) -> None:
        """Restore a state of this batch, or of one with the same rules and size.

        Args:
            state: A state returned by ``state``, or a dict with arrays of the same dtypes and
                shapes whose numbers are a possible position of the game.

        Raises:
            ValueError: ``state`` is not such a state; nothing is changed.
        """
        if not isinstance(state, dict):
            raise ValueError(f"not a state of {self.name}: expected a dict, got {quote(state)}")
        wrong = {*self._state.keys(), "rng"} ^ set(state)
        if wrong:
            names = quote(sorted(map(str, wrong)))
            raise ValueError(f"not a state of {self.name}: missing or unknown entries {names}")
        batch = self._with(self._state.like(state))
        rng = generator_like(self.rng, state["rng"])
        for must, holds in chain(batch._shared_invariants(), batch._invariants()):
            if not np.all(holds):
                raise ValueError(f"not a state of {self.name}: {must}")
        self._state = batch._state
        self.rng.bit_generator.state = rng.bit_generator.state
        self._clock += 1

    def _shared_invariants(self) -> Iterator[Invariant]:
        """Yield the invariants of the states of all games."""
        points = self._state.rewards
        yield (
            "_rewards must be points (integers)",
            np.isfinite(points) & (np.rint(points) == points),
        )
        yield (
            "_just must be False where _terminated is",
            self._state.terminated | ~self._state.just,
        )

    # --- implemented by each game -------------------------------------------------------

    @abstractmethod
    def _invariants(self) -> Iterator[Invariant]:
        """Yield the invariants that ``load_state`` checks.

        All arrays already have the right dtype and shape. Each invariant may rely on those before
        it.
        """

    @abstractmethod
    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        """Deal again, uniformly, everything hidden from the player (see ``determinize``).

        Finished games are included. No array may keep anything hidden; the new cards must
        depend only on the player's knowledge and the generator.
        """


def stored_state(game: GameCopies) -> BatchState:
    """Return the state of a batch itself, not a copy; any change to it changes the games."""
    return game._state
