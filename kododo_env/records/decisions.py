"""Decisions as columns of numbers, for offline learning."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Array
from kododo_env.checks.numbers import whole_numbers
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.legality import legal_actions


@dataclass(frozen=True)
class Decisions:
    """M decisions, sorted by game, seat and step.

    Attributes:
        observation: The player's observation, (M, F), in the layout's dtype.
        mask: The legal actions, at least two in each row, (M, A) bool.
        action: The action that the player chose, (M,) int16.
        reward: The points that the player scored between this decision and its next decision, or
            the end of the game, (M,) float32.
        outcome: The player's win share at the end of the game, (M,) float32.
        seat: The player's seat, (M,) uint8.
        step: The number of steps since the deal, (M,) int32.
        game: The index of the game in the batch, (M,) int64.
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
    """A log of all decisions of a batch while it is played.

    A player's steps with a single legal action are not logged; the points of these steps are added
    to the player's previous decision.

    Args:
        game: A batch of N games that was just dealt.

    Raises:
        ValueError: The games have already begun.
    """

    def __init__(self, game: BatchGame) -> None:
        self._game = game
        self._rows: list[tuple[Array, ...]] = []
        self._check_steps_played(0)
        self._scores = [np.zeros((game.num_envs, game.num_players), np.float32)]
        self._look()

    def _check_steps_played(self, steps: int) -> None:
        if self._game.steps_played != steps:
            raise ValueError(
                "a decision log must be created right after the deal and receive every step: "
                f"expected {steps} steps, got {self._game.steps_played}"
            )

    def _look(self) -> None:
        """Keep what all players know before the step."""
        game = self._game
        self._mask = game.legal_action_mask()
        self._deciders = np.nonzero(self._mask.sum(axis=2, dtype=np.int16) > 1)
        shape = (game.num_envs, game.num_players, game.layout.size)
        self._observations = game.observe(np.empty(shape, game.layout.dtype))

    def step(self, actions: npt.ArrayLike) -> None:
        """Log the joint actions (N, P) that ``game.step`` has just played.

        Raises:
            ValueError: An action is illegal, the shape is wrong, or a step was not logged.
        """
        self._check_steps_played(len(self._rows) + 1)
        games, seats = self._deciders
        steps = np.full(len(games), len(self._rows), np.int32)
        played = whole_numbers(actions, "actions")
        legal_actions(played, self._mask, self._game.name, self._game.actions.describe)
        chosen = played[games, seats].astype(np.int16)
        observations = self._observations[games, seats]
        legal = self._mask[games, seats]
        self._rows.append((observations, legal, chosen, seats.astype(np.uint8), steps, games))
        self._scores.append(self._scores[-1] + self._game.rewards)
        self._look()

    def end(self) -> Decisions:
        """Return all logged decisions.

        Raises:
            ValueError: A game is not over, or the batch has been dealt again.
        """
        if not self._game.terminated.all():
            raise ValueError("all games of the batch must be over before end() is called")
        if not np.array_equal(self._scores[-1], self._game.scores):
            raise ValueError("end() must be called before the batch is dealt again")
        columns = [np.concatenate(column) for column in zip(*self._rows, strict=True)]
        *_, seat, step, game = columns
        order = np.lexsort((step, seat, game))
        observation, mask, action, seat, step, game = (column[order] for column in columns)
        last = np.append((np.diff(game) != 0) | (np.diff(seat) != 0), True)
        next_step = np.where(last, len(self._rows), np.roll(step, -1))
        scores = np.stack(self._scores)
        return Decisions(
            observation,
            mask,
            action,
            scores[next_step, game, seat] - scores[step, game, seat],
            self._game.outcome()[game, seat].astype(np.float32),
            seat,
            step,
            game,
        )
