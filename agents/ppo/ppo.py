"""PPO for self-play on a batch of games.

``PPO.play`` plays games from the deal to their end, ``advantages_of`` computes the advantage of
each decision, and ``PPO.learn`` updates the network. The algorithm is that of J. Schulman et al.
("Proximal policy optimization algorithms", 2017), with five differences:

- Steps with a single legal action are not decisions, and nothing is learned from them. This does
  not change the advantages of the decisions, which are computed over the whole game.
- Optionally, only the decisions with the largest absolute advantages are used.
- The canonical observation carries no gradient. It is computed once, when the policy acts.
- Optionally, a penalty, the magnet, keeps the policy near the average of its past.
- A minibatch may be divided among threads, whose gradients are summed.

The loss of imitation, the phase before self-play, is in ``imitation.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from agents.ppo.custom_network import Learned, make_network
from agents.ppo.machine import DataParallel, Stopwatch
from agents.ppo.optimizer import make_optimizer, set_learning_rate
from agents.recipes.recipe import Recipe
from kododo_env.arrays.dtypes import Array, Bool, Float32
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import (
    GameNetwork,
    check_answers,
    check_finite,
    drawn,
    log_probabilities,
)

LONGEST_UPDATE = 200  # steps of an update; longer games are truncated
PROBED = 256  # decisions on which outputs are checked after learning
CHUNK = 2048  # decisions per evaluation of the average, so that they fit into CPU caches

Batch = dict[str, Tensor]
"""B decisions, by column: ``canonical`` (B, F), the canonical observations; ``entries`` (B, K), the
indices of the actions in the raw output; ``masks`` (B, A) bool; ``returns`` (B,), the targets of
the value: the later rewards, mixed with the network's later values if ``gae_lambda`` is below 1;
and further columns for a loss."""
Losses = dict[str, Tensor]
"""Means over a batch: ``loss``, which is minimised, and other metrics to log."""


class Rollout(NamedTuple):
    """The decisions in a batch of games, and the number of agent-steps, including forced moves.

    A game that ends before the others takes no further steps.
    """

    decisions: Batch
    steps: int


class PPO(nn.Module):
    """A network that plays and learns by PPO.

    Args:
        game: A batch of the game; it is not changed.
        recipe: The settings, including those of the network.
        seed: The seed of the initial weights and of torch's random numbers.
        device: The device of the network and of the decisions; the games stay on the CPU.
        threads: The number of threads for acting and learning. It affects rounding, and thus the
            learned policy.
        bfloat16: Whether matrices are multiplied in bfloat16.

    Attributes:
        network: The network.
        reward: The function that returns the rewards of a batch of games after a step, (N, P).
        average: A network with the average of past weights; None if the recipe has no magnet.
        stopwatch: The time spent on acting, the games and learning.
    """

    def __init__(
        self,
        game: BatchGame,
        recipe: Recipe,
        seed: int,
        device: str = "cpu",
        threads: int = 1,
        bfloat16: bool = False,
    ) -> None:
        super().__init__()
        self.recipe = recipe
        self._bfloat16 = bfloat16
        self.parallel = DataParallel(threads)
        self.stopwatch = Stopwatch()
        torch.manual_seed(seed)
        self.network = make_network(recipe, game)
        self.reward = recipe.reward_function()
        self.average = deepcopy(self.network).requires_grad_(False) if recipe.magnet else None
        self.to(device)
        self.optimizer = make_optimizer(self.network, recipe.learning_rate, recipe.muon, bfloat16)

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return next(self.network.parameters()).device

    def on_device(self, array: Array) -> Tensor:
        """Copy an array to the network's device."""
        return torch.from_numpy(array).to(self.device)

    def learned(self) -> dict[str, Any]:
        """Return the state of the network, its average and its optimiser, for ``go_on``."""
        return {"policy": self.state_dict(), "optimizer": self.optimizer.state_dict()}

    def go_on(self, learned: dict[str, Any]) -> None:
        """Restore a state that ``learned`` has returned."""
        self.load_state_dict(learned["policy"])
        self.optimizer.load_state_dict(learned["optimizer"])

    def begin_with(self, network: GameNetwork) -> None:
        """Copy the weights of a network with the same settings into the network and its average."""
        for model in filter(None, (self.network, self.average)):
            model.load_state_dict(network.state_dict())

    # --- playing --------------------------------------------------------------------------

    def play(
        self, game: BatchGame, agents: Sequence[Agent | None], seed: int, together: bool = False
    ) -> Rollout:
        """Deal a batch of games, and play them to their end, at most ``LONGEST_UPDATE`` steps.

        Args:
            game: The batch of games.
            agents: The agent in each seat; None where the policy plays. The policy draws actions
                with torch's random numbers.
            seed: The seed of the deals and of the agents.
            together: Whether the policy's seats are a team, which shares its mean reward.

        Returns:
            The policy's decisions in order of time, with the columns ``actions``, ``log_probs`` and
            ``advantages``, (B,) each.

        Raises:
            DivergenceError: The network's outputs are not finite.
        """
        seats = [seat for seat, agent in enumerate(agents) if agent is None]
        learns = np.array([agent is None for agent in agents])
        rng = np.random.default_rng((seed, 1))  # not the generator of the deals
        game.reset(seed)
        batches: list[Batch] = []
        decided: list[Bool] = []
        values: list[Tensor] = []
        rewards: list[Float32] = []
        steps = 0
        while len(rewards) < LONGEST_UPDATE and not game.terminated.all():
            steps += len(seats) * int((~game.terminated).sum())
            with self.stopwatch.on("acting"):
                deciding = game.deciding() & learns
                decisions, expected = (
                    self._decide(game, deciding) if deciding.any() else ({}, torch.empty(0))
                )
            with self.stopwatch.on("games"):
                actions = joint_action(agents, game, rng)
                if decisions:
                    actions[deciding] = decisions["actions"].cpu().numpy()
                    batches.append(decisions)
                game.step(actions)
            decided.append(deciding[:, seats].ravel())
            values.append(expected)
            gained = self.reward(game)[:, seats]
            rewards.append((_mean_for_all(gained) if together else gained).ravel())
        names = batches[0] if batches else ()
        columns = {name: torch.cat([batch[name] for batch in batches]) for name in names}
        gains = self.gains(game, seats, torch.cat(values), np.stack(decided), np.stack(rewards))
        return Rollout(columns | gains, steps)

    @torch.no_grad()
    def _decide(self, game: BatchGame, deciding: Bool) -> tuple[Batch, Tensor]:
        """Decide where ``deciding``, (N, P), is True; return decisions and values (B,)."""
        masks = np.array(game.legal_action_mask(), order="C")[deciding]
        canonical, entries, logits, values = self.answers(_observations(game)[deciding])
        legal = self.on_device(masks)
        log_probs = log_probabilities(logits, legal)
        actions = drawn(log_probs)
        decisions = {
            "canonical": canonical,
            "entries": entries,
            "masks": legal,
            "actions": actions,
            "log_probs": log_probs.gather(1, actions[:, None]).squeeze(1),
        }
        return decisions, values

    def answers(self, observations: Array) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Return the network's outputs for observations (B, F), as tensors on its device.

        Returns:
            Canonical observations (B, F) in their own dtype, the indices of the actions in the raw
            output (B, K) int16, logits (B, A) without a mask, and values (B,).

        Raises:
            DivergenceError: The outputs are not finite.
        """

        @torch.no_grad()
        def ask(part: slice) -> tuple[Tensor, ...]:
            rows = self.on_device(observations[part])
            canonical, entries = self.network.canonical(rows)
            logits, values = self.network.from_canonical(canonical, entries, self._bfloat16)
            check_answers(logits, values)
            return canonical.to(rows.dtype), entries.to(torch.int16), logits, values

        parts = self.parallel.map(ask, len(observations))
        canonical, entries, logits, values = map(torch.cat, zip(*parts, strict=True))
        return canonical, entries, logits, values

    # --- advantages -----------------------------------------------------------------------

    def gains(
        self, game: BatchGame, seats: Sequence[int], values: Tensor, decided: Bool, rewards: Float32
    ) -> Batch:
        """Return the ``advantages`` and ``returns`` of B decisions, (B,) each.

        Args:
            game: N games after the last step.
            seats: The S seats whose decisions these are.
            values: The network's value at each decision, in order of time, (B,).
            decided: Whether each seat of each game decided in each step, (T, N * S).
            rewards: The rewards of these seats, (T, N * S).
        """
        expected = np.zeros_like(rewards)
        after = np.zeros(rewards[0].shape, np.float32)
        expected[decided] = values.cpu()
        cut = ~game.terminated
        if cut.any():  # the value after the end of a game is 0
            rows = _observations(game)[cut][:, seats]
            last = self.answers(rows.reshape(-1, rows.shape[2]))[3].cpu().numpy()
            after[np.repeat(cut, len(seats))] = last
        settings = self.recipe.gamma, self.recipe.gae_lambda
        advantages = advantages_of(rewards, decided, expected, after, *settings)
        returns = advantages + expected
        return {
            "advantages": self.on_device(advantages[decided]),
            "returns": self.on_device(returns[decided]),
        }

    # --- the loss -------------------------------------------------------------------------

    def losses(self, batch: Batch, entropy_weight: float) -> Losses:
        """Return ``policy_losses`` of a batch."""
        return policy_losses(self.recipe, *self.evaluate(batch), batch, entropy_weight)

    def evaluate(self, batch: Batch, network: Learned | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (B, A) and values (B,) of a batch.

        Args:
            batch: The decisions.
            network: The network to evaluate; None: that of the learner.
        """
        canonical = batch["canonical"].float()
        entries = batch["entries"].long()
        return (network or self.network).from_canonical(canonical, entries, self._bfloat16)

    # --- the update -----------------------------------------------------------------------

    def learn(
        self, decisions: Batch, learning_rate: float, entropy_weight: float
    ) -> dict[str, float]:
        """Learn from the decisions of an update; return metrics to log.

        Raises:
            DivergenceError: Losses, gradients or the network's outputs are not finite.
        """
        recipe = self.recipe
        if not len(decisions["returns"]):  # every choice was forced
            return {}
        with self.stopwatch.on("learning"):
            batches = minibatches(self.lessons(decisions), recipe.n_epochs, recipe.batch_size)
            losses = partial(self.losses, entropy_weight=entropy_weight)
            means = self.descend(map(normalised, batches), losses, learning_rate)
        return {**means, **about(decisions, entropy_weight)}

    def lessons(self, decisions: Batch) -> Batch:
        """Return the decisions to learn from, those with the largest absolute advantages.

        If there is an average network, the decisions get a column ``magnet``, (B, A): the
        log-probabilities of the average.
        """
        if self.recipe.learned_share < 1:
            count = math.ceil(self.recipe.learned_share * len(decisions["returns"]))
            chosen = decisions["advantages"].abs().topk(count).indices
            decisions = {name: column.index_select(0, chosen) for name, column in decisions.items()}
        if self.average is None:
            return decisions

        @torch.no_grad()
        def ask(part: slice) -> Tensor:
            log_probs = []
            for start in range(part.start, part.stop, CHUNK):
                rows = slice(start, min(start + CHUNK, part.stop))
                batch = {name: column[rows] for name, column in decisions.items()}
                logits, _ = self.evaluate(batch, self.average)
                log_probs.append(log_probabilities(logits, batch["masks"]))
            return torch.cat(log_probs)

        averages = self.parallel.map(ask, len(decisions["returns"]))
        return decisions | {"magnet": torch.cat(averages)}

    def descend(
        self, batches: Iterable[Batch], losses: Callable[[Batch], Losses], learning_rate: float
    ) -> dict[str, float]:
        """Minimise a loss by one optimiser step on each minibatch; return metrics to log.

        Args:
            batches: The minibatches.
            losses: A function that returns the losses of a part of a minibatch; each thread
                computes one part.
            learning_rate: The learning rate of Adam.

        Raises:
            DivergenceError: Losses, gradients, weights or the network's outputs are not finite.
        """
        set_learning_rate(self.optimizer, learning_rate)
        steps = []
        for batch in batches:
            steps.append(self._step(batch, losses))
        return {"learning_rate": learning_rate, **self.end_update(steps, batch)}

    def end_update(self, steps: Sequence[Losses], last: Batch) -> dict[str, float]:
        """Check the network, and move its average; return the means of all optimiser steps.

        Args:
            steps: The losses of each optimiser step.
            last: The last minibatch, on which the network's outputs are checked.

        Raises:
            DivergenceError: Weights or the network's outputs are not finite.
        """
        with torch.no_grad():
            check_answers(*self.evaluate({name: last[name][:PROBED] for name in last}))
        check_finite(*self.network.parameters())
        self._move_average()
        return {
            name: torch.stack([losses[name] for losses in steps]).mean().item() for name in steps[0]
        }

    def _step(self, batch: Batch, losses: Callable[[Batch], Losses]) -> Losses:
        """Take an optimiser step; return the means over the minibatch."""
        parameters = [weight for weight in self.network.parameters() if weight.requires_grad]
        total = len(batch["returns"])

        def gradients(part: slice) -> tuple[Losses, list[Tensor]]:
            means = losses({name: column[part] for name, column in batch.items()})
            share = (part.stop - part.start) / total
            gradient = torch.autograd.grad(
                share * means["loss"], parameters, allow_unused=True, materialize_grads=True
            )
            return {name: share * loss.detach() for name, loss in means.items()}, list(gradient)

        logged, part_gradients = zip(*self.parallel.map(gradients, total), strict=True)
        for parameter, *parts in zip(parameters, *part_gradients, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]
        norm = nn.utils.clip_grad_norm_(parameters, self.recipe.max_grad_norm)
        means = {name: torch.stack([part[name] for part in logged]).sum() for name in logged[0]}
        check_finite(norm, means["loss"])
        self.optimizer.step()
        return means

    @torch.no_grad()
    def _move_average(self) -> None:
        """Move the average of the weights, if there is one, towards the weights after an update."""
        if self.average is not None:
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, weight in pairs:
                average.lerp_(weight, 1 / self.recipe.magnet_updates)


def policy_losses(
    recipe: Recipe, logits: Tensor, values: Tensor, batch: Batch, entropy_weight: float
) -> Losses:
    """Return the means over a batch of the loss, its parts, and measures of the policy's change.

    Args:
        recipe: The settings.
        logits: The network's logits of the batch, (B, A).
        values: Its values, (B,).
        batch: The batch.
        entropy_weight: The weight of the entropy bonus.
    """
    log_probs = log_probabilities(logits, batch["masks"])
    action_log_probs = log_probs.gather(1, batch["actions"][:, None]).squeeze(1)
    entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
    log_ratio = action_log_probs - batch["log_probs"]
    ratio = log_ratio.exp()
    clipped = ratio.clamp(1 - recipe.clip_range, 1 + recipe.clip_range)
    advantages = batch["advantages"]
    policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
    value_loss = functional.mse_loss(values, batch["returns"])
    loss = policy_loss - entropy_weight * entropy + recipe.vf_coef * value_loss
    pulled = {}
    if "magnet" in batch:
        divergence = divergence_of(log_probs, batch["magnet"])
        loss = loss + recipe.magnet * divergence
        pulled = {"divergence": divergence}
    moved = (ratio.detach() - 1).abs()
    return {
        **pulled,
        "policy_gradient_loss": policy_loss,
        "value_loss": value_loss,
        "entropy_loss": -entropy,
        "approx_kl": (ratio.detach() - 1 - log_ratio.detach()).mean(),
        "clip_fraction": (moved > recipe.clip_range).float().mean(),
        "loss": loss,
    }


def about(decisions: Batch, entropy_weight: float) -> dict[str, float]:
    """Return metrics to log besides the losses.

    The ``explained_variance`` is the share of the returns' variance that the network's values
    explain before learning; the advantages are the residuals. With a ``gae_lambda`` below 1 the
    returns themselves contain such values.
    """
    unexplained, variance = (
        decisions[name].var(correction=0) for name in ("advantages", "returns")
    )
    explained = 1 - (unexplained / variance).item()
    return {"explained_variance": explained, "entropy_coefficient": entropy_weight}


def advantages_of(
    rewards: Float32,
    decided: Bool,
    values: Float32,
    after: Float32,
    gamma: float,
    gae_lambda: float,
) -> Float32:
    """Return advantages by generalised advantage estimation (Schulman et al. 2016).

    Each seat has its own sequence of decisions. Rewards between two decisions of a seat count for
    the earlier one, and the discount applies to decisions, not steps.

    Args:
        rewards: The reward of each of E seats in each step, (T, E).
        decided: Whether the seat decided in that step, (T, E).
        values: The value at that step, (T, E).
        after: The value after the last step, (E,).
        gamma: The discount of each decision.
        gae_lambda: Lambda: 1 uses the rewards only, 0 the value at the next decision.

    Returns:
        The advantages, (T, E) float32; 0 in steps without a decision.
    """
    advantages = np.zeros_like(values)
    next_value = after
    advantage = waiting = np.zeros_like(after)  # waiting: rewards up to the next decision
    for step in reversed(range(len(rewards))):
        gained = rewards[step] + waiting
        deciding = decided[step]
        delta = gained + gamma * next_value - values[step]
        advantage = np.where(deciding, delta + gamma * gae_lambda * advantage, advantage)
        advantages[step] = advantage * deciding
        next_value = np.where(deciding, values[step], next_value)
        waiting = gained * ~deciding
    return advantages


def divergence_of(log_probs: Tensor, reference: Tensor) -> Tensor:
    """Return the mean Kullback-Leibler divergence of the policy from a reference.

    A policy that is kept near an average of its past does not cycle around an equilibrium (S.
    Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria, and
    two-player zero-sum games", 2023: magnetic mirror descent).

    Args:
        log_probs: The policy's log-probabilities, (B, A).
        reference: Those of the reference, (B, A).
    """
    return (log_probs.exp() * (log_probs - reference)).sum(dim=1).mean()


def minibatches(decisions: Batch, epochs: int, size: int) -> Iterator[Batch]:
    """Yield minibatches of about ``size`` decisions, in a new random order for each epoch."""
    returns = decisions["returns"]
    total = len(returns)
    for _ in range(epochs):
        order = torch.randperm(total).to(returns.device)
        for chosen in order.chunk(max(1, round(total / size))):
            # ``column[chosen]`` is slow on rows of bytes.
            yield {name: column.index_select(0, chosen) for name, column in decisions.items()}


def normalised(batch: Batch) -> Batch:
    """Normalise the advantages to mean 0 and standard deviation 1; leave a single one unchanged."""
    advantages = batch["advantages"]
    if len(advantages) == 1:
        return batch
    spread = advantages.std() + 1e-8
    return batch | {"advantages": (advantages - advantages.mean()) / spread}


def _mean_for_all(rewards: Float32) -> Float32:
    """Replace each seat's reward by the mean over the seats, (N, P)."""
    return np.broadcast_to(rewards.mean(axis=1, keepdims=True), rewards.shape)


def _observations(game: BatchGame) -> Array:
    """Return all players' observations as contiguous rows, (N, P, F)."""
    rows = np.empty((game.num_envs, game.num_players, game.layout.size), game.layout.dtype)
    return game.observe(out=rows)
