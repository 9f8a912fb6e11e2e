"""Checkpoints of a training run: a single file that is written atomically.

A checkpoint contains no games, because every update deals new games from its own seed.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch

from agents.ppo.ppo import PPO
from agents.training.training_config import Task
from kododo_env.checks.numbers import quote
from kododo_env.policy.policy_file import LARGEST_FILE
from kododo_env.system.digests import digest
from kododo_env.system.files import read_ordinary, written_whole

FORMAT = 4
MEMBERS = ("facts.json", "learner.pt")  # and sha256, their digest
# Bytes: room for the weights, two moments of each, and their average.
LARGEST_CHECKPOINT = 8 * LARGEST_FILE
ARCHIVE = b"PK\3\4"  # the first bytes by which torch.load recognises an archive


@dataclass
class Progress:
    """The progress of a run."""

    seconds: float = 0.0  # spent on learning and measuring
    updates: int = 0  # of the policy
    steps: int = 0  # agent-steps played
    imitation_over: bool = False  # a run never goes back from self-play to imitation
    imitation_steps: int = 0  # agent-steps before self-play
    imitation_seconds: float = 0.0  # seconds before self-play
    # The measurements: dictionaries of seconds, steps and win shares.
    curve: list[dict[str, Any]] = field(default_factory=list)

    def text(self) -> str:
        """Return the steps and the latest win shares in one line."""
        shares = self.curve[-1]["shares"] if self.curve else {}
        latest = "  ".join(f"{name} {share['mean']:.3f}" for name, share in shares.items())
        measurement = f"win share v {latest}" if shares else "win share: not measured yet"
        return f"{self.steps / 1e6:.2f}M steps  {measurement}"


@dataclass(frozen=True)
class Checkpoint:
    """Everything that a run needs to resume exactly."""

    task: Task
    progress: Progress = field(default_factory=Progress)
    learner: bytes = b""  # for ``restore``; empty before the first checkpoint


def save_checkpoint(path: Path, task: Task, learner: PPO, progress: Progress) -> None:
    """Write a checkpoint atomically.

    Args:
        path: The file.
        task: The task of the run.
        learner: The learner, whose state is saved.
        progress: The progress of the run.
    """
    tensors = io.BytesIO()
    torch.save({**learner.learned(), "random_state": torch.get_rng_state()}, tensors)
    facts = {"format": FORMAT, "task": asdict(task), "progress": vars(progress)}
    members = {"facts.json": json.dumps(facts).encode(), "learner.pt": tensors.getvalue()}
    with written_whole(path) as aside, zipfile.ZipFile(aside, "w") as archive:
        for name, content in {**members, "sha256": _digest(members)}.items():
            archive.writestr(name, content)


def read_checkpoint(path: Path) -> Checkpoint:
    """Read a checkpoint.

    Raises:
        ValueError: The file does not exist, is damaged, or has another format.
    """
    members = _members(path)
    facts = json.loads(members["facts.json"])
    try:
        if facts["format"] != FORMAT:
            raise ValueError(f"expected format {FORMAT}, got {quote(facts['format'])}")
        task = Task.from_dict(facts["task"])
        progress = Progress(**facts["progress"])
        return Checkpoint(task, progress, members["learner.pt"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is a checkpoint of another version: {error}") from error


def _members(path: Path) -> dict[str, bytes]:
    """Read the members of a checkpoint and verify their digest."""
    if not path.exists():
        raise ValueError(f"no checkpoint {path}; train without --resume first")
    content = read_ordinary(path, LARGEST_CHECKPOINT, f"checkpoint {path}")
    try:
        members = _unpack(content, (*MEMBERS, "sha256"))
        if members.pop("sha256") != _digest(members):
            raise ValueError("the digest differs")
        _unpack(members["learner.pt"])
    except Exception as error:  # zipfile has no common class for the errors of damaged files
        raise ValueError(
            f"{path} is not a checkpoint of a training run, is damaged, or is of an older version"
        ) from error
    return members


def _unpack(content: bytes, names: Iterable[str] = ()) -> dict[str, bytes]:
    """Return members of an archive without compression, such as torch's.

    Raises:
        ValueError: The members have more bytes than the archive, so one is compressed.
        Exception: The content is damaged or not an archive.
    """
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > len(content) or not content.startswith(ARCHIVE):
            raise ValueError("expected an uncompressed archive")
        return {name: archive.read(name) for name in names}


def _digest(members: dict[str, bytes]) -> bytes:
    digests = "".join(digest(members[name]) for name in MEMBERS)
    return digest(bytes.fromhex(digests)).encode()


def restore(learner: PPO, checkpoint: Checkpoint) -> None:
    """Restore the learner's weights, its optimiser and torch's random state from a checkpoint.

    Raises:
        ValueError: The run was started by an older version with another network.
    """
    saved = torch.load(io.BytesIO(checkpoint.learner), weights_only=True, map_location="cpu")
    try:
        learner.go_on(saved)
    except RuntimeError as error:  # torch's message has many lines
        raise ValueError(
            "this run was started by an older version with another network; start a new run from "
            "its policy file with --init"
        ) from error
    torch.set_rng_state(saved["random_state"])
