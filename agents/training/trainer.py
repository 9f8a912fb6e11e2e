"""A training run: imitate, play itself, measure, keep checkpoints, stop when told."""

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
from stable_baselines3.common.logger import configure

from agents.networks.network import SETTINGS
from agents.networks.network_agent import NetworkAgent
from agents.ppo.device import device_named
from agents.ppo.freed_memory import keep_freed_memory
from agents.ppo.imitation import Imitation
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.checkpoint import Checkpoint, restore, save_checkpoint
from agents.training.measure import against
from agents.training.run_folder import CHECKPOINT
from agents.training.training_config import Task, TrainConfig
from kododo_env.arena.progress import budget_bar
from kododo_env.system.stopping import STOPS, on_stop
from kododo_env.wrappers.vec import BatchVecEnv

MEASURE_GAMES = 400  # against each baseline, each time while learning


class Trainer:
    """One training run in a folder of its own.

    Args:
        config: What was asked for.
        begun: What is learned and where it stands.
        run_dir: The folder; it exists.

    Attributes:
        stopped: What somebody who asked to stop early has raised, None if nobody has.
        before_writing: Called before each checkpoint; what it raises ends the run.
    """

    def __init__(self, config: TrainConfig, begun: Checkpoint, run_dir: Path) -> None:
        self.config, self.run_dir = config, run_dir
        self.task, self.progress = task, progress = begun.task, begun.progress
        self.stopped: type[KeyboardInterrupt] | None = None
        self.before_writing: Callable[[], None] = lambda: None
        self.budget = config.budget(progress.seconds)
        torch.set_num_threads(1)  # DataParallel's threads are many enough
        keep_freed_memory()
        recipe = task.recipe
        self.env = BatchVecEnv(task.batch_game(recipe.num_envs, task.seed), recipe.reward)
        self.others = opponents_envs(task)
        self.model = model = SelfPlayPPO(
            self.env,
            recipe,
            {name: getattr(recipe, name) for name in SETTINGS},
            task.seed,
            self.self_play_remaining,
            device_named(config.device),
            threads=config.threads,
            bfloat16=config.bfloat16,
        )
        if begun.learner:
            restore(model, begun)
        self.imitation = None
        if (expert := task.expert()) is not None:
            self.imitation = Imitation(model.policy, expert, recipe)
        self._saved = time.monotonic()
        self._measured = self._due(**progress.curve[-1]) if progress.curve else 0

    @property
    def agent(self) -> NetworkAgent:
        """The policy as it is now, playing as it will be exported."""
        return NetworkAgent(self.model.policy.network, self.task.recipe.temperature)

    # --- how far ----------------------------------------------------------------------

    def remaining(self) -> float:
        """The share of the budget that is left, 1 to 0."""
        return self.budget.remaining(self.model.num_timesteps)

    def imitation_remaining(self) -> float:
        """The share of the imitation that is left, 1 to 0; without an expert 0."""
        share = self.task.recipe.imitated
        return max(0.0, 1 - (1 - self.remaining()) / share) if share else 0.0

    def self_play_remaining(self) -> float:
        """The share of the self-play that is left, 1 to 0."""
        share = 1 - self.task.recipe.imitated
        return min(1.0, self.remaining() / share) if share else 0.0

    def _due(self, seconds: float, steps: int, **_: Any) -> int:
        """How many of the evenly spread measurements are to be made by then."""
        return int((1 - self.budget.remaining(steps, seconds)) * self.config.evaluations)

    # --- the run ----------------------------------------------------------------------

    def run(self) -> None:
        """Learn until the budget is spent or somebody asks to stop; then write a checkpoint."""
        self.model.set_logger(configure(str(self.run_dir / "tensorboard"), ["tensorboard"]))
        with stops_on_signal(self), quiet_log_writer(), budget_bar(self.remaining()) as show:
            while self.remaining() > 0 and not self.stopped:
                if self.imitation_remaining() > 0:
                    self._imitate()
                else:
                    self._play_itself()
                self.progress.updates += 1
                self.progress.steps = self.model.num_timesteps
                self._measure_if_due()
                if time.monotonic() - self._saved > 60 * self.config.checkpoint_minutes:
                    self.save()
                show(self.remaining(), self.progress.text(), len(self.progress.curve))
            self.save()

    def _imitate(self) -> None:
        """One update of imitation, on fresh games."""
        assert self.imitation is not None
        model, game = self.model, self.env.game
        game.reset(self._seed_of_update())
        rng = np.random.default_rng([self.task.seed, self.progress.updates])
        with model.stopwatch.on("imitation"):
            logged = self.imitation.update(game, self.imitation_remaining(), rng)
        model.num_timesteps += game.steps_played * self.env.num_envs
        for name, value in logged.items():
            model.logger.record(f"imitation/{name}", value)
        model.logger.dump(model.num_timesteps)

    def _play_itself(self) -> None:
        """One update of PPO, on fresh games against itself or against scripted players."""
        name = self.task.recipe.opponent_of(self.progress.updates)
        env = self.env if name is None else self.others[name]
        env.seed(self._seed_of_update())
        self.model.set_env(env)  # which deals anew
        self.model.learn(self.model.n_steps * self.model.n_envs, reset_num_timesteps=False)

    def _seed_of_update(self) -> int:
        """Seeded for each update, so that a checkpoint need not know where the games stand."""
        sequence = np.random.SeedSequence([self.task.seed, self.progress.updates])
        return int(sequence.generate_state(1)[0])

    def _measure_if_due(self) -> None:
        point: dict[str, Any] = {
            "seconds": self.budget.seconds, "steps": self.model.num_timesteps
        }  # fmt: skip
        due = self._due(**point)
        if due > self._measured:
            with self.model.stopwatch.on("measuring"):
                self._measure(point)
            self._measured = due

    def _measure(self, point: dict[str, Any]) -> None:
        """Play the baselines and note the shares; with the same seed, always the same deals."""
        duels = against(self.agent, self.task, MEASURE_GAMES, self.task.seed + 1)
        shares = {name: each.share.to_json() for name, each in duels.items()}
        self.progress.curve.append(point | {"shares": shares})
        for name, each in duels.items():
            self.model.logger.record(f"eval/share_against_{name}", each.share.mean)

    def save(self) -> None:
        """Write the checkpoint."""
        with self.model.stopwatch.on("checkpoints"):
            self.before_writing()
            self.progress.seconds = self.budget.seconds
            self._saved = time.monotonic()
            save_checkpoint(self.run_dir / CHECKPOINT, self.task, self.model, self.progress)


def opponents_envs(task: Task) -> dict[str, BatchVecEnv]:
    """For each of the recipe's opponents as many games as have the slots of self-play.

    The learner has the first seat, the opponent all others.
    """
    players = task.num_players
    return {
        name: BatchVecEnv(
            task.batch_game(task.recipe.num_envs * players, task.seed),
            task.recipe.reward,
            agent,
        )
        for name, agent in task.opponents().items()
    }


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
