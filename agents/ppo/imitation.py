"""Imitation, the training phase before self-play: learn the policy of an expert.

Targets are the expert's values of all actions if it has them, because they carry much more
information than its choice (G. Hinton et al., "Distilling the knowledge in a neural network",
2015).
"""

from __future__ import annotations

import numpy as np
from torch import Tensor
from torch.nn import functional

from agents.ppo.ppo import LONGEST_UPDATE, PPO, Batch, Losses, Rollout, minibatches
from agents.recipes.recipe import Recipe
from kododo_env.arrays.dtypes import Array, Bool, Float32, Int64, Integer
from kododo_env.core.agent import (
    ActionValueAgent,
    Agent,
    ProbabilisticAgent,
    begin,
    choice_of,
    joint_action,
)
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.networks.network import log_probabilities
from kododo_env.search.outcome_model import softmax


class Imitation:
    """The imitation of an expert: the learner learns its policy and the value of its play.

    The loss is the cross-entropy to the expert's distribution plus the weighted squared error of
    the value.

    Args:
        learner: The learner.
        expert: The agent to imitate.
    """

    def __init__(self, learner: PPO, expert: Agent) -> None:
        self.learner = learner
        self.expert = expert
        self.recipe = learner.recipe

    def learn(self, decisions: Batch, remaining: float) -> dict[str, float]:
        """Learn from decisions of the expert; return metrics to log.

        Args:
            decisions: The decisions that ``play`` has returned.
            remaining: The remaining share of the imitation, from 1 to 0.

        Raises:
            DivergenceError: Losses, gradients or the network's outputs are not finite.
        """
        if not len(decisions["returns"]):  # every choice was forced
            return {}
        batches = minibatches(decisions, self.recipe.n_epochs, self.recipe.batch_size)
        rate = self.recipe.imitation_rate(remaining)
        return self.learner.descend(batches, self.losses, rate)

    def losses(self, batch: Batch) -> Losses:
        """Return ``imitation_losses`` of a batch."""
        return imitation_losses(self.recipe, *self.learner.evaluate(batch), batch)

    def play(self, game: BatchGame, rng: np.random.Generator) -> Rollout:
        """Let the expert play all seats of a newly dealt batch to its end.

        The column ``targets`` of the decisions, (B, A), contains the expert's distributions.

        Raises:
            DivergenceError: The network's outputs are not finite.
        """
        steps: list[tuple[Array, ...]] = []
        decided: list[Bool] = []
        rewards: list[Float32] = []
        agent_steps = 0
        while len(rewards) < LONGEST_UPDATE and not game.terminated.all():
            agent_steps += game.num_players * int((~game.terminated).sum())
            deciding = game.deciding()
            chosen, targets = demonstrate(self.expert, game, rng, self.recipe.imitation_temperature)
            columns = (game.observe(), game.legal_action_mask(), targets)
            steps.append(tuple(array[deciding] for array in columns))
            decided.append(deciding.ravel())
            game.step(chosen)
            rewards.append(self.learner.reward(game).ravel())
        observations, masks, targets = (
            np.concatenate(column) for column in zip(*steps, strict=True)
        )
        canonical, entries, _, values = self.learner.answers(observations)
        seats = range(game.num_players)
        gains = self.learner.gains(game, seats, values, np.stack(decided), np.stack(rewards))
        decisions = {
            "canonical": canonical,
            "entries": entries,
            "masks": self.learner.on_device(masks),
            "targets": self.learner.on_device(targets),
            "returns": gains["returns"],
        }
        return Rollout(decisions, agent_steps)


def imitation_losses(recipe: Recipe, logits: Tensor, values: Tensor, batch: Batch) -> Losses:
    """Return the loss and its parts, as means over a batch.

    Args:
        recipe: The settings.
        logits: The network's logits of the batch, (B, A).
        values: Its values, (B,).
        batch: The batch.
    """
    log_probs = log_probabilities(logits, batch["masks"])
    cross_entropy = -(batch["targets"] * log_probs).sum(dim=1).mean()
    value_loss = functional.mse_loss(values, batch["returns"])
    loss = cross_entropy + recipe.vf_coef * value_loss
    return {"cross_entropy": cross_entropy, "value_loss": value_loss, "loss": loss}


def demonstrate(
    expert: Agent, game: BatchGame, rng: np.random.Generator, temperature: float
) -> tuple[Int64, Float32]:
    """Return an expert's actions in every seat, (N, P), and target distributions, (N, P, A).

    The target is the softmax of the expert's action values, in points, divided by the temperature.
    For a policy it is the softmax of its log-probabilities divided by the temperature. If the
    temperature is 0, or the expert has neither values nor probabilities, its action has probability
    1. Seats without a decision have only zeros.
    """
    noting = _ExpertRecorder(expert, game, temperature)
    chosen = joint_action([noting] * game.num_players, game, rng)
    return chosen, noting.targets * game.deciding()[:, :, None]


class _ExpertRecorder:
    """Plays like an expert, and records the target distributions."""

    def __init__(self, expert: Agent, game: BatchGame, temperature: float) -> None:
        self.name = expert.name
        self.expert = expert
        self.temperature = temperature
        self.targets = np.zeros((game.num_envs, game.num_players, game.num_actions), np.float32)

    def begin(self, view: View) -> None:
        """Reset the expert's memory, if it has one."""
        begin(self.expert, view)

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        """Return the expert's choice, (N,)."""
        if self.temperature > 0 and isinstance(self.expert, ActionValueAgent):
            action_values = self.expert.action_values(view)
            legal = np.where(view.legal_action_mask, action_values.T / self.temperature, -np.inf)
            self.targets[:, view.player] = softmax(legal)
            return self.expert.choose(action_values, view, rng)
        chosen = choice_of(self.expert, view, rng)
        if self.temperature > 0 and isinstance(self.expert, ProbabilisticAgent):
            with np.errstate(divide="ignore"):  # the logarithm of 0
                logits = np.log(self.expert.probabilities(view)) / self.temperature
            self.targets[:, view.player] = softmax(logits)
        else:
            self.targets[:, view.player] = np.eye(view.num_actions, dtype=np.float32)[chosen]
        return chosen
