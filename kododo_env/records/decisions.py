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
    """M decisions, sorted by game, seat and step.

    Attributes:
        observation: The player's knowledge, (M, F), the layout's dtype.
        mask: The legal actions, at least two, (M, A) bool.
        action: The action that the player chose, (M,) int16.
        reward: The points that the player scored from this decision to the next one, or to the
            end, (M,) float32.
        outcome: The player's share of the victory in the end, (M,) float32.
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
    """Log all decisions of a batch as it is played.

    A player with a single legal action decides nothing and is left out; the points of such steps
    count for the previous decision.

    Args:
        game: N games, just dealt.

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
            ValueError: These actions cannot have been played in the last step.
        """
        self._check_steps_played(len(self._rows) + 1)
        games, seats = self._deciders
        steps = np.full(len(games), len(self._rows), np.int32)
        played = whole_numbers(actions, "actions")
        if played.shape != self._mask.shape[:2]:
            raise ValueError(
                f"expected actions of the shape {self._mask.shape[:2]}, got {played.shape}"
            )
        try:
            legal_actions(played, self._mask, self._game.name, self._game.describe_action)
        except IllegalAction as error:
            raise ValueError(f"expected the actions that were played, got {error}") from error
        chosen = played[games, seats].astype(np.int16)
        observations = self._observations[games, seats]
        legal = self._mask[games, seats]
        self._rows.append((observations, legal, chosen, seats.astype(np.uint8), steps, games))
        self._scores.append(self._scores[-1] + self._game.rewards)
        self._look()

    def end(self) -> Decisions:
        """Return all logged decisions.

        Raises:
            ValueError: The games are not over, or the batch has been dealt again.
        """
        if not self._game.terminated.all():
            raise ValueError("all games of the batch must be over before end()")
        if not np.array_equal(self._scores[-1], self._game.scores):
            raise ValueError("the batch was dealt again before end()")
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
