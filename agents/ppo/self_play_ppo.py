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
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor
from torch.nn import functional

from agents.networks.network import check_answers, check_finite, masked
from agents.ppo.data_parallel import DataParallel
from agents.ppo.decision_buffer import DecisionBuffer, Decisions
from agents.ppo.game_policy import GamePolicy
from agents.ppo.imitation import lesson
from agents.ppo.stopwatch import Stopwatch
from kododo_env.core.agent import Agent
from kododo_env.wrappers.vec import BatchVecEnv

Schedule = Callable[[float], float]
PROBED = 256  # decisions on which a network is tried after it has learned

# Products in bfloat16 are compiled for each number of rows, and by default 1,024 of a kind are
# kept. Each step of a rollout decides another number, so that memory grew for long.
for kept in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
    os.environ.setdefault(kept, "64")


class SelfPlayPPO(MaskablePPO):
    """MaskablePPO that keeps decisions only and renames each observation only once.

    What differs from sb3-contrib's: slots with one legal action are neither asked nor
    stored (``DecisionBuffer``); the canonical observation, which carries no gradient, is
    computed once when the policy acts and used in every epoch; the entropy coefficient may
    be a schedule; a teacher may play at first, who is imitated while the value is learned;
    and a function may say how far the training has progressed, so that a limit of time can
    drive the schedules. ``learn``, callbacks, logging, saving and loading are
    MaskablePPO's. The policy must be a ``GamePolicy``.

    Attributes:
        ent_schedule: Entropy coefficient by remaining progress (1 to 0), if not constant.
        teacher: Who plays at first and is imitated; needs a ``BatchVecEnv``.
        teacher_share: For which share of the progress.
        teacher_temperature: Of the distributions that it teaches: see ``agents.ppo.imitation``.
        stopwatch: How long acting, the games and learning took.
        progress: Remaining progress, if it is not to be read off the number of steps.
        bfloat16: Whether acting and learning multiply matrices in bfloat16.
        parallel: On how many threads acting and learning are done. With another number
            the sums are rounded otherwise, so that another policy is learned.
    """

    policy: GamePolicy
    rollout_buffer: DecisionBuffer
    ent_schedule: Schedule | None = None
    teacher: Agent | None = None
    teacher_share: float = 0.0
    teacher_temperature: float = 0.0
    progress: Callable[[], float] | None = None
    bfloat16: bool = False

    def _setup_model(self) -> None:
        self.rollout_buffer_class = DecisionBuffer
        self.stopwatch = Stopwatch()
        self.parallel = DataParallel()
        super()._setup_model()
        if not isinstance(self.policy, GamePolicy):
            raise ValueError(f"the policy must be a GamePolicy, not {type(self.policy).__name__}")

    def _excluded_save_params(self) -> list[str]:
        given = ("ent_schedule", "progress", "teacher", "stopwatch", "parallel")
        return [*super()._excluded_save_params(), *given]

    def _update_current_progress_remaining(self, num_timesteps: int, total_timesteps: int) -> None:
        super()._update_current_progress_remaining(num_timesteps, total_timesteps)
        if self.progress is not None:
            self._current_progress_remaining = self.progress()
        if self.ent_schedule is not None:
            self.ent_coef = self.ent_schedule(self._current_progress_remaining)

    @property
    def imitating(self) -> bool:
        """Whether the teacher still plays."""
        remaining = self._current_progress_remaining
        return self.teacher is not None and remaining > 1 - self.teacher_share

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
        rng = np.random.default_rng([self.seed or 0, self.num_timesteps])
        for _ in range(n_rollout_steps):
            with self.stopwatch.on("acting"):
                actions = self._decide(env, rollout_buffer, rng)
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
    def _decide(
        self, env: VecEnv, buffer: DecisionBuffer, rng: np.random.Generator
    ) -> npt.NDArray[np.int64]:
        """Actions of all slots, (E,); those that have a choice ask the policy or its teacher."""
        masks = np.asarray(env.env_method("action_masks"), np.bool_)
        actions: npt.NDArray[np.int64] = masks.argmax(axis=1)
        slots = np.flatnonzero(masks.sum(axis=1, dtype=np.int32) > 1)
        if len(slots) == 0:
            return actions
        legal = torch.from_numpy(masks[slots])
        renamed, entries, log_probs, values = self._asked(slots, legal)
        if self.imitating:
            chosen, targets = (torch.from_numpy(each[slots]) for each in self._lesson(env, rng))
        else:
            # The largest of log-probability plus Gumbel noise is a draw from the distribution.
            noise = torch.empty_like(log_probs).exponential_().log_()
            chosen = (log_probs - noise).argmax(dim=1)
            targets = torch.empty(len(slots), 0)
        buffer.add_decisions(
            slots,
            values,
            renamed=renamed,
            entries=entries,
            masks=legal,
            actions=chosen,
            log_probs=log_probs.gather(1, chosen[:, None]).squeeze(1),
            targets=targets,
        )
        actions[slots] = chosen.numpy()
        return actions

    def _asked(self, slots: npt.NDArray[np.intp], legal: Tensor) -> tuple[Tensor, ...]:
        """The canonical observations of some slots, entries, log-probabilities and values."""
        network, observations = self.policy.network, self._last_obs
        assert isinstance(observations, np.ndarray)

        @torch.no_grad()
        def ask(part: slice) -> tuple[Tensor, ...]:
            renamed, entries = network.canonical(torch.from_numpy(observations[slots[part]]))
            logits, values = network.from_canonical(renamed, entries, self.bfloat16)
            check_answers(logits, values)
            log_probs = functional.log_softmax(masked(logits, legal[part]), dim=1)
            return renamed, entries, log_probs, values

        answers = self.parallel.map(ask, len(slots))
        return tuple(torch.cat(column) for column in zip(*answers, strict=True))

    def _lesson(
        self, env: VecEnv, rng: np.random.Generator
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]:
        """What the teacher would do in every slot, (E,), and what is learned there, (E, A)."""
        assert isinstance(env, BatchVecEnv)
        assert self.teacher is not None
        chosen, targets = lesson(self.teacher, env.game, rng, self.teacher_temperature)
        return chosen[:, env.seats].ravel(), targets[:, env.seats].reshape(-1, targets.shape[2])

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
        losses: list[dict[str, Tensor]] = []
        for _ in range(self.n_epochs):
            for batch in self.rollout_buffer.minibatches(decisions, self.batch_size):
                losses.append(self._update(batch, clip_range))
            self._n_updates += 1
        self._check_learned(decisions)
        self._log(losses, clip_range)

    @torch.no_grad()
    def _check_learned(self, decisions: Decisions) -> None:
        """Raise Diverged if the network has become useless, before anybody plays or keeps it."""
        some = slice(PROBED)
        answers = self.policy.network.from_canonical(
            decisions.renamed[some].float(), decisions.entries[some].long()
        )
        check_answers(*answers)
        check_finite(*self.policy.network.parameters())

    def _update(self, batch: Decisions, clip_range: float) -> dict[str, Tensor]:
        """One step of the optimiser on a minibatch; what there is to log of it."""
        parameters = list(self.policy.network.parameters())
        if self.normalize_advantage and len(batch.actions) > 1:  # one has no spread, but NaN
            advantages = batch.advantages
            spread = advantages.std() + 1e-8
            batch = batch._replace(advantages=(advantages - advantages.mean()) / spread)

        def gradients(part: slice) -> tuple[dict[str, Tensor], list[Tensor]]:
            """What there is to log of a part, and its share of the batch's gradients."""
            here = Decisions(*(column[part] for column in batch))
            losses = self._losses(here, clip_range)
            share = len(here.actions) / len(batch.actions)
            found = torch.autograd.grad(share * losses["loss"], parameters)
            return {name: share * loss.detach() for name, loss in losses.items()}, list(found)

        logged, found = zip(*self.parallel.map(gradients, len(batch.actions)), strict=True)
        for parameter, *parts in zip(parameters, *found, strict=True):
            parameter.grad = torch.stack(parts).sum(dim=0) if len(parts) > 1 else parts[0]
        norm = torch.nn.utils.clip_grad_norm_(parameters, self.max_grad_norm)
        losses = {name: torch.stack([part[name] for part in logged]).sum() for name in logged[0]}
        check_finite(norm, losses["loss"])
        self.policy.optimizer.step()
        return losses

    def _losses(self, batch: Decisions, clip_range: float) -> dict[str, Tensor]:
        """The loss, its parts, and what tells how far the policy has moved; means over a batch."""
        network = self.policy.network
        logits, values = network.from_canonical(
            batch.renamed.float(), batch.entries.long(), self.bfloat16
        )
        log_probs = functional.log_softmax(masked(logits, batch.masks), dim=1)
        taken = log_probs.gather(1, batch.actions[:, None]).squeeze(1)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        log_ratio = taken - batch.log_probs
        ratio = log_ratio.exp()
        value_loss = functional.mse_loss(values, batch.returns)
        if self.imitating:
            policy_loss = -(batch.targets * log_probs).sum(dim=1).mean()
            loss = policy_loss + self.vf_coef * value_loss
        else:
            clipped = ratio.clamp(1 - clip_range, 1 + clip_range)
            policy_loss = -torch.min(batch.advantages * ratio, batch.advantages * clipped).mean()
            loss = policy_loss - self.ent_coef * entropy + self.vf_coef * value_loss
        return {
            "policy_gradient_loss": policy_loss,
            "value_loss": value_loss,
            "entropy_loss": -entropy,
            "approx_kl": (ratio.detach() - 1 - log_ratio.detach()).mean(),
            "clip_fraction": ((ratio.detach() - 1).abs() > clip_range).float().mean(),
            "loss": loss,
        }

    def _log(self, losses: list[dict[str, Any]], clip_range: float) -> None:
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
