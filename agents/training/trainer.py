"""A training run: learn, measure, keep checkpoints, stop when told, go on where it stopped."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from stable_baselines3.common.logger import Logger, configure

from agents.networks.network import network_settings
from agents.networks.network_agent import NetworkAgent
from agents.ppo.data_parallel import DataParallel
from agents.ppo.game_policy import GamePolicy
from agents.ppo.learning_schedule import entropy_of, learning_rate_of
from agents.ppo.recipes import Recipe
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.checkpoint import Progress, load_checkpoint, save_checkpoint
from agents.training.measure import against_baselines
from agents.training.progress_display import progress_text
from agents.training.run_folder import CHECKPOINT
from agents.training.training_config import DEFAULT_MINUTES, Task, TrainConfig
from kododo_env.arena.progress import budget_bar
from kododo_env.core import rewards
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import Reward
from kododo_env.system.stopping import STOPS, on_stop
from kododo_env.wrappers.vec import BatchVecEnv

MEASURE_GAMES = 600  # against each baseline, each time while learning
LONGEST_UPDATE = 200  # steps: games without a fixed length are cut there


class Trainer:
    """One training run in a folder of its own.

    Args:
        config: What was asked for.
        task: What is learned.
        run_dir: The folder; it exists.
        progress: Where the run stands: fresh, or a checkpoint's.

    Attributes:
        stopped: What somebody who asked to stop early has raised, None if nobody has.
        before_writing: Called before each checkpoint; what it raises ends the run.
    """

    def __init__(self, config: TrainConfig, task: Task, run_dir: Path, progress: Progress) -> None:
        self.config = config
        self.task = task
        self.run_dir = run_dir
        self.progress = progress
        self.stopped: type[KeyboardInterrupt] | None = None
        self.before_writing: Callable[[], None] = lambda: None
        torch.set_num_threads(1)  # DataParallel's threads are many enough
        game = task.batch_game(task.recipe.num_envs, task.seed)
        self.env = BatchVecEnv(game, reward_of(task.recipe))
        self.env.seed(task.seed)
        self.others = opponents_envs(task)
        self.model = self._resumed() if progress.updates else self._fresh()
        self.model.progress = self.remaining
        self.model.bfloat16 = config.bfloat16
        self.model.parallel = DataParallel(config.threads)
        self.model.ent_schedule = entropy_of(task.recipe)
        self.model.teacher, self.model.teacher_share = task.teacher(), task.recipe.teacher_share
        self.model.teacher_temperature = task.recipe.teacher_temperature
        self._since = time.monotonic()
        self._saved = self._since
        self._measured = self._due(**progress.curve[-1]) if progress.curve else 0

    def _fresh(self) -> SelfPlayPPO:
        recipe = self.task.recipe
        sizes = {name: getattr(recipe, name) for name in network_settings()}
        return make_learner(self.env, recipe, sizes, self.task.seed)

    def _resumed(self) -> SelfPlayPPO:
        settings = ppo_settings(self.task.recipe)
        return load_checkpoint(self.run_dir / CHECKPOINT, self.env, settings)

    @property
    def agent(self) -> NetworkAgent:
        """The policy as it is now, playing as it will be exported."""
        return NetworkAgent(self.model.policy.network, self.task.recipe.temperature)

    # --- how far ----------------------------------------------------------------------

    def seconds(self) -> float:
        """Time spent on this run, earlier sessions included."""
        return self.progress.seconds + time.monotonic() - self._since

    def remaining(self) -> float:
        """The share of the budget that is left, 1 to 0; it drives the schedules."""
        return self._remaining_at(self.seconds(), self.model.num_timesteps)

    def _remaining_at(self, seconds: float, steps: int) -> float:
        if self.config.steps is not None:
            spent = steps / self.config.steps
        else:
            spent = seconds / (60 * minutes_of(self.config))
        return max(0.0, 1 - spent)

    def _due(self, seconds: float, steps: int, **_: Any) -> int:
        """How many of the evenly spread measurements are to be made by then."""
        return int((1 - self._remaining_at(seconds, steps)) * self.config.evaluations)

    # --- the run ----------------------------------------------------------------------

    def run(self) -> None:
        """Learn until the budget is spent or somebody asks to stop; then write a checkpoint."""
        self.model.set_logger(self._logger())
        with stops_on_signal(self), quiet_log_writer(), budget_bar(self.remaining()) as show:
            while self.remaining() > 0 and not self.stopped:
                self._update()
                self._measure_if_due()
                if time.monotonic() - self._saved > 60 * self.config.checkpoint_minutes:
                    self.save()
                text = progress_text(self.progress, self.model.num_timesteps)
                show(self.remaining(), text, len(self.progress.curve))
            self.save()

    def _update(self) -> None:
        """One rollout of whole games and the learning from it."""
        model = self.model
        if self.others:
            model.set_env(self._next_env())
        steps = model.n_steps * model.n_envs
        model.learn(steps, reset_num_timesteps=self.progress.updates == 0)
        self.progress.updates += 1
        self.progress.steps = model.num_timesteps

    def _next_env(self) -> BatchVecEnv:
        """Where the next update plays: against itself, or against scripted players."""
        update = self.progress.updates
        name = None if self.model.imitating else self.task.recipe.opponent_of(update)
        env = self.env if name is None else self.others[name]
        # Seeded for each update, so that a checkpoint need not know where the others stand.
        env.seed(int(np.random.SeedSequence([self.task.seed, update]).generate_state(1)[0]))
        return env

    def _logger(self) -> Logger:
        return configure(str(self.run_dir / "tensorboard"), ["tensorboard"])

    def _measure_if_due(self) -> None:
        point: dict[str, Any] = {"seconds": self.seconds(), "steps": self.model.num_timesteps}
        due = self._due(**point)
        if due > self._measured:
            with self.model.stopwatch.on("measuring"):
                self._measure(point)
            self._measured = due

    def _measure(self, point: dict[str, Any]) -> None:
        """Play the baselines and note the shares; with the same seed, always the same deals."""
        duels = against_baselines(self.agent, self.task, MEASURE_GAMES, self.task.seed + 1)
        shares = {name: each.share.to_json() for name, each in duels.items()}
        self.progress.curve.append(point | {"shares": shares})
        for name, each in duels.items():
            self.model.logger.record(f"eval/share_against_{name}", each.share.mean)

    def save(self) -> None:
        """Write the checkpoint."""
        with self.model.stopwatch.on("checkpoints"):
            self._save()

    def _save(self) -> None:
        self.before_writing()
        self.progress.seconds = self.seconds()
        self._since = self._saved = time.monotonic()
        save_checkpoint(
            self.run_dir / CHECKPOINT, self.task, self.model, self.env.game, self.progress
        )


def make_learner(
    env: BatchVecEnv,
    recipe: Recipe,
    sizes: dict[str, Any],
    seed: int,
) -> SelfPlayPPO:
    """A learner that has learned nothing yet, with a recipe's settings of PPO.

    Args:
        env: What it plays; a rollout is whole games of it.
        recipe: The settings.
        sizes: The network's: arguments of ``GameNetwork`` beside the layouts.
        seed: Of everything random.
    """
    game = env.game
    return SelfPlayPPO(
        GamePolicy,
        env,
        **ppo_settings(recipe),
        n_steps=steps_of_a_game(game) * recipe.games_per_update,
        policy_kwargs={
            "layout": game.layout,
            "actions": game.actions,
            "muon": recipe.muon,
            **sizes,
        },
        seed=seed,
        device="cpu",
    )


def ppo_settings(recipe: Recipe) -> dict[str, Any]:
    """A recipe's settings of PPO as stable-baselines3 has them: those a learner may change."""
    return {
        "learning_rate": learning_rate_of(recipe),
        "batch_size": recipe.batch_size,
        "n_epochs": recipe.epochs,
        "gamma": recipe.gamma,
        "gae_lambda": recipe.gae_lambda,
        "clip_range": recipe.clip_range,
        "vf_coef": recipe.value_weight,
    }


def opponents_envs(task: Task) -> dict[str, BatchVecEnv]:
    """For each of the recipe's opponents as many games as have the slots of self-play.

    The learner has the first seat, the opponent all others.
    """
    players = task.num_players
    return {
        name: BatchVecEnv(
            task.batch_game(task.recipe.num_envs * players, task.seed),
            reward_of(task.recipe),
            [None] + [agent] * (players - 1),
        )
        for name, agent in task.opponents().items()
    }


def minutes_of(config: TrainConfig) -> float:
    """How long a run without --steps takes."""
    return DEFAULT_MINUTES if config.minutes is None else config.minutes


def reward_of(recipe: Recipe) -> Reward:
    """Points compared with the others' as they come, and the victory at the end."""

    def reward(game: BatchGame) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        margin = np.float32(recipe.margin_weight) * rewards.margin(game)
        return margin + rewards.win(game)

    return reward


def steps_of_a_game(game: BatchGame) -> int:
    """How many steps a batch takes from its start to its end, at most ``LONGEST_UPDATE``."""
    trial = game.fresh(game.num_envs, 0)
    rng = np.random.default_rng(0)
    for steps in range(1, LONGEST_UPDATE):
        trial.step(random_legal_actions(trial.legal_action_mask(), rng))
        if trial.terminated.all():
            return steps
    return LONGEST_UPDATE


@contextmanager
def stops_on_signal(trainer: Trainer) -> Iterator[None]:
    """Inside, the first Ctrl-C (or polite kill) ends the run cleanly, the second at once."""

    def stop(number: int, frame: FrameType | None) -> None:
        if trainer.stopped:
            raise STOPS[number]
        trainer.stopped = STOPS[number]

    with on_stop(stop):
        yield


@contextmanager
def quiet_log_writer() -> Iterator[None]:
    """Inside, a thread that cannot write says nothing.

    TensorBoard writes in a thread, and raises the thread's error once more where the next
    line is logged, which is where it ends the run.
    """
    former = threading.excepthook

    def hook(failed: threading.ExceptHookArgs) -> None:
        if not isinstance(failed.exc_value, OSError):
            former(failed)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = former
