"""Paired comparisons of two agents on the same deals."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from kododo_env import agent_registry, arena
from kododo_env.arena.head_to_head import Comparison, Match
from kododo_env.core import RandomAgent
from tests.arena.players import GAME, width


def test_each_agent_plays_the_match_that_it_plays_alone() -> None:
    comparison = arena.compare("greedy", "first", GAME, 3, 60, opponents="random", seed=4)
    for name, result in (("greedy", comparison.a), ("first", comparison.b)):
        match = Match(name, "random", GAME, 3, 60, seed=4).play()
        assert result == match
        assert np.array_equal(result.deal_shares, match.deal_shares)
        assert np.array_equal(result.deal_margins, match.deal_margins)


def test_the_difference_is_of_the_deals_in_pairs() -> None:
    """Two agents that are alike on most deals differ by less than two lone matches tell."""
    comparison = arena.compare("held-out:plain-heuristic", "heuristic", GAME, 4, 800, seed=1)
    assert comparison.difference.mean == pytest.approx(
        comparison.a.share.mean - comparison.b.share.mean
    )
    assert comparison.margin_difference.mean == pytest.approx(
        comparison.a.margin.mean - comparison.b.margin.mean
    )
    alone = np.hypot(width(comparison.a.share), width(comparison.b.share))
    assert width(comparison.difference) < 0.95 * alone
    assert comparison.difference.low < comparison.difference.mean < comparison.difference.high


def test_the_opponents_are_the_strongest_baseline_unless_another_one_is_named() -> None:
    strongest = agent_registry.baselines("kado")[-1]
    comparison = arena.compare("random", "first", "kado", 2, 20)
    assert comparison.a == arena.compare("random", "first", "kado", 2, 20, opponents=strongest).a
    assert comparison.a != arena.compare("random", "first", "kado", 2, 20, opponents="first").a


def test_it_does_not_depend_on_the_number_of_processes() -> None:
    comparison = Comparison("greedy", "random", GAME, 3, 24, seed=1, least_chunks=3)
    alone = comparison.play()
    several = comparison.play(workers=2)
    assert np.array_equal(alone.a.deal_shares, several.a.deal_shares)
    assert np.array_equal(alone.b.deal_shares, several.b.deal_shares)
    assert replace(comparison, a=RandomAgent()).play().a == several.b


def test_so_many_games_as_are_needed_make_the_interval_that_was_asked_for() -> None:
    short = arena.compare("greedy", "random", GAME, 2, 400, opponents="first", seed=0)
    target = width(short.difference) / 3
    needed = short.games_for(target)
    assert needed == pytest.approx(9 * 400, rel=0.03)
    long = arena.compare("greedy", "random", GAME, 2, needed, opponents="first", seed=1)
    assert width(long.difference) == pytest.approx(target, rel=0.1)


def test_it_tells_the_rules_the_games_and_the_difference() -> None:
    comparison = arena.compare("first", "random", GAME, 2, 40, rules={"variant": "long"}, seed=3)
    text = comparison.to_text()
    assert text.startswith(f"{GAME}, 2 players, variant=long: 40 games of each agent")
    assert [line.split()[0] for line in text.split("\n\n")[1].splitlines()] == [
        "agent", "first", "random", "difference",
    ]  # fmt: skip
    content = comparison.to_json()
    assert content["agents"] == ["first", "random"]
    assert content["difference"]["mean"] == comparison.difference.mean
    assert [result["share"]["mean"] for result in content["results"]] == [
        comparison.a.share.mean, comparison.b.share.mean,
    ]  # fmt: skip
    assert set(content["games_needed"]) == {"0.04", "0.02", "0.01"}


@pytest.mark.parametrize("wrong", [0, -0.1, 1e-9, 3, float("nan"), "wide"])
def test_a_width_that_no_interval_has(wrong: Any) -> None:
    comparison = arena.compare("first", "random", GAME, 2, 20)
    with pytest.raises(ValueError, match="width must be"):
        comparison.games_for(wrong)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"a": "nobody"}, "unknown agent 'nobody'"),
        ({"opponents": "kododo-2p"}, "2 players"),
        ({"b": None}, "a player must be"),
        ({"games": 2}, "games must be at least 3"),
        ({"game": "chess"}, "unknown game 'chess'"),
    ],
)
def test_comparisons_that_cannot_be_played(changed: dict[str, Any], words: str) -> None:
    arguments = {"a": "first", "b": "random", "game": GAME, "players": 3, "games": 6}
    with pytest.raises(ValueError, match=words):
        arena.compare(**{**arguments, **changed})
