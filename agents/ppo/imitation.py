"""Imitation, the phase before self-play: an expert plays, and what it does is learned.

Much more is learned from what all actions are worth to the expert than from its choice alone
(G. Hinton et al., "Distilling the knowledge in a neural network", 2015).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from scipy.special import softmax
from torch import Tensor
from torch.nn import functional

from agents.networks.network import check_network, masked
from agents.ppo.data_parallel import DataParallel
from agents.ppo.decision_buffer import advantages_of
from agents.ppo.game_length import LONGEST
from agents.ppo.game_policy import GamePolicy
from agents.ppo.gradient_step import Losses, gradient_step, minibatches
from agents.recipes.recipe import Recipe
from kododo_env.core.agent import ActionValueAgent, Agent, choice_of, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View

LAST = 0.01  # imitation ends at this share of the learning rate that it began with


class Demonstrations(NamedTuple):
    """What an expert decided, B times."""

    canonical: Tensor  # (B, F), the canonical observations
    entries: Tensor  # (B, K), the raw output's entries of the actions
    masks: Tensor  # (B, A) bool
    targets: Tensor  # (B, A), the expert's distributions
    returns: Tensor  # (B,), what was gained afterwards


class Imitation:
    """Learns an expert's policy, and the value of its play.

    The loss is the cross-entropy to the expert's distribution plus the squared error of the
    value.

    Args:
        policy: Whose network and optimiser.
        expert: Who is imitated.
        recipe: The settings.
        parallel: Threads.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """

    def __init__(
        self,
        policy: GamePolicy,
        expert: Agent,
        recipe: Recipe,
        parallel: DataParallel,
        bfloat16: bool = False,
    ) -> None:
        self.policy, self.expert, self.recipe = policy, expert, recipe
        self.parallel, self.bfloat16 = parallel, bfloat16

    def update(
        self, game: BatchGame, remaining: float, rng: np.random.Generator
    ) -> dict[str, float]:
        """Let the expert play all seats of a batch to its end, and imitate it.

        Args:
            game: A batch that has just been dealt.
            remaining: The share of the phase that is left, 1 to 0.
            rng: The expert's randomness.

        Returns:
            What there is to log.

        Raises:
            Diverged: Losses, gradients or the network's answers are no finite numbers.
        """
        seen = self.demonstrations(game, rng)
        rate = self.recipe.imitation_learning_rate * (LAST + (1 - LAST) * remaining)
        for group in self.policy.optimizer.param_groups:
            group["lr"] = rate
        steps: list[Losses] = []
        for _ in range(self.recipe.n_epochs):
            for chosen in minibatches(len(seen.returns), self.recipe.batch_size):
                steps.append(self._step(Demonstrations(*(column[chosen] for column in seen))))
        check_network(self.policy.network, seen.canonical, seen.entries)
        means = {name: torch.stack([each[name] for each in steps]).mean() for name in steps[0]}
        return {"learning_rate": rate, **{name: mean.item() for name, mean in means.items()}}

    def _step(self, batch: Demonstrations) -> Losses:
        def losses(part: slice) -> Losses:
            return self._losses(Demonstrations(*(column[part] for column in batch)))

        norm = self.recipe.max_grad_norm
        return gradient_step(self.policy, self.parallel, len(batch.returns), losses, norm)

    def _losses(self, batch: Demonstrations) -> Losses:
        """Means over a batch."""
        logits, values = self.policy.network.from_canonical(
            batch.canonical.float(), batch.entries.long(), self.bfloat16
        )
        log_probs = functional.log_softmax(masked(logits, batch.masks), dim=1)
        cross_entropy = -(batch.targets * log_probs).sum(dim=1).mean()
        value_loss = functional.mse_loss(values, batch.returns)
        loss = cross_entropy + self.recipe.vf_coef * value_loss
        return {"cross_entropy": cross_entropy, "value_loss": value_loss, "loss": loss}

    def demonstrations(self, game: BatchGame, rng: np.random.Generator) -> Demonstrations:
        """The expert's decisions in all seats, from where a batch stands to its end."""
        steps: list[tuple[npt.NDArray[Any], ...]] = []
        decided: list[npt.NDArray[np.bool_]] = []
        rewards: list[npt.NDArray[np.float32]] = []
        while len(rewards) < LONGEST and not game.terminated.all():
            deciding = game.deciding()
            chosen, targets = demonstrate(self.expert, game, rng, self.recipe.imitation_temperature)
            each = (game.observe(), game.legal_action_mask(), targets)
            steps.append(tuple(array[deciding] for array in each))
            decided.append(deciding)
            game.step(chosen)
            rewards.append(self.recipe.reward(game))
        observations, masks, taught = (np.concatenate(each) for each in zip(*steps, strict=True))
        canonical, entries, values = self._asked(observations)
        returns = self._returns(np.stack(rewards), np.stack(decided), values)
        return Demonstrations(
            canonical,
            entries,
            torch.from_numpy(masks),
            torch.from_numpy(taught),
            torch.from_numpy(returns),
        )

    def _asked(self, observations: npt.NDArray[Any]) -> tuple[Tensor, Tensor, Tensor]:
        """Canonical observations (B, F), in their own dtype, entries (B, K) and values (B,)."""
        network = self.policy.network

        @torch.no_grad()
        def ask(part: slice) -> tuple[Tensor, ...]:
            rows = torch.from_numpy(observations[part])
            canonical, entries = network.canonical(rows)
            _, values = network.from_canonical(canonical, entries, self.bfloat16)
            return canonical.to(rows.dtype), entries.to(torch.int16), values

        parts = self.parallel.map(ask, len(observations))
        canonical, entries, values = (torch.cat(column) for column in zip(*parts, strict=True))
        return canonical, entries, values

    def _returns(
        self,
        rewards: npt.NDArray[np.float32],
        decided: npt.NDArray[np.bool_],
        values: Tensor,
    ) -> npt.NDArray[np.float32]:
        """What is gained from each decision on, (B,); see ``lambda_returns``."""
        held = np.zeros_like(rewards)
        held[decided] = values.numpy()
        recipe = self.recipe
        return lambda_returns(rewards, decided, held, recipe.gamma, recipe.gae_lambda)[decided]


def demonstrate(
    expert: Agent, game: BatchGame, rng: np.random.Generator, temperature: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
    """What an expert does in every seat, and the distribution that is to be learned there.

    Args:
        expert: Plays in every seat, each time with that seat's view.
        game: N games; they are not stepped.
        rng: The source of the expert's randomness.
        temperature: In points. The distribution is the softmax of the values of the legal
            actions divided by it. If it is 0, or the expert has no action values, it is
            the expert's choice with certainty.

    Returns:
        Action numbers (N, P), as ``game.step`` takes them, and distributions (N, P, A);
        those of seats with nothing to decide are all 0.
    """
    noting = _Noting(expert, game, temperature)
    chosen = joint_action([noting] * game.num_players, game, rng)
    return chosen, noting.targets * game.deciding()[:, :, None]


class _Noting:
    """Plays as an expert does, and notes the distributions that are to be learned."""

    def __init__(self, expert: Agent, game: BatchGame, temperature: float) -> None:
        self.name = expert.name
        self.expert = expert
        self.temperature = temperature
        self.targets = np.zeros((game.num_envs, game.num_players, game.num_actions), np.float32)

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.integer[Any]]:
        """The expert's choice, (N,)."""
        if self.temperature > 0 and isinstance(self.expert, ActionValueAgent):
            values = self.expert.action_values(view)
            chosen: npt.NDArray[np.integer[Any]] = self.expert.choose(values, view, rng)
            legal = np.where(view.legal_action_mask, values.T / self.temperature, -np.inf)
            self.targets[:, view.player] = softmax(legal, axis=1)
        else:
            chosen = choice_of(self.expert, view, rng)
            self.targets[:, view.player] = np.eye(view.num_actions, dtype=np.float32)[chosen]
        return chosen


def lambda_returns(
    rewards: npt.NDArray[np.float32],
    decided: npt.NDArray[np.bool_],
    values: npt.NDArray[np.float32],
    gamma: float,
    gae_lambda: float,
) -> npt.NDArray[np.float32]:
    """What each seat gains from each of its decisions on, as generalised advantage estimation
    has it (Schulman et al. 2016); the discount counts decisions.

    Args:
        rewards: Of each step and seat, (T, N, P).
        decided: Whether the seat decided in that step, (T, N, P).
        values: What the network expected there, (T, N, P).
        gamma: The discount.
        gae_lambda: 1 takes what was really gained, 0 the value at the next decision.

    Returns:
        (T, N, P) float32, of use where something was decided.
    """
    slots = (len(rewards), -1)
    flat, held = rewards.reshape(slots), values.reshape(slots)
    whole = np.zeros_like(flat)  # one episode each, whose end is worth nothing more
    advantages = advantages_of(
        flat, decided.reshape(slots), held, whole, whole[0], gamma, gae_lambda
    )
    return (advantages + held).reshape(rewards.shape)
