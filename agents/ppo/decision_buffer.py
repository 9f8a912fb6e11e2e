"""A rollout buffer that keeps decisions only: no room for players who had only the no-op."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from torch import Tensor


class Decisions(NamedTuple):
    """A minibatch: B decisions."""

    canonical: Tensor  # (B, F), the canonical observations
    entries: Tensor  # (B, K), the raw output's entries of the actions
    masks: Tensor  # (B, A) bool
    actions: Tensor  # (B,)
    log_probs: Tensor  # (B,), when they were taken
    advantages: Tensor  # (B,)
    returns: Tensor  # (B,)


Floats = npt.NDArray[np.float32]
RECKONED = ("advantages", "returns")  # of a whole rollout, not kept decision by decision


class DecisionBuffer(MaskableRolloutBuffer):
    """Decisions of a rollout, packed; a slot with nothing to decide leaves no transition.

    What a slot gains while it waits counts for its last decision. For each slot the
    sequence of its decisions is what generalised advantage estimation runs over
    (Schulman et al. 2016), so the discount counts decisions, not steps.

    Takes the arguments of sb3-contrib's buffer. ``values``, ``returns``, ``advantages``,
    ``rewards`` are (n_steps, n_envs), as there, and 0 where nothing was decided.
    """

    decided: npt.NDArray[np.bool_]
    _packed: dict[str, list[Tensor]]

    def reset(self) -> None:
        """Forget everything."""
        shape = (self.buffer_size, self.n_envs)
        self.rewards, self.values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.episode_starts = np.zeros(shape, np.float32)
        self.returns, self.advantages = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.decided = np.zeros(shape, np.bool_)
        self._packed = {name: [] for name in Decisions._fields if name not in RECKONED}
        self.pos, self.full, self.generator_ready = 0, False, False

    def add_decisions(
        self,
        slots: npt.NDArray[np.intp],
        values: Tensor,
        **decisions: Tensor,
    ) -> None:
        """Keep what some slots decided in this step.

        Args:
            slots: Which slots decided, (B,), ascending.
            values: The values of their positions, (B,).
            **decisions: ``canonical``, ``entries``, ``masks``, ``actions``, ``log_probs``.
        """
        self.decided[self.pos, slots] = True
        self.values[self.pos, slots] = values.numpy()
        small = {"canonical": torch.uint8, "entries": torch.int16}
        for name, value in decisions.items():
            fits = name != "canonical" or self.observation_space.dtype == np.uint8
            self._packed[name].append(value.to(small[name]) if name in small and fits else value)

    def add_step(self, rewards: npt.NDArray[np.float32], episode_starts: npt.NDArray[Any]) -> None:
        """Close a step with what every slot gained, (E,), and whether an episode began there."""
        self.rewards[self.pos] = rewards
        self.episode_starts[self.pos] = episode_starts
        self.pos += 1
        self.full = self.pos == self.buffer_size

    def compute_returns_and_advantage(
        self, last_values: Tensor, dones: npt.NDArray[np.bool_]
    ) -> None:
        """Generalised advantage estimation over each slot's own decisions.

        Args:
            last_values: Values after the last step, (E, 1) or (E,).
            dones: Whether an episode ended there, (E,).
        """
        ended = np.asarray(dones, np.bool_)
        self.advantages = advantages_of(
            self.rewards,
            self.decided,
            self.values,
            self.episode_starts,
            last_values.numpy().flatten() * ~ended,
            self.gamma,
            self.gae_lambda,
        )
        self.returns = (self.advantages + self.values) * self.decided

    @property
    def num_decisions(self) -> int:
        """How many transitions are kept."""
        return int(np.count_nonzero(self.decided))

    def packed(self) -> Decisions:
        """All decisions of the rollout, in the order of their taking."""
        whole = {name: torch.cat(parts) for name, parts in self._packed.items()}
        return Decisions(
            **whole,
            advantages=torch.from_numpy(self.advantages[self.decided]),
            returns=torch.from_numpy(self.returns[self.decided]),
        )


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
    advantage = np.zeros_like(values[0])
    waiting = np.zeros_like(values[0])  # gained since the next decision before
    for step in range(len(rewards) - 1, -1, -1):
        if step + 1 < len(rewards):
            goes_on = 1 - episode_starts[step + 1]
            next_value, advantage, waiting = (
                next_value * goes_on,
                advantage * goes_on,
                waiting * goes_on,
            )
        gained = rewards[step] + waiting
        delta = gained + gamma * next_value - values[step]
        here = decided[step]
        advantage = np.where(here, delta + gamma * gae_lambda * advantage, advantage).astype(
            np.float32
        )
        advantages[step] = advantage * here
        next_value = np.where(here, values[step], next_value)
        waiting = np.where(here, 0, gained).astype(np.float32)
    return advantages
