"""Work that is interrupted, resumed, and compared bit for bit with undisturbed work."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import onnx
import torch

from agents.training.checkpoint import read_checkpoint
from agents.training.memory import game_length
from agents.training.run_folder import CHECKPOINT, POLICY
from kododo_env import registry
from kododo_env.commands.tournament import log_of
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.faults.scripts import Fault, Script
from tests.helpers import differences

UPDATES = 24  # of a training
GAMES = 40_000  # of a tournament
CLOCK = ("seconds", "minutes", "start_time")


class Work(Protocol):
    """The work of a script in a folder."""

    def args(self, folder: Path) -> list[str]:
        """Return the script and its arguments, with --resume if possible."""

    def progress(self, folder: Path) -> int:
        """Return 0 before anything is saved, and another number after each save."""

    def content(self, folder: Path) -> dict[str, Any]:
        """Return the results without times."""


@dataclass(frozen=True)
class Training:
    """A short training of small networks with a checkpoint after each update."""

    game: str
    players: int

    def args(self, folder: Path) -> list[str]:
        batch = registry.batch_game(self.game, 8, seed=0, num_players=self.players)
        steps = UPDATES * game_length(batch).steps * 8 * self.players
        resume = ["--resume"] if (folder / "config.json").exists() else []
        return ["train.py", "--game", self.game, "--players", str(self.players), "--steps",
            str(steps), "--num-envs", "8", "--width", "16", "--threads", "1", "--games", "24",
            "--evaluations", "2", "--checkpoint-minutes", "0.000001", "--run-dir", str(folder),
            *resume]  # fmt: skip

    def progress(self, folder: Path) -> int:
        try:
            return (folder / CHECKPOINT).stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def content(self, folder: Path) -> dict[str, Any]:
        policy = onnx.load(folder / POLICY)
        with zipfile.ZipFile(folder / CHECKPOINT) as archive:
            facts, learner = (archive.read(name) for name in ("facts.json", "learner.pt"))
        results = {
            "graph": policy.graph.SerializeToString(deterministic=True),
            "metadata": json.loads(OnnxAgent(folder / POLICY).metadata.to_json()),
            "config": json.loads((folder / "config.json").read_text()),
            "results": (folder / "results.json").read_bytes(),
            "facts": json.loads(facts),
            "learner": torch.load(io.BytesIO(learner), weights_only=True),
        }
        return {name: plain(result) for name, result in results.items()}


@dataclass(frozen=True)
class Tournament:
    """A tournament of a few seconds with workers."""

    def args(self, folder: Path) -> list[str]:
        resume = ["--resume"] if log_of(folder / "table.json").exists() else []
        return ["evaluate.py", "--agents", "random", "greedy", "follow", "--players", "3",
            "--games", str(GAMES), "--workers", "2", "--json", str(folder / "table.json"),
            *resume]  # fmt: skip

    def progress(self, folder: Path) -> int:
        log = log_of(folder / "table.json")
        return log.read_bytes().count(b"\n") if log.exists() else 0

    def content(self, folder: Path) -> dict[str, Any]:
        return {"table": plain((folder / "table.json").read_bytes())}


def plain(learner_part: Any) -> Any:
    """Convert an object to dicts, and arrays to their bits."""
    if isinstance(learner_part, torch.Tensor):
        learner_part = learner_part.numpy()
    if isinstance(learner_part, np.ndarray):
        kind = {"dtype": str(learner_part.dtype), "shape": learner_part.shape}
        return {**kind, "bits": np.frombuffer(learner_part.tobytes(), np.uint8)}
    if isinstance(learner_part, bytes):
        return np.frombuffer(learner_part, np.uint8)
    if isinstance(learner_part, Mapping):
        return {key: plain(entry) for key, entry in learner_part.items() if key not in CLOCK}
    if isinstance(learner_part, list | tuple):
        return {place: plain(entry) for place, entry in enumerate(learner_part)}
    # Functions and spaces of the learner are created from the settings, which are compared.
    return (
        learner_part if isinstance(learner_part, str | int | float | None) else type(learner_part)
    )


def start_work(work: Work, folder: Path, scratch: Path) -> Script:
    """Start or resume work; its stderr goes to the scratch folder."""
    folder.mkdir(exist_ok=True)
    return Script(work.args(folder), scratch / "words")


def in_the_middle(work: Work, folder: Path, scratch: Path) -> Script:
    """Start work and wait until it can be resumed."""
    script = start_work(work, folder, scratch)
    script.wait_for(lambda: work.progress(folder) > 0)
    return script


def undisturbed(work: Work, scratch: Path) -> Path:
    """Run work without interruption and return its folder."""
    start_work(work, scratch / "whole", scratch).end([0])
    return scratch / "whole"


def compare(work: Work, whole: Path, other_folder: Path) -> None:
    """Raise Fault if the results differ, or temporary files are left in the folder."""
    if changes := differences(work.content(whole), work.content(other_folder), "run"):
        raise Fault(f"another end than undisturbed: {'; '.join(changes[:5])}")
    nothing_hidden(other_folder)


def nothing_hidden(folder: Path) -> None:
    """Raise Fault if the folder has locks, temporary files or a broken checkpoint."""
    if leftovers := [path.name for path in folder.iterdir() if path.name.startswith(".")]:
        raise Fault(f"left in the folder: {leftovers}")
    if (folder / CHECKPOINT).exists():
        read_checkpoint(folder / CHECKPOINT)
