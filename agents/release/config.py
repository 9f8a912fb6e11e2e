"""The options of the commands of this package, and the jobs of ``make_policies``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from agents.recipes.recipe import mean_steps, shipped_steps
from agents.training.run_folder import CHECKPOINT, POLICY
from agents.training.training_config import TrainConfig, default_config
from kododo_env.agent_registry import POLICIES, SUFFIX, policy_tables
from kododo_env.checks.bounds import Bound, Games, Processes, Steps, check_settings
from kododo_env.checks.numbers import quote
from kododo_env.system.cores import available_cores

CHOICE = 4  # a match against a held-out opponent has 1 / CHOICE of --games
EVALUATIONS = 6  # points of the learning curve
PARTS = ("shares", "unknown", "exploitability")  # of the measurement


@dataclass(frozen=True)
class TablesConfig:
    """The options that the commands of this package share."""

    only: tuple[str, ...] = ()
    """Only these tables, such as kododo-4p; by default all."""
    jobs: Processes = field(default_factory=available_cores)
    """Number of processes (default: one per core)."""


@dataclass(frozen=True)
class PoliciesConfig(TablesConfig):
    """Train, select, measure and describe the shipped policies.

    For each game and number of players several seeds are trained, each in its own process with one
    thread. If the game's recipe says so, another network then imitates the mean of these policies.
    The seed and temperature with the highest score are selected. The score is the mean win share
    against the validation half of the held-out opponents, minus the gain of a best response. The
    selected policy is measured on other deals. Existing results are kept. Ctrl-C stops with
    everything saved, and the same command resumes.
    """

    seeds: Annotated[int, Bound(1, 1000)] = 3
    """Number of seeds to train: 0, 1, ..."""
    steps: Steps | None = None
    """Agent-steps of each run; by default those of the game's recipe."""
    out: Path = POLICIES
    """The folder for the policies and their cards."""
    runs: Path = Path("runs/policies")
    """The folder for the training runs, and for unfinished measurements."""
    games: Games = 8000
    """Games for each win share in the card; a quarter as many against each held-out opponent, and
    an eighth for the selection."""
    search_games: Games = 250
    """Games against an opponent that searches, and of search against the policy; both are slow."""
    remeasure: tuple[str, ...] = ()
    """Only repeat these measurements of the policies in --out, for example after the opponents have
    changed; training runs are not needed. Any of: shares, unknown, exploitability."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for part in self.remeasure:
            if part not in PARTS:
                raise ValueError(f"--remeasure takes {', '.join(PARTS)}, got {quote(part)}")
        for job in self.policies():
            if self.remeasure and not (job.chosen.exists() and job.numbers.exists()):
                raise ValueError(
                    f"--remeasure needs {job.chosen} and its .json, which do not exist"
                )
        fewest_games = CHOICE * max(job.players for job in self.policies())
        if self.games < fewest_games:
            raise ValueError(f"--games must be at least {fewest_games}, got {self.games}")

    def policies(self) -> list[PolicyJob]:
        """Return the policies to make."""
        return [PolicyJob(name, self) for name in policies_of(self.only)]


def policies_of(only: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return game and number of players by policy.

    Args:
        only: The names of policies; if empty, all policies.

    Raises:
        ValueError: A policy is unknown.
    """
    tables = policy_tables()
    for name in only:
        if name not in tables:
            raise ValueError(f"unknown policy {quote(name)}; choose from {', '.join(tables)}")
    return {name: table for name, table in tables.items() if name in only or not only}


class PolicyJob:
    """A policy to make, such as ``kododo-4p``, and its files."""

    def __init__(self, name: str, config: PoliciesConfig) -> None:
        self.name = name
        self.config = config
        self.game, self.players = policy_tables()[name]
        self.folder = config.runs / name  # training runs and unfinished measurements
        self.published = config.out / f"{name}{SUFFIX}"
        self.numbers = config.out / f"{name}.json"  # the results of the published policy
        self.results = self.folder / "found.json"  # the results so far
        self.chosen = self.published if config.remeasure else self.folder / self.published.name
        self.seeds = {seed: self.folder / f"seed-{seed}" / POLICY for seed in range(config.seeds)}
        self.mean = mean_steps(self.game, self.players) if config.seeds > 1 else None
        mean_candidate = {len(self.seeds): self.folder / "mean" / POLICY} if self.mean else {}
        self.candidates = self.seeds | mean_candidate

    def runs(self) -> list[TrainConfig]:
        """Return the training runs by seed; a run with a checkpoint is resumed."""
        steps = self.config.steps or shipped_steps(self.game, self.players)
        return [self._run(seed, steps=steps) for seed in self.seeds]

    def runs_after(self) -> list[TrainConfig]:
        """Return the run that imitates the mean of the seeds; no run if the recipe has none."""
        if not self.mean:
            return []
        experts = ",".join(map(str, self.seeds.values()))
        options = {"expert": experts, "imitation_share": 1.0, "imitation_temperature": 1.0}
        return [self._run(len(self.seeds), steps=self.config.steps or self.mean, **options)]

    def _run(self, seed: int, **settings: Any) -> TrainConfig:
        games = self.config.games // CHOICE
        options = {"seed": seed, "games": games, "evaluations": EVALUATIONS, **settings}
        return run_in(self.candidates[seed].parent, self.game, self.players, **options)


def run_in(folder: Path, *table: Any, **settings: Any) -> TrainConfig:
    """Configure a training run in a folder, on one thread; a run with a checkpoint is resumed."""
    resume = (folder / CHECKPOINT).exists()
    return default_config(*table, run_dir=folder, threads=1, resume=resume, **settings)
