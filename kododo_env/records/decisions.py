"""Decisions as columns of numbers, for learning offline from games that were played."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kododo_env.core.arrays import Array
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.legality import IllegalAction, legal_actions
from kododo_env.core.numbers import whole_numbers


@dataclass(frozen=True)
class Decisions:
    """M decisions, those of a player of a game one after the other.

    Attributes:
        observation: The player's knowledge, (M, F), the layout's dtype.
        mask: The legal actions, two at least, (M, A) bool.
        action: The one that they chose, (M,) int16.
        reward: Points that they scored from here to their next decision, or to the end, (M,)
            float32.
        outcome: Their share of the victory in the end, (M,) float32.
        seat: Their seat, (M,) uint8.
        step: After how many steps since the deal, (M,) int32.
        game: Which game of the batch, (M,) int64.
    """

    observation: Array
    mask: Array
    action: Array
    reward: Array
    outcome: Array
    seat: Array
    step: Array
    game: Array


class DecisionLog:
    """Notes all decisions of a batch as it is played.

    A player who had a single legal action decided nothing and is left out; the points of such
    steps belong to the decision before.

    Args:
        game: N games, just dealt.

    Raises:
        ValueError: They have begun already.
    """

    def __init__(self, game: BatchGame) -> None:
        self._game = game
        self._noted: list[tuple[Array, ...]] = []
        self._check_told(0)
        self._scored = [np.zeros((game.num_envs, game.num_players), np.float32)]
        self._look()

    def _check_told(self, steps: int) -> None:
        if self._game.steps_played != steps:
            raise ValueError("a log is made just after the deal and told of every step after it")

    def _look(self) -> None:
        """Keep the knowledge of all players before the step."""
        game = self._game
        self._mask = game.legal_action_mask()
        self._who = np.nonzero(self._mask.sum(axis=2, dtype=np.int16) > 1)
        shape = (game.num_envs, game.num_players, game.layout.size)
        self._seen = game.observe(np.empty(shape, game.layout.dtype))

    def step(self, actions: npt.ArrayLike) -> None:
        """Note the joint actions (N, P) that ``game.step`` has just played.

        Raises:
            ValueError: Such actions cannot have been played, or not just now.
        """
        self._check_told(len(self._noted) + 1)
        games, seats = self._who
        steps = np.full(len(games), len(self._noted), np.int32)
        played = whole_numbers(actions, "actions")
        if played.shape != self._mask.shape[:2]:
            raise ValueError(f"actions must be {self._mask.shape[:2]}, not {played.shape}")
        try:
            legal_actions(played, self._mask, self._game.name, self._game.describe_action)
        except IllegalAction as error:
            told = "a log is told the actions that were played; these were not legal"
            raise ValueError(told) from error
        chosen = played[games, seats].astype(np.int16)
        seen, legal = self._seen[games, seats], self._mask[games, seats]
        self._noted.append((seen, legal, chosen, seats.astype(np.uint8), steps, games))
        self._scored.append(self._scored[-1] + self._game.rewards)
        self._look()

    def end(self) -> Decisions:
        """All that was noted.

        Raises:
            ValueError: The games are not over, or the batch was dealt again.
        """
        if not self._game.terminated.all():
            raise ValueError("decisions are complete when all games of the batch are over")
        if not np.array_equal(self._scored[-1], self._game.scores):
            raise ValueError("the batch was dealt again before the end of the log")
        seen, legal, chosen, seat, step, game = map(np.concatenate, zip(*self._noted, strict=True))
        order = np.lexsort((step, seat, game))
        seat, step, game = seat[order], step[order], game[order]
        last = np.append((np.diff(game) != 0) | (np.diff(seat) != 0), True)
        until = np.where(last, len(self._noted), np.roll(step, -1))
        scored = np.stack(self._scored)
        return Decisions(
            seen[order],
            legal[order],
            chosen[order],
            scored[until, game, seat] - scored[step, game, seat],
            self._game.outcome()[game, seat].astype(np.float32),
            seat,
            step,
            game,
        )
