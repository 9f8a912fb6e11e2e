"""Make the population of held-out opponents: python -m agents.release.population --help.

Shipped policies never meet held-out opponents in training. The population of a table consists of
scripted players with random weights, policies of small networks with random settings, and flat
searches. The validation half selects a policy's seed and temperature; the test half is only used to
report its strength.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, cycle, islice, repeat
from pathlib import Path
from typing import Any

import numpy as np

from agents.recipes.recipe import SCRATCH, recipe_for
from agents.release.config import TablesConfig, policies_of, run_in
from agents.release.make_policies import rewrite, train_all
from agents.training.run_folder import POLICY
from agents.training.training_config import TrainConfig
from kododo_env.agent_registry import SUFFIX, baselines, policy_tables
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.workers import worker_pool
from kododo_env.checks.bounds import Games, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.held_out import DRAWN, HELD_OUT, POPULATION, SPLITS
from kododo_env.system.files import write_text
from kododo_env.system.folders import filled_folder

MEMBERS = 24  # per table
POLICIES = 8  # per table, at most
FLATS = ("flat:random:32", "flat:greedy:32")
WEAK = 0.4  # times parity: the minimum win share of a member against the heuristic
DEALS = 3001  # the seed of the deals on which members are measured
SPLIT = 7  # the seed of the split into halves and of the drawn settings
FLAT_SHARE = 10  # a flat search is measured in 1 / FLAT_SHARE of the games


@dataclass(frozen=True)
class PopulationConfig(TablesConfig):
    """Draw, train, measure and split the held-out opponents.

    Finished training runs are kept; the same command resumes.
    """

    out: Path = POPULATION
    """The folder for the lists and the policies."""
    runs: Path = Path("runs/population")
    """The folder for the training runs."""
    games: Games = 1000
    """Games for each member's strength; a tenth as many for a flat search."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        fewest_games = FLAT_SHARE * max(players for _, players in policies_of(self.only).values())
        if self.games < fewest_games:
            raise ValueError(f"--games must be at least {fewest_games}, got {self.games}")


def populate(config: PopulationConfig) -> None:
    """Make the population of each table.

    Raises:
        ValueError: A folder holds another run.
        ChildProcessError: A run failed; the message names its log.
    """
    with filled_folder(config.out):
        tables = policies_of(config.only)
        train_all([run for table in tables for run in _runs(table, config)], config.jobs)
        with worker_pool(config.jobs) as pool:
            member_lists = pool.map(_members, tables, repeat(config))
            for table, members in zip(tables, member_lists, strict=True):
                for member in members:
                    if member["kind"] == "policy":
                        name = member["name"].removeprefix(HELD_OUT)
                        rewrite(config.runs / name / POLICY, config.out / f"{name}{SUFFIX}")
                lines = [json.dumps(member, separators=(",", ":")) for member in members]
                write_text(config.out / f"{table}.jsonl", "\n".join([*lines, ""]))
                print(f"{table}: {len(members)} members", flush=True)


def _runs(table: str, config: PopulationConfig) -> list[TrainConfig]:
    """Return the trainings of a table's policies, each in a folder of its name."""
    game, players = policy_tables()[table]
    configs = []
    for number in range(POLICIES):
        settings = _drawn_settings(number, recipe_for(game, players).tied)
        settings |= {"seed": 5000 + number, "games": 100, "evaluations": 1}
        configs.append(
            run_in(config.runs / f"{table}-{number}", game, players, SCRATCH, **settings)
        )
    return configs


def _drawn_settings(number: int, tied: bool) -> dict[str, Any]:
    """Draw the settings of a policy; half of them first imitate a player with random weights.

    If the game's recipe ties weights, all do, because such a game is not learned from scratch.
    """
    rng = np.random.default_rng([SPLIT, number])
    settings: dict[str, Any] = {
        "width": int(rng.choice([32, 48, 64, 96])),
        "depth": int(rng.integers(1, 4)),
        "one_hot": int(rng.choice([0, 4, 8])),
        "steps": int(rng.uniform(0.4e6, 1.2e6)),
        "ent_coef": round(float(rng.uniform(0.02, 0.08)), 3),
        "gae_lambda": round(float(rng.uniform(0.6, 0.95)), 2),
        "learning_rate": round(float(rng.uniform(5e-4, 1.5e-3)), 5),
        "expert": f"{DRAWN}{500 + number}" if tied or number % 2 else "",
        "imitation_share": round(float(rng.uniform(0.3, 0.7)), 2),
        "imitation_steps": 0,
        "tied": tied,
        "temperature": float(rng.choice([0.1, 0.25, 0.5])),
    }
    if not settings["expert"]:
        # They are drawn in any case, so that the other settings do not change.
        del settings["imitation_share"], settings["imitation_steps"]
    return settings


def _members(table: str, config: PopulationConfig) -> list[dict[str, Any]]:
    """Return the members of a table with their kind, strength and half."""
    players = policy_tables()[table][1]

    def strong(names: Iterator[str], kind: str) -> Iterator[dict[str, Any]]:
        for name in names:
            games = config.games // (FLAT_SHARE if kind == "flat" else 1)
            share = _strength(name, kind, table, games, config.runs)
            if share >= WEAK / players:
                yield {"name": name, "kind": kind, "share": round(share, 4), "games": games}

    members = list(strong(iter(FLATS), "flat"))
    members += strong((f"{HELD_OUT}{table}-{number}" for number in range(POLICIES)), "policy")
    vacancies = MEMBERS - len(members)
    members += islice(strong((f"{DRAWN}{seed}" for seed in count(1)), "drawn"), vacancies)
    return _split(members)


def _strength(name: str, kind: str, table: str, games: int, runs: Path) -> float:
    """Return the win share of a player against P - 1 copies of the game's heuristic."""
    game, players = policy_tables()[table]
    if kind == "policy":
        name = str(runs / name.removeprefix(HELD_OUT) / POLICY)
    return Match(name, baselines(game)[-1], game, players, games, DEALS).play().share.mean


def _split(members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Assign the members to halves, with nearly equal numbers of each kind."""
    rng = np.random.default_rng(SPLIT)
    split = []
    splits = cycle(SPLITS)
    for kind in dict.fromkeys(member["kind"] for member in members):
        alike_members = [member for member in members if member["kind"] == kind]
        split += [
            {**alike_members[place], "half": next(splits)}
            for place in rng.permutation(len(alike_members))
        ]
    return sorted(split, key=lambda member: (member["half"], member["kind"], member["name"]))


if __name__ == "__main__":
    run_cli(PopulationConfig, populate)
