"""Which policies are to be made, and how: the arguments of make_policies and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from agents.file_argument import FilePath
from agents.recipes.recipe import shipped_steps
from agents.release.measures import Match
from agents.training.run_folder import POLICY
from agents.training.training_config import TrainConfig, default_config
from kododo_env.agent_registry import POLICIES, SUFFIX, policy_tables, search_budget
from kododo_env.arena.workers import cores
from kododo_env.core.bounds import check_settings, flag
from kododo_env.core.numbers import shown


@dataclass(frozen=True)
class PoliciesConfig:
    """Train, choose, measure and describe the policies that ship.

    For each game and number of players some seeds are trained alike, one process and one
    thread each. Seed and temperature are then chosen by the mean win share against the
    baselines, and the choice is measured on other deals. What is done already is not done
    again; Ctrl-C stops with everything saved, and the same command goes on.
    """

    only: tuple[str, ...] = ()
    """Only these policies, such as kododo-4p; if not given all."""
    seeds: int = 3
    """How many seeds to train: 0, 1, ..."""
    steps: int | None = None
    """Agent-steps of each run (default: those in agents/ppo/recipes.py)."""
    jobs: int | None = None
    """How many processes at a time; if not given one for each core."""
    out: FilePath = POLICIES
    """The folder for the policies and their cards."""
    runs: FilePath = Path("runs/policies")
    """The folder for the training runs, and for what is measured until all is."""
    selection_games: int = 2000
    """Games for each seed, temperature and baseline to choose by."""
    games: int = 8000
    """Games against each baseline for the shares in the card."""
    rating_games: int = 20_000
    """Games of the tournament for the ratings."""
    exploitability: bool = True
    """Do without the best response to each policy and the search against it, which are slow."""
    response_steps: int = 1_000_000
    """Agent-steps of the best response."""
    response_games: int = 8000
    """Games of the best response against the policy."""
    search: str = "64"
    """What a decision may cost the search: a number of worlds (100000 at most), or such as 50ms
    (600000ms at most)."""
    search_games: int = 400
    """Games of the search against the policy."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        search_budget(self.search)
        known = policy_tables()
        for name in self.only:
            if name not in known:
                raise ValueError(f"unknown policy {shown(name)}; choose from {', '.join(known)}")
        most = max(players for _, players in known.values())
        for name in ("selection_games", "games", "rating_games", "response_games", "search_games"):
            if getattr(self, name) < most:
                raise ValueError(f"{flag(name)} must be at least {most}, not {getattr(self, name)}")

    @property
    def workers(self) -> int:
        """How many processes at a time."""
        return cores() if self.jobs is None else self.jobs

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
        """The chosen policy with its temperature, not yet published."""
        return self.folder / f"{self.name}{SUFFIX}"

    def runs(self) -> dict[int, TrainConfig]:
        """The training runs by seed."""
        steps = self.config.steps or shipped_steps(self.game, self.players)
        return {
            seed: default_config(
                self.game,
                self.players,
                steps=steps,
                seed=seed,
                run_dir=self.folder / f"seed-{seed}",
                threads=1,
                evaluations=6,
                games=self.config.selection_games,
            )
            for seed in range(self.config.seeds)
        }

    def files(self) -> dict[int, Path]:
        """The trained policies by seed."""
        return {seed: self.folder / f"seed-{seed}" / POLICY for seed in self.runs()}

    def match(self, games: int, seed: int) -> Match:
        """The chosen policy at its own table."""
        return Match(str(self.chosen), "", self.game, self.players, games, seed)
