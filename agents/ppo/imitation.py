"""What a teacher shows in a position: what it does, and how good it holds every action to be."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import softmax

from kododo_env.baselines.action_values import WeighingAgent
from kododo_env.core.agent import Agent, choice_of
from kododo_env.core.batch_game import BatchGame


def lesson(
    teacher: Agent, game: BatchGame, rng: np.random.Generator, temperature: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """What a teacher does in every seat, and the distribution that is to be learned there.

    Much more is learned from what all actions are worth than from the choice alone (G. Hinton
    et al., "Distilling the knowledge in a neural network", 2015).

    Args:
        teacher: Plays in every seat, each time with that seat's view.
        game: N games; they are not stepped.
        rng: The source of the teacher's randomness.
        temperature: In points. The distribution is the softmax of the worth of the legal
            actions divided by it. If it is 0, or the teacher does not weigh actions, it is
            the teacher's choice with certainty.

    Returns:
        Action numbers (N, P), as ``game.step`` takes them, and distributions (N, P, A);
        those of seats with nothing to decide are all 0.
    """
    legal = game.legal_action_mask()
    chosen: npt.NDArray[np.int64] = legal.argmax(axis=2)
    targets = np.zeros(legal.shape, np.float32)
    deciding = game.deciding()
    for player in np.flatnonzero(deciding.any(axis=0)):
        view = game.view(int(player))
        if temperature > 0 and isinstance(teacher, WeighingAgent):
            worth = teacher.action_values(view)
            chosen[:, player] = teacher.choose(worth, view, rng)
            here = softmax(np.where(legal[:, player], worth.T / temperature, -np.inf), axis=1)
        else:
            chosen[:, player] = choice_of(teacher, view, rng)
            here = np.eye(legal.shape[2], dtype=np.float32)[chosen[:, player]]
        targets[:, player] = here * deciding[:, player, None]
    return chosen, targets
