"""Matches: one agent against copies of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kododo_env.arena.head_to_head import Match
from kododo_env.arena.match import Chunk, play_chunk
from kododo_env.arena.tournament import Tournament
from kododo_env.core import RandomAgent
from kododo_env.core.agent import LastAgent
from tests.arena.players import GAME, FirstActionAgent, batch, tournament


def test_a_match_is_the_same_for_the_same_seed() -> None:
    result = Match(RandomAgent(), FirstActionAgent(), GAME, 3, 60, seed=4).play()
    assert result == Match(RandomAgent(), FirstActionAgent(), GAME, 3, 60, seed=4).play()
    assert result != Match(RandomAgent(), FirstActionAgent(), GAME, 3, 60, seed=5).play()
    assert result.share.low < result.share.mean < result.share.high


def test_a_match_measures_share_points_and_margin() -> None:
    outcome = Match(FirstActionAgent(), LastAgent(), GAME, 3, 30, seed=2).play()
    game = batch(10, 3)
    chunk = Chunk(0, (0, 1, 1), 10)
    played = play_chunk(chunk, [FirstActionAgent(), LastAgent()], game, seed=2)
    points = played.points.mean(axis=0)
    assert outcome.share.mean == pytest.approx(played.shares[:, 0].mean())
    assert outcome.points.mean == pytest.approx(points[0])
    assert outcome.margin.mean == pytest.approx(points[0] - (points[1] + points[2]) / 2)
    assert outcome.deal_shares.tolist() == played.shares[:, 0].tolist()
    assert outcome.deal_points.tolist() == played.points[:, 0].tolist()
    opponents = played.points[:, 1:].mean(axis=1)
    assert outcome.deal_margins.tolist() == (played.points[:, 0] - opponents).tolist()


def test_equals_have_parity_in_a_match() -> None:
    outcome = Match(RandomAgent(), RandomAgent(), GAME, 4, 4000, seed=1).play()
    assert outcome.share.low < 0.25 < outcome.share.high
    assert outcome.margin.low < 0 < outcome.margin.high


def test_a_match_knows_the_rules() -> None:
    long = Match(RandomAgent(), FirstActionAgent(), GAME, 2, 20, rules={"variant": "long"}).play()
    assert (
        long.points.mean > Match(RandomAgent(), FirstActionAgent(), GAME, 2, 20).play().points.mean
    )


def match(**options: Any) -> Match:
    return Match(
        FirstActionAgent(), LastAgent(), **{"game": GAME, "players": 4, "games": 40, **options}
    )


@pytest.mark.parametrize("make", [match, tournament])
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"games": 3}, "games must be at least 4"),
        ({"games": 0}, "games must be at least 4"),
        ({"games": -20}, "-20"),
        ({"games": 10**12}, "games must be"),
        ({"games": 40.5}, "games must be"),
        ({"seed": -1}, "seed must be"),
        ({"players": 1}, "2 to 5 players"),
        ({"players": 9}, "2 to 5 players"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"rules": {"num_players": 3}}, "rules.*num_players"),
        ({"rules": {"colours": 3}}, "unknown rule 'colours' of kododo"),
    ],
)
def test_contests_that_cannot_be_played(
    make: Callable[..., Match | Tournament], changes: dict[str, Any], words: str
) -> None:
    """A tournament says so when it is made, a match when it is made or played."""

    def tried() -> None:
        contest = make(**changes)
        if isinstance(contest, Match):
            contest.play()

    with pytest.raises(ValueError, match=words):
        tried()


def test_a_tournament_is_of_two_agents_at_least_who_all_play() -> None:
    with pytest.raises(ValueError, match="two agents, got 1"):
        tournament(agents=("random",))
    with pytest.raises(ValueError, match="4 games are too few"):
        tournament(agents=tuple("abcdef"), games=4)


def test_agents_may_be_named_and_then_play_in_several_processes() -> None:
    named = Match("greedy", "random", GAME, 3, 24, seed=1, least_chunks=3)
    alone = named.play()
    assert alone == named.play(workers=2)
    assert alone == replace(named, copies=RandomAgent()).play()
    assert alone != replace(named, least_chunks=1).play()


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ("nobody", "unknown agent 'nobody'"),
        ("kododo-9p", "kododo-2p, .*, FILE.onnx"),
        ("kododo-4p", "4 players"),
        ("search:kododo-4p:4", "4 players"),
        ("kado-3p", "game kado"),
    ],
)
def test_agents_that_cannot_play_a_match(agent: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Match(agent, FirstActionAgent(), GAME, 3, 3).play()


@pytest.mark.parametrize("agent", [None, Path("bot.onnx"), object])
def test_a_player_is_an_agent_or_the_name_of_one(agent: Any) -> None:
    """None played the first legal action: so a function without ``return`` was measured."""
    with pytest.raises(ValueError, match=r"\A[^\n]*must be an agent [^\n]* or its name"):
        Match(agent, "random", GAME, 3, 3).play()
