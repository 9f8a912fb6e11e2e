"""What a teacher shows in a position: its action, and the values of all actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from kododo_env.core.agent import ActionValueAgent, Agent, choice_of, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View


def lesson(
    teacher: Agent, game: BatchGame, rng: np.random.Generator, temperature: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """What a teacher does in every seat, and the distribution that is to be learned there.

    Much more is learned from the values of all actions than from the choice alone (G. Hinton
    et al., "Distilling the knowledge in a neural network", 2015).

    Args:
        teacher: Plays in every seat, each time with that seat's view.
        game: N games; they are not stepped.
        rng: The source of the teacher's randomness.
        temperature: In points. The distribution is the softmax of the legal actions' values
            divided by it. If it is 0, or the teacher has no action values, it is the
            teacher's choice with certainty.

    Returns:
        Action numbers (N, P), as ``game.step`` takes them, and distributions (N, P, A);
        those of seats with nothing to decide are all 0.
    """
    noting = _Noting(teacher, game, temperature)
    chosen = joint_action([noting] * game.num_players, game, rng)
    return chosen, noting.targets * game.deciding()[:, :, None]


class _Noting:
    """Plays as a teacher does, and notes the distributions that it teaches."""

    def __init__(self, teacher: Agent, game: BatchGame, temperature: float) -> None:
        self.name = teacher.name
        self.teacher = teacher
        self.temperature = temperature
        self.targets = np.zeros((game.num_envs, game.num_players, game.num_actions), np.float32)

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.integer[Any]]:
        """The teacher's choice, (N,)."""
        if self.temperature > 0 and isinstance(self.teacher, ActionValueAgent):
            values = self.teacher.action_values(view)
            chosen: npt.NDArray[np.integer[Any]] = self.teacher.choose(values, view, rng)
            legal = np.where(view.legal_action_mask, values.T / self.temperature, -np.inf)
            self.targets[:, view.player] = softmax(legal, axis=1)
        else:
            chosen = choice_of(self.teacher, view, rng)
            self.targets[:, view.player] = np.eye(view.num_actions, dtype=np.float32)[chosen]
        return chosen
