"""The command ``train.py``: train in a run folder, and write a policy file and its results."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from shlex import join
from typing import Any

from agents.export.onnx_export import export_policy
from agents.options import RAY
from agents.recipes.recipe import Recipe
from agents.training.duels import against, results, table
from agents.training.preflight import check_decides, check_memory, check_own_parts
from agents.training.run_folder import (
    CHECKPOINT,
    FILES,
    POLICY,
    config_facts,
    fresh,
    resumed,
    run_folder,
)
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig
from kododo_env.arena.head_to_head import MatchResult
from kododo_env.arena.tournament import check_numbers
from kododo_env.checks.bounds import flag
from kododo_env.networks.network import DivergenceError
from kododo_env.policy.plain_text import plain
from kododo_env.policy.policy_file import LARGEST_FILE
from kododo_env.policy.policy_schema import LONGEST_TEXT
from kododo_env.system.files import write_json
from kododo_env.system.reservation import Reservation, reserved

BESIDE_WEIGHTS = 1 << 20  # bytes of a policy file that are reserved for graph and metadata


def train(config: TrainConfig) -> None:
    """Train, then write the policy, its table of results and its learning curve.

    Raises:
        ValueError: The configuration is invalid (raised before training), or training diverged (the
            last checkpoint is kept).
        KeyboardInterrupt: The user stopped the run; the learned weights are saved.
    """
    with (
        run_folder(config) as run_dir,
        reserved(run_dir, [run_dir / name for name in FILES]) as place,
        _engine(config) as trains,
    ):
        run, lines = (resumed if config.resume else fresh)(config, run_dir)
        task = run.task
        check_numbers(task.num_players, config.games, task.seed)  # for the final table
        check_decides(task)
        check_memory(task)
        check_own_parts(task)
        trainer = trains(config, run, run_dir, place.check)
        _check_size(trainer)
        write_json(run_dir / "config.json", config_facts(task, config))
        print(f"{task.game}, {task.num_players} players: the run's folder is {run_dir}", flush=True)
        if config.device != "cpu":
            print(f"the network is on the device {trainer.learner.device.type}", flush=True)
        for line in lines:
            print(line, flush=True)
        _run(trainer, place)


@contextmanager
def _engine(config: TrainConfig) -> Iterator[type[Trainer]]:
    """Yield the class of the trainer: in this process, or on a Ray cluster."""
    if config.engine != RAY:
        yield Trainer
        return
    from agents.ray_engine.cluster import cluster
    from agents.ray_engine.ray_trainer import RayTrainer

    with cluster(config.address, config.workers):
        yield RayTrainer


def _check_size(trainer: Trainer) -> None:
    """Raise ValueError if the network is larger than a policy file may be."""
    weights = sum(weight.nbytes for weight in trainer.learner.network.parameters())
    if weights + BESIDE_WEIGHTS > LARGEST_FILE:
        raise ValueError(
            f"the network has {weights:,} bytes of weights, but a policy file can have at most "
            f"{LARGEST_FILE:,}; lower --width or --depth"
        )


def _run(trainer: Trainer, place: Reservation) -> None:
    """Train, and write the results."""
    run_dir = trainer.run_dir
    try:
        trainer.run()
        place.check()
        finish(trainer)
        if trainer.stopped:
            raise trainer.stopped
    except KeyboardInterrupt as stop:
        words = ["--resume", "--run-dir", str(run_dir), *code_arguments(trainer.task.recipe)]
        advice = f"resume with: python train.py {join(words)}"
        raise type(stop)(advice) from stop
    except DivergenceError as error:
        hint = "no checkpoint was written"
        path = run_dir / CHECKPOINT
        if path.exists():
            hint = f"resume from the last checkpoint {path} with --resume"
        raise ValueError(f"{error}; {hint}") from error


def code_arguments(recipe: Recipe) -> list[str]:
    """Return the command-line arguments that name the user's own code in a recipe.

    They must be given again on ``--resume``, because a checkpoint never runs code.
    """
    words: list[str] = []
    for setting in recipe.code:
        names = getattr(recipe, setting)
        words += [flag(setting), *([names] if isinstance(names, str) else names)]
    return words


def finish(trainer: Trainer) -> None:
    """Measure and export the policy, write the results, and print them."""
    from agents.training.learning_curve import draw_learning_curve  # imports matplotlib

    task = trainer.task
    run_dir = trainer.run_dir
    progress = trainer.progress
    duels = against(trainer.agent, task, trainer.config.games, task.seed + 2)
    facts = {
        "algorithm": "PPO self-play" if progress.imitation_over else "imitation",
        "recipe": {name: _printable(setting) for name, setting in asdict(task.recipe).items()},
        "seed": task.seed,
        "steps": progress.steps,
        **trainer.means(),
    }
    export_policy(
        trainer.learner.network.cpu(),
        trainer.game,
        run_dir / POLICY,
        temperature=task.recipe.temperature,
        training=facts,
        results=results(duels),
    )
    write_json(run_dir / "results.json", results(duels))
    title = f"{task.game}, {task.num_players} players: {facts['algorithm']}"
    draw_learning_curve(run_dir / "learning_curve.png", progress.curve, task.num_players, title)
    _report(trainer, duels)


def _printable(setting: Any) -> Any:
    """Return a setting as metadata can hold it: file names may be long or not printable."""
    if isinstance(setting, tuple):
        return [_printable(member) for member in setting]
    return plain(setting, LONGEST_TEXT - 1) if isinstance(setting, str) else setting


def _report(trainer: Trainer, duels: dict[str, MatchResult]) -> None:
    progress = trainer.progress
    players = trainer.task.num_players
    state = "stopped early" if trainer.stopped else "done"
    print(
        f"\n{state}: {progress.seconds / 60:.1f} minutes, {progress.steps / 1e6:.1f}M agent-steps"
    )
    print(f"time: {trainer.learner.stopwatch.text()}")
    print(f"one learner against {players - 1} of each opponent; parity {1 / players:.3f}")
    print(table(duels))
    for name in FILES:
        print(f"  {trainer.run_dir / name}")
