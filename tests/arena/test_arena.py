"""Playing agents against each other, and what is concluded from it. Nothing here knows a game."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, pairwise, permutations
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.intervals import Estimate, mean, share
from kododo_env.arena.match import ChunkResult, Played, duel, play, play_chunk, play_duplicates
from kododo_env.arena.pairing import (
    CHUNK_DEALS,
    Chunk,
    chunk_sizes,
    mixed_tables,
    one_against_copies,
)
from kododo_env.arena.ratings import POINTS, cycles, pair_shares, ratings
from kododo_env.arena.report import build_report, to_json, to_text
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.core import Agent, BatchGame, RandomAgent, View
from kododo_env.rules_arguments import default_players, make_game, parse_rules
from tests.doors import TABLES

GAME = "kododo"


class First:
    """Plays the first legal action; counts how often it was asked, and for whom."""

    name = "first"

    def __init__(self) -> None:
        self.asked: Counter[int] = Counter()

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.asked[view.player] += 1
        return view.legal_action_mask.argmax(axis=1)


class Last:
    """Plays the last legal action."""

    name = "last"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        return view.num_actions - 1 - view.legal_action_mask[:, ::-1].argmax(axis=1)


class Careless(First):
    """Like the first, but now and then it does not look."""

    name = "careless"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        chosen, anything = super().act(view, rng), RandomAgent().act(view, rng)
        return np.where(rng.random(view.num_envs) < 0.05, anything, chosen)


def trio(_: Tournament) -> list[Agent]:
    return [First(), Last(), RandomAgent()]


def broken(_: Tournament) -> list[Agent]:
    raise ValueError("these cannot be loaded")


def batch(deals: int, players: int = 4, game: str = GAME) -> BatchGame:
    return make_game(game, deals, players, {})


def played_by(
    agents: list[Agent], deals: int, seed: int, players: int = 4
) -> tuple[Played, npt.NDArray[Any]]:
    rng = np.random.default_rng(seed)
    game = batch(deals, players)
    decks = game.sample_decks(deals, rng)
    return play_duplicates(agents, game, decks, rng), decks


# --- playing ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_game_is_played_to_its_end_and_shares_sum_to_one(game: str, players: int) -> None:
    games = batch(6, players, game)
    decks = games.sample_decks(6, np.random.default_rng(1))
    played = play([RandomAgent()] * players, games, decks, np.random.default_rng(2))
    assert games.terminated.all()
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)
    np.testing.assert_array_equal(played.points, games.scores)
    assert played.shares.shape == (6, players)


class Choosy(RandomAgent):
    """Complains if it is asked although it has no choice in any game."""

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        assert (view.legal_action_mask.sum(axis=1) > 1).any()
        return super().act(view, rng)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_nobody_is_asked_who_has_nothing_to_decide(game: str, players: int) -> None:
    games = batch(1, players, game)
    decks = games.sample_decks(1, np.random.default_rng(1))
    play([Choosy()] * players, games, decks, np.random.default_rng(2))


def test_each_agent_sits_where_it_was_put_and_is_asked_once_for_all_games() -> None:
    first, games = First(), batch(5)
    play([Last(), first, Last(), first], games, games.sample_decks(5, games.rng), games.rng)
    turns = games.rules.num_rounds * games.rules.num_turns
    assert first.asked == {1: turns, 3: turns}


def test_the_given_decks_are_what_is_dealt() -> None:
    games, rng = batch(8), np.random.default_rng(0)
    decks = games.sample_decks(8, rng)
    agents: list[Agent] = [First(), Last(), First(), Last()]
    once = play(agents, games, decks, rng)
    again = play(agents, games, decks, np.random.default_rng(99))
    np.testing.assert_array_equal(once.points, again.points)
    other = play(agents, games, games.sample_decks(8, rng), rng)
    assert (once.points != other.points).any()


def test_as_many_agents_as_seats() -> None:
    games = batch(2)
    with pytest.raises(ValueError, match="4 seats need as many agents, not 3"):
        play([First()] * 3, games, games.sample_decks(2, games.rng), games.rng)


def test_duplicates_give_each_place_of_the_lineup_each_seat() -> None:
    lineup: list[Agent] = [First(), Last(), Last(), First()]
    played, decks = played_by(lineup, 7, 3)
    games, points, shares = batch(7), np.zeros((7, 4)), np.zeros((7, 4))
    for turn in range(4):  # clockwise order stays: who sits at seat s sat at s + 1 before
        seated = lineup[turn:] + lineup[:turn]
        once = play(seated, games, decks, np.random.default_rng(0))
        points += np.roll(once.points, turn, axis=1) / 4
        shares += np.roll(once.shares, turn, axis=1) / 4
    np.testing.assert_allclose(played.points, points)
    np.testing.assert_allclose(played.shares, shares)
    np.testing.assert_allclose(played.shares.sum(axis=1), 1)


def test_with_equal_agents_the_seat_cancels_completely() -> None:
    played, _ = played_by([First(), First(), First(), First()], 9, 0)
    np.testing.assert_allclose(played.shares, 1 / 4)
    assert share(played.shares[:, 0]) == Estimate(0.25, 0.25, 0.25)


def test_duplicates_narrow_the_interval() -> None:
    # Most among agents that play much alike, as two snapshots of one learner do.
    deals, lineup = 400, [Careless(), *[First()] * 3]
    together, _ = played_by(lineup, deals, 1)
    game, rng = batch(4 * deals), np.random.default_rng(1)
    apart = play(lineup, game, game.sample_decks(4 * deals, rng), rng)

    def margin(played: Played) -> Estimate:
        return mean(played.points[:, 0] - played.points[:, 1:].mean(axis=1))

    assert width(margin(together)) < 0.85 * width(margin(apart))
    assert width(share(together.shares[:, 0])) < 0.85 * width(share(apart.shares[:, 0]))


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def test_a_chunk_depends_on_seed_and_number_alone() -> None:
    def points(index: int, seed: int, size: int = 6) -> npt.NDArray[Any]:
        chunk = Chunk(index, (0, 1, 2, 2), 6)
        return play_chunk(chunk, trio(tournament()), batch(size), seed).points

    np.testing.assert_array_equal(points(3, 5), points(3, 5))
    assert (points(3, 5) != points(4, 5)).any()
    assert (points(3, 5) != points(3, 6)).any()


# --- duels ------------------------------------------------------------------------------------


def test_a_duel_is_the_same_for_the_same_seed() -> None:
    one = duel(RandomAgent(), First(), GAME, 3, 60, seed=4)
    assert one == duel(RandomAgent(), First(), GAME, 3, 60, seed=4)
    assert one != duel(RandomAgent(), First(), GAME, 3, 60, seed=5)
    assert one.share.low < one.share.mean < one.share.high


def test_what_a_duel_measures() -> None:
    outcome = duel(First(), Last(), GAME, 3, 30, seed=2)
    game, chunk = batch(10, 3), Chunk(0, (0, 1, 1), 10)
    played = play_chunk(chunk, [First(), Last()], game, seed=2)
    points = played.points.mean(axis=0)
    assert outcome.share.mean == pytest.approx(played.shares[:, 0].mean())
    assert outcome.points.mean == pytest.approx(points[0])
    assert outcome.margin.mean == pytest.approx(points[0] - (points[1] + points[2]) / 2)


def test_equals_have_parity_in_a_duel() -> None:
    outcome = duel(RandomAgent(), RandomAgent(), GAME, 4, 4000, seed=1)
    assert outcome.share.low < 0.25 < outcome.share.high
    assert outcome.margin.low < 0 < outcome.margin.high


def test_a_duel_tells_who_is_better_from_both_sides() -> None:
    there = duel(First(), RandomAgent(), GAME, 2, 800, seed=0)
    back = duel(RandomAgent(), First(), GAME, 2, 800, seed=0)
    assert (there.share.mean > 0.5) == (there.margin.mean > 0)
    assert there.margin.low < -back.margin.mean < there.margin.high
    assert there.share.low < 1 - back.share.mean < there.share.high


def test_a_duel_knows_the_rules() -> None:
    long = duel(RandomAgent(), First(), GAME, 2, 20, variant="long")
    assert long.points.mean > duel(RandomAgent(), First(), GAME, 2, 20).points.mean


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"games": 3}, "4 players need 4 games at least"),
        ({"games": 10**12}, "games must be 10000000 or less"),
        ({"games": 40.5}, "games must be a whole number"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"num_players": 3}, "num_players is no further rule: say it as players"),
        ({"players": 9}, "2 to 5 players, not 9"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"colours": 3}, "kododo has no rule 'colours'; it has num_players"),
    ],
)
def test_duels_that_cannot_be_played(asked: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        duel(First(), Last(), **{"game": GAME, "players": 4, "games": 40, **asked})


# --- who sits with whom -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("deals", "least"), [(1, 24), (100, 24), (5000, 24), (30_000, 1), (512, 1)]
)
def test_chunks_add_up_to_the_deals(deals: int, least: int) -> None:
    sizes = chunk_sizes(deals, least)
    assert sum(sizes) == deals
    assert 1 <= min(sizes) <= max(sizes) <= CHUNK_DEALS
    assert max(sizes) - min(sizes) <= 1
    assert len(sizes) >= min(deals, least)


@pytest.mark.parametrize("num_agents", [2, 3, 4, 5, 7, 12])
@pytest.mark.parametrize("players", [2, 4, 5])
def test_mixed_tables_are_balanced(num_agents: int, players: int) -> None:
    lineups = [chunk.lineup for chunk in mixed_tables(num_agents, players, 4000)]
    most = -(-players // num_agents)
    assert all(max(Counter(lineup).values()) == most for lineup in lineups)
    seats = Counter(agent for lineup in lineups for agent in lineup)
    assert len(seats) == num_agents
    assert max(seats.values()) - min(seats.values()) <= 2
    met = Counter(pair for lineup in lineups for pair in combinations(sorted(set(lineup)), 2))
    assert len(met) == num_agents * (num_agents - 1) // 2
    assert max(met.values()) <= 3 * min(met.values())


def test_everybody_sits_at_everybodys_left_equally_often() -> None:
    lineups = [chunk.lineup for chunk in mixed_tables(4, 4, 4000)]
    assert set(lineups) == {(0, *rest) for rest in permutations((1, 2, 3))}
    rings = [(*lineup, lineup[0]) for lineup in lineups]
    beside = Counter(pair for ring in rings for pair in pairwise(ring))
    assert len(set(beside.values())) == 1


def test_one_against_copies_plays_each_pair_both_ways() -> None:
    chunks = one_against_copies(3, 4, 100)
    played: Counter[tuple[int, ...]] = Counter()
    for chunk in chunks:
        played[chunk.lineup] += chunk.deals
    assert played == {(one, *[other] * 3): 100 for one, other in permutations(range(3), 2)}
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))


# --- intervals --------------------------------------------------------------------------------


def deals_of_duplicates(rng: np.random.Generator, chance: float, deals: int) -> npt.NDArray[Any]:
    """Shares of one agent over four rotations that hang together: some decks are won by all."""
    luck = rng.random((deals, 1)) < 0.5
    chances = np.where(luck, chance + 0.15, chance - 0.15)
    return (rng.random((deals, 4)) < chances).mean(axis=1)


@pytest.mark.parametrize(("chance", "deals"), [(0.25, 200), (0.5, 30), (0.83, 60)])
def test_intervals_hold_the_truth_as_often_as_they_say(chance: float, deals: int) -> None:
    rng = np.random.default_rng(7)
    times = 1000
    inside = {share: 0, mean: 0}
    for _ in range(times):
        seen = deals_of_duplicates(rng, chance, deals)
        for measure in inside:
            found = measure(seen)
            inside[measure] += found.low <= chance <= found.high
    for hits in inside.values():
        assert 0.93 * times < hits < 0.97 * times


def test_treating_games_of_a_deal_as_independent_would_say_too_much() -> None:
    rng = np.random.default_rng(0)
    luck = (rng.random(500) < 0.5).astype(float)  # the deck alone decides, in all rotations
    clustered, single = share(luck), share(np.repeat(luck, 4))
    assert width(clustered) == pytest.approx(2 * width(single), rel=0.01)


def test_a_share_near_the_end_keeps_an_interval() -> None:
    all_won = share(np.ones(50))
    assert all_won.mean == all_won.high == 1
    assert 0.9 < all_won.low < 0.95
    nothing = share(np.zeros(50))
    assert nothing.low == 0
    assert nothing.high == pytest.approx(1 - all_won.low)


def test_a_single_deal_says_nothing_of_its_spread() -> None:
    for found in (share([0.5]), mean([3.0])):
        assert isnan(found.low)
        assert isnan(found.high)
    assert share([0.5]).to_json() == {"mean": 0.5, "low": None, "high": None}
    assert isnan(share([0.0], [0.0]).mean)


def test_a_ratio_counts_only_where_there_was_something_to_win() -> None:
    won, stake = np.array([1.0, 0, 0.5, 0, 1]), np.array([1.0, 1, 1, 0, 2])
    found = share(won, stake)
    assert found.mean == pytest.approx(2.5 / 5)
    kept = share(won[stake > 0], stake[stake > 0])
    assert found == kept


def test_different_tables_do_not_widen_the_interval() -> None:
    rng = np.random.default_rng(0)
    kinds = np.repeat([0, 1], 500)
    seen = (rng.random(1000) < np.where(kinds == 0, 0.05, 0.95)).astype(float)
    assert width(share(seen, strata=kinds)) < 0.6 * width(share(seen))
    assert width(mean(seen, kinds)) < 0.6 * width(mean(seen))
    too_fine = np.arange(1000) * 6 // 10
    assert width(share(seen, strata=too_fine)) == width(share(seen))


# --- ratings ----------------------------------------------------------------------------------


def luce_deals(strengths: npt.NDArray[Any], players: int, deals: int, ties: float = 0.0) -> Any:
    """Victories and seats, (D, K) each, of tables drawn at random and won as Luce says."""
    rng = np.random.default_rng(3)
    num = len(strengths)
    tables = rng.integers(num, size=(deals, players))
    # Gumbel noise on the logarithms: in order of the sums is in order of Plackett and Luce.
    ranks = np.argsort(-np.log(strengths)[tables] - rng.gumbel(size=tables.shape), axis=1)
    tie = rng.random(deals) < ties  # the first two share the victory
    shares = np.zeros(tables.shape)
    np.put_along_axis(shares, ranks[:, 1:2], np.where(tie, 0.5, 0)[:, None], axis=1)
    np.put_along_axis(shares, ranks[:, :1], np.where(tie, 0.5, 1)[:, None], axis=1)
    seated = tables[:, :, None] == np.arange(num)
    return (shares[:, :, None] * seated).sum(axis=1), seated.sum(axis=1)


def test_ratings_recover_the_strengths_of_simulated_games() -> None:
    truth = np.array([0.0, 60.0, 100.0, 200.0, 320.0])
    won, seats = luce_deals(np.exp(truth / POINTS), 4, 8000, ties=0.1)
    found = ratings(won, seats, ("random", "b", "c", "d", "e"), samples=200)
    assert [each.mean for each in found] == sorted(each.mean for each in found)
    assert found[0] == Estimate(0, 0, 0)
    for each, true in zip(found[1:], truth[1:], strict=True):
        assert each.low - 8 < true < each.high + 8
        assert width(each) < 60


def test_without_random_the_mean_rating_is_zero() -> None:
    won, seats = luce_deals(np.array([1.0, 2.0, 4.0]), 3, 500)
    found = ratings(won, seats, ("a", "b", "c"), samples=50)
    assert sum(each.mean for each in found) == pytest.approx(0, abs=1e-6)


def test_copies_at_a_table_do_not_change_a_rating() -> None:
    strengths = np.array([1.0, 3.0])
    won, seats = luce_deals(strengths, 4, 6000)
    one, other = ratings(won, seats, ("random", "b"), samples=100)
    assert other.low < POINTS * np.log(3) < other.high
    assert pair_shares(won, seats)[1][0].mean == pytest.approx(0.75, abs=0.02)
    assert one.mean == 0


def test_each_copy_counts_as_an_opponent() -> None:
    # Three seats of strength 1 win half of the games against one of strength 3.
    won, seats = np.full((1000, 2), 0.5), np.tile([3, 1], (1000, 1))
    rated = ratings(won, seats, ("random", "b"), samples=10)
    assert rated[1].mean == pytest.approx(POINTS * np.log(3), abs=1)


def test_whoever_won_everything_still_has_a_rating() -> None:
    won, seats = np.tile([1.0, 0.0], (100, 1)), np.ones((100, 2))
    rated = ratings(won, seats, ("a", "random"), samples=20)
    assert 100 < rated[0].mean < 2000


def circle_of(names: tuple[str, ...], edge: float, deals: int) -> tuple[Tournament, Any]:
    """A two-player tournament in which each agent beats the next, by so much."""
    tournament = Tournament(GAME, names, 2, 2 * deals)
    rng = np.random.default_rng(0)
    results = []
    for chunk in tournament.chunks():
        ahead = (chunk.lineup[1] - chunk.lineup[0]) % 3 == 1
        chance = 0.5 + edge * (1 if ahead else -1)
        first = (rng.random((chunk.deals, 2)) < chance).mean(axis=1)
        shares = np.stack([first, 1 - first], axis=1)
        results.append(ChunkResult(chunk, shares, 10 * shares))
    return tournament, results


def test_rock_paper_scissors_is_named() -> None:
    tournament, results = circle_of(("rock", "scissors", "paper"), 0.3, 300)
    report = build_report(tournament, results)
    assert report.circles == [("rock", "scissors", "paper")]
    assert "In a circle: rock beats scissors beats paper beats rock" in to_text(report)
    assert all(abs(each.rating.mean) < 50 for each in report.standings)


def test_a_circle_within_the_noise_is_not_named() -> None:
    tournament, results = circle_of(("rock", "scissors", "paper"), 0.02, 60)
    report = build_report(tournament, results)
    assert report.circles == []
    assert "No three agents beat each other in a circle." in to_text(report)


def test_a_circle_is_found_in_either_direction() -> None:
    up, down = Estimate(0.6, 0.55, 0.65), Estimate(0.4, 0.35, 0.45)
    none = Estimate(0.5, 0.4, 0.6)
    ring = [[none, up, down], [down, none, up], [up, down, none]]
    assert cycles(ring) == [(0, 1, 2)]
    assert cycles([list(row) for row in zip(*ring, strict=True)]) == [(0, 2, 1)]
    ring[2][0] = Estimate(0.55, 0.49, 0.61)  # one edge is in doubt
    assert cycles(ring) == []


# --- tournaments ------------------------------------------------------------------------------


def tournament(**changes: Any) -> Tournament:
    asked = {"game": GAME, "agents": ("first", "last", "random"), "players": 4, "games": 240}
    return Tournament(**{**asked, **changes})


def report_of(played: Tournament, workers: int = 1) -> Any:
    return build_report(played, run(played, played.chunks(), workers, trio))


def test_shares_of_a_tournament_sum_to_one_for_the_seats_of_a_table() -> None:
    report = report_of(tournament(players=3, games=300))
    assert sum(each.share.mean for each in report.standings) == pytest.approx(1)
    assert sum(each.margin.mean for each in report.standings) == pytest.approx(0, abs=1e-9)
    assert report.deals == 100
    assert {each.games for each in report.standings} == {300}
    points = {each.agent: each.points.mean for each in report.standings}
    for each in report.standings:
        others = (sum(points.values()) - points[each.agent]) / 2
        assert each.margin.mean == pytest.approx(points[each.agent] - others)


@pytest.mark.parametrize("edge", [0.3, -0.3])
def test_the_best_stand_first(edge: float) -> None:
    played = Tournament(GAME, ("one", "other"), 2, 200)
    shares = {chunk.index: np.full((chunk.deals, 2), 0.5) for chunk in played.chunks()}
    results = []
    for chunk in played.chunks():
        shares[chunk.index][:, chunk.lineup.index(0)] += edge
        shares[chunk.index][:, chunk.lineup.index(1)] -= edge
        results.append(ChunkResult(chunk, shares[chunk.index], 10 * shares[chunk.index]))
    standings = build_report(played, results).standings
    assert [each.agent for each in standings] == (
        ["one", "other"] if edge > 0 else ["other", "one"]
    )
    assert standings[0].share.mean == pytest.approx(0.8)


def test_pairs_are_seen_from_both_sides() -> None:
    pairs = report_of(tournament()).pairs
    for one, other in combinations(range(3), 2):
        assert pairs[one][other].mean + pairs[other][one].mean == pytest.approx(1)
        assert pairs[one][other].low + pairs[other][one].high == pytest.approx(1)


def test_against_copies_agrees_with_a_duel_in_kind() -> None:
    report = report_of(tournament(against_copies=True, games=400))
    assert report.alone is not None
    assert report.deals == 6 * 100
    outcome = duel(First(), RandomAgent(), GAME, 4, 2000)
    found = report.alone[0][2]
    assert found.low - 0.05 < outcome.share.mean < found.high + 0.05
    first = next(each for each in report.standings if each.agent == "first")
    alone = [report.alone[0][1].mean, report.alone[0][2].mean]
    assert first.share.mean == pytest.approx(np.mean(alone))
    assert isnan(report.alone[1][1].mean)


def test_two_workers_find_what_one_finds() -> None:
    played = tournament(games=120)
    alone = to_json(report_of(played, 1))
    assert alone == to_json(report_of(played, 2))
    assert alone != to_json(report_of(tournament(games=120, seed=1)))


def test_an_error_in_a_worker_is_the_same_error() -> None:
    played = tournament()
    for workers in (1, 2):
        with pytest.raises(ValueError, match="these cannot be loaded"):
            list(run(played, played.chunks(), workers, broken))


def test_a_report_is_readable_and_its_json_has_no_nan() -> None:
    report = report_of(tournament(games=4, players=4))
    text = to_text(report)
    assert text.startswith("kododo, 4 players: 4 games, 1 decks")
    assert "unknown" in text
    assert max(map(len, text.splitlines())) <= 120
    json.dumps(to_json(report), allow_nan=False)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"agents": ("random",)}, "name two agents at least, not 1"),
        ({"games": 3}, "4 players need 4 games at least"),
        ({"games": 0}, "4 players need 4 games at least"),
        ({"games": -20}, "not -20"),
        ({"seed": -1}, "seed must be 0 or more"),
        ({"players": 1}, "2 to 5 players"),
        ({"games": 10**12}, "games must be 10000000 or less"),
        ({"rules": {"nonsense": 1}}, "kododo has no rule 'nonsense'"),
        ({"rules": {"num_players": 3}}, "num_players is no further rule: say it as players"),
        ({"agents": tuple("abcdef"), "games": 4}, "4 games are too few for 6 agents"),
    ],
)
def test_tournaments_that_cannot_be_played(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tournament(**changes)


def test_no_workers_cannot_play() -> None:
    with pytest.raises(ValueError, match="workers must be 1 or more, not 0"):
        list(run(tournament(), tournament().chunks(), 0, trio))


def test_rules_are_read_as_names_and_values() -> None:
    assert parse_rules(["variant=long", "target_score=30", "copies=[1,2]"]) == {
        "variant": "long",
        "target_score": 30,
        "copies": (1, 2),
    }
    for bad in (["variant"], ["=3"], ["a="], ["variant=long", "variant=long"]):
        with pytest.raises(ValueError, match="--rules"):
            parse_rules(bad)


def test_four_players_unless_the_game_says_otherwise() -> None:
    assert default_players(GAME) == 4


# --- the log ----------------------------------------------------------------------------------


def logged(path: Path, results: list[ChunkResult], played: Tournament) -> None:
    with ChunkLog(path, {"seed": played.seed}, played.chunks(), resume=False) as log:
        for result in results:
            log.append(result)


def test_a_log_gives_back_what_was_written_but_for_half_a_line(tmp_path: Path) -> None:
    played, path = tournament(), tmp_path / "log"
    results = list(run(played, played.chunks()[:3], 1, trio))
    logged(path, results, played)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with ChunkLog(path, {"seed": 0}, played.chunks(), resume=True) as log:
        assert sorted(log.results) == [0, 1]
        np.testing.assert_array_equal(log.results[1].shares, results[1].shares)
        log.append(results[2])
    assert path.read_bytes() == whole


def test_a_result_with_another_digit_is_no_result(tmp_path: Path) -> None:
    """It was taken, and the table was another one; so was the line of another tournament."""
    played, other, path = tournament(), tournament(seed=1), tmp_path / "log"
    logged(path, list(run(played, played.chunks()[:2], 1, trio)), played)
    logged(tmp_path / "other", list(run(other, other.chunks()[:1], 1, trio)), other)
    heading, first, second = path.read_bytes().splitlines(keepends=True)
    foreign = (tmp_path / "other").read_bytes().splitlines(keepends=True)[1]
    digit = first.index(b"[[") + 2
    for wrong in (first[:digit] + b"7" + first[digit + 1 :], foreign, b"[" * 100_000 + b"\n"):
        path.write_bytes(heading + wrong + second)
        with pytest.raises(ValueError, match=r"line 2 of .*log is damaged; remove the file"):
            ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
        assert path.read_bytes() == heading + wrong + second


def test_a_log_of_something_else_is_refused(tmp_path: Path) -> None:
    played, path = tournament(), tmp_path / "log"
    logged(path, list(run(played, played.chunks()[:2], 1, trio)), played)
    with pytest.raises(ValueError, match="another tournament: seed 0, not 1"):
        ChunkLog(path, {"seed": 1}, played.chunks(), resume=True)
    with pytest.raises(ValueError, match=r"holds 2 of 24 parts .* go on with --resume"):
        ChunkLog(path, {"seed": 0}, played.chunks(), resume=False)
    shorter = tournament(games=2400).chunks()
    with pytest.raises(ValueError, match=r"line 2 of .* is damaged"):
        ChunkLog(path, {"seed": 0}, shorter, resume=True)
    path.write_bytes(path.read_bytes().replace(b'"chunk": 1', b'"chunk": 0'))
    with pytest.raises(ValueError, match=r"line 3 of .* is damaged"):
        ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
    path.write_text("not\na log\n")
    with pytest.raises(ValueError, match="is not the log of a tournament"):
        ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
