"""The cards that a determinised copy keeps and deals again, and their distribution."""

from __future__ import annotations

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.games.combi_combo.determinization import NEVER, returns
from tests.games.combi_combo.test_properties import ANY_RULES, SEEDS, TURNS, played
from tests.games.combi_combo.written_deals import card, give, start
from tests.helpers import assert_same_state, hypothesis_settings, random_actions

SAMPLES = 20_000


def copies_of(game: CombiComboGame, player: int, samples: int, seed: int = 0) -> CombiComboGame:
    return game.determinize(player, np.random.default_rng(seed), samples)


def test_a_deck_that_lacks_the_highest_cards_is_dealt_again_too() -> None:
    game = CombiComboGame(3, Rules(copies=(3, 4, 5, 0)), seed=1)
    game.step(random_actions(game, np.random.default_rng(0)))
    copies = copies_of(game, 0, 5)
    assert_may_have_happened(game, 0, 2)
    assert not copies.hands.reshape(15, 4, 6, 4)[..., 3].any()


def assert_may_have_happened(game: CombiComboGame, player: int, seed: int) -> None:
    """Replaying the copies' decks and passes from the start leads to their positions."""
    copies = copies_of(game, player, 5, seed)
    state = copies.state()
    replay = CombiComboGame(copies.num_envs, game.rules, seed=0)
    replay.reset(decks=state["_deck"].T)
    for turn in range(game.turn):
        replay.step(state["_passes"][turn].T)  # raises if a player lacks the card
    replay.rng.bit_generator.state = state["rng"]
    assert_same_state(replay, copies)
    # The player drew the same cards, in the same order.
    first_place = game.rules.pile_size * player
    drawn = slice(first_place, first_place + game.rules.opening_hand + game.turn + 1)
    assert (state["_deck"][drawn] == np.repeat(game.state()["_deck"][drawn], 5, axis=-1)).all()


@hypothesis_settings(40)
@given(ANY_RULES, SEEDS, TURNS)
def test_copies_are_games_that_may_have_happened(rules: Rules, seed: int, turns: int) -> None:
    game = played(rules, seed, turns, num=3)
    if not game.terminated.all():
        assert_may_have_happened(game, seed % game.num_players, seed)


@pytest.mark.parametrize("players", [4, 5])
def test_also_where_cards_go_round_the_table(players: int) -> None:
    """Play a turn in which all pass their first card in a fixed order, so cards move on."""
    game = CombiComboGame(200, Rules(num_players=players), seed=players)
    while True:
        for player in range(players):
            assert_may_have_happened(game, player, seed=game.turn)
        if game.turn == game.rules.num_turns - 1:
            break
        game.step(game.legal_action_mask().argmax(axis=2))
    origins = [
        returns(passes[:, player], passes[:, player - 1], players)[0]
        for passes in [game.state()["_passes"][: game.turn]]
        for player in range(players)
    ]
    assert (np.array(origins) != NEVER).any(axis=(0, 1)).mean() > 0.5


# --- what is certain of the cards passed --------------------------------------------------

# Player 0 passes the blue, the green and the yellow 1; the others pass 4s.
PILES = ["B1 G1 Y1 B2 B2 B3", "R4 R4 R4 R4 V4 V4", "V4 V4 O4 O4 O4 O4", "Y4 Y4 Y4 Y4 G4 G4"]
PASSES = ["B1 R4 V4 Y4", "G1 R4 V4 Y4", "Y1 R4 O4 Y4"]


def where_is(copies: CombiComboGame, name: str) -> Counter[str]:
    """Count the copies by the holder of the only card of a type, or "pile"."""
    holder: Counter[str] = Counter()
    for seat in range(copies.num_players):
        holder[str(seat)] = int((copies.hands[:, seat, card(name)] > 0).sum())
    holder["pile"] = copies.num_envs - sum(holder.values())
    return +holder


def test_the_card_of_the_last_turn_is_with_the_left_neighbour() -> None:
    game = start(PILES)
    for turn, passing in enumerate(PASSES):
        give(game, passing)
        copies = copies_of(game, 0, 300)
        assert where_is(copies, "BGY"[turn] + "1") == {"1": 300}
        # The right neighbour knows that it is a yellow 4 that player 0 has now.
        copies = copies_of(game, 3, 300)
        assert (copies.hands[:, 0, card("Y4")] > 0).all()


def test_a_card_passed_is_in_no_pile_and_no_further_than_it_can_have_come() -> None:
    game = start(PILES)
    holders = []
    for passing in PASSES:
        give(game, passing)
        holders.append(
            [set(where_is(copies_of(game, 0, 500), name)) for name in ("B1", "G1", "Y1")]
        )
    assert holders[0][:1] == [{"1"}]
    assert holders[1][:2] == [{"1", "2"}, {"1"}]
    assert holders[2] == [{"1", "2", "3"}, {"1", "2"}, {"1"}]


def test_all_placings_that_fit_are_equally_likely() -> None:
    game = start(PILES)
    for passing in PASSES:
        give(game, passing)
    copies = copies_of(game, 0, SAMPLES)
    held = 8  # cards in each of the other hands
    reach = {"Y1": 1, "G1": 2, "B1": 3}
    placings: Counter[tuple[int, ...]] = Counter()
    for slots in permutations(range(3 * held), 3):
        seats = tuple(1 + slot // held for slot in slots)
        if all(seat <= farthest for seat, farthest in zip(seats, reach.values(), strict=True)):
            placings[seats] += 1
    assert len(placings) == 6
    holders = [copies.hands[:, 1:, card(name)].argmax(axis=1) + 1 for name in reach]
    drawn = Counter(zip(*(column.tolist() for column in holders), strict=True))
    assert set(drawn) == set(placings)
    for seats, number in placings.items():
        assert_share(drawn[seats] / SAMPLES, number / placings.total())


def test_unseen_cards_lie_anywhere_else_with_the_same_probability() -> None:
    game = start(PILES)
    for passing in PASSES:
        give(game, passing)
    copies = copies_of(game, 0, SAMPLES)
    pile_size = game.draw_pile_size
    covered = 12 - int(game.face_up[0].sum())
    hidden = 3 * 8 + 4 * pile_size + covered - 3  # less the three cards they have passed
    name = next(name for name in ("O1", "V1", "R1") if not game.face_up[0, card(name)])
    counts = where_is(copies, name)
    # In a hand the cards that they passed take up some of the places.
    assert_share(counts["pile"] / SAMPLES, (4 * pile_size + covered) / hidden)
    assert_share(counts["3"] / SAMPLES, (8 - share_of(copies, 3)) / hidden)
    assert_share(counts["1"] / SAMPLES, (8 - share_of(copies, 1)) / hidden)


def share_of(copies: CombiComboGame, seat: int) -> float:
    """The mean number of the three passed cards that a player has."""
    held = copies.hands[:, seat][:, [card(name) for name in ("B1", "G1", "Y1")]]
    return float(held.sum(axis=1).mean())


def assert_share(share: float, expected: float) -> None:
    """Within five standard errors."""
    assert abs(share - expected) < 5 * np.sqrt(expected * (1 - expected) / SAMPLES)


# --- cards that came back -----------------------------------------------------------------

ROUND_TABLE = [
    "B1 B4 B4 B3 B2 B2 R3 R3",
    "Y4 Y4 Y4 Y4 Y3 Y3 Y3 R3",
    "O4 O4 O4 O4 O3 O3 O3 Y2",
    "V4 V4 V4 V4 V3 V3 V3 Y2",
]


def test_a_card_that_came_back_is_no_longer_with_the_others() -> None:
    game = start(ROUND_TABLE)
    for passing in ("B1 Y4 O4 V4", "B2 B1 O4 V4", "B2 Y4 B1 V4", "B3 Y4 O4 B1"):
        give(game, passing)
    assert where_is(copies_of(game, 0, 300), "B1") == {"0": 300}
    # The others know how far it can have come since they passed it on.
    for seat, holders in ((1, {"2", "3", "0"}), (2, {"3", "0"}), (3, {"0"})):
        assert set(where_is(copies_of(game, seat, 2000), "B1")) == holders


@pytest.mark.parametrize(("comes_at", "certain"), [(2, True), (3, False)])
def test_a_copy_received_may_be_the_card_passed_if_there_was_time(
    comes_at: int, certain: bool
) -> None:
    """Player 0 passes a blue 4 in turn 0; player 3 has one too and passes it to player 0."""
    piles = [*ROUND_TABLE[:3], "B4 V4 V4 V4 V4 V3 V3 V3"]
    game = start(piles, "G4 G4 G4 G4 R4 R4 R4 R4")
    for turn in range(comes_at + 1):
        own_card = ["B4", "B2", "B2", "B3"][turn]
        last = "B4" if turn == comes_at else "V4"
        give(game, f"{own_card} Y4 O4 {last}")
    copies = copies_of(game, 0, 2000)
    with_others = copies.hands[:, 1:, card("B4")].sum(axis=1) > 0
    assert with_others.all() == certain
    assert with_others.any()


def test_returns_match_as_many_cards_as_possible() -> None:
    passed = np.array([[1], [2], [1], [7], [1]])
    received = np.array([[9], [1], [9], [1], [2]])
    origin, away = returns(passed, received, 4)
    # Not in turn 1; in turn 3 the first card, in turn 4 the second.
    assert origin[:, 0].tolist() == [NEVER, NEVER, NEVER, 0, 1]
    assert away[:, 0].tolist() == [False, False, True, True, True]
    origin, away = returns(passed, received, 5)
    assert origin[:, 0].tolist() == [NEVER] * 5
    assert away.all()


def test_every_position_that_is_possible_is_dealt() -> None:
    """In a tiny game all positions reached by brute force are found, and no others."""
    rules = Rules(num_colours=3, copies=(1, 1, 1, 1), opening_hand=1, num_turns=2)
    assert rules.num_cards == 12
    game = CombiComboGame(1, rules, seed=4)
    game.step(random_actions(game, np.random.default_rng(0)))
    player = 0
    view = game.view(player).observation[0].tobytes()
    own_cards = game.state()["_deck"][:3, 0]
    passed = int(game.state()["_passes"][0, player, 0])
    unseen = np.setdiff1d(rules.cards, own_cards)
    rng = np.random.default_rng(1)
    # Random whole games with the player's own cards and choice; those that look the same.
    num = 60_000
    decks = np.concatenate(
        [np.tile(own_cards, (num, 1)), rng.permuted(np.tile(unseen, (num, 1)), axis=1)], axis=1
    )
    tried = CombiComboGame(num, rules, seed=0)
    tried.reset(decks=decks)
    actions = random_actions(tried, rng)
    actions[:, player] = passed
    tried.step(actions)
    matches = [
        k
        for k, observation in enumerate(tried.observe()[:, player])
        if observation.tobytes() == view
    ]
    reached = {tried.hands[k].tobytes() for k in matches}
    dealt = {hands.tobytes() for hands in copies_of(game, player, 20_000).hands}
    assert dealt == reached
    assert len(reached) == 560  # 8! / (2! 3! 3!): the left neighbour holds the card passed
