"""Checkpoints of a training run: one file, written whole or not at all.

A checkpoint is for its owner: reading one unpickles the optimiser's and the learner's state
with stable-baselines3. What is given to others is the exported policy.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.training_config import Task
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import describe, differences
from kododo_env.system.files import written_whole
from kododo_env.wrappers.vec import BatchVecEnv

FORMAT = 3
MEMBERS = ("facts.json", "game.npz", "model.zip")  # and sha256, their digest


@dataclass
class Progress:
    """How far a run has come.

    Attributes:
        seconds: Time spent learning, measuring included.
        updates: Updates of the policy.
        steps: Agent-steps played.
        curve: The measurements: dictionaries of seconds, steps and win shares.
    """

    seconds: float = 0.0
    updates: int = 0
    steps: int = 0
    curve: list[dict[str, Any]] = field(default_factory=list)


def save_checkpoint(
    path: Path, task: Task, model: SelfPlayPPO, game: BatchGame, progress: Progress
) -> None:
    """Write everything that the run needs to go on as if it had never stopped."""
    model_file, arrays = io.BytesIO(), io.BytesIO()
    model.save(model_file)
    state = game.state()
    content = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    content["torch_random_state"] = torch.get_rng_state().numpy()
    np.savez(arrays, **content)  # type: ignore[arg-type]
    facts = {
        "format": FORMAT,
        "task": task.to_dict(),
        "progress": vars(progress),
        "schedule": {k: v for k, v in state.items() if not isinstance(v, np.ndarray)},
    }
    members = {
        "facts.json": json.dumps(facts).encode(),
        "game.npz": arrays.getvalue(),
        "model.zip": model_file.getvalue(),
    }
    with written_whole(path) as aside, zipfile.ZipFile(aside, "w") as archive:
        for name, each in {**members, "sha256": _digest(members)}.items():
            archive.writestr(name, each)


def read_facts(path: Path) -> tuple[Task, Progress]:
    """What a checkpoint is of, and how far it had come.

    Raises:
        ValueError: There is no checkpoint, or it is damaged or of another format.
    """
    facts = json.loads(_members(path)["facts.json"])
    try:
        if facts["format"] != FORMAT:
            raise ValueError(f"it has format {facts['format']}, not {FORMAT}")
        return Task.from_dict(facts["task"]), Progress(**facts["progress"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is a checkpoint of another version: {error}") from error


def _members(path: Path) -> dict[str, bytes]:
    """What is in a checkpoint, if it is what was written: its digest tells."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: archive.read(name) for name in MEMBERS}
            if archive.read("sha256") != _digest(members):
                raise ValueError("another digest")
    except FileNotFoundError as error:
        raise ValueError(f"there is no checkpoint {path}; train without --resume first") from error
    except OSError as error:
        raise ValueError(f"cannot read checkpoint {path}: {error.strerror}") from error
    except Exception as error:  # zipfile has no common class for what a damaged file raises
        raise ValueError(
            f"{path} is not a checkpoint of a training run, or is damaged or an older version's"
        ) from error
    return members


def _digest(members: dict[str, bytes]) -> bytes:
    each = b"".join(hashlib.sha256(members[name]).digest() for name in MEMBERS)
    return hashlib.sha256(each).hexdigest().encode()


def check_same_game(path: Path, saved: Task, wanted: Task) -> None:
    """Raise ValueError, saying what differs, unless game and rules are the wanted ones."""
    found = differences(describe(saved.batch_game(1, 0)), describe(wanted.batch_game(1, 0)))
    if found:
        raise ValueError(f"cannot resume {path}: it is for {'; '.join(found)}")


def load_checkpoint(
    path: Path, env: BatchVecEnv, settings: dict[str, Any] | None = None
) -> SelfPlayPPO:
    """Put the learner, its optimiser, the games and all random states back.

    Args:
        path: A checkpoint that ``read_facts`` accepts.
        env: The environment, of the task's size; its games are set.
        settings: The learner's settings of PPO from here on, by stable-baselines3's names;
            None leaves them as they were.

    Returns:
        The learner, ready to go on with ``env``.
    """
    members = _members(path)
    facts = json.loads(members["facts.json"])
    arrays = dict(np.load(io.BytesIO(members["game.npz"]), allow_pickle=False))
    model_file = io.BytesIO(members["model.zip"])
    random_state = torch.from_numpy(arrays.pop("torch_random_state"))
    model = SelfPlayPPO.load(model_file, env=env, device="cpu", force_reset=False, **settings or {})
    env.game.load_state({**arrays, **facts["schedule"]})
    torch.set_rng_state(random_state)
    return model
