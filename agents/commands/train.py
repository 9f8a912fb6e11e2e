"""What ``train.py`` does: a run from its folder to its policy file and its table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from agents.commands.resuming import BEGINS_AGAIN, begun, resumed
from agents.export.onnx_export import export_policy
from agents.networks.network import Diverged
from agents.training.checkpoint import Progress
from agents.training.learning_curve import draw_learning_curve
from agents.training.measure import against_baselines, results, table
from agents.training.memory import check_memory
from agents.training.run_folder import (
    CHECKPOINT,
    FILES,
    POLICY,
    check_fresh,
    check_writable,
    fresh_folder,
    training_facts,
    unbegun,
    write_config,
)
from agents.training.trainer import Trainer
from agents.training.training_config import (
    DEFAULT_GAME,
    Task,
    TrainConfig,
    Which,
    default_config,
    task_of,
)
from kododo_env.arena.match import MatchResult
from kododo_env.arena.tournament import check_numbers
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.rules_arguments import default_players
from kododo_env.system.files import write_json
from kododo_env.system.reservation import Reservation, reserved


def train(config: TrainConfig) -> None:
    """Train as asked, then write the policy, its table and its learning curve.

    Raises:
        ValueError: What was asked cannot be done, and nothing has been trained; or learning
            has diverged, and the last checkpoint is kept.
        KeyboardInterrupt: Somebody asked to stop; what was learned is kept.
    """
    with _folder(config) as place:
        run_dir = place.place
        task, progress, said = resumed(config) if config.resume else _fresh(config, run_dir)
        check_numbers(task.num_players, config.games, task.seed)  # of the table at the end
        check_memory(task)
        trainer = Trainer(config, task, run_dir, progress)
        trainer.before_writing = place.check
        write_config(run_dir, task, config)
        print(f"{task.game}, {task.num_players} players: the run's folder is {run_dir}", flush=True)
        for line in said:
            print(line, flush=True)
        _run(trainer, place)


def defaults(which: Which) -> TrainConfig:
    """The defaults of a command line: a recipe's, or those of the run that it resumes.

    Raises:
        ValueError: There is no such game, recipe or run.
    """
    if not which.resume or which.run_dir is None:
        return default_config(which.game or DEFAULT_GAME, which.players, which.recipe)
    task, _ = begun(which.run_dir)
    config = default_config(task.game, task.num_players, seed=task.seed, **vars(task.recipe))
    if which.game not in (None, task.game):
        config = replace(config, game=which.game, players=default_players(which.game))
    return config


def _run(trainer: Trainer, place: Reservation) -> None:
    """Train, and write what comes of it."""
    run_dir = trainer.run_dir
    try:
        trainer.run()
        place.check()
        finish(trainer)
        if trainer.stopped:
            raise trainer.stopped
    except KeyboardInterrupt as stop:
        again = f"go on with: python train.py --resume --run-dir {run_dir}"
        raise type(stop)(again) from stop
    except Diverged as error:
        raise ValueError(f"{error}; {_kept(run_dir / CHECKPOINT)}") from error


@contextmanager
def _folder(config: TrainConfig) -> Iterator[Reservation]:
    """The run's folder, in which no other process trains meanwhile."""
    with ExitStack() as stack:
        if config.resume:
            assert config.run_dir is not None
            run_dir = config.run_dir
            begun(run_dir)  # raises if there is nothing to go on with
            check_writable(run_dir)
        else:
            run_dir = stack.enter_context(fresh_folder(config.run_dir, task_of(config)))
        yield stack.enter_context(reserved(run_dir, [run_dir / name for name in FILES]))


def _fresh(config: TrainConfig, run_dir: Path) -> tuple[Task, Progress, list[str]]:
    check_fresh(run_dir)
    said = [] if unbegun(run_dir) is None else [BEGINS_AGAIN]
    return task_of(config), Progress(), said


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


def _report(trainer: Trainer, duels: dict[str, MatchResult], path: Path) -> None:
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
