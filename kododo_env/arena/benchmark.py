"""The benchmark: a fixed protocol that measures an agent in one game with P players.

The agent plays alone among copies of each opponent. The opponents are the test opponents that are
not searches, and the strongest baseline. If the agent is a policy file and the run is not quick, a
search that uses the agent's policy also plays among copies of the agent (the attack).
``docs/evaluating.md`` describes the protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import lcm
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

from kododo_env import registry
from kododo_env.agent_registry import (
    SEARCH,
    SUFFIX,
    baselines,
    make_agent,
    policy_file,
    search_parts,
    without_searches,
)
from kododo_env.arena.intervals import resampled
from kododo_env.arena.match import Chunk, ChunkResult, chunk_sizes, play
from kododo_env.arena.tournament import Contest
from kododo_env.arrays.dtypes import Float64, Int64, Integer
from kododo_env.bots.names import EXEC, is_bot
from kododo_env.checks.numbers import finite_number, quote
from kododo_env.core.agent import Agent, begin
from kododo_env.core.view import View
from kododo_env.held_out import TEST, population
from kododo_env.levels import LEVEL, LEVELS, SEARCHING
from kododo_env.search.exact import exact
from kododo_env.search.game_tree import GameTree
from kododo_env.system.digests import json_digest
from kododo_env.system.files import fingerprint

PROTOCOL = "kododo-bench v1"
SEED = 2001
QUICK = 1_000  # games among copies of each opponent, if quick
WHOLE = 8_000
PARTS = 8  # chunks for each opponent, each with its own decks
WORLDS = 64  # worlds of the search that attacks a policy file
ATTACKS = 240  # games of that search
DRAWS = 1_000  # sampled actions of an agent in each information set of the small game
DIGITS = 4  # decimal places of a win share
# The parts of an entry that its digest covers.
DIGESTED = ("protocol", "agent", "won", "attack", "nash_conv")

Entry = dict[str, Any]
"""The results of a benchmark, in JSON types."""


@dataclass(frozen=True)
class Benchmark(Contest):
    """The benchmark of one agent, with a game and a number of players.

    Args:
        agent: A name for ``make_agent``.
        game: The game's name.
        players: P.
        quick: Whether to play fewer games, without the attack.

    Raises:
        ValueError: There are no test opponents for this game and P, or the agent is a search with
            a time limit, whose results cannot be reproduced.
    """

    agent: str
    game: str
    players: int
    quick: bool = False
    seed: int = SEED
    rules: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.make_game(1)
        if self.agent == SEARCHING or search_parts(self.agent)[2].endswith("ms"):
            raise ValueError(
                f"a search with a time limit is not reproducible: expected a number of worlds, "
                f"such as {SEARCH}heuristic:64, got {self.agent}"
            )
        _ = self.opponents

    @property
    def opponents(self) -> list[str]:
        """The names of the opponents; the agent plays among copies of each."""
        members = population(self.game, self.players, TEST)
        return [*without_searches(members), baselines(self.game)[-1]]

    @property
    def attacked(self) -> bool:
        """Whether a search plays among copies of the agent."""
        return not self.quick and policy_file(self.agent) is not None

    def named(self) -> Sequence[Agent | str]:
        """Return the agent, its opponents, and the search that attacks it, if there is one."""
        attackers = [f"{SEARCH}{self.agent}:{WORLDS}"] if self.attacked else []
        return [self.agent, *self.opponents, *attackers]

    def chunks(self) -> list[Chunk]:
        """Return the chunks to play: ``PARTS`` for each opponent, then ``PARTS`` for the attack."""
        copies = self.players - 1
        games = QUICK if self.quick else WHOLE
        number = len(self.opponents)
        tables = [((0, *[opponent] * copies), games) for opponent in range(1, number + 1)]
        if self.attacked:
            tables.append(((number + 1, *[0] * copies), ATTACKS))
        chunks: list[Chunk] = []
        for lineup, table_games in tables:
            for size in chunk_sizes(-(-table_games // self.players), PARTS):
                chunks.append(Chunk(len(chunks), lineup, size))
        return chunks

    def protocol(self) -> dict[str, Any]:
        """Return the settings that must be equal for the figures of two agents to be comparable."""
        game = self.make_game(1)
        members = population(self.game, self.players, TEST)
        opponent_facts = [{**members.get(name, {}), "file": _file(name)} for name in self.opponents]
        return {
            "name": PROTOCOL,
            "quick": self.quick,
            "game": self.game,
            "version": game.version,
            "players": self.players,
            "rules": repr(game.rules),
            "seed": self.seed,
            "games": QUICK if self.quick else WHOLE,
            "parts": PARTS,
            "opponents": self.opponents,
            "population": json_digest(opponent_facts),
            "attack": {"worlds": WORLDS, "games": ATTACKS} if self.attacked else None,
        }

    def about_agent(self) -> dict[str, Any]:
        """Return the agent's name without its folder, and digest and size of its policy file."""
        kind, policy, budget = search_parts(self.agent)
        plays_by = f"{self.game}-{self.players}p" if policy in LEVELS else policy
        file = policy_file(policy)
        name = file.stem if file and file == Path(policy) else policy
        if is_bot(name) and not name.startswith(EXEC):  # the command of a program is unchanged
            name = Path(name).name
        return {"name": f"{kind}{name}{budget}", "file": _file(plays_by)}


def _file(name: str) -> dict[str, Any] | None:
    """Return digest and size of an agent's policy file; None for an agent without one."""
    path = policy_file(name)
    if path is None:
        return None
    return {"sha256": fingerprint(path), "bytes": path.stat().st_size}


# --- results -----------------------------------------------------------------------------------


def units(players: int) -> int:
    """Return the sum of all win shares in a deal's P games, in the smallest unit.

    In this unit all win shares are integers: a game has 1 to P winners, and each of k winners has
    the win share 1/k.
    """
    return players * lcm(*range(1, players + 1))


def won(result: ChunkResult) -> Int64:
    """Return the win shares of the lineup's first agent, summed over the games of each deal.

    Returns:
        Integers in the unit of ``units``, int64, shape (deals,).
    """
    exact_units = result.shares[:, 0] * units(result.shares.shape[1])
    return np.rint(exact_units).astype(np.int64)


def entry(benchmark: Benchmark, results: Iterable[ChunkResult], source: str = "") -> Entry:
    """Return the results of a benchmark, with figures and a digest.

    Args:
        benchmark: The benchmark that was played.
        results: The results of all chunks, in any order.
        source: Where others can find the agent.
    """
    in_order = sorted(results, key=lambda result: result.chunk.index)
    parts = [" ".join(map(str, won(result))) for result in in_order]
    rows = [parts[first : first + PARTS] for first in range(0, len(parts), PARTS)]
    names = benchmark.opponents
    result_entry: Entry = {
        "protocol": benchmark.protocol(),
        "agent": benchmark.about_agent(),
        "won": dict(zip(names, rows, strict=False)),
        "attack": rows[-1] if benchmark.attacked else None,
        "nash_conv": nash_conv(benchmark),
    }
    return {
        **result_entry,
        "digest": json_digest(result_entry),
        "figures": figures(result_entry),
        "milliseconds": decision_time(benchmark),
        "source": source,
    }


def figures(result_entry: Entry) -> dict[str, Any]:
    """Compute win shares with intervals from the results of a benchmark.

    Returns:
        ``opponents``: the agent's win share among copies of each opponent; ``mean``: the mean of
        these; ``worst``: the opponent with the lowest share, which is selected in the even parts
        and measured in the odd parts, because the minimum of noisy estimates is biased low;
        ``attack``: the win share of the search, or None.
    """
    whole = units(result_entry["protocol"]["players"])
    deals = {name: _deals(parts) for name, parts in result_entry["won"].items()}
    even = {name: _deals(parts[::2]).mean() for name, parts in result_entry["won"].items()}
    worst = min(even, key=lambda name: float(even[name]))
    odd = _deals(result_entry["won"][worst][1::2])
    return {
        "mean": resampled(list(deals.values()), whole, DIGITS),
        "worst": {"name": worst, **resampled([odd], whole, DIGITS)},
        "opponents": {
            name: resampled([opponent_deals], whole, DIGITS)
            for name, opponent_deals in deals.items()
        },
        "attack": result_entry["attack"]
        and resampled([_deals(result_entry["attack"])], whole, DIGITS),
    }


def _deals(parts: Sequence[str]) -> Int64:
    """Return what was won in each deal of the parts."""
    return np.array(" ".join(parts).split(), np.int64)


def nash_conv(benchmark: Benchmark) -> float | None:
    """Return the NashConv of the agent in a small form of the game, or None.

    It is computed from the frequencies of ``DRAWS`` sampled actions in each information set, since
    few agents can return probabilities. The result is None if there is no small form for P players;
    for searches and programs, which would take hours; and for policies, levels and other bots,
    which may not be able to play the small form.
    """
    rules = getattr(type(benchmark.make_game(1).rules), "mixed", None)  # docs/evidence/exact.md
    kind, agent, _ = search_parts(benchmark.agent)
    is_excluded = policy_file(agent) is not None or agent.startswith(LEVEL) or is_bot(agent)
    if rules is None or kind or is_excluded:
        return None
    small = asdict(rules())
    if small["num_players"] != benchmark.players:
        return None
    tree = GameTree(registry.batch_game(benchmark.game, 1, **small))
    solved = exact(tree, _DrawingAgent(make_agent(agent, benchmark.game)))
    return max(0.0, round(solved.nash_conv, DIGITS))


class _DrawingAgent:
    """An agent whose probabilities are frequencies of its actions."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        return self._agent.act(view, rng)

    def probabilities(self, view: View) -> Float64:
        counts = np.zeros((view.num_envs, view.num_actions))
        rng = np.random.default_rng(SEED)
        for _ in range(DRAWS):
            counts[np.arange(view.num_envs), self._agent.act(view, rng)] += 1
        return counts / DRAWS


class _TimedAgent:
    """An agent that measures how long each of its decisions takes."""

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self._agent = agent
        self.seconds: list[float] = []

    def begin(self, view: View) -> None:
        begin(self._agent, view)

    def act(self, view: View, rng: np.random.Generator) -> Integer:
        start = perf_counter()
        chosen = self._agent.act(view, rng)
        self.seconds.append(perf_counter() - start)
        return chosen


def decision_time(benchmark: Benchmark) -> float:
    """Return the agent's median decision time in milliseconds, in one game against itself."""
    inner_agent = make_agent(benchmark.agent, benchmark.game, benchmark.players)
    agent = _TimedAgent(inner_agent)
    game = benchmark.make_game(1)
    rng = np.random.default_rng(SEED)
    play([agent] * benchmark.players, game, game.sample_decks(1, rng), rng)
    return float(f"{1000 * median(agent.seconds):.3g}")


# --- verification -----------------------------------------------------------------------------


def verify(result_entry: Any) -> None:
    """Check that the protocol, results, digest and figures of an entry are consistent.

    Raises:
        ValueError: A field is missing or wrong, or fields contradict each other.
    """
    try:
        _verify(result_entry)
    except (AttributeError, KeyError, TypeError, IndexError, OverflowError) as error:
        raise ValueError(
            f"not an entry of {PROTOCOL}: a field is missing or has a wrong type"
        ) from error


def _verify(result_entry: Entry) -> None:
    protocol = result_entry["protocol"]
    kind, policy, budget = search_parts(result_entry["agent"]["name"])
    level = policy in LEVELS and not protocol["attack"]  # plays by the file of another agent
    agent = f"{kind}{policy}{SUFFIX if result_entry['agent']['file'] and not level else ''}{budget}"
    if protocol["name"] != PROTOCOL:
        raise ValueError(f"protocol must be {PROTOCOL!r}, got {protocol['name']!r}")
    table = Benchmark(agent, protocol["game"], protocol["players"], bool(protocol["quick"]))
    for key, expected in table.protocol().items():
        if protocol.get(key) != expected:
            raise ValueError(
                f"{key} of the protocol must be {expected!r}, got {quote(protocol.get(key))}"
            )
    if result_entry["nash_conv"] is not None:
        finite_number(result_entry["nash_conv"], "nash_conv", 0, table.players)
    if result_entry["digest"] != json_digest({part: result_entry[part] for part in DIGESTED}):
        raise ValueError("wrong digest: protocol or results were modified")
    _verify_won(table, result_entry)
    if result_entry["figures"] != figures(result_entry):
        raise ValueError("figures do not match the results")


def _verify_won(table: Benchmark, result_entry: Entry) -> None:
    if (
        list(result_entry["won"]) != table.opponents
        or (result_entry["attack"] is not None) != table.attacked
    ):
        raise ValueError("results must be of exactly the opponents and the attack in the protocol")
    for chunk, part in zip(table.chunks(), parts_of(result_entry), strict=True):
        deals = _deals([part])
        if len(deals) != chunk.deals or not (
            0 <= deals.min() <= deals.max() <= units(table.players)
        ):
            raise ValueError(
                f"part {chunk.index} must have {chunk.deals} integers from 0 to "
                f"{units(table.players)}, one for each deal"
            )


def parts_of(result_entry: Entry) -> list[str]:
    """Return the result of each chunk, in order: a text of integers, one for each deal."""
    rows = [
        *result_entry["won"].values(),
        *([result_entry["attack"]] if result_entry["attack"] else []),
    ]
    return [part for row in rows for part in row]


def compare(benchmark: Benchmark, result_entry: Entry, results: Iterable[ChunkResult]) -> None:
    """Check that replayed chunks have the results of an entry.

    Raises:
        ValueError: The entry is not of this agent, or the result of a deal differs.
    """
    agent = benchmark.about_agent()
    if agent != result_entry["agent"]:
        raise ValueError(f"expected results of the agent {agent}, got {result_entry['agent']}")
    parts = parts_of(result_entry)
    for result in results:
        number = result.chunk.index
        before = _deals([parts[number]])
        num_different = int((before != won(result)).sum())
        if num_different:
            raise ValueError(
                f"{num_different} of {len(before)} deals of part {number} differ when replayed"
            )
