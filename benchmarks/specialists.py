"""Measure what share of the possible gain against an opponent the shipped policies reach.

A specialist (``make specialists``) starts from the weights of the shipped policy and trains only
against copies of one opponent. Then the specialist and the policy play this opponent on the same
new deals. The command takes the opponents of each table in turn, resumes where it was stopped, and
measures again only if a policy has changed. ``docs/update_tables.py`` makes the tables of
``docs/evidence/specialists.md``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import chain, zip_longest
from math import nan
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from agents.recipes.recipe import recipe_for
from agents.release.config import policies_of
from agents.training.response_training import train_best_response
from benchmarks.result_rows import file_of
from kododo_env.agent_registry import (
    baselines,
    make_agent,
    policy_path,
    policy_tables,
    without_searches,
)
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.match import Chunk, chunk_sizes
from kododo_env.arena.workers import run
from kododo_env.arrays.dtypes import Float64
from kododo_env.checks.bounds import Bound, Games, Seed, Steps, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.held_out import TEST, held_out, population
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import write_text

RESULTS = Path(__file__).parents[1] / "docs" / "specialists.json"
DEALS = 1006  # other deals than those of the selection and the cards of policies
STEPS = 2_000_000
TIED_COST = 4  # computation of a tied network relative to others


@dataclass(frozen=True)
class SpecialistsConfig:
    """Train and measure the specialists that the file lacks."""

    policies: tuple[str, ...] = ()
    """Only these tables, such as kododo-4p, in this order; by default all."""
    opponents: Annotated[int, Bound(1, 1000)] = 1000
    """Maximum number of opponents of each table: first one for all tables, then the second, ..."""
    steps: Steps | None = None
    """Agent-steps of each specialist; by default 2 million, or 500,000 for tied networks."""
    games: Games = 8000
    """Games for each win share, rounded up so that each deck is played from every seat."""
    seed: Seed = 0
    """Seed of the specialists' training."""
    json: Path = RESULTS
    """The file to write after each specialist."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        policies_of(self.policies)  # raises ValueError if one is unknown


@dataclass(frozen=True)
class SpecialistCell:
    """One specialist and its measurement.

    Attributes:
        policy: The shipped policy from which the specialist starts.
        file: The first digits of the SHA-256 of its file.
        against: The name of the opponent.
        is_test_opponent: Whether the opponent belongs to the test opponents of the population.
        steps: Agent-steps of the training, rounded up to whole updates.
        seed: Seed of the training.
        games: Games of the specialist; the policy plays as many.
    """

    policy: str
    file: str
    against: str
    is_test_opponent: bool
    steps: int
    seed: int
    games: int


def specialists(config: SpecialistsConfig) -> None:
    """Train and measure the cells that the file lacks; rows of older policies are dropped."""
    rows = json.loads(config.json.read_text()) if config.json.exists() else []
    rows = [row for row in rows if row["cell"]["file"] == file_of(row["cell"]["policy"])]
    done = [row["cell"] for row in rows]
    for cell in cells(config):
        if asdict(cell) not in done:
            start = time.monotonic()
            row = {"cell": asdict(cell), **measured(cell)}
            rows.append({**row, "seconds": round(time.monotonic() - start)})
            ratio = "{mean} ({low} to {high})".format_map(row["ratio"])
            print(cell.policy, cell.against, ratio, flush=True)
            write_text(config.json, json.dumps(rows, indent=1) + "\n")


def cells(config: SpecialistsConfig) -> Iterator[SpecialistCell]:
    """Yield the requested specialists: of the first opponent of each table, then the second, ..."""
    tables = [of_table(name, config) for name in config.policies or policy_tables()]
    return filter(None, chain.from_iterable(zip_longest(*tables)))


def of_table(policy: str, config: SpecialistsConfig) -> list[SpecialistCell]:
    """Return the specialists of a table, alternating between kinds of opponents.

    Held-out opponents of each kind alternate with the named players. Each kind is sorted by name,
    so that results do not affect the order. The named player that the policy imitated comes first.
    Flat searches are left out, because they are too slow to train against.
    """
    game, players = policy_tables()[policy]
    half = population(game, players, TEST)
    kinds: dict[str, list[str]] = {}
    for name in without_searches(half):
        kinds.setdefault(half[name]["kind"], []).append(name)
    named = [baselines(game)[-1], *without_searches(held_out(game, players))]
    steps = config.steps or STEPS // (TIED_COST if recipe_for(game, players).tied else 1)
    in_turn = filter(None, chain.from_iterable(zip_longest(*kinds.values(), named)))
    file = file_of(policy)
    settings = (steps, config.seed, config.games)
    return [SpecialistCell(policy, file, name, name in half, *settings) for name in in_turn][
        : config.opponents
    ]


def measured(cell: SpecialistCell) -> dict[str, Any]:
    """Train a specialist; return the win shares of the policy and of the specialist, for JSON."""
    game, players = policy_tables()[cell.policy]
    policy = OnnxAgent(policy_path(cell.policy))
    opponent = make_agent(cell.against, game)
    response = train_best_response(policy, steps=cell.steps, seed=cell.seed, against=opponent)
    policy_shares = won(policy, opponent, game, players, cell.games)
    specialist_shares = won(response.agent, opponent, game, players, cell.games)
    return {
        "ours": share(policy_shares).to_json(),
        "specialist": share(specialist_shares).to_json(),
        "ratio": ratio(policy_shares - 1 / players, specialist_shares - 1 / players).to_json(),
        "temperature": response.training["temperature"],
    }


def won(agent: Agent, copies: Agent, game: str, players: int, games: int) -> Float64:
    """Return an agent's mean win share against copies, by deal, (D,), averaged over its seats.

    The deals do not depend on the agents.
    """
    match = Match(agent, copies, game, players, games, DEALS)
    lineup = (0, *[1] * (players - 1))
    chunks = [Chunk(n, lineup, size) for n, size in enumerate(chunk_sizes(match.deals))]
    return np.concatenate([result.shares[:, 0] for result in run(match, chunks)])


def ratio(gained: Float64, possible: Float64) -> Estimate:
    """Estimate the ratio of two means over deals, with a delta-method interval.

    A ratio r of means varies like the mean of (gained - r * possible) / mean(possible) (W. Cochran,
    "Sampling Techniques", 1977, 2.11).

    Args:
        gained: The numerator of each deal, (D,).
        possible: The denominator of each deal, (D,).

    Returns:
        The estimate; NaN if the mean of ``possible`` may be 0.
    """
    if not mean(possible).low > 0:
        return Estimate(nan, nan, nan)
    estimate = gained.mean() / possible.mean()
    half = mean((gained - estimate * possible) / possible.mean()).high
    return Estimate(estimate, estimate - half, estimate + half)


if __name__ == "__main__":
    run_cli(SpecialistsConfig, specialists)
