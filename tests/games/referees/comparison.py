"""Comparison of the core with slow referees for the same decks and choices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


class RefereeComparison(ABC):
    """A batch of a game, and a referee for each of its games.

    Attributes:
        game: The batch.
        referees: N referees with the same decks.
    """

    game: Any
    referees: list[Any]

    @abstractmethod
    def __init__(self, rules: Any, num: int, rng: np.random.Generator) -> None:
        """Deal shuffled decks to the core and to the referees.

        Under the default rules the referees use the numbers of the rulebook, not those of
        ``rules``.
        """

    @abstractmethod
    def play(self, rng: np.random.Generator) -> None:
        """Play a random step in the core and with the referees."""

    @abstractmethod
    def assert_same_position(self) -> None:
        """Check that the core and the referees have the same state."""

    @abstractmethod
    def assert_same_legal_actions(self) -> None:
        """Check that mask and referees allow the same actions."""

    @abstractmethod
    def running(self) -> Iterator[int]:
        """Yield the games whose observations the referees can compute at this step."""

    @abstractmethod
    def observation_of(self, judge: Any, player: int) -> dict[str, Any]:
        """Return the expected pieces of the observation, from the player's knowledge."""

    def assert_same(self, num_compared: int, players: Iterable[int]) -> None:
        """Check that nothing differs.

        Args:
            num_compared: The number of games whose observations are compared.
            players: The players whose observations are compared.
        """
        self.assert_same_position()
        self.assert_same_legal_actions()
        assert (self.game.observe()[:num_compared] <= self.game.layout.maxima).all()
        for player in players:
            pieces = self.game.view(player).pieces
            for index in (number for number in self.running() if number < num_compared):
                observation = {name: numbers[index].tolist() for name, numbers in pieces.items()}
                assert observation == self.observation_of(self.referees[index], player)

    def play_to_the_end(self, rng: np.random.Generator) -> None:
        while not self.game.terminated.all():
            self.play(rng)
