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
from stable_baselines3.common.utils import FloatSchedule, LinearSchedule, explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor
from torch.nn import functional

from agents.networks.network import check_answers, check_network, masked
from agents.ppo.data_parallel import DataParallel
from agents.ppo.decision_buffer import DecisionBuffer, Decisions
from agents.ppo.game_length import game_length
from agents.ppo.game_policy import GamePolicy
from agents.ppo.gradient_step import Losses, gradient_step, minibatches
from agents.ppo.stopwatch import Stopwatch
from agents.recipes.recipe import Recipe
from kododo_env.wrappers.vec import BatchVecEnv

Schedule = Callable[[float], float]
# Settings of a recipe that are MaskablePPO's own.
SAME_NAMES = (
    "batch_size", "n_epochs", "gamma", "gae_lambda", "clip_range", "vf_coef", "max_grad_norm",
)  # fmt: skip

# Products in bfloat16 are compiled for each number of rows, and by default 1,024 of a kind are
# kept. Each step of a rollout decides another number, so that memory grew for long.
for kept in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
    os.environ.setdefault(kept, "64")


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that keeps decisions only and makes each observation canonical only once.

    What differs from sb3-contrib's: slots with one legal action are neither asked nor
    stored (``DecisionBuffer``); the canonical observation, which carries no gradient, is
    computed once when the policy acts and used in every epoch; the entropy coefficient may
    be a schedule. ``learn``, callbacks, logging, saving and loading are MaskablePPO's.

    Args:
        policy: ``GamePolicy``.
        env: What it plays.
        ent_coef: Entropy coefficient, or a schedule of it by remaining progress, 1 to 0.
        progress: Tells the remaining progress, 1 to 0, which drives the schedules; None reads
            it off the number of steps.
        threads: On how many threads acting and learning are done. With another number
            the sums are rounded otherwise, so that another policy is learned.
        bfloat16: Whether acting and learning multiply matrices in bfloat16.
        **settings: MaskablePPO's.

    Attributes:
        stopwatch: How long acting, the games and learning took.
        parallel: The threads.
    """

    policy: GamePolicy
    rollout_buffer: DecisionBuffer

    def __init__(
        self,
        policy: type[GamePolicy],
        env: VecEnv | None,
        *,
        ent_coef: float | Schedule = 0.0,
        progress: Callable[[], float] | None = None,
        threads: int = 1,
        bfloat16: bool = False,
        **settings: Any,
    ) -> None:
        self.ent_schedule = FloatSchedule(ent_coef)
        self.progress = progress
        self.parallel = DataParallel(threads)
        self.bfloat16 = bfloat16
        self.stopwatch = Stopwatch()
        super().__init__(policy, env, ent_coef=self.ent_schedule(1.0), **settings)  # type: ignore[arg-type]

    def _setup_model(self) -> None:
        self.rollout_buffer_class = DecisionBuffer
        super()._setup_model()
        if not isinstance(self.policy, GamePolicy):
            raise ValueError(f"the policy must be a GamePolicy, not {type(self.policy).__name__}")

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "progress", "stopwatch", "parallel"]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.progress is not None:
            self._current_progress_remaining = self.progress()
        self.ent_coef = self.ent_schedule(self._current_progress_remaining)

    # --- collecting -------------------------------------------------------------------

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play ``n_rollout_steps`` steps; False if the callback asks to stop."""
        assert isinstance(rollout_buffer, DecisionBuffer)
        self.policy.set_training_mode(False)
        rollout_buffer.reset()
        callback.on_rollout_start()
        for _ in range(n_rollout_steps):
            with self.stopwatch.on("acting"):
                actions = self._decide(env, rollout_buffer)
            with self.stopwatch.on("games"):
                new_obs, rewards, dones, infos = env.step(actions)
            self.num_timesteps += env.num_envs
            callback.update_locals(locals())
            if not callback.on_step():
                return False
            self._update_info_buffer(infos, dones)
            assert self._last_episode_starts is not None
            rollout_buffer.add_step(rewards, self._last_episode_starts)
            self._last_obs, self._last_episode_starts = new_obs, dones  # type: ignore[assignment]
        with torch.no_grad():
            values = self._last_values(dones)
        rollout_buffer.compute_returns_and_advantage(values, dones)
        callback.on_rollout_end()
        # They name the callback itself, and so all these arrays would stay until Python looks
        # for cycles: hardly ever where so few new objects are made.
        callback.locals = {}
        return True

    @torch.no_grad()
    def _decide(self, env: VecEnv, buffer: DecisionBuffer) -> npt.NDArray[np.int64]:
        """Actions of all slots, (E,); those that have a choice ask the policy."""
        masks = np.asarray(env.env_method("action_masks"), np.bool_)
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1)
        slots = np.flatnonzero(masks.sum(axis=1, dtype=np.int32) > 1)
        if len(slots) == 0:
            return actions
        legal = torch.from_numpy(masks[slots])
        canonical, entries, log_probs, values = self._asked(slots, legal)
        # The largest of log-probability plus Gumbel noise is a draw from the distribution.
        noise = torch.empty_like(log_probs).exponential_().log_()
        chosen = (log_probs - noise).argmax(dim=1)
        buffer.add_decisions(
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

    def _asked(self, slots: npt.NDArray[np.intp], legal: Tensor) -> tuple[Tensor, ...]:
        """The canonical observations of some slots, entries, log-probabilities and values."""
        network, observations = self.policy.network, self._last_obs
        assert isinstance(observations, np.ndarray)

        @torch.no_grad()
        def ask(part: slice) -> tuple[Tensor, ...]:
            canonical, entries = network.canonical(torch.from_numpy(observations[slots[part]]))
            logits, values = network.from_canonical(canonical, entries, self.bfloat16)
            check_answers(logits, values)
            log_probs = functional.log_softmax(masked(logits, legal[part]), dim=1)
            return canonical, entries, log_probs, values

        answers = self.parallel.map(ask, len(slots))
        return tuple(torch.cat(column) for column in zip(*answers, strict=True))

    def _last_values(self, dones: npt.NDArray[np.bool_]) -> Tensor:
        """Values after the last step; not needed, and left 0, where an episode ended."""
        values = torch.zeros(len(dones))
        going_on = np.flatnonzero(~dones)
        if len(going_on):
            assert isinstance(self._last_obs, np.ndarray)
            observation = torch.from_numpy(self._last_obs[going_on])
            values[torch.from_numpy(going_on)] = self.policy.network(observation)[1]
        return values

    # --- learning ---------------------------------------------------------------------

    def train(self) -> None:
        """PPO's update (Schulman et al. 2017) over the decisions of the rollout.

        Raises:
            Diverged: Losses, gradients or the network's answers are no finite numbers.
        """
        with self.stopwatch.on("learning"):
            self._train()

    def _train(self) -> None:
        self.policy.set_training_mode(True)
        self._update_learning_rate(self.policy.optimizer)
        clip_range = float(self.clip_range(self._current_progress_remaining))  # type: ignore[operator]
        decisions = self.rollout_buffer.packed()
        assert self.batch_size is not None
        losses: list[Losses] = []
        for _ in range(self.n_epochs):
            for chosen in minibatches(len(decisions.actions), self.batch_size):
                batch = Decisions(*(column[chosen] for column in decisions))
                losses.append(self._update(batch, clip_range))
            self._n_updates += 1
        check_network(self.policy.network, decisions.canonical, decisions.entries)
        self._log(losses, clip_range)

    def _update(self, batch: Decisions, clip_range: float) -> Losses:
        """One step of the optimiser on a minibatch; what there is to log of it."""
        size = len(batch.actions)
        if self.normalize_advantage and size > 1:  # one has no spread, but NaN
            advantages = batch.advantages
            spread = advantages.std() + 1e-8
            batch = batch._replace(advantages=(advantages - advantages.mean()) / spread)

        def losses(part: slice) -> Losses:
            return self._losses(Decisions(*(column[part] for column in batch)), clip_range)

        return gradient_step(self.policy, self.parallel, size, losses, self.max_grad_norm)

    def _losses(self, batch: Decisions, clip_range: float) -> Losses:
        """The loss, its parts, and what tells how far the policy has moved; means over a batch."""
        network = self.policy.network
        logits, values = network.from_canonical(
            batch.canonical.float(), batch.entries.long(), self.bfloat16
        )
        log_probs = functional.log_softmax(masked(logits, batch.masks), dim=1)
        taken = log_probs.gather(1, batch.actions[:, None]).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        log_ratio = taken - batch.log_probs
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
        policy_loss = -torch.min(batch.advantages * ratio, batch.advantages * clipped).mean()
        value_loss = functional.mse_loss(values, batch.returns)
        return {
            "policy_gradient_loss": policy_loss,
            "value_loss": value_loss,
            "entropy_loss": -entropy,
            "approx_kl": (ratio.detach() - 1 - log_ratio.detach()).mean(),
            "clip_fraction": ((ratio.detach() - 1).abs() > clip_range).float().mean(),
            "loss": policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss,
        }

    def _log(self, losses: list[Losses], clip_range: float) -> None:
        for name in losses[0]:
            mean = torch.stack([loss[name] for loss in losses]).mean().item()
            self.logger.record(f"train/{name}", mean)
        buffer = self.rollout_buffer
        decided = buffer.decided
        self.logger.record(
            "train/explained_variance",
            explained_variance(buffer.values[decided], buffer.returns[decided]),
        )
        self.logger.record("train/entropy_coefficient", self.ent_coef)
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip_range)
        self.logger.record("rollout/share_of_decisions", float(decided.mean()))


def make_learner(
    env: BatchVecEnv,
    recipe: Recipe,
    network: dict[str, Any],
    seed: int,
    progress: Callable[[], float],
    *,
    threads: int = 1,
    bfloat16: bool = False,
) -> SelfPlayPPO:
    """A learner that has learned nothing yet, with a recipe's settings.

    Args:
        env: What it plays; a rollout is whole games of it.
        recipe: The settings.
        network: Arguments of ``GameNetwork`` beside the layouts.
        seed: Of everything random.
        progress: Tells the share of the self-play that is left, 1 to 0.
        threads: See ``SelfPlayPPO``.
        bfloat16: See ``SelfPlayPPO``.
    """
    layouts = {"layout": env.game.layout, "actions": env.game.actions}
    return SelfPlayPPO(
        GamePolicy,
        env,
        n_steps=game_length(env.game).steps,
        learning_rate=LinearSchedule(recipe.learning_rate, recipe.final_learning_rate, 1.0),
        ent_coef=LinearSchedule(recipe.ent_coef, recipe.final_ent_coef, 1.0),
        **{name: getattr(recipe, name) for name in SAME_NAMES},
        policy_kwargs={**layouts, "network": network, "muon": recipe.muon},
        seed=seed,
        device="cpu",
        progress=progress,
        threads=threads,
        bfloat16=bfloat16,
    )
