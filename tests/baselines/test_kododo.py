"""The scripted players of Kododo: their choices in clear cases, and their estimates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks import kododo_fitting
from kododo_env.arena.head_to_head import Match
from kododo_env.baselines.kododo import (
    FollowAgent,
    GreedyAgent,
    HeuristicAgent,
    choices_of_turn,
)
from kododo_env.baselines.kododo_values import (
    HeuristicView,
    expected_margins,
    kododo_lookup,
    replies_of_all,
    reply_lookups,
    tables_for,
)
from kododo_env.core import Agent
from kododo_env.games.kododo import KododoGame, KododoView, Rules
from kododo_env.games.kododo.scoring import score_round
from tests.games.kododo.written_deals import SLOTS, card, cards, lay
from tests.helpers import play_random, random_actions

ALL_PLAYERS = pytest.mark.parametrize("players", [2, 3, 4, 5])
STILL = HeuristicAgent(noise=0.0)
"""The heuristic without its randomness."""


def position(table: Sequence[str], hand: str) -> KododoGame:
    """Return a first round with these cards laid equally by all; player 0 has this hand.

    The others hold the first cards of the deck that nobody has here.
    """
    rules = Rules(len(table))
    undealt = Counter(rules.cards.tolist())
    undealt.subtract(cards(" ".join([*table, hand])))
    assert min(undealt.values()) >= 0, "the position has a card more often than the deck"
    spare = list(undealt.elements())
    laid = len(cards(table[0]))
    turn = {0: 0, 2: 1, 3: 2}[laid]
    # The cards of a player in order: the cards to lay first, then the rest of the hand.
    cards_by_seat = [
        cards(names) + (cards(hand) if seat == 0 else []) for seat, names in enumerate(table)
    ]
    for seat_cards in cards_by_seat:
        while len(seat_cards) < laid + 5:
            seat_cards.append(spare.pop(0))
    deck = [card for seat_cards in cards_by_seat for card in seat_cards[:5]]
    for drawn in (slice(5, 7), slice(7, 8))[:turn]:
        deck += [card for seat_cards in cards_by_seat for card in seat_cards[drawn]]
    game = KododoGame(1, rules)
    game.reset(decks=[deck + spare])
    for cut in (slice(0, 2), slice(2, 3))[:turn]:
        lay(game, [seat_cards[:laid][cut] for seat_cards in cards_by_seat])
    return game


def laid_by(agent: Agent, game: KododoGame, player: int = 0) -> str:
    """Return the names of the cards that an agent lays in the only game, with a fixed seed."""
    action = int(agent.act(game.view(player), np.random.default_rng(0))[0])
    ids = [int(game.hands[0, player, slot]) for slot in SLOTS[action]]
    return " ".join("BGYOV"[card // 6] + str(card % 6 + 1) for card in ids)


def margins(game: KododoGame, player: int = 0) -> npt.NDArray[np.float32]:
    """Return the heuristic's expected margin of each action of this turn, (actions, N)."""
    view = game.view(player)
    assert isinstance(view, KododoView)
    situation = HeuristicView(view)
    tables = tables_for(game.rules)
    assert tables is not None
    return expected_margins(
        situation, situation.after(choices_of_turn(game.rules, game.turn)[1]), tables
    )


def test_the_heuristic_follows_where_it_knows_no_probabilities() -> None:
    rules = Rules(2, limit_offset=1)
    assert tables_for(rules) is None
    game = KododoGame(200, rules, seed=3)
    while not game.terminated.all():
        chosen, followed = (
            agent.act(game.view(0), np.random.default_rng(1))
            for agent in (HeuristicAgent(), FollowAgent())
        )
        assert (chosen == followed).all()
        play_random(game, np.random.default_rng(game.turn), 1)


# --- greedy and follow ----------------------------------------------------------------------


def test_greedy_lays_the_highest_cards() -> None:
    assert laid_by(GreedyAgent(), position(["", ""], "B6 G5 Y2 Y2 Y2")) == "B6 G5"
    assert laid_by(GreedyAgent(), position(["B2 B2", "B3 B3"], "B4 G5 Y2 Y2 Y2")) == "G5"


@pytest.mark.parametrize(
    ("table", "hand", "laid"),
    [
        (["", "", ""], "B6 G5 Y2 Y3 Y4", "Y3 Y4"),
        (["B2 Y2", "B2 G2", "O2 V2"], "B2 B3 G6 Y5 O4", "B3"),
        (["B2 Y2 G2", "B2 G2 B3", "B2 V2 B3"], "B4 G6 Y5 O4 O4", "G6"),
        (["B2 B2 B3", "B2 G2 G2", "G3 G3 V3"], "B4 G6 Y5 O4 O4", "B4"),
    ],
    ids=["most in hand", "most on the table", "not to the limit", "where it has most points"],
)
def test_follow_lays_into_the_leading_colour(table: list[str], hand: str, laid: str) -> None:
    assert laid_by(FollowAgent(), position(table, hand)) == laid


# --- the heuristic's choices ----------------------------------------------------------------


def test_heuristic_opens_with_a_pair_it_can_go_on_with() -> None:
    assert laid_by(STILL, position(["", ""], "B4 G3 Y2 Y3 Y4"))[::3] == "YY"


def test_heuristic_adds_to_its_own_colour_and_leaves_the_others_theirs() -> None:
    leading_game = position(["B4 B5 B3", "B2 G2 Y2", "O2 V2 Y3", "G3 O3 V3"], "B6 G6 V6 O5 Y5")
    assert laid_by(STILL, leading_game) == "B6"
    trailing_game = position(["O2 V2 Y2", "G4 G5 Y3"], "G1 O1 V1 B1 Y1")
    assert laid_by(STILL, trailing_game) != "G1"


def test_heuristic_ties_or_bursts_a_colour_that_pays_the_others() -> None:
    burst = position(["O2 Y2 Y3", "B4 B5 B3"], "B2 G2 G3 V2 V3")
    assert burst.rules.limit == 5
    value = dict(zip(burst.hands[0, 0].tolist(), margins(burst)[:, 0], strict=True))
    tie = position(["G2 G2 O3", "B4 B5 V3"], "O2 G4 V2 Y2 Y3")
    assert laid_by(STILL, tie)[0] in "GO"
    assert value[card("V2")] < 0


def test_heuristic_does_not_burst_its_own_colour() -> None:
    game = position(["B4 B5 B6", "B2 G2 Y2"], "B3 O2 V2 G3 Y3")
    assert laid_by(STILL, game)[0] != "B"


def test_heuristic_completes_the_kododo_number_if_that_pays_it() -> None:
    table = ["G1 Y1 O1", "B4 B5 B3"]
    game = position(table, "B2 V1 V3 Y3 O3")
    assert game.rules.kododo_number == 4
    assert laid_by(STILL, game) == "V1"


def test_heuristic_shows_only_a_little_randomness() -> None:
    game = KododoGame(2000, Rules(4), seed=1)
    agent = HeuristicAgent()
    actions, other_actions = (agent.act(game.view(0), np.random.default_rng(s)) for s in (1, 2))
    assert 0.001 < (actions != other_actions).mean() < 0.15


# --- the heuristic's reckoning --------------------------------------------------------------


def after_steps(players: int, steps: int, num: int = 12) -> KododoGame:
    game = KododoGame(num, Rules(players), seed=players)
    play_random(game, np.random.default_rng(players), steps)
    return game


@ALL_PLAYERS
def test_the_probabilities_of_all_replies_add_up_to_one(players: int) -> None:
    view = after_steps(players, 5).view(1)
    assert isinstance(view, KododoView)
    tables = tables_for(view.rules)
    assert tables is not None
    replies, probabilities = replies_of_all(HeuristicView(view), tables)
    assert (replies.sum(axis=1) == players - 1).all()
    assert len(np.unique(replies, axis=0)) == len(replies)
    np.testing.assert_allclose(probabilities.sum(axis=0), 1, rtol=1e-5)


@pytest.mark.parametrize("players", [2, 3])
def test_the_last_turn_is_what_going_through_all_replies_one_by_one_gives(players: int) -> None:
    game = after_steps(players, 5)
    view = game.view(0)
    assert isinstance(view, KododoView)
    tables = tables_for(view.rules)
    assert tables is not None
    situation = HeuristicView(view)
    looked_up = kododo_lookup(situation, situation.after(tuple((slot,) for slot in range(5))))
    ((name, (index, _)),) = looked_up.items()
    for env in range(game.num_envs):
        for slot in range(5):
            expected = reckoned(game, situation, tables, env, slot)
            probability = tables[name][index[slot, env]]
            own_kododos = situation.table_kododos[0, env] + (view.hand[env, slot] % 6 == 0)
            opponent_kododos = (game.rules.kododo_number - own_kododos) / (players - 1)
            expected = (1 - probability) * expected + probability * (own_kododos - opponent_kododos)
            assert margins(game)[slot, env] == pytest.approx(expected, abs=0.005)


def reckoned(
    game: KododoGame, situation: HeuristicView, tables: dict[str, Any], env: int, slot: int
) -> float:
    """Return the expected margin by colour of laying a slot, by the rules' own scoring."""
    rules = game.rules
    colours = range(game.rules.num_colours)
    weights = []
    for seat in range(1, rules.num_players):
        entries = [tables[name][at] for name, (at, _) in reply_lookups(situation, seat).items()]
        colour_weights = np.exp(sum(entries)[:, env])
        weights.append(colour_weights / colour_weights.sum())
    total = 0.0
    laid_card = int(game.hands[env, 0, slot])
    for reply in product(colours, repeat=rules.num_players - 1):
        cards = situation.cards[:, :, env].astype(np.int64)
        points = situation.points[:, :, env].astype(np.float64)
        cards[0, laid_card // 6] += 1
        points[0, laid_card // 6] += laid_card % 6 + 1
        for seat, colour in enumerate(reply, start=1):
            cards[seat, colour] += 1
            points[seat, colour] += tables["2/card_points"][0]
        # Times 100, because points are integers in the rules; without Kododo cards.
        no_kododos = np.zeros((rules.num_players, 1), np.int64)
        laid = np.hstack([cards, no_kododos, np.rint(100 * points).astype(np.int64)])
        scored, _ = score_round(laid, laid[:, :6].sum(axis=0), 99, rules.limit)
        margin = scored[0] - scored[1:].mean()
        probability = np.prod([w[colour] for w, colour in zip(weights, reply, strict=True)])
        total += float(probability * margin) / 100
    return total


def sorted_margins(game: KododoGame, player: int) -> npt.NDArray[np.float32]:
    """Return the sorted margins of all legal actions, (N, actions)."""
    where, _ = choices_of_turn(game.rules, game.turn)
    legal = game.legal_action_mask()[:, player, where].T
    return np.sort(np.where(legal, margins(game, player), -99), axis=0).T


def in_other_colours(ids: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.array([3, 0, 4, 1, 2])[ids // 6] * 6 + ids % 6


def test_colours_may_be_renamed() -> None:
    game = KododoGame(20, Rules(4))
    renamed = KododoGame(20, Rules(4))
    decks = game.sample_decks(20, np.random.default_rng(1))
    game.reset(decks=decks)
    renamed.reset(decks=in_other_colours(decks))
    rng = np.random.default_rng(2)
    while not game.terminated.all():
        for player in range(4):
            np.testing.assert_allclose(
                sorted_margins(game, player), sorted_margins(renamed, player), atol=1e-4
            )
        slots = [[SLOTS[action] for action in actions] for actions in random_actions(game, rng)]
        laid = [
            [hands[seat, list(choice)] for seat, choice in enumerate(choices)]
            for hands, choices in zip(game.hands, slots, strict=True)
        ]
        lay(game, *([hand.tolist() for hand in hands] for hands in laid))
        lay(renamed, *([in_other_colours(hand).tolist() for hand in hands] for hands in laid))


# --- the tables -----------------------------------------------------------------------------


@ALL_PLAYERS
def test_the_tables_that_come_along_are_as_large_as_the_fit_makes_them(players: int) -> None:
    rules = Rules(players)
    shipped = tables_for(rules)
    assert shipped is not None
    tables = kododo_fitting.tables_from_play(rules, rounds=1, games=20, seed=1)
    assert {name: table.shape for name, table in tables.items()} == {
        name: table.shape for name, table in shipped.items()
    }
    assert all(np.isfinite(table).all() for table in tables.values())


def test_fitted_tables_play_better_than_random_and_are_the_same_again() -> None:
    tables, repeat = (
        kododo_fitting.tables_from_play(Rules(2), rounds=2, games=60, seed=3) for _ in range(2)
    )
    for name, table in tables.items():
        np.testing.assert_array_equal(table, repeat[name])
    fitted = Match(HeuristicAgent(tables=tables), "random", "kododo", 2, 200)
    assert fitted.play().share.mean > 0.9
