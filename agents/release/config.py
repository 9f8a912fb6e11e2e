"""Which policies are to be made, and how: the arguments of make_policies and what follows."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from agents.recipes.recipe import shipped_steps
from agents.training.run_folder import CHECKPOINT, POLICY
from agents.training.training_config import Task, TrainConfig, default_config, task_of
from kododo_env.agent_registry import POLICIES, SUFFIX, policy_tables
from kododo_env.arena.workers import cores
from kododo_env.commands.file_argument import FilePath
from kododo_env.core.bounds import Bound, Games, Processes, Steps, check_settings
from kododo_env.core.numbers import shown

CHOICE = 4  # one game is played to choose a policy for every four that measure it
EVALUATIONS = 6  # points of the learning curve


@dataclass(frozen=True)
class PoliciesConfig:
    """Train, choose, measure and describe the policies that ship.

    For each game and number of players some seeds are trained alike, one process and one
    thread each. Seed and temperature are then chosen by the mean win share against the held-out
    opponents less the gain of a best response, and the choice is measured on other deals. What
    is done already is not done again; Ctrl-C stops with everything saved, and the same command
    goes on.
    """

    only: tuple[str, ...] = ()
    """Only these policies, such as kododo-4p; if not given all."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """How many seeds to train: 0, 1, ..."""
    steps: Steps | None = None
    """Agent-steps of each run; if not given those of the game's recipe."""
    jobs: Processes = field(default_factory=cores)
    """How many processes at a time (default: one for each core)."""
    out: FilePath = POLICIES
    """The folder for the policies and their cards."""
    runs: FilePath = Path("runs/policies")
    """The folder for the training runs, and for what is measured until all is."""
    games: Games = 8000
    """Games for each win share in the card; a quarter as many to choose by."""
    search_games: Games = 1000
    """The most games against a search, which are slow; of a search by the policy a quarter."""
    exploitability: bool = True
    """Do without best responses, to choose by and to each policy, and without the search against
    it, which are slow."""
    again: bool = False
    """Only measure the policies in --out once more, say against new opponents; their runs need
    not be there."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        known = policy_tables()
        for name in self.only:
            if name not in known:
                raise ValueError(f"unknown policy {shown(name)}; choose from {', '.join(known)}")
        for job in self.policies() if self.again else ():
            if not (job.chosen.exists() and job.numbers.exists()):
                raise ValueError(f"there is no {job.chosen} with its .json to measure again")
        least = CHOICE * max(players for _, players in known.values())
        if self.games < least:
            raise ValueError(f"--games must be at least {least}, not {self.games}")

    def policies(self) -> list[PolicyJob]:
        """What is to be made."""
        return [
            PolicyJob(name, game, players, self)
            for name, (game, players) in policy_tables().items()
            if not self.only or name in self.only
        ]


@dataclass(frozen=True)
class PolicyJob:
    """One of the policies to make.

    Attributes:
        name: Such as ``kododo-4p``.
        game: The game's name.
        players: P.
        config: What was asked for.
    """

    name: str
    game: str
    players: int
    config: PoliciesConfig

    @property
    def folder(self) -> Path:
        """Where its runs are, and what is found out about it until it is published."""
        return self.config.runs / self.name

    @property
    def chosen(self) -> Path:
        """The chosen policy with its temperature; not yet published unless measured again."""
        folder = self.config.out if self.config.again else self.folder
        return folder / f"{self.name}{SUFFIX}"

    @property
    def numbers(self) -> Path:
        """All that is known of the published policy, as JSON."""
        return self.config.out / f"{self.name}.json"

    @property
    def games_to_choose(self) -> int:
        """Games for each seed, temperature and opponent."""
        return self.config.games // CHOICE

    @property
    def task(self) -> Task:
        """What its candidates learn, but for their seeds."""
        return task_of(self.runs()[0])

    def runs(self) -> list[TrainConfig]:
        """Its training runs, by seed; one goes on if it has a checkpoint."""
        return [self._run(seed, path.parent) for seed, path in enumerate(self.candidates())]

    def _run(self, seed: int, folder: Path) -> TrainConfig:
        return default_config(
            self.game,
            self.players,
            seed=seed,
            steps=self.config.steps or shipped_steps(self.game, self.players),
            threads=1,
            run_dir=folder,
            resume=(folder / CHECKPOINT).exists(),
            games=self.games_to_choose,
            evaluations=EVALUATIONS,
        )

    def candidates(self) -> list[Path]:
        """The policies of its training runs, by seed."""
        return [self.folder / f"seed-{seed}" / POLICY for seed in range(self.config.seeds)]
