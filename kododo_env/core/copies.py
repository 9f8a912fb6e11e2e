"""Copies of a batch: exact ones, some of its games, its state, and as a player imagines it."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np

from kododo_env.core.arrays import Integer, Intp
from kododo_env.core.numbers import check_generator, shown, whole_indices, whole_number
from kododo_env.core.state import BatchState, Invariant, generator_like


class Copied:
    """The copies and states of a ``BatchGame``."""

    name: ClassVar[str]
    num_envs: int
    num_players: int
    rng: np.random.Generator
    _caches: ClassVar[tuple[str, ...]] = ("_masked", "_observed")  # None in every copy
    clock: int
    _state: BatchState

    def clone(self) -> Self:
        """An exact copy that goes its own way, generator included."""
        return self._take(np.arange(self.num_envs))

    __copy__ = clone

    def __getstate__(self) -> dict[str, Any]:
        """For all kinds of copies: without the caches, which hold the knowledge of all players."""
        return {**self.__dict__, "clock": 0, **dict.fromkeys(self._caches)}

    def _with(self, state: BatchState) -> Self:
        """A batch of the same rules in another state, with the same generator."""
        batch = object.__new__(type(self))
        batch.__dict__.update(self.__getstate__())
        batch._state = state
        batch.num_envs = len(state.terminated)
        return batch

    def take(self, games: Intp) -> Self:
        """A batch made of copies of some of the games, in the order given.

        Args:
            games: Indices, shape (M,), M at least 1; one may come several times.

        Returns:
            A batch of M games; its generator is a copy of this batch's.

        Raises:
            ValueError: They are no indices of games.
        """
        return self._take(whole_indices(games, "games", self.num_envs))

    def _take(self, games: Integer) -> Self:
        batch = self._with(self._state.take(games))
        batch.rng = copy.deepcopy(self.rng)
        return batch

    def determinize(self, player: int, rng: np.random.Generator, samples: int) -> Self:
        """Copies in which all that the player cannot know is dealt again, or is not there.

        Uniform among all that is consistent with the player's knowledge. Things that have come to
        pass unseen and are of no more use, such as the order of cards that have been drawn, are
        made up or left out.

        Args:
            player: Whose knowledge is kept.
            rng: The source of randomness; the batch's own is not touched.
            samples: Copies of each game, at least 1.

        Returns:
            A batch of N * samples games; those of game i are i * samples and the
            following ones. Its generator is a new one, seeded from ``rng``.

        Raises:
            ValueError: There is no such player, not at least one sample, or ``rng`` is no
                generator of numpy's.
        """
        check_generator(rng)
        player = whole_number(player, "player", 0, self.num_players - 1)
        samples = whole_number(samples, "samples", 1)
        worlds = self._with(self._state.take(np.repeat(np.arange(self.num_envs), samples)))
        worlds.rng = np.random.default_rng(rng.integers(1 << 63))
        worlds._deal_hidden(player, rng)
        return worlds

    def state(self) -> dict[str, Any]:
        """Everything that changes, copied: for ``load_state`` of a batch of the same shape."""
        return self._state.as_dict() | {"rng": self.rng.bit_generator.state}  # a new one each time

    @property
    def stored_state(self) -> BatchState:
        """The state itself, not copied: to change it is to change the games."""
        return self._state

    def load_state(self, state: dict[str, Any]) -> None:
        """Go back to a state of this batch or of one with the same rules and size.

        Args:
            state: A state that ``state`` has given, perhaps by way of a file, or one that looks so:
                arrays of the same dtypes and shapes and numbers with which the game can go on.

        Raises:
            ValueError: It is no such state, and why; nothing is changed.
        """
        if not isinstance(state, dict):
            raise ValueError(f"not a state of {self.name}, a dictionary, but {shown(state)}")
        wrong = {*self._state.keys(), "rng"} ^ set(state)
        if wrong:
            raise ValueError(f"not a state of {self.name}: {shown(sorted(map(str, wrong)))} differ")
        batch = self._with(self._state.like(state))
        rng = generator_like(self.rng, state["rng"])
        for must, holds in chain(batch._shared_invariants(), batch._invariants()):
            if not np.all(holds):
                raise ValueError(f"not a state of {self.name}: {must}")
        self._state = batch._state
        self.rng.bit_generator.state = rng.bit_generator.state
        self.clock += 1

    def _shared_invariants(self) -> Iterator[Invariant]:
        """The things that hold in the states of all games."""
        points = self._state.rewards
        yield "_rewards must be points", np.isfinite(points) & (np.rint(points) == points)
        yield "_just must be among _terminated", self._state.terminated | ~self._state.just

    # --- what a game supplies -----------------------------------------------------------

    @abstractmethod
    def _invariants(self) -> Iterator[Invariant]:
        """The things that hold in every state: by them ``load_state`` judges a state.

        All arrays have the right dtype and shape. Each thing may rely on those before it.
        """

    @abstractmethod
    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        """Deal again, uniformly, all that the player cannot know (see ``determinize``).

        In the games that are over as well. No array may keep anything of it, and the new
        cards follow from the player's knowledge and the generator alone.
        """
