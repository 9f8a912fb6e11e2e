"""Imitation, the phase before self-play: an expert plays, and what it does is learned.

Much more is learned from the values of all actions to the expert than from its choice alone
(G. Hinton et al., "Distilling the knowledge in a neural network", 2015).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from scipy.special import softmax
from stable_baselines3.common.utils import update_learning_rate
from torch.nn import functional

from agents.networks.network import log_probabilities
from agents.ppo.decision_buffer import advantages_of
from agents.ppo.game_length import LONGEST
from agents.ppo.game_policy import Batch, GamePolicy, Losses, minibatches
from agents.recipes.recipe import Recipe
from kododo_env.core.agent import ActionValueAgent, Agent, choice_of, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View

LAST = 0.01  # imitation ends at this share of the learning rate that it began with


class Imitation:
    """Learns an expert's policy, and the value of its play.

    The loss is the cross-entropy to the expert's distribution plus the squared error of the
    value.

    Args:
        policy: Who learns.
        expert: Who is imitated.
        recipe: The settings.
    """

    def __init__(self, policy: GamePolicy, expert: Agent, recipe: Recipe) -> None:
        self.policy, self.expert, self.recipe = policy, expert, recipe

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
        recipe = self.recipe
        rate = recipe.imitation_learning_rate * (LAST + (1 - LAST) * remaining)
        update_learning_rate(self.policy.optimizer, rate)
        shown = self.demonstrations(game, rng)
        batches = minibatches(shown, recipe.n_epochs, recipe.batch_size)
        found = self.policy.learn(batches, self._losses, recipe.max_grad_norm)
        return {"learning_rate": rate, **found}

    def _losses(self, batch: Batch) -> Losses:
        """Means over a batch."""
        logits, values = self.policy.asked(batch)
        log_probs = log_probabilities(logits, batch["masks"])
        cross_entropy = -(batch["targets"] * log_probs).sum(dim=1).mean()
        value_loss = functional.mse_loss(values, batch["returns"])
        loss = cross_entropy + self.recipe.vf_coef * value_loss
        return {"cross_entropy": cross_entropy, "value_loss": value_loss, "loss": loss}

    def demonstrations(self, game: BatchGame, rng: np.random.Generator) -> Batch:
        """The expert's decisions in all seats, from where a batch stands to its end.

        Returns:
            With the expert's distributions (B, A) as ``targets``.
        """
        steps: list[tuple[npt.NDArray[Any], ...]] = []
        decided: list[npt.NDArray[np.bool_]] = []
        rewards: list[npt.NDArray[np.float32]] = []
        while len(rewards) < LONGEST and not game.terminated.all():
            deciding = game.deciding()
            chosen, targets = demonstrate(self.expert, game, rng, self.recipe.imitation_temperature)
            each = (game.observe(), game.legal_action_mask(), targets)
            steps.append(tuple(array[deciding] for array in each))
            decided.append(deciding.ravel())
            game.step(chosen)
            rewards.append(self.recipe.reward(game).ravel())
        observations, masks, targets = (np.concatenate(each) for each in zip(*steps, strict=True))
        canonical, entries, _, values = self.policy.answers(observations)
        here, gained = np.stack(decided), np.stack(rewards)
        expected, starts = np.zeros_like(gained), np.zeros_like(gained)  # one episode each
        expected[here] = values
        settings = self.recipe.gamma, self.recipe.gae_lambda
        returns = expected + advantages_of(gained, here, expected, starts, starts[0], *settings)
        return {
            "canonical": canonical,
            "entries": entries,
            "masks": torch.from_numpy(masks),
            "targets": torch.from_numpy(targets),
            "returns": torch.from_numpy(returns[here]),
        }


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
        self.name, self.expert, self.temperature = expert.name, expert, temperature
        self.targets = np.zeros((game.num_envs, game.num_players, game.num_actions), np.float32)

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.integer[Any]]:
        """The expert's choice, (N,)."""
        if self.temperature > 0 and isinstance(self.expert, ActionValueAgent):
            values = self.expert.action_values(view)
            legal = np.where(view.legal_action_mask, values.T / self.temperature, -np.inf)
            self.targets[:, view.player] = softmax(legal, axis=1)
            return self.expert.choose(values, view, rng)
        chosen = choice_of(self.expert, view, rng)
        self.targets[:, view.player] = np.eye(view.num_actions, dtype=np.float32)[chosen]
        return chosen
