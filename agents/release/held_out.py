"""Make the held-out policies, from nothing: python -m agents.release.held_out --help.

They are strangers to the policies that ship: of another architecture, another optimiser and another
seed, trained by self-play alone. No policy is trained against them or imitates them.
"""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":  # first, as in make_policies
    run_script("agents.release.held_out:HeldOutConfig", "agents.release.held_out:make_strangers")

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agents.recipes.recipe import SCRATCH, stranger_settings
from agents.release.config import policies_of
from agents.release.make_policies import rewrite
from agents.release.runs import run_in, train_all
from agents.training.run_folder import POLICY
from kododo_env.agent_registry import STRANGERS, SUFFIX, policy_tables
from kododo_env.arena.workers import cores
from kododo_env.core.bounds import Processes, check_settings
from kododo_env.policy.policy_file import read_policy
from kododo_env.system.folders import filled_folder
from kododo_env.system.reservation import reserved

SEED = 1000
# Beside the settings that the game's recipe has for its stranger; the last two are of measuring.
SETTINGS: dict[str, Any] = {
    "width": 128, "depth": 2, "one_hot": 0, "muon": 0.0, "temperature": 0.25,
    "games": 400, "evaluations": 2,
}  # fmt: skip


@dataclass(frozen=True)
class HeldOutConfig:
    """Train the held-out policies, one process and one thread each.

    A run that is finished is not run again; Ctrl-C stops with everything saved, and the same
    command goes on.
    """

    only: tuple[str, ...] = ()
    """Only those of these tables, such as kododo-4p; if not given all."""
    jobs: Processes = field(default_factory=cores)
    """How many processes at a time (default: one for each core)."""
    out: Path = STRANGERS
    """The folder for the policies."""
    runs: Path = Path("runs/held_out")
    """The folder for the training runs."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        policies_of(self.only)  # raises if one is unknown


def make_strangers(config: HeldOutConfig) -> None:
    """Train the held-out policies and write them, in half precision, without results.

    Raises:
        ValueError: The policies cannot be made as asked.
        ChildProcessError: A run failed; see the log that is named.
    """
    folders = {
        config.out / f"{name}{SUFFIX}": config.runs / name / f"seed-{SEED}"
        for name in policies_of(config.only)
    }
    runs = []
    for path, folder in folders.items():
        table = policy_tables()[path.stem]
        settings = SETTINGS | stranger_settings(table[0])
        runs.append(run_in(folder, *table, SCRATCH, seed=SEED, **settings))
    with filled_folder(config.out), reserved(config.out, list(folders)):
        train_all(runs, config.jobs)
        for path, folder in folders.items():
            rewrite(
                folder / POLICY, path, replace(read_policy(folder / POLICY).metadata, results={})
            )
            print(f"{path.stem}: {path}", flush=True)
