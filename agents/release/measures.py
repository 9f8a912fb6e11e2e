"""How the policies that ship are chosen among their candidates, and measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from agents.training.measure import results
from kododo_env import agent_registry as registry
from kododo_env.arena.match import Match as Table
from kododo_env.arena.match import MatchResult
from kododo_env.arena.report import build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run, worker_pool
from kododo_env.core.agent import Agent
from kododo_env.policy.onnx_agent import OnnxAgent

TEMPERATURES = (0.0, 0.1, 0.25, 0.5, 1.0)


@dataclass(frozen=True)
class Match:
    """A duel that any process can play.

    Attributes:
        one: Who sits alone: a scripted agent's name, or a policy file.
        copies: Who has the other seats.
        game: The game's name.
        players: P.
        games: How many.
        seed: Of the deals.
        temperature: Of policies; None is what their files declare.
    """

    one: str
    copies: str
    game: str
    players: int
    games: int
    seed: int
    temperature: float | None = None


def play_match(asked: Match) -> MatchResult:
    """Play a match in this process."""
    one, copies = (_agent(name, asked) for name in (asked.one, asked.copies))
    return Table(one, copies, asked.game, asked.players, asked.games, asked.seed).play()


def _agent(name: str, asked: Match) -> Agent:
    if Path(name).suffix == registry.SUFFIX:
        return OnnxAgent(name, asked.temperature)
    return registry.make_agent(name, asked.game)


def play_matches(matches: Sequence[Match], workers: int) -> list[MatchResult]:
    """Play matches in several processes; the results, in order, do not depend on how many."""
    if workers == 1 or len(matches) < 2:
        return [play_match(each) for each in matches]
    with worker_pool(min(workers, len(matches))) as pool:
        return list(pool.map(play_match, matches))


def against_baselines(table: Match, workers: int) -> dict[str, MatchResult]:
    """A policy alone against copies of each baseline.

    Args:
        table: The policy and all the rest; whatever its ``copies`` says is replaced.
        workers: How many processes.

    Returns:
        By the baseline's name, the weakest first.
    """
    names = registry.baselines(table.game)
    duels = play_matches([replace(table, copies=name) for name in names], workers)
    return dict(zip(names, duels, strict=True))


def choose(
    files: Mapping[int, Path], table: Match, workers: int, temperatures: Sequence[float]
) -> dict[str, Any]:
    """The seed and the temperature with the best mean share over all baselines.

    Args:
        files: The policy of each seed.
        table: Game, players, games for each pair, and the seed of the deals.
        workers: How many processes.
        temperatures: The candidates, each for each seed.

    Returns:
        As JSON: the chosen ``seed`` and ``temperature``, and all ``candidates``, each with
        its mean share; the first of equals is chosen.
    """
    names = registry.baselines(table.game)
    pairs = list(product(files, temperatures))
    matches = [
        replace(table, one=str(files[seed]), copies=name, temperature=temperature)
        for seed, temperature in pairs
        for name in names
    ]
    shares = [each.share.mean for each in play_matches(matches, workers)]
    candidates = [
        {
            "seed": seed,
            "temperature": temperature,
            "share": fmean(shares[index * len(names) : (index + 1) * len(names)]),
        }
        for index, (seed, temperature) in enumerate(pairs)
    ]
    best = max(candidates, key=lambda each: each["share"])
    return {
        "seed": best["seed"],
        "temperature": best["temperature"],
        "games": table.games,
        "deals_seed": table.seed,
        "candidates": candidates,
    }


def win_shares(table: Match, workers: int) -> dict[str, Any]:
    """A policy against its game's baselines, and the strongest of these against the policy.

    Args:
        table: The policy as ``one``, and all the rest.
        workers: How many processes.

    Returns:
        As JSON: ``alone``, results by baseline; ``strongest_alone``, the share of the
        strongest baseline against P - 1 copies of the policy.
    """
    strongest = registry.baselines(table.game)[-1]
    alone = results(against_baselines(table, workers))
    back = play_match(replace(table, one=strongest, copies=table.one))
    return {
        "games": table.games,
        "deals_seed": table.seed,
        "alone": alone,
        "strongest_alone": {"agent": strongest, "share": back.share.to_json()},
    }


def spread(files: Mapping[int, Path], table: Match, workers: int) -> dict[str, Any]:
    """The shares of every seed's policy against each baseline, all on the same deals.

    Args:
        files: The policy of each seed.
        table: All the rest, the temperature among them.
        workers: How many processes.

    Returns:
        As JSON: by baseline the ``shares`` in the order of ``seeds``, and their standard
        deviation (None with one seed).
    """
    names = registry.baselines(table.game)
    matches = [
        replace(table, one=str(path), copies=name) for name in names for path in files.values()
    ]
    duels = iter(play_matches(matches, workers))
    shares = {name: [next(duels).share.mean for _ in files] for name in names}
    return {
        "seeds": list(files),
        "games": table.games,
        "deals_seed": table.seed,
        "shares": {
            name: {"shares": each, "std": stdev(each) if len(each) > 1 else None}
            for name, each in shares.items()
        },
    }


def rating(table: Match, workers: int) -> dict[str, Any]:
    """A tournament of a policy and all baselines at mixed tables.

    Args:
        table: The policy as ``one``, and all the rest.
        workers: How many processes.

    Returns:
        As JSON: ``standings`` with shares and ratings, the best first; the policy goes by
        its file's name without ending.
    """
    agents = (table.one, *registry.baselines(table.game))
    tournament = Tournament(table.game, agents, table.players, table.games, table.seed)
    played = build_report(tournament, run(tournament, tournament.chunks(), workers)).to_json()
    for each in played["standings"]:
        if each["agent"] == table.one:
            each["agent"] = Path(table.one).stem
    return {
        "games": played["games"],
        "deals_seed": table.seed,
        "standings": played["standings"],
    }
