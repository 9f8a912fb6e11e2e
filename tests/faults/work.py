"""Work that is broken off, gone on with, and compared to the bit with the same undisturbed."""

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
        """The script and its arguments; it goes on if there is something to go on with."""

    def progress(self, folder: Path) -> int:
        """0 at first, and then another number whenever something has been kept."""

    def content(self, folder: Path) -> dict[str, Any]:
        """The results, but for the time that it took."""


@dataclass(frozen=True)
class Training:
    """A short training of little networks, with a checkpoint after each update."""

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
        found = {
            "graph": policy.graph.SerializeToString(deterministic=True),
            "metadata": json.loads(OnnxAgent(folder / POLICY).metadata.to_json()),
            "config": json.loads((folder / "config.json").read_text()),
            "results": (folder / "results.json").read_bytes(),
            "facts": json.loads(facts),
            "learner": torch.load(io.BytesIO(learner), weights_only=True),
        }
        return {name: plain(value) for name, value in found.items()}


@dataclass(frozen=True)
class Tournament:
    """A tournament of some seconds with workers."""

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


def plain(value: Any) -> Any:
    """The same in dictionaries, with all numbers of arrays by their bits."""
    if isinstance(value, torch.Tensor):
        value = value.numpy()
    if isinstance(value, np.ndarray):
        kind = {"dtype": str(value.dtype), "shape": value.shape}
        return {**kind, "bits": np.frombuffer(value.tobytes(), np.uint8)}
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items() if key not in CLOCK}
    if isinstance(value, list | tuple):
        return {place: plain(each) for place, each in enumerate(value)}
    # Functions and spaces of the learner are made again from the settings, which are compared.
    return value if isinstance(value, str | int | float | None) else type(value)


def begun(work: Work, folder: Path, scratch: Path) -> Script:
    """The work, begun or gone on with; what it says goes into the scratch folder."""
    folder.mkdir(exist_ok=True)
    return Script(work.args(folder), scratch / "words")


def in_the_middle(work: Work, folder: Path, scratch: Path) -> Script:
    """The work, when there is something to go on with."""
    script = begun(work, folder, scratch)
    script.wait_for(lambda: work.progress(folder) > 0)
    return script


def undisturbed(work: Work, scratch: Path) -> Path:
    """The folder of the work, done from beginning to end."""
    begun(work, scratch / "whole", scratch).end([0])
    return scratch / "whole"


def compare(work: Work, whole: Path, other: Path) -> None:
    """Raise Fault if not the same has come of both, or something was left in the folder."""
    if found := differences(work.content(whole), work.content(other), "run"):
        raise Fault(f"another end than undisturbed: {'; '.join(found[:5])}")
    nothing_hidden(other)


def nothing_hidden(folder: Path) -> None:
    """Raise Fault if there are locks, files that are renamed once written, half checkpoints."""
    if left := [path.name for path in folder.iterdir() if path.name.startswith(".")]:
        raise Fault(f"left in the folder: {left}")
    if (folder / CHECKPOINT).exists():
        read_checkpoint(folder / CHECKPOINT)
