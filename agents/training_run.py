"""What ``train.py`` does: a run from its folder to its policy file and its table."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from agents.arena import Duel, check_numbers
from agents.checkpoint import Progress
from agents.export import export_policy
from agents.learning_curve import draw_learning_curve
from agents.measure import against_baselines, results, table
from agents.memory import check_memory
from agents.network import Diverged
from agents.onnx_agent import OnnxAgent
from agents.reservation import Reservation, reserved
from agents.resuming import BEGINS_AGAIN, Asked, resumed
from agents.run_folder import (
    CHECKPOINT,
    FILES,
    POLICY,
    check_writable,
    fresh_folder,
    taken_back,
    training_facts,
    unbegun,
    write_config,
    write_json,
)
from agents.trainer import Trainer
from agents.training_config import TrainConfig, task_of


def train(config: TrainConfig) -> None:
    """Train as asked, then write the policy, its table and its learning curve.

    Raises:
        ValueError: What was asked cannot be done, and nothing has been trained; or learning
            has diverged, and the last checkpoint is kept.
        KeyboardInterrupt: Somebody asked to stop; what was learned is kept.
    """
    with ExitStack() as stack:
        asked = _asked(config)
        check_numbers(asked.task.num_players, config.games, asked.task.seed)  # of the last table
        check_memory(asked.task)
        run_dir = asked.run_dir
        stack.enter_context(taken_back(run_dir))
        check_writable(run_dir)
        place = stack.enter_context(reserved(run_dir, [run_dir / name for name in FILES]))
        asked = _asked(replace(config, run_dir=run_dir))  # as it is now that nobody changes it
        trainer = Trainer(config, asked.task, run_dir, asked.progress)
        trainer.before_writing = place.check
        write_config(run_dir, asked.task, config)
        title = f"{asked.task.game}, {asked.task.num_players} players"
        print(f"{title}: the run's folder is {run_dir}", *asked.said, sep="\n", flush=True)
        _run(trainer, place)


def _asked(config: TrainConfig) -> Asked:
    if config.resume:
        return resumed(config)
    task = task_of(config)
    run_dir = fresh_folder(config.run_dir, task)
    return Asked(task, run_dir, Progress(), [BEGINS_AGAIN] if unbegun(run_dir) else [])


def _run(trainer: Trainer, place: Reservation) -> None:
    try:
        trainer.run()
        place.check()
        finish(trainer)
        if trainer.stopped:
            raise trainer.stopped
    except Diverged as error:
        raise ValueError(f"{error}; {_kept(place.place / CHECKPOINT)}") from error
    except KeyboardInterrupt as stop:
        again = f"go on with: python train.py --resume --run-dir {place.place}"
        raise type(stop)(again) from stop


def _kept(checkpoint: Path) -> str:
    """What there is to go on with."""
    if not checkpoint.exists():
        return "no checkpoint was written before"
    return f"{checkpoint} is from before, go on from it with --resume"


def finish(trainer: Trainer) -> None:
    """Measure and export what was learned; say where everything is."""
    task, run_dir, progress = trainer.task, trainer.run_dir, trainer.progress
    duels = against_baselines(trainer.agent, task, trainer.config.games, task.seed + 2)
    facts = training_facts(task, trainer.config, progress.seconds, progress.steps)
    path = export_policy(
        trainer.model.policy.network,
        trainer.env.game,
        run_dir / POLICY,
        temperature=task.recipe.temperature,
        training=facts,
        results=results(duels),
    )
    write_json(run_dir / "results.json", results(duels))
    title = f"{task.game}, {task.num_players} players: PPO self-play"
    draw_learning_curve(run_dir / "learning_curve.png", progress.curve, task.num_players, title)
    _report(trainer, duels, path)


def _report(trainer: Trainer, duels: dict[str, Duel], path: Path) -> None:
    progress, players = trainer.progress, trainer.task.num_players
    state = "stopped early" if trainer.stopped else "done"
    print(
        f"\n{state}: {progress.seconds / 60:.1f} minutes, {progress.steps / 1e6:.1f}M agent-steps"
    )
    print(f"time: {trainer.model.stopwatch.text()}")
    print(f"one learner, {players - 1} of the other at a table; an equal wins {1 / players:.3f}")
    print(table(duels))
    OnnxAgent(path)  # what is written can be read
    for what in (POLICY, "results.json", "learning_curve.png", "config.json", CHECKPOINT):
        print(f"  {trainer.run_dir / what}")
