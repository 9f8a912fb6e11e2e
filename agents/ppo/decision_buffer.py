"""A rollout buffer that keeps decisions only: no room for players who had only the no-op."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from torch import Tensor

from agents.ppo.game_policy import Batch

Floats = npt.NDArray[np.float32]


class DecisionBuffer(MaskableRolloutBuffer):
    """Decisions of a rollout, packed; a slot with nothing to decide leaves no transition.

    Takes the arguments of sb3-contrib's buffer. ``values``, ``rewards`` and, once there is an
    ``estimate``, ``returns`` and ``advantages`` are (n_steps, n_envs), as there, and 0 where
    nothing was decided, which ``decided`` tells.
    """

    decided: npt.NDArray[np.bool_]

    def reset(self) -> None:
        """Forget everything."""
        shape = (self.buffer_size, self.n_envs)
        self.rewards, self.values, self.episode_starts = np.zeros((3, *shape), np.float32)
        self.decided, self.pos = np.zeros(shape, np.bool_), 0
        self._packed: list[Batch] = []

    def add_decisions(self, slots: npt.NDArray[np.intp], values: Tensor, **columns: Tensor) -> None:
        """Keep what some slots decided in this step.

        Args:
            slots: Which slots decided, (B,), ascending.
            values: The values of their positions, (B,).
            **columns: What else is learned from, B rows each; see ``Batch``.
        """
        self.decided[self.pos, slots] = True
        self.values[self.pos, slots] = values.numpy()
        self._packed.append(columns)

    def add_step(self, rewards: Floats, episode_starts: npt.NDArray[Any]) -> None:
        """Close a step with what every slot gained, (E,), and whether an episode began there."""
        self.rewards[self.pos] = rewards
        self.episode_starts[self.pos] = episode_starts
        self.pos += 1

    def estimate(self, last_values: Floats) -> None:
        """Returns and advantages, from the values after the last step; see ``advantages_of``."""
        of_steps = self.rewards, self.decided, self.values, self.episode_starts
        self.advantages = advantages_of(*of_steps, last_values, self.gamma, self.gae_lambda)
        self.returns = (self.advantages + self.values) * self.decided

    def packed(self) -> Batch:
        """All decisions in the order of their taking, with ``advantages`` and ``returns``."""
        columns = {
            name: torch.cat([each[name] for each in self._packed]) for name in self._packed[0]
        }
        for name in ("advantages", "returns"):
            columns[name] = torch.from_numpy(getattr(self, name)[self.decided])
        return columns


def advantages_of(
    rewards: Floats,
    decided: npt.NDArray[np.bool_],
    values: Floats,
    episode_starts: Floats,
    last_values: Floats,
    gamma: float,
    gae_lambda: float,
) -> Floats:
    """Generalised advantage estimation over each slot's own decisions (Schulman et al. 2016).

    What a slot gains while it waits counts for its last decision, and the discount counts
    decisions, not steps.

    Args:
        rewards: What each slot gained in each step, (T, E).
        decided: Whether it decided in that step, (T, E).
        values: What was expected there, (T, E).
        episode_starts: 1 where an episode began in that step, (T, E).
        last_values: Values after the last step, 0 where an episode ended, (E,).
        gamma: The discount of each decision.
        gae_lambda: 1 takes what was really gained, 0 the value at the next decision.

    Returns:
        (T, E) float32, 0 where nothing was decided.
    """
    advantages = np.zeros_like(values)
    next_value = last_values
    advantage = waiting = np.zeros_like(
        last_values
    )  # what was gained since the next decision before
    for step in reversed(range(len(rewards))):
        gained = rewards[step] + waiting
        delta = gained + gamma * next_value - values[step]
        here = decided[step]
        advantage = np.where(here, delta + gamma * gae_lambda * advantage, advantage)
        advantages[step] = advantage * here
        goes_on = 1 - episode_starts[step]  # from the step before
        next_value = np.where(here, values[step], next_value) * goes_on
        advantage, waiting = advantage * goes_on, gained * ~here * goes_on
    return advantages
