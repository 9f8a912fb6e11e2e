"""Make the held-out policies, from nothing: python -m agents.release.held_out --help.

They are strangers to the policies that ship: of another architecture, another optimiser and another
seed, trained by self-play alone. Nobody is trained against them or imitates them.
"""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, as in make_policies
    run_script("agents.release.held_out:HeldOutConfig", "agents.release.held_out:make_strangers")

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.recipes.recipe import SCRATCH, stranger_settings
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.make_policies import rewrite
from agents.release.training import train_all
from agents.training.run_folder import CHECKPOINT, POLICY
from agents.training.training_config import TrainConfig, default_config
from kododo_env.agent_registry import STRANGERS, SUFFIX
from kododo_env.arena.workers import cores
from kododo_env.commands.file_argument import FilePath
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

SEED = 1000
# Beside what the game's recipe says of its stranger.
EVERY: dict[str, Any] = {"width": 128, "depth": 2, "one_hot": 0, "muon": 0.0, "temperature": 0.25}


@dataclass(frozen=True)
class HeldOutConfig:
    """Train the held-out policies, one process and one thread each.

    What is done already is not done again; Ctrl-C stops with everything saved, and the same
    command goes on.
    """

    only: tuple[str, ...] = ()
    """Only those of these tables, such as kododo-4p; if not given all."""
    steps: int | None = None
    """Agent-steps of each run; if not given those with which they were made."""
    jobs: int = field(default_factory=cores)
    """How many processes at a time (default: one for each core)."""
    out: FilePath = STRANGERS
    """The folder for the policies."""
    runs: FilePath = Path("runs/held_out")
    """The folder for the training runs."""

    def __post_init__(self) -> None:
        self.policies()  # raises if something is impossible

    def policies(self) -> list[StrangerJob]:
        """What is to be made."""
        how = PoliciesConfig(self.only, 1, self.steps, self.jobs, self.out, self.runs)
        return [StrangerJob(**vars(job)) for job in how.policies()]


class StrangerJob(PolicyJob):
    """One of the held-out policies to make."""

    def runs(self) -> list[TrainConfig]:
        """The one run that makes it; it goes on if it has a checkpoint."""
        folder = self.candidates()[0].parent
        settings = EVERY | stranger_settings(self.game)
        if self.config.steps is not None:
            settings["steps"] = self.config.steps
        resume = (folder / CHECKPOINT).exists()
        where: dict[str, Any] = {"seed": SEED, "threads": 1, "run_dir": folder, "resume": resume}
        how = default_config(self.game, self.players, SCRATCH, **settings, **where)
        return [replace(how, games=400, evaluations=2)]

    def candidates(self) -> list[Path]:
        """The policy of its run."""
        return [self.folder / f"seed-{SEED}" / POLICY]


def make_strangers(config: HeldOutConfig) -> None:
    """Train the held-out policies and write them, in half precision, without results.

    Raises:
        ValueError: What was asked cannot be done.
        ChildProcessError: A run failed; see the log that is named.
    """
    jobs = config.policies()
    files = {job.name: config.out / f"{job.name}{SUFFIX}" for job in jobs}
    with filled_folder(config.out), reserved(config.out, list(files.values())):
        train_all(jobs, config.jobs)
        for job in jobs:
            source = job.candidates()[0]
            rewrite(source, files[job.name], replace(read_policy(source).metadata, results={}))
            print(f"{job.name}: {files[job.name]}", flush=True)
