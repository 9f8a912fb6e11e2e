"""A training run: imitation, self-play, measurements, checkpoints, and an orderly stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from torch.utils.tensorboard import SummaryWriter

from agents.export.policy_weights import network_of
from agents.ppo.imitation import Imitation
from agents.ppo.machine import device_named, prepare_process
from agents.ppo.ppo import PPO
from agents.training.checkpoint import Checkpoint, restore, save_checkpoint
from agents.training.duels import against
from agents.training.run_folder import CHECKPOINT, LOGS
from agents.training.training_config import TrainConfig
from kododo_env.agent_registry import policy_path
from kododo_env.arena.progress import budget_bar
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.system.signals import STOPS, on_stop

MEASURE_GAMES = 400  # against each baseline at each measurement


class Trainer:
    """A training run in an existing folder.

    ``before_writing`` is called before each checkpoint; an error that it raises ends the run.

    Attributes:
        game: The games of self-play.
        tables: The games and agents of each kind of update, see ``Task.tables``.
        stopped: The exception if the user stopped the run early, else None.
    """

    def __init__(
        self,
        config: TrainConfig,
        checkpoint: Checkpoint,
        run_dir: Path,
        before_writing: Callable[[], None] = lambda: None,
    ) -> None:
        self.config = config
        self.run_dir = run_dir
        self._before_writing = before_writing
        self.task = task = checkpoint.task
        self.progress = progress = checkpoint.progress
        self.stopped: type[KeyboardInterrupt] | None = None
        self.budget = config.budget(progress.seconds)
        prepare_process()
        self.tables = task.tables()
        self.game, _ = self.tables[None]
        self.learner = PPO(
            self.game,
            task.recipe,
            task.seed,
            device_named(config.device),
            threads=config.threads,
            bfloat16=config.in_bfloat16,
        )
        if checkpoint.learner:
            restore(self.learner, checkpoint)
        elif task.recipe.init:
            self.learner.begin_with(network_of(policy_path(task.recipe.init)))
        # After imitation the expert's file may no longer exist.
        expert = None if progress.imitation_over else task.expert()
        self.imitation = None if expert is None else Imitation(self.learner, expert)
        self._log: SummaryWriter | None = None  # while the run lasts
        self._saved = time.monotonic()
        self._measured = self._measurements_by(**progress.curve[-1]) if progress.curve else 0

    @property
    def agent(self) -> NetworkAgent:
        """The current policy, at its playing temperature."""
        return NetworkAgent(self.learner.network, self.task.recipe.temperature)

    def means(self) -> dict[str, Any]:
        """Return the settings, besides the task and the steps, on which the result depends."""
        return {
            "threads": self.config.threads,
            "bfloat16": self.config.in_bfloat16,
            "device": self.learner.device.type,
        }

    # --- progress ---------------------------------------------------------------------

    def remaining(self) -> float:
        """Return the remaining share of the budget, from 1 to 0."""
        return self.budget.remaining(self.progress.steps)

    def imitation_remaining(self) -> float:
        """Return the remaining share of the imitation, from 1 to 0; without an expert 0.

        Imitation takes ``imitation_steps`` or ``imitation_share`` of the recipe, whichever is
        longer, and at most the whole budget.
        """
        recipe = self.task.recipe
        if self.progress.imitation_over or not recipe.imitates:
            return 0.0
        remaining = self.remaining()
        parts = [0.0]
        if recipe.imitation_steps:
            parts.append(1 - self.progress.steps / recipe.imitation_steps)
        if recipe.imitation_share:
            parts.append(1 - (1 - remaining) / recipe.imitation_share)
        return min(remaining, max(parts))

    def self_play_remaining(self) -> float:
        """Return the remaining share of self-play, from 1 to 0."""
        progress = self.progress
        start = self.budget.remaining(progress.imitation_steps, progress.imitation_seconds)
        return self.remaining() / start if start else 0.0

    def _measurements_by(self, seconds: float, steps: int, **_: Any) -> int:
        """Return how many of the evenly spaced measurements are due at a time."""
        return int((1 - self.budget.remaining(steps, seconds)) * self.config.evaluations)

    # --- the run ----------------------------------------------------------------------

    def run(self) -> None:
        """Train until the budget is spent or the user stops the run; then write a checkpoint."""
        after = self.progress.steps + 1  # purges the log after the checkpoint
        self._log = SummaryWriter(str(self.run_dir / LOGS), purge_step=after)
        with on_stop(self._stop), quiet_log_writer(), budget_bar(self.remaining()) as show:
            while self.remaining() > 0 and not self.stopped:
                steps = self.progress.steps
                start = time.perf_counter()
                imitates = self.imitation_remaining() > 0
                if not imitates and not self.progress.imitation_over:
                    self._end_imitation()
                logged = self._imitate() if imitates else self._play_itself()
                self.progress.updates += 1
                speed = (self.progress.steps - steps) / (time.perf_counter() - start)
                self._note({**logged, "time/fps": speed})
                self._measure_if_due()
                if time.monotonic() - self._saved > 60 * self.config.checkpoint_minutes:
                    self.save()
                show(self.remaining(), self.progress.text(), len(self.progress.curve))
            self.save()

    def _end_imitation(self) -> None:
        self.progress.imitation_over = True
        self.progress.imitation_steps = self.progress.steps
        self.progress.imitation_seconds = self.budget.seconds

    def _imitate(self) -> dict[str, float]:
        """Run an update of imitation on new games; return numbers to log."""
        assert self.imitation is not None
        remaining = self.imitation_remaining()
        self.game.reset(self._seed_of_update())
        rng = np.random.default_rng([self.task.seed, self.progress.updates])
        with self.learner.stopwatch.on("imitation"):
            decisions, steps = self.imitation.play(self.game, rng)
            statistics = self.imitation.learn(decisions, remaining)
        self.progress.steps += steps
        return {f"imitation/{name}": number for name, number in statistics.items()}

    def _play_itself(self) -> dict[str, float]:
        """Run an update of PPO against itself or an opponent; return numbers to log."""
        game, agents = self.task.table_of(self.tables, self.progress.updates)
        decisions, steps = self.learner.play(game, agents, self._seed_of_update())
        self.progress.steps += steps
        rates = self.task.recipe.self_play_rates(self.self_play_remaining())
        statistics = self.learner.learn(decisions, *rates)
        share = {"rollout/share_of_decisions": len(decisions["returns"]) / steps}
        return {**{f"train/{name}": number for name, number in statistics.items()}, **share}

    def _seed_of_update(self) -> int:
        """Return the seed of an update, so that a checkpoint needs no state of the games."""
        sequence = np.random.SeedSequence([self.task.seed, self.progress.updates])
        return int(sequence.generate_state(1)[0])

    def _note(self, numbers: dict[str, float]) -> None:
        """Write numbers to the run's log."""
        assert self._log is not None
        for name, number in numbers.items():
            self._log.add_scalar(name, number, self.progress.steps)
        self._log.flush()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """End the run cleanly at the first Ctrl-C or SIGTERM, and at once at the second."""
        if self.stopped:
            raise STOPS[number]
        self.stopped = STOPS[number]

    def _measure_if_due(self) -> None:
        point: dict[str, Any] = {"seconds": self.budget.seconds, "steps": self.progress.steps}
        number = self._measurements_by(**point)
        if number > self._measured:
            with self.learner.stopwatch.on("measuring"):
                self._measure(point)
            self._measured = number

    def _measure(self, point: dict[str, Any]) -> None:
        """Play the baselines and record the shares; a seed always gives the same deals."""
        duels = against(self.agent, self.task, MEASURE_GAMES, self.task.seed + 1)
        shares = {name: duel.share.to_json() for name, duel in duels.items()}
        self.progress.curve.append(point | {"shares": shares})
        self._note({f"eval/share_against_{name}": duel.share.mean for name, duel in duels.items()})

    def save(self) -> None:
        """Write the checkpoint."""
        with self.learner.stopwatch.on("checkpoints"):
            self._before_writing()
            self.progress.seconds = self.budget.seconds
            self._saved = time.monotonic()
            save_checkpoint(self.run_dir / CHECKPOINT, self.task, self.learner, self.progress)


@contextmanager
def quiet_log_writer() -> Iterator[None]:
    """Suppress the traceback of TensorBoard's writing thread within the context.

    If that thread cannot write, TensorBoard raises its error again at the next call, which ends the
    run.
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
