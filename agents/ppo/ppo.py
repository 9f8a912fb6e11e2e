"""PPO for self-play on a batch of games, in reading order from the games to the gradient.

``PPO.play`` plays games from the deal to their end, ``advantages_of`` computes the advantage of
each decision, ``PPO.learn`` learns from it. The algorithm is that of J. Schulman et al. ("Proximal
policy optimization algorithms", 2017), with five differences:

- Steps with a single legal action are no decisions and are not learned from. This does not change
  the advantages of the decisions, which are computed over the whole game.
- Optionally only a share of the decisions is learned from, those with the largest advantages.
- The canonical observation carries no gradient. It is computed once, when the policy acts.
- The policy may be held near the average of its past, the magnet.
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
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.arrays import Array, Bool, Float32
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import (
    GameNetwork,
    check_answers,
    check_finite,
    drawn,
    log_probabilities,
)

LONGEST_UPDATE = 200  # steps of an update; longer games are truncated
PROBED = 256  # decisions on which a network is checked after learning
CHUNK = 2048  # decisions that the average evaluates at once, so that they fit into caches

Batch = dict[str, Tensor]
"""B decisions, by name: ``canonical`` (B, F), the canonical observations; ``entries`` (B, K), the
raw output's entries of the actions; ``masks`` (B, A) bool; ``returns`` (B,), the targets of the
value (the later rewards, and with a ``gae_lambda`` below 1 in part the network's later values);
and further columns for a loss."""
Losses = dict[str, Tensor]
"""Means over a batch: ``loss``, which is minimised, and others for the log."""


class Rollout(NamedTuple):
    """The decisions in a batch of games, and the agent-steps, including forced moves.

    A game that ends before the others takes no further steps.
    """

    decisions: Batch
    steps: int


class PPO(nn.Module):
    """A network that plays and learns.

    Args:
        game: A batch of the game; it is not changed.
        recipe: The settings, including those of the network.
        seed: The seed of the weights, and of torch's later random numbers.
        device: The device on which the network acts and learns, and that keeps the decisions; the
            games stay on the CPU.
        threads: The number of threads for acting and learning. It changes the rounding of sums
            and so the learned policy.
        bfloat16: Whether matrices are multiplied in bfloat16.

    Attributes:
        network: The network.
        reward: The rewards of a batch of games after a step, (N, P).
        average: The average of past weights if the recipe has a magnet, else None.
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
        """Return the state of the network, its average and its optimiser; see ``go_on``."""
        return {"policy": self.state_dict(), "optimizer": self.optimizer.state_dict()}

    def go_on(self, learned: dict[str, Any]) -> None:
        """Restore a state that ``learned`` has returned."""
        self.load_state_dict(learned["policy"])
        self.optimizer.load_state_dict(learned["optimizer"])

    def begin_with(self, network: GameNetwork) -> None:
        """Copy the weights of a network with the same settings, also to the average."""
        for model in filter(None, (self.network, self.average)):
            model.load_state_dict(network.state_dict())

    # --- playing --------------------------------------------------------------------------

    def play(
        self, game: BatchGame, agents: Sequence[Agent | None], seed: int, together: bool = False
    ) -> Rollout:
        """Deal a batch of games, and play them to their end, at most ``LONGEST_UPDATE`` steps.

        The policy plays the seats without an agent, with torch's random numbers; the seed is for
        everything else. If its seats play ``together``, each gets the mean of their rewards. The
        decisions are the policy's in order of time, with the ``actions``, their ``log_probs`` and
        their ``advantages``, (B,) each.

        Raises:
            Diverged: The network's outputs are not finite.
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
        """Return the network's outputs for observations (B, F), on the network's device.

        These are canonical observations (B, F) in their own dtype, the actions' entries int16
        (B, K), logits (B, A), legal or not, and values (B,).

        Raises:
            Diverged: The outputs are not finite.
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
            seats: The seats of the decisions.
            values: The network's value at each decision, in order, (B,).
            decided: Whether each seat of each game decided in each step, (T, N * seats).
            rewards: The rewards of these seats, (T, N * seats).
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
        """Return the loss, its parts, and measures of the policy's change; means over a batch."""
        recipe = self.recipe
        logits, values = self.evaluate(batch)
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

    def evaluate(self, batch: Batch, network: Learned | None = None) -> tuple[Tensor, Tensor]:
        """Return logits (B, A) and values (B,) of a batch, by the learner's or another network."""
        canonical = batch["canonical"].float()
        entries = batch["entries"].long()
        return (network or self.network).from_canonical(canonical, entries, self._bfloat16)

    # --- the update -----------------------------------------------------------------------

    def learn(
        self, decisions: Batch, learning_rate: float, entropy_weight: float
    ) -> dict[str, float]:
        """Learn from decisions; return numbers to log.

        Raises:
            Diverged: Losses, gradients or the network's outputs are not finite.
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
        """Select the decisions to learn from, those whose advantages are furthest from 0.

        If the network has an average, each decision gets a column ``magnet``, (B, A): the
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
        """Minimise a loss by one optimiser step on each minibatch; return numbers to log.

        ``losses`` is called with each thread's part of a minibatch.

        Raises:
            Diverged: Losses, gradients, weights or the network's outputs are not finite.
        """
        set_learning_rate(self.optimizer, learning_rate)
        steps = []
        for batch in batches:  # the last one is checked below
            steps.append(self._step(batch, losses))
        with torch.no_grad():
            check_answers(*self.evaluate({name: batch[name][:PROBED] for name in batch}))
        check_finite(*self.network.parameters())
        self.move_average()
        means = {
            name: torch.stack([losses_of_step[name] for losses_of_step in steps]).mean().item()
            for name in steps[0]
        }
        return {"learning_rate": learning_rate, **means}

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
    def move_average(self) -> None:
        """Update the average of the weights, if there is one, after an update."""
        if self.average is not None:
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, weight in pairs:
                average.lerp_(weight, 1 / self.recipe.magnet_updates)


def about(decisions: Batch, entropy_weight: float) -> dict[str, float]:
    """Return numbers to log besides the losses.

    The ``explained_variance`` is that of the returns by the network's values before learning; the
    advantages are the residuals. With a ``gae_lambda`` below 1 the returns contain such values.
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
    """Generalised advantage estimation over each seat's own decisions (Schulman et al. 2016).

    The rewards of a seat while it waits count for its last decision, and the discount applies to
    decisions, not steps.

    Args:
        rewards: The reward of each seat in each step, (T, E).
        decided: Whether the seat decided in that step, (T, E).
        values: The value at that step, (T, E).
        after: The value after the last step, (E,).
        gamma: The discount of each decision.
        gae_lambda: 1 takes the real rewards, 0 the value at the next decision.

    Returns:
        The advantages, (T, E) float32, 0 without a decision.
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
    """Return the mean Kullback-Leibler divergence between distributions, both (B, A).

    A policy that is held near an average of its past does not cycle around an equilibrium
    (S. Sokota et al., "A unified approach to reinforcement learning, quantal response equilibria,
    and two-player zero-sum games", 2023: magnetic mirror descent).
    """
    return (log_probs.exp() * (log_probs - reference)).sum(dim=1).mean()


def minibatches(decisions: Batch, epochs: int, size: int) -> Iterator[Batch]:
    """Yield minibatches of nearly equal sizes, in random order, for several passes."""
    returns = decisions["returns"]
    total = len(returns)
    for _ in range(epochs):
        order = torch.randperm(total).to(returns.device)
        for chosen in order.chunk(max(1, round(total / size))):
            # On rows of bytes ``index_select`` is much faster than ``column[chosen]``.
            yield {name: column.index_select(0, chosen) for name, column in decisions.items()}


def normalised(batch: Batch) -> Batch:
    """Normalise the advantages to mean 0 and standard deviation 1; a single one stays."""
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
