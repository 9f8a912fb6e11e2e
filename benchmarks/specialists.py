"""How much of what could be had against an opponent the policies have: ``make specialists``.

A specialist begins with the weights of the policy that ships, and learns alone among copies of one
opponent and of nobody else. Then both play this opponent, on the same fresh deals. The command
takes the opponents of each table one by one, goes on where it was stopped, and measures again only
where a policy has changed. ``docs/update_tables.py`` makes the tables of
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
from benchmarks.same_way import file_of
from kododo_env.agent_registry import (
    TEST,
    baselines,
    held_out,
    make_agent,
    policy_path,
    policy_tables,
    population,
    without_searches,
)
from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.match import Match
from kododo_env.arena.pairing import Chunk, chunk_sizes
from kododo_env.arena.workers import run
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Float64
from kododo_env.core.bounds import Bound, Games, Seed, Steps, check_settings
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import write_text

FOUND = Path(__file__).parents[1] / "docs" / "specialists.json"
DEALS = 1006  # the seed of deals other than those by which policies were chosen or reported
STEPS, TIED = 2_000_000, 4  # two minutes of a core; tied networks take four times as long


@dataclass(frozen=True)
class SpecialistsConfig:
    """Train and measure the specialists that the file does not have yet."""

    policies: tuple[str, ...] = ()
    """Only these tables, such as kododo-4p, in this order; if not given all."""
    opponents: Annotated[int, Bound(1, 1000)] = 1000
    """How many opponents of each table at most: the first of all tables, then the second, ..."""
    steps: Steps | None = None
    """Agent-steps of each specialist; if not given 2 million, or 500,000 for tied networks."""
    games: Games = 8000
    """Games for each share, rounded up to whole deals."""
    seed: Seed = 0
    """Of the specialists' learning."""
    json: Path = FOUND
    """The file that is written after each specialist."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        policies_of(self.policies)  # raises if one is unknown


@dataclass(frozen=True)
class Cell:
    """One specialist, and what is measured of it.

    Attributes:
        policy: The policy that ships, of which the specialist begins as a copy.
        file: The first digits of its file's SHA-256.
        against: The opponent.
        stranger: Whether this is one of the test half of the population.
        steps: For which the specialist learns; it takes whole updates.
        seed: Of its learning.
        games: In which it plays, and the policy likewise.
    """

    policy: str
    file: str
    against: str
    stranger: bool
    steps: int
    seed: int
    games: int


def specialists(config: SpecialistsConfig) -> None:
    """Train and measure what the file does not have yet; rows of older policies are dropped."""
    found = json.loads(config.json.read_text()) if config.json.exists() else []
    found = [row for row in found if row["cell"]["file"] == file_of(row["cell"]["policy"])]
    done = [row["cell"] for row in found]
    for cell in cells(config):
        if asdict(cell) not in done:
            begun = time.monotonic()
            row = {"cell": asdict(cell), **measured(cell)}
            found.append({**row, "seconds": round(time.monotonic() - begun)})
            ratio = "{mean} ({low} to {high})".format_map(row["ratio"])
            print(cell.policy, cell.against, ratio, flush=True)
            write_text(config.json, json.dumps(found, indent=1) + "\n")


def cells(config: SpecialistsConfig) -> Iterator[Cell]:
    """The specialists that are asked for: for the first opponent of each table, the second, ..."""
    each = [of_table(name, config) for name in config.policies or policy_tables()]
    return filter(None, chain.from_iterable(zip_longest(*each)))


def of_table(policy: str, config: SpecialistsConfig) -> list[Cell]:
    """The specialists of a table: a stranger of each kind and a player by name in turn.

    Of each kind they come in the order of their names, so that no result has a say. The player by
    name whom the policy has imitated comes first. Flat searches are too slow to learn against.
    """
    game, players = policy_tables()[policy]
    half = population(game, players, TEST)
    kinds: dict[str, list[str]] = {}
    for name in without_searches(half):
        kinds.setdefault(half[name]["kind"], []).append(name)
    named = [baselines(game)[-1], *without_searches(held_out(game, players))]
    steps = config.steps or STEPS // (TIED if recipe_for(game, players).tied else 1)
    in_turn = filter(None, chain.from_iterable(zip_longest(*kinds.values(), named)))
    file = file_of(policy)
    about = steps, config.seed, config.games
    return [Cell(policy, file, name, name in half, *about) for name in in_turn][: config.opponents]


def measured(cell: Cell) -> dict[str, Any]:
    """A specialist trained, and the shares of the policy and of the specialist, as JSON."""
    game, players = policy_tables()[cell.policy]
    policy = OnnxAgent(policy_path(cell.policy))
    other = make_agent(cell.against, game)
    learned = train_best_response(policy, steps=cell.steps, seed=cell.seed, against=other)
    ours, best = (won(each, other, game, players, cell.games) for each in (policy, learned.agent))
    return {
        "ours": share(ours).to_json(),
        "specialist": share(best).to_json(),
        "ratio": ratio(ours - 1 / players, best - 1 / players).to_json(),
        "temperature": learned.training["temperature"],
    }


def won(one: Agent, copies: Agent, game: str, players: int, games: int) -> Float64:
    """The share of the victory of one among copies in each deal, on the mean over its seats, (D,).

    The same games have the same deals, whoever plays.
    """
    match = Match(one, copies, game, players, games, DEALS)
    lineup = (0, *[1] * (players - 1))
    chunks = [Chunk(n, lineup, size) for n, size in enumerate(chunk_sizes(match.deals))]
    return np.concatenate([each.shares[:, 0] for each in run(match, chunks)])


def ratio(gained: Float64, could: Float64) -> Estimate:
    """The ratio of the means over deals (D,) each, with the interval of the delta method.

    A ratio r of means varies as the mean of (gained - r * could) / mean(could) does (W. Cochran,
    "Sampling Techniques", 1977, 2.11). Nothing is known of it if ``could`` may be 0.
    """
    if not mean(could).low > 0:
        return Estimate(nan, nan, nan)
    found = gained.mean() / could.mean()
    half = mean((gained - found * could) / could.mean()).high
    return Estimate(found, found - half, found + half)


if __name__ == "__main__":
    run_cli(SpecialistsConfig, specialists)
