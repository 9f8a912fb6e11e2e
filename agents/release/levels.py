"""Fit and measure the levels of the shipped policies: python -m agents.release.levels --help."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from agents.export.policy_weights import game_of
from agents.release.config import TablesConfig, policies_of
from agents.release.make_policies import content_of
from kododo_env.agent_registry import OUTCOMES_FILE, SEARCH, policy_path, search_budget
from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate, share
from kododo_env.arena.match import Chunk
from kododo_env.arena.tournament import check_numbers
from kododo_env.arena.workers import run, worker_pool
from kododo_env.checks.bounds import Bound, Games, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.levels import AS_IT_SHIPS, LEVELS_FILE, SEARCHING, WEAKER
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.search.outcome_model import OutcomeModel
from kododo_env.search.search import SearchAgent
from kododo_env.system.files import fingerprint, write_json
from kododo_env.system.folders import filled_folder

TEMPERATURES = tuple(2.0**k for k in range(-2, 7))  # candidates
TRIAL_GAMES = 1000
TIME = "500ms"
MOST_SEARCHED = 20_000
# Different deals for each purpose, which differ from those of make_policies.
TRIAL_DEALS = 4001
LEVEL_DEALS = 4002
SEARCH_DEALS = 4003


@dataclass(frozen=True)
class LevelsConfig(TablesConfig):
    """Fit the temperature of the shipped policies at each level, and measure the levels.

    The temperatures space the win shares of the weaker levels evenly between random play and
    parity. The outcome models that search uses are fitted first. Results of the same policy are
    kept; the same command resumes.
    """

    games: Games = 8000
    """Games for each level's win share, and at most 1,000 for each candidate temperature."""
    search_games: Annotated[int, Bound(1, MOST_SEARCHED)] = 200
    """Games of the level that uses search, which are slow."""
    out: Path = LEVELS_FILE
    """The file for the levels."""
    outcomes: Path = OUTCOMES_FILE
    """The file for the weights of the policies' outcome models, which search needs."""
    runs: Path = Path("runs/levels")
    """The folder for finished games of search."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for _, players in policies_of(self.only).values():  # raises if one is unknown
            check_numbers(players, self.games, LEVEL_DEALS)
            check_numbers(players, self.search_games, SEARCH_DEALS)


def measure_levels(config: LevelsConfig) -> None:
    """Measure what the files lack: outcome models of all tables, then levels, then search.

    Raises:
        ValueError: The folder of search games holds games of other settings.
    """
    tables = policies_of(config.only)
    parts = (
        (fitted_outcomes, config.outcomes),
        (quick_levels, config.out),
        (searching_level, config.out),
    )
    with filled_folder(config.runs), worker_pool(config.jobs) as pool:
        for part, file in parts:
            for table, measurement in zip(
                tables, pool.map(part, tables, repeat(config)), strict=True
            ):
                entry = {"sha256": fingerprint(policy_path(table)), **measurement}
                write_json(file, content_of(file) | {table: entry})
                levels = measurement.get("levels", {}).values()
                shares = (f"{level['share']['mean']:.3f}" for level in levels)
                print(f"{table}: {part.__name__}", *shares, flush=True)


def fitted_outcomes(table: str, config: LevelsConfig) -> dict[str, Any]:
    """Return the weights of a table's outcome model; fit them if they are missing."""
    entry = _entry_of(table, config.outcomes)
    if entry:
        return entry
    policy = OnnxAgent(policy_path(table))
    return {"weights": OutcomeModel(policy, game_of(policy.metadata)).weights.tolist()}


def quick_levels(table: str, config: LevelsConfig) -> dict[str, Any]:
    """Return the levels of a table; measure the levels without search if they are missing."""
    entry = _entry_of(table, config.out)
    levels = entry.get("levels", {})
    if levels and levels[AS_IT_SHIPS]["games"] >= config.games:
        return entry
    policy = OnnxAgent(policy_path(table))
    trial_games = min(config.games, TRIAL_GAMES)
    tried = [
        _share(OnnxAgent(policy.path, temperature), policy, trial_games, TRIAL_DEALS).mean
        for temperature in TEMPERATURES
    ]
    lowest = _share("random", policy, trial_games, TRIAL_DEALS).mean
    targets = np.linspace(lowest, 1 / policy.num_players, len(WEAKER) + 2)[1:-1]
    temperatures = [*temperatures_for(targets.tolist(), tried), policy.temperature]
    measured_levels = {}
    for name, level_temperature in zip((*WEAKER, AS_IT_SHIPS), temperatures, strict=True):
        won = _share(OnnxAgent(policy.path, level_temperature), policy, config.games, LEVEL_DEALS)
        games = policy.num_players * -(-config.games // policy.num_players)
        measured_levels[name] = {
            "temperature": level_temperature,
            "share": won.to_json(),
            "games": games,
        }
    return {"levels": levels | measured_levels}


def temperatures_for(targets: Sequence[float], tried: Sequence[float]) -> list[float]:
    """Interpolate the temperatures at which target win shares are reached.

    Args:
        targets: The target win shares.
        tried: The win shares at ``TEMPERATURES``.

    Returns:
        The temperatures, rounded to two digits.
    """
    falling = np.minimum.accumulate(tried)
    logarithms = np.interp(targets, falling[::-1], np.log(TEMPERATURES)[::-1])
    return [float(f"{temperature:.2g}") for temperature in np.exp(logarithms)]


def searching_level(table: str, config: LevelsConfig) -> dict[str, Any]:
    """Return the levels of a table, including the level that uses search.

    The games are played one by one, because the decisions of a batch would share their time budget.
    Each deal is saved when it is over. The budget is in CPU time, so that other load of the machine
    does not weaken the level.
    """
    name = f"{SEARCH}{table}:{TIME}"
    policy = OnnxAgent(policy_path(table))
    players = policy.num_players
    policy.outcome_weights = np.array(_entry_of(table, config.outcomes)["weights"])
    searcher = SearchAgent(policy, search_budget(TIME), name, time.process_time)
    match = Match(searcher, table, policy.game, players, config.search_games, SEARCH_DEALS)
    heading = {"search": name, "sha256": fingerprint(policy_path(table)), "seed": SEARCH_DEALS}
    lineup = (0, *[1] * (players - 1))
    deals = [Chunk(index, lineup, 1) for index in range(MOST_SEARCHED)]
    with ChunkLog(config.runs / f"{table}.partial", heading, deals, resume=True) as log:
        missing = [deal for deal in deals[: match.deals] if deal.index not in log.results]
        for result in run(match, missing):
            log.append(result)
        won = share([result.shares[0, 0] for result in log.results.values()])
    games = players * len(log.results)
    level = {"search": TIME, "share": won.to_json(), "games": games}
    return {"levels": _entry_of(table, config.out)["levels"] | {SEARCHING: level}}


def _entry_of(table: str, file: Path) -> dict[str, Any]:
    """Return a file's entry of a table, empty if it is of another policy."""
    entry: dict[str, Any] = content_of(file).get(table, {})
    return entry if entry.get("sha256") == fingerprint(policy_path(table)) else {}


def _share(player: Agent | str, policy: OnnxAgent, games: int, deals: int) -> Estimate:
    """Return the win share of an agent against P - 1 copies of the policy."""
    return Match(player, policy, policy.game, policy.num_players, games, deals).play().share


if __name__ == "__main__":
    run_cli(LevelsConfig, measure_levels)
