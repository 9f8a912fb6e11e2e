"""Which policies are to be made, and how: the arguments of make_policies, and its jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from agents.recipes.recipe import mean_steps, shipped_steps
from agents.training.run_folder import CHECKPOINT, POLICY
from agents.training.training_config import TrainConfig, default_config
from kododo_env.agent_registry import POLICIES, SUFFIX, policy_tables
from kododo_env.core.bounds import Bound, Games, Processes, Steps, check_settings
from kododo_env.core.numbers import shown
from kododo_env.system.cores import available_cores

CHOICE = 4  # one game is played to choose a policy for every four that measure it
EVALUATIONS = 6  # points of the learning curve
PARTS = ("shares", "unknown", "exploitability")  # of what is measured


@dataclass(frozen=True)
class PoliciesConfig:
    """Train, choose, measure and describe the policies that ship.

    For each game and number of players some seeds are trained alike, one process and one
    thread each, and where the game's recipe says so, one more that imitates the mean of these
    policies. Seed and temperature are then chosen by the mean win share against one half of
    the strangers less the gain of a best response, and the choice is measured on other deals. A
    result that is there already is not made again; Ctrl-C stops with everything saved, and the
    same command goes on.
    """

    only: tuple[str, ...] = ()
    """Only these policies, such as kododo-4p; if not given all."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """How many seeds to train: 0, 1, ..."""
    steps: Steps | None = None
    """Agent-steps of each run; if not given those of the game's recipe."""
    jobs: Processes = field(default_factory=available_cores)
    """How many processes at a time (default: one for each core)."""
    out: Path = POLICIES
    """The folder for the policies and their cards."""
    runs: Path = Path("runs/policies")
    """The folder for the training runs, and for the measurements until all are made."""
    games: Games = 8000
    """Games for each win share in the card; a quarter as many against each stranger, and an eighth
    to choose by."""
    search_games: Games = 250
    """Games against a search, and of a search by the policy: both are slow."""
    again: tuple[str, ...] = ()
    """Only measure the policies in --out once more, say against new opponents; their runs need
    not be there. Some of: shares, unknown, exploitability."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for part in self.again:
            if part not in PARTS:
                raise ValueError(f"--again takes {', '.join(PARTS)}, not {shown(part)}")
        for job in self.policies():
            if self.again and not (job.chosen.exists() and job.numbers.exists()):
                raise ValueError(f"there is no {job.chosen} with its .json to measure again")
        fewest_games = CHOICE * max(job.players for job in self.policies())
        if self.games < fewest_games:
            raise ValueError(f"--games must be at least {fewest_games}, not {self.games}")

    def policies(self) -> list[PolicyJob]:
        """The policies to make."""
        return [PolicyJob(name, self) for name in policies_of(self.only)]


def policies_of(only: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Game and players of the policies asked for, or of all; ValueError if one is unknown."""
    tables = policy_tables()
    for name in only:
        if name not in tables:
            raise ValueError(f"unknown policy {shown(name)}; choose from {', '.join(tables)}")
    return {name: table for name, table in tables.items() if name in only or not only}


class PolicyJob:
    """One of the policies to make, such as ``kododo-4p``, and where it is kept."""

    def __init__(self, name: str, config: PoliciesConfig) -> None:
        self.name = name
        self.config = config
        self.game, self.players = policy_tables()[name]
        self.folder = config.runs / name  # its runs, and its measurements until all are made
        self.published = config.out / f"{name}{SUFFIX}"
        self.numbers = config.out / f"{name}.json"  # all that is known of the published policy
        self.results = self.folder / "found.json"  # the results so far
        self.chosen = self.published if config.again else self.folder / self.published.name
        self.seeds = {seed: self.folder / f"seed-{seed}" / POLICY for seed in range(config.seeds)}
        self.mean = mean_steps(self.game, self.players) if config.seeds > 1 else None
        also = {len(self.seeds): self.folder / "mean" / POLICY} if self.mean else {}
        self.candidates = self.seeds | also

    def runs(self) -> list[TrainConfig]:
        """Its training runs, by seed; one that has a checkpoint goes on."""
        steps = self.config.steps or shipped_steps(self.game, self.players)
        return [self._run(seed, steps=steps) for seed in self.seeds]

    def runs_after(self) -> list[TrainConfig]:
        """The run that imitates the mean of those, if there is to be one."""
        if not self.mean:
            return []
        experts = ",".join(map(str, self.seeds.values()))
        how = {"expert": experts, "imitation_share": 1.0, "imitation_temperature": 1.0}
        return [self._run(len(self.seeds), steps=self.config.steps or self.mean, **how)]

    def _run(self, seed: int, **settings: Any) -> TrainConfig:
        games = self.config.games // CHOICE
        how = {"seed": seed, "games": games, "evaluations": EVALUATIONS, **settings}
        return run_in(self.candidates[seed].parent, self.game, self.players, **how)


def run_in(folder: Path, *table: Any, **settings: Any) -> TrainConfig:
    """The training of a policy in a folder, on one thread; one that has a checkpoint goes on."""
    resume = (folder / CHECKPOINT).exists()
    return default_config(*table, run_dir=folder, threads=1, resume=resume, **settings)
