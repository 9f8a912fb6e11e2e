"""MaskablePPO for self-play on a batch of simultaneous games: the same algorithm, less overhead."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule, explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor
from torch.nn import functional

from agents.networks.network import drawn, log_probabilities
from agents.ppo.decision_buffer import DecisionBuffer
from agents.ppo.game_length import game_length
from agents.ppo.game_policy import Batch, GamePolicy, Losses, minibatches
from agents.ppo.stopwatch import Stopwatch
from agents.recipes.recipe import Recipe
from kododo_env.wrappers.vec import BatchVecEnv

# Settings of a recipe that are MaskablePPO's own.
SAME_NAMES = (
    "batch_size", "n_epochs", "gamma", "gae_lambda", "clip_range", "vf_coef", "max_grad_norm",
)  # fmt: skip
POLICY_NAMES = ("muon", "magnet", "magnet_updates")  # and those of its policy

# Products in bfloat16 are compiled for each number of rows, and by default 1,024 of a kind are
# kept. Each step of a rollout decides another number, so that memory grew for long.
for kept in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
    os.environ.setdefault(kept, "64")


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that keeps decisions only and makes each observation canonical only once.

    What differs from sb3-contrib's: slots with one legal action are neither asked nor
    stored (``DecisionBuffer``); the canonical observation, which carries no gradient, is
    computed once when the policy acts and used in every epoch; the entropy coefficient falls
    as the learning rate does. ``learn`` and logging are MaskablePPO's. Within a rollout no
    callback is called.

    Args:
        env: What it plays; a rollout is whole games of it.
        recipe: The settings.
        network: Arguments of ``GameNetwork`` beside the layouts.
        seed: Of everything random.
        progress: Tells the share of the self-play that is left, 1 to 0.
        device: Where the network acts and learns; the games and what is kept of them stay in
            the processor's memory.
        **policy: ``threads`` and ``bfloat16`` of ``GamePolicy``.

    Attributes:
        stopwatch: How long acting, the games and learning took.
    """

    policy: GamePolicy
    rollout_buffer: DecisionBuffer

    def __init__(
        self,
        env: BatchVecEnv,
        recipe: Recipe,
        network: dict[str, Any],
        seed: int,
        progress: Callable[[], float],
        device: str = "cpu",
        **policy: Any,
    ) -> None:
        self.ent_schedule = LinearSchedule(recipe.ent_coef, recipe.final_ent_coef, 1.0)
        self.progress, self.stopwatch = progress, Stopwatch()
        layouts = {"layout": env.game.layout, "actions": env.game.actions}
        of_policy = {name: getattr(recipe, name) for name in POLICY_NAMES}
        super().__init__(
            GamePolicy,
            env,
            n_steps=game_length(env.game).steps,
            learning_rate=LinearSchedule(recipe.learning_rate, recipe.final_learning_rate, 1.0),
            **{name: getattr(recipe, name) for name in SAME_NAMES},
            rollout_buffer_class=DecisionBuffer,
            policy_kwargs={**layouts, "network": network, **of_policy, **policy},
            seed=seed,
            device=device,
        )

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        self._current_progress_remaining = self.progress()
        self.ent_coef = self.ent_schedule(self._current_progress_remaining)

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play ``n_rollout_steps`` steps."""
        self.rollout_buffer.reset()
        for _ in range(n_rollout_steps):
            with self.stopwatch.on("acting"):
                actions = self._decide(env)
            with self.stopwatch.on("games"):
                self._last_obs, rewards, dones, _ = env.step(actions)  # type: ignore[assignment]
            self.num_timesteps += env.num_envs
            assert self._last_episode_starts is not None
            self.rollout_buffer.add_step(rewards, self._last_episode_starts)
            self._last_episode_starts = dones
        self.rollout_buffer.estimate(self._last_values(~dones))
        return True

    @torch.no_grad()
    def _decide(self, env: VecEnv) -> npt.NDArray[np.int64]:
        """Actions of all slots, (E,); those that have a choice ask the policy."""
        masks = np.asarray(env.env_method("action_masks"), np.bool_)
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1)
        slots = np.flatnonzero(masks.sum(axis=1, dtype=np.int32) > 1)
        if len(slots) == 0:
            return actions
        assert isinstance(self._last_obs, np.ndarray)
        legal = torch.from_numpy(masks[slots])
        canonical, entries, logits, values = self.policy.answers(self._last_obs[slots])
        log_probs = log_probabilities(logits, legal)
        chosen = drawn(log_probs)
        self.rollout_buffer.add_decisions(
            slots,
            values,
            canonical=canonical,
            entries=entries,
            masks=legal,
            actions=chosen,
            log_probs=log_probs.gather(1, chosen[:, None]).squeeze(1),
        )
        actions[slots] = chosen.numpy()
        return actions

    @torch.no_grad()
    def _last_values(self, going_on: npt.NDArray[np.bool_]) -> npt.NDArray[np.float32]:
        """Values after the last step, (E,); not needed, and left 0, where an episode ended."""
        values = np.zeros(len(going_on), np.float32)
        if going_on.any():
            assert isinstance(self._last_obs, np.ndarray)
            last = torch.from_numpy(self._last_obs[going_on]).to(self.policy.device)
            values[going_on] = self.policy.network(last)[1].cpu()
        return values

    def train(self) -> None:
        """PPO's update (Schulman et al. 2017) over the decisions of the rollout.

        Raises:
            Diverged: Losses, gradients or the network's answers are no finite numbers.
        """
        buffer, decided = self.rollout_buffer, self.rollout_buffer.decided
        assert self.batch_size is not None
        with self.stopwatch.on("learning"):
            self._update_learning_rate(self.policy.optimizer)
            decisions = self.policy.with_magnet(buffer.packed())
            batches = minibatches(decisions, self.n_epochs, self.batch_size)
            found = self.policy.learn(map(normalised, batches), self._losses, self.max_grad_norm)
        found["explained_variance"] = float(
            explained_variance(buffer.values[decided], buffer.returns[decided])
        )
        found["entropy_coefficient"] = self.ent_coef
        for name, value in found.items():
            self.logger.record(f"train/{name}", value)
        self.logger.record("rollout/share_of_decisions", float(decided.mean()))

    def _losses(self, batch: Batch) -> Losses:
        """The loss, its parts, and what tells how far the policy has moved; means over a batch."""
        logits, values = self.policy.asked(batch)
        log_probs = log_probabilities(logits, batch["masks"])
        taken = log_probs.gather(1, batch["actions"][:, None]).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        log_ratio = taken - batch["log_probs"]
        ratio, clip_range = log_ratio.exp(), self.clip_range(1.0)  # type: ignore[operator]
        clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
        advantages = batch["advantages"]
        policy_loss = -torch.min(advantages * ratio, advantages * clipped).mean()
        value_loss = functional.mse_loss(values, batch["returns"])
        loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
        pulled = {}
        if "magnet" in batch:
            divergence = divergence_of(log_probs, batch["magnet"])
            loss, pulled = loss + self.policy.magnet * divergence, {"divergence": divergence}
        return {
            **pulled,
            "policy_gradient_loss": policy_loss,
            "value_loss": value_loss,
            "entropy_loss": -entropy,
            "approx_kl": (ratio.detach() - 1 - log_ratio.detach()).mean(),
            "clip_fraction": ((ratio.detach() - 1).abs() > clip_range).float().mean(),
            "loss": loss,
        }


def divergence_of(log_probs: Tensor, others: Tensor) -> Tensor:
    """The mean divergence (Kullback and Leibler) of distributions from others, both (B, A).

    A policy that is held near an average of its past does not run in circles around an
    equilibrium (S. Sokota et al., "A unified approach to reinforcement learning, quantal response
    equilibria, and two-player zero-sum games", 2023: magnetic mirror descent).
    """
    return (log_probs.exp() * (log_probs - others)).sum(dim=1).mean()


def normalised(batch: Batch) -> Batch:
    """The batch with advantages of mean 0 and spread 1; a single one has no spread."""
    advantages = batch["advantages"]
    if len(advantages) == 1:
        return batch
    spread = advantages.std() + 1e-8
    return batch | {"advantages": (advantages - advantages.mean()) / spread}
