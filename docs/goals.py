"""Compare results with the goals for strength and speed: the table of ``evidence/goals.md``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from statistics import fmean
from typing import Any, NamedTuple

from agents.commands.best_response import mean_of
from agents.release.card import interval, worst_attacker
from benchmarks.speed.page import whole
from kododo_env.agent_registry import LEVELS, levels, policy_tables
from kododo_env.arena.intervals import Estimate

# Minimum share of a specialist's gain, by table; below, the minimum for all other tables.
OF_SPECIALISTS = {"kododo-2p": 0.80}
OTHERS_OF_SPECIALISTS = 0.75
V_HEURISTIC = {"kado-2p": 0.58, "kado-3p": 0.40, "kado-4p": 0.29}
# Maximum gain of an attacker by number of players; ATTACKED_LESS for all other numbers.
ATTACKED = {2: 0.03}
ATTACKED_LESS = 0.02
# Minimum win share of search against copies of its policy.
SEARCHING = {
    "kododo-2p": 0.62, "kododo-4p": 0.33, "kado-2p": 0.60, "kado-3p": 0.42, "kado-4p": 0.36,
}  # fmt: skip
IN_50_MS = {"kododo-2p": 0.56}  # half of the gain of 64 worlds
SEARCHING_V_HEURISTIC = {"kado-2p": 0.58, "kado-3p": 0.40, "kado-4p": 0.31}
NASH_CONV = 0.02
TIMES_C = {1024: 3.4, 4096: 3.0, 65536: 3.6}
FLAT = 1.15
SIZES = (1024, 4096, 16384, 65536)
FILE = 10**6  # bytes
KADO_ROWS = 200  # ns
DECISION = 80  # µs
DECISIONS = {"kododo": 2.5e6, "combi_combo": 2.5e6, "kado": 0.9e6}


class Goal(NamedTuple):
    """A goal and its result."""

    title: str
    goal: float
    reached: dict[str, Any] | None  # an estimate for JSON; both ends may be its mean
    form: str = ".3f"
    is_maximum: bool = False  # whether the goal is a maximum


def goal_rows(
    cards: dict[str, Any],
    specialists: list[Any],
    search: list[Any],
    exact: dict[str, Any],
    figures: dict[str, float],
) -> list[list[str]]:
    """Return the rows of the table: the measure, its goal, the result, and whether it is met.

    Args:
        cards: The facts about each shipped policy.
        specialists: The content of ``specialists.json``.
        search: The content of ``search.json``.
        exact: The content of ``exact.json``.
        figures: The figures of ``make bench``.
    """
    goals = [
        *strength(cards, specialists),
        *of_search(cards, search),
        of_truth(exact),
        of_levels(),
        of_files(cards),
        *speed(figures),
    ]
    return [
        [
            goal.title,
            f"{'≤' if goal.is_maximum else '≥'} {goal.goal:,.9g}",
            _reached_text(goal),
            _met(goal),
        ]
        for goal in goals
    ]


def _reached_text(goal: Goal) -> str:
    if goal.reached is None:
        return "not measured"
    mean, low, high = (goal.reached[end] for end in ("mean", "low", "high"))
    return format(mean, goal.form) if low == high else interval(goal.reached, goal.form)


def _met(goal: Goal) -> str:
    """Return whether the whole interval reaches the goal; "open" if it contains the goal."""
    if goal.reached is None:
        return "open"
    ends = [goal.reached[end] for end in ("low", "high")]
    met = {end <= goal.goal if goal.is_maximum else end >= goal.goal for end in ends}
    return "open" if len(met) > 1 else "yes" if True in met else "no"


def strength(cards: dict[str, Any], specialists: list[Any]) -> Iterator[Goal]:
    """Yield the goals against held-out opponents, heuristics and attackers."""
    ratios = specialist_ratios(specialists)
    for name, card in cards.items():
        if name in ratios:
            goal = OF_SPECIALISTS.get(name, OTHERS_OF_SPECIALISTS)
            _, mean = ratios[name]
            title = f"{name}: ratio to specialists"
            yield Goal(title, goal, mean.to_json(), ".2f")
        if name in V_HEURISTIC:
            share = card["shares"]["alone"]["heuristic"]["share"]
            title = f"{name}: win share against heuristic"
            yield Goal(title, V_HEURISTIC[name], share)
        attacker = worst_attacker(card)
        title = f"gain of {attacker['by']} against {name}"
        goal = ATTACKED.get(card["players"], ATTACKED_LESS)
        yield Goal(title, goal, attacker["gain"], "+.3f", is_maximum=True)


def specialist_ratios(rows: list[dict[str, Any]]) -> dict[str, tuple[int, Estimate]]:
    """Return, for each policy, the number of held-out opponents and the mean ratio to specialists.

    Args:
        rows: The content of ``specialists.json``. For each opponent the row with most steps counts;
            of several such rows, the one with most games.
    """
    means_of_policies = {}
    in_order = sorted(rows, key=lambda row: (row["cell"]["steps"], row["cell"]["games"]))
    for policy in policy_tables():
        ratio_by_opponent = {
            row["cell"]["against"]: row["ratio"]
            for row in in_order
            if row["cell"]["policy"] == policy and row["cell"]["is_test_opponent"]
        }
        # A specialist that gains nothing has no ratio.
        ratios = [
            Estimate(**ratio) for ratio in ratio_by_opponent.values() if ratio["mean"] is not None
        ]
        if ratios:
            means_of_policies[policy] = len(ratios), mean_of(ratios)
    return means_of_policies


def of_search(cards: dict[str, Any], rows: list[Any]) -> Iterator[Goal]:
    """Yield the goals of search against its own policy, and against the heuristic."""
    for name, goal in SEARCHING.items():
        share = cards[name]["exploitability"]["search"]["share"]
        yield Goal(f"search:{name}:64: win share against {name}", goal, share)
    shares = {
        (row["cell"]["policy"], row["cell"]["worlds"], row["cell"]["against"]): row["share"]
        for row in sorted(rows, key=lambda row: row["cell"]["games"])
        if {"dealt": "likely", "end": "near"}.items() <= row["cell"].items()
    }
    for name, goal in IN_50_MS.items():
        share = shares.get((name, "50ms", name))
        yield Goal(f"search:{name}:50ms: win share against {name}", goal, share)
    for name, goal in SEARCHING_V_HEURISTIC.items():
        share = shares.get((name, "64", "heuristic"))
        yield Goal(f"search:{name}:64: win share against heuristic", goal, share)


def of_truth(exact: dict[str, Any]) -> Goal:
    """Return the goal for the smallest distance of self-play from an equilibrium."""
    means = [
        fmean(seed["curve"][-1]["nash_conv"]["1.0"] for seed in row["seeds"])
        for row in exact["rows"]
        if row["seeds"]
    ]
    title = "small game: NashConv of self-play with the best settings"
    return Goal(title, NASH_CONV, _figure(min(means)), is_maximum=True)


def of_levels() -> Goal:
    """Return the goal for policies whose five levels have disjoint, rising confidence intervals."""
    tables = policy_tables().values()
    count = 0
    for table in tables:
        shares = [level["share"] for level in levels(*table).values()]
        rise = all(weaker["high"] < stronger["low"] for weaker, stronger in pairwise(shares))
        if rise and len(shares) == len(LEVELS):
            count += 1
    title = "policies with five levels whose confidence intervals are disjoint"
    return Goal(title, len(tables), _figure(count), ".0f")


def of_files(cards: dict[str, Any]) -> Goal:
    """Return the goal for the size of shipped policies."""
    largest = max(card["file"]["bytes"] for card in cards.values())
    return Goal(
        "size of the largest policy, bytes", FILE, _figure(largest), ",.0f", is_maximum=True
    )


def speed(figures: dict[str, float]) -> Iterator[Goal]:
    """Yield the goals for the cost of steps, rows, interfaces and decisions."""
    for games, goal in TIMES_C.items():
        by_hand = figures.get(f"C/kododo/{games}/whole")
        core = whole(figures, f"core/kododo/{games}")
        if by_hand and core:
            title = f"kododo, {games:,} games: time relative to C"
            yield Goal(title, goal, _figure(core / by_hand), ".2f", True)
    for game in ("kododo", "combi_combo"):
        if costs := _all([whole(figures, f"core/{game}/{size}") for size in SIZES]):
            title = f"{game}, 1,024 to 65,536 games: slowest size relative to fastest"
            yield Goal(title, FLAT, _figure(max(costs) / min(costs)), ".2f", is_maximum=True)
    sizes = (256, 1024, 4096, 65536)
    if rows := _all([figures.get(f"core/kado/{size}/rows") for size in sizes]):
        title = "kado, 256 games and more: `observe`, ns per agent-step"
        yield Goal(title, KADO_ROWS, _figure(max(rows)), ",.0f", is_maximum=True)
    for game, goal in DECISIONS.items():
        if decisions := figures.get(f"interfaces/make_vec/{game}/as they are/decisions"):
            yield Goal(f"{game}, `make_vec`: decisions/s", goal, _figure(decisions), ",.0f")
    if decision_costs := _all(
        [figures.get(f"decision/{name}/1/decision") for name in policy_tables()]
    ):
        title = "slowest policy: time per decision, µs"
        yield Goal(title, DECISION, _figure(max(decision_costs)), ",.0f", True)


def _all(figures: list[float | None]) -> list[float]:
    """Return figures, or none unless all were measured."""
    measurements = [figure for figure in figures if figure is not None]
    return measurements if len(measurements) == len(figures) else []


def _figure(number: float) -> dict[str, Any]:
    return dict.fromkeys(("mean", "low", "high"), number)
