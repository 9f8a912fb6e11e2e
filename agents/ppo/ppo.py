"""PPO for self-play on a batch of games, from the games to the gradient: read it downwards.

``PPO.play`` plays games from the deal to their end, ``advantages_of`` computes the gain of each
decision, ``PPO.learn`` learns from it. The algorithm is that of J. Schulman et al. ("Proximal
policy optimization algorithms", 2017), with five differences:

- A player who has one legal action decides nothing, and leaves nothing to learn from. This does not
  change the advantages of the decisions: they are computed over the whole game.
- Only a share of the decisions may be learned from, those with the largest gains or losses.
- The canonical observation carries no gradient. It is computed once, when the policy acts.
- The policy may be held near the average of its past, the magnet.
- A minibatch may be divided among threads, whose gradients are added up.

The loss of imitation, which comes first, is in ``imitation.py``.
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

from agents.ppo.machine import DataParallel, Stopwatch
from agents.ppo.optimizer import make_optimizer, set_learning_rate
from agents.ppo.own_network import Learned, make_network
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

LONGEST_UPDATE = 200  # steps of an update: games without a fixed length are cut there
PROBED = 256  # decisions on which a network is tried after it has learned
ASKED = 2048  # decisions about which the average is asked at once; more do not stay in the caches

Batch = dict[str, Tensor]
"""B decisions. By name: ``canonical`` (B, F), the canonical observations; ``entries`` (B, K), the
raw output's entries of the actions; ``masks`` (B, A) bool; ``returns`` (B,), which the value
learns: the rewards afterwards, and with a ``gae_lambda`` below 1 in part the values that the
network expected then; and further columns for a loss."""
Losses = dict[str, Tensor]
"""Means over a batch: ``loss``, which is lowered, and others that are logged."""


class Played(NamedTuple):
    """A batch of games that was played: the decisions, and the agent-steps, forced moves included.

    A game that is over before the others takes no further steps.
    """

    decisions: Batch
    steps: int


class PPO(nn.Module):
    """A network that plays and learns.

    Args:
        game: Which game; it is not played.
        recipe: The settings, those of the network included.
        seed: Of the weights, and of all that is drawn from torch afterwards.
        device: Where the network acts and learns, and where decisions are kept; the games stay in
            the processor's memory.
        threads: On how many threads it acts and learns. With another number the sums are
            rounded otherwise, so that another policy is learned.
        bfloat16: Whether matrices are multiplied in bfloat16.

    Attributes:
        network: The network.
        reward: The rewards of a batch of games after a step, (N, P).
        average: The average of its past, if the recipe has a magnet; else None.
        stopwatch: How long acting, the games and learning took.
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
        """Where the network is."""
        return next(self.network.parameters()).device

    def on_device(self, array: Array) -> Tensor:
        """An array where the network is."""
        return torch.from_numpy(array).to(self.device)

    def learned(self) -> dict[str, Any]:
        """The state of the network, its average and its optimiser; see ``go_on``."""
        return {"policy": self.state_dict(), "optimizer": self.optimizer.state_dict()}

    def go_on(self, learned: dict[str, Any]) -> None:
        """Go on from a state that ``learned`` has returned."""
        self.load_state_dict(learned["policy"])
        self.optimizer.load_state_dict(learned["optimizer"])

    def begin_with(self, network: GameNetwork) -> None:
        """Take the weights of a network of the same settings, for the average too."""
        for model in filter(None, (self.network, self.average)):
            model.load_state_dict(network.state_dict())

    # --- playing --------------------------------------------------------------------------

    def play(
        self, game: BatchGame, agents: Sequence[Agent | None], seed: int, together: bool = False
    ) -> Played:
        """Deal a batch of games, and play them to their end, ``LONGEST_UPDATE`` steps at most.

        In a seat without an agent the policy plays, by torch's randomness; the seed is for all
        else. If its seats play ``together``, each of them is given the mean of their rewards. The
        decisions, in the order of their taking, are the policy's, with the ``actions``, their
        ``log_probs`` and their ``advantages``, (B,) each.

        Raises:
            Diverged: The network's answers are no numbers.
        """
        seats = [seat for seat, agent in enumerate(agents) if agent is None]
        learns = np.array([agent is None for agent in agents])
        rng = np.random.default_rng((seed, 1))  # not the one that deals
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
        return Played(columns | gains, steps)

    @torch.no_grad()
    def _decide(self, game: BatchGame, deciding: Bool) -> tuple[Batch, Tensor]:
        """Decisions where ``here``, (N, P), says so, and the values of their positions (B,)."""
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
        """The network's answers to observations (B, F), where the network is.

        They are canonical observations (B, F) in their own dtype, the actions' entries int16
        (B, K), logits (B, A), legal or not, and values (B,).

        Raises:
            Diverged: The answers are no numbers.
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
        """The ``advantages`` and ``returns`` of B decisions, (B,) each.

        Args:
            game: N games as they stand after the last step.
            seats: The seats in which it was decided.
            values: The expectation at each decision, in their order, (B,).
            decided: Whether each seat of each game decided in each step, (T, N * seats).
            rewards: Its gain in that step, likewise.
        """
        expected = np.zeros_like(rewards)
        after = np.zeros(rewards[0].shape, np.float32)
        expected[decided] = values.cpu()
        cut = ~game.terminated
        if cut.any():  # games that are over have nothing to expect
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
        """The loss, its parts, and how far the policy has moved; means over a batch."""
        recipe = self.recipe
        logits, values = self.asked(batch)
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

    def asked(self, batch: Batch, network: Learned | None = None) -> tuple[Tensor, Tensor]:
        """Logits (B, A) and values (B,) of a batch, by its own network or another one."""
        canonical = batch["canonical"].float()
        entries = batch["entries"].long()
        return (network or self.network).from_canonical(canonical, entries, self._bfloat16)

    # --- the update -----------------------------------------------------------------------

    def learn(
        self, decisions: Batch, learning_rate: float, entropy_weight: float
    ) -> dict[str, float]:
        """Learn from decisions that were played; returns numbers to log.

        Raises:
            Diverged: Losses, gradients or the network's answers are no finite numbers.
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
        """The decisions that are learned from, those whose advantages are furthest from 0.

        Where most decisions matter little, the others teach more for the same work. With the
        average of the network's past each has ``magnet``, (B, A): the average's log-probabilities.
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
            for start in range(part.start, part.stop, ASKED):
                rows = slice(start, min(start + ASKED, part.stop))
                batch = {name: column[rows] for name, column in decisions.items()}
                logits, _ = self.asked(batch, self.average)
                log_probs.append(log_probabilities(logits, batch["masks"]))
            return torch.cat(log_probs)

        averages = self.parallel.map(ask, len(decisions["returns"]))
        return decisions | {"magnet": torch.cat(averages)}

    def descend(
        self, batches: Iterable[Batch], losses: Callable[[Batch], Losses], learning_rate: float
    ) -> dict[str, float]:
        """Lower a loss by a step of the optimiser on each minibatch; returns numbers to log.

        ``losses`` is called with each thread's part of a minibatch.

        Raises:
            Diverged: Losses, gradients, weights or the network's answers are no finite numbers.
        """
        set_learning_rate(self.optimizer, learning_rate)
        steps = []
        for batch in batches:  # the last one serves below
            steps.append(self._step(batch, losses))
        with torch.no_grad():
            check_answers(*self.asked({name: batch[name][:PROBED] for name in batch}))
        check_finite(*self.network.parameters())
        self.move_average()
        means = {
            name: torch.stack([losses_of_step[name] for losses_of_step in steps]).mean().item()
            for name in steps[0]
        }
        return {"learning_rate": learning_rate, **means}

    def _step(self, batch: Batch, losses: Callable[[Batch], Losses]) -> Losses:
        """One step of the optimiser; the means over the minibatch."""
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
        """Let the average of the weights, if there is one, follow them after an update."""
        if self.average is not None:
            pairs = zip(self.average.parameters(), self.network.parameters(), strict=True)
            for average, weight in pairs:
                average.lerp_(weight, 1 / self.recipe.magnet_updates)


def about(decisions: Batch, entropy_weight: float) -> dict[str, float]:
    """What is logged of an update beside its losses.

    The ``explained_variance`` is that of the returns by the values that the network had before it
    learned: the advantages are what these leave over. With a ``gae_lambda`` below 1 the returns are
    in part such values.
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

    The gains of a seat while it waits count for its last decision, and the discount counts
    decisions, not steps.

    Args:
        rewards: The gain of each seat in each step, (T, E).
        decided: Whether it decided in that step, (T, E).
        values: The expectation there, (T, E).
        after: The expectation after the last step, (E,).
        gamma: The discount of each decision.
        gae_lambda: 1 takes the real gain, 0 the value at the next decision.

    Returns:
        (T, E) float32, 0 where nothing was decided.
    """
    advantages = np.zeros_like(values)
    next_value = after
    advantage = waiting = np.zeros_like(after)  # waiting: gained since, up to the next decision
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
    """The mean divergence (Kullback and Leibler) of distributions from others, both (B, A).

    A policy that is held near an average of its past does not run in circles around an
    equilibrium (S. Sokota et al., "A unified approach to reinforcement learning, quantal response
    equilibria, and two-player zero-sum games", 2023: magnetic mirror descent).
    """
    return (log_probs.exp() * (log_probs - reference)).sum(dim=1).mean()


def minibatches(decisions: Batch, epochs: int, size: int) -> Iterator[Batch]:
    """This many passes over decisions, each in random order and in nearly equal parts."""
    returns = decisions["returns"]
    total = len(returns)
    for _ in range(epochs):
        order = torch.randperm(total).to(returns.device)
        for chosen in order.chunk(max(1, round(total / size))):
            # On rows of bytes ``index_select`` is ten times as fast as ``column[chosen]``.
            yield {name: column.index_select(0, chosen) for name, column in decisions.items()}


def normalised(batch: Batch) -> Batch:
    """The batch with advantages of mean 0 and spread 1; a single one has no spread."""
    advantages = batch["advantages"]
    if len(advantages) == 1:
        return batch
    spread = advantages.std() + 1e-8
    return batch | {"advantages": (advantages - advantages.mean()) / spread}


def _mean_for_all(rewards: Float32) -> Float32:
    """The mean over the seats, (N, P), for each of them."""
    return np.broadcast_to(rewards.mean(axis=1, keepdims=True), rewards.shape)


def _observations(game: BatchGame) -> Array:
    """The observation of each player of each game: contiguous rows, (N, P, F)."""
    rows = np.empty((game.num_envs, game.num_players, game.layout.size), game.layout.dtype)
    return game.observe(out=rows)
