"""One test for each clause of Kododo's rules, named after it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from kododo_env.games.kododo import KododoGame, Rules
from kododo_env.games.kododo.scoring import kododo_round, score_round, scoring_colour
from kododo_env.registry import words_of
from tests.games.kododo.written_deals import (
    COLOURS,
    PAIRS,
    SLOTS,
    TURNS,
    cards,
    lay,
    play_round,
    short_rules,
    start,
    table_of,
    written_deck,
)
from tests.helpers import play_random, random_actions

ALL_PLAYERS = pytest.mark.parametrize("num_players", [2, 3, 4, 5])
Result = tuple[list[int], list[int]]


def evaluate(table: Sequence[str]) -> Result:
    """Play a first round that ends with this table; return the points and cards of each player."""
    game = start(Rules(num_players=len(table)), [table])
    points = play_round(game, table)
    return points[0].tolist(), game.pile_sizes[0].tolist()


def colour_scores(table: Sequence[str], colour: str) -> Result:
    """Return the result if all players take their own cards of a colour."""
    values = [[int(name[1]) for name in names.split() if name[0] == colour] for names in table]
    return [sum(player_values) for player_values in values], [
        len(player_values) for player_values in values
    ]


def nobody_scores(table: Sequence[str]) -> Result:
    return [0] * len(table), [0] * len(table)


def shuffled(rules: Rules, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).permutation(rules.cards)


# --- the deck and the deal ------------------------------------------------------------


def test_the_deck_has_100_cards_in_five_colours_with_1x5_2x6_3x5_4x2_5x1_6x1() -> None:
    deck = Counter(Rules().cards.tolist())
    assert deck.total() == 100
    copies = {1: 5, 2: 6, 3: 5, 4: 2, 5: 1, 6: 1}
    assert deck == {colour * 6 + v - 1: n for colour in range(5) for v, n in copies.items()}


@ALL_PLAYERS
def test_everyone_is_dealt_five_cards(num_players: int) -> None:
    rules = Rules(num_players=num_players)
    deck = shuffled(rules)
    game = KododoGame(1, rules)
    game.reset(decks=deck[None])
    dealt = [sorted(deck[5 * player : 5 * player + 5]) for player in range(num_players)]
    assert game.hands[0].tolist() == dealt


@pytest.mark.parametrize(("num_players", "removed"), [(2, 10), (3, 13), (4, 0), (5, 15)])
def test_the_removed_cards_are_never_seen(num_players: int, removed: int) -> None:
    rules = Rules(num_players=num_players)
    assert rules.removed == removed
    deck = shuffled(rules)
    rng = np.random.default_rng(2)
    game = KododoGame(1, rules)
    game.reset(decks=deck[None])
    came_up: Counter[int] = Counter(game.hands[0].ravel().tolist())
    while not game.terminated[0]:
        before = game.hands[0].copy()
        pile = game.draw_pile_size
        actions = random_actions(game, rng)
        game.step(actions)
        if pile:
            # What is in a hand now and was not kept from before has been drawn.
            came_up.update(game.hands[0].ravel().tolist())
            for hand, action in zip(before.tolist(), actions[0], strict=True):
                came_up.subtract(c for slot, c in enumerate(hand) if slot not in SLOTS[action])
    assert +came_up == Counter(deck[: 100 - removed].tolist())


@pytest.mark.parametrize(
    ("num_players", "pile", "rounds", "exact", "limit"),
    [(2, 80, 11, 4, 5), (3, 72, 7, 5, 6), (4, 80, 6, 6, 7), (5, 60, 4, 7, 8)],
)
def test_the_draw_pile_the_rounds_the_kododo_number_and_the_limit(
    num_players: int, pile: int, rounds: int, exact: int, limit: int
) -> None:
    """The rounds include the last one; the numbers are P + 2 and P + 3."""
    game = KododoGame(3, Rules(num_players=num_players))
    rules = game.rules
    assert (game.draw_pile_size, rules.num_rounds) == (pile, rounds)
    assert (rules.kododo_number, rules.limit) == (exact, limit)
    assert kododo_round(np.arange(20), exact).nonzero()[0].tolist() == [exact]
    assert len(play_random(game, np.random.default_rng(3))) == 3 * rounds


# --- the turns ------------------------------------------------------------------------


@ALL_PLAYERS
def test_turn_1_everyone_lays_two_of_five_cards_and_draws_two(num_players: int) -> None:
    rules = Rules(num_players=num_players)
    deck = shuffled(rules)
    game = KododoGame(1, rules)
    game.reset(decks=deck[None])
    for player in range(num_players):
        assert game.legal_action_mask()[0, player].nonzero()[0].tolist() == list(range(5, 15))
    game.step([[5 + PAIRS.index((0, 3))] * num_players])
    for player in range(num_players):
        dealt = sorted(deck[5 * player : 5 * player + 5].tolist())
        assert game.table[0, player].tolist() == [dealt[0], dealt[3], -1, -1]
        drawn = deck[5 * num_players + 2 * player :][:2].tolist()
        assert game.hands[0, player].tolist() == sorted(dealt[1:3] + dealt[4:] + drawn)
    assert game.draw_pile_size == rules.draw_pile - 2 * num_players


@ALL_PLAYERS
@pytest.mark.parametrize("turn", [1, 2])
def test_turns_2_and_3_everyone_lays_one_card_and_draws_one(num_players: int, turn: int) -> None:
    rules = Rules(num_players=num_players)
    deck = shuffled(rules)
    game = KododoGame(1, rules)
    game.reset(decks=deck[None])
    play_random(game, np.random.default_rng(4), steps=turn)
    assert game.turn == turn
    for player in range(num_players):
        assert game.legal_action_mask()[0, player].nonzero()[0].tolist() == list(range(5))
    before = game.hands[0].tolist()
    game.step([[2] * num_players])
    first = 5 * num_players + (1 + turn) * num_players
    for player, hand in enumerate(before):
        drawn = int(deck[first + player])
        assert game.hands[0, player].tolist() == sorted([*hand[:2], *hand[3:], drawn])
    if turn == 1:
        assert game.table[0, :, 2].tolist() == [hand[2] for hand in before]


def test_all_reveal_at_once() -> None:
    table = ["B2 B3 G2 G3", "Y2 Y3 O2 O3", "V2 V3 B4 B5"]
    game = start(Rules(num_players=3), [table])
    assert (game.table == -1).all()
    lay(game, [cards(names)[:2] for names in table])
    for player in range(3):
        pieces = game.view(player).pieces
        seats = [(player + step) % 3 for step in range(3)]
        colours = [cards(table[seat])[0] // 6 for seat in seats]
        assert pieces["table_cards"][0].argmax(axis=1).tolist() == colours
        assert pieces["table_cards"][0].sum(axis=1).tolist() == [2, 2, 2]
        assert pieces["seen"][0].sum() == 6


def test_after_the_third_turn_everyone_has_laid_four_cards_and_holds_five() -> None:
    table = ["B2 B3 G2 G3", "Y2 Y3 O2 O3", "V2 V3 B4 B5", "G4 G5 Y4 Y5"]
    following = ["V2 V2 V3 V3"] * 2 + ["G2 G3 Y2 Y3"] * 2
    game = start(Rules(), [table, following])
    play_round(game, table)
    assert game.last_table[0].tolist() == [cards(names) for names in table]
    assert (game.hands >= 0).sum(axis=2).tolist() == [[5] * 4]
    play_round(game, following)
    assert game.last_table[0].tolist() == [cards(names) for names in following]


def test_a_new_round_starts_with_an_empty_table() -> None:
    game = KododoGame(2, Rules())
    play_random(game, np.random.default_rng(5), steps=3)
    assert (game.table == -1).all()
    assert (game.turn, game.round_index) == (0, 1)


# --- the last round -------------------------------------------------------------------


@ALL_PLAYERS
def test_the_draw_pile_is_empty_exactly_at_the_end_of_a_round(num_players: int) -> None:
    game = KododoGame(1, Rules(num_players=num_players))
    play_random(game, np.random.default_rng(6), steps=3 * (game.rules.num_rounds - 1) - 1)
    assert game.draw_pile_size == num_players
    play_random(game, np.random.default_rng(7), steps=1)
    assert game.draw_pile_size == 0
    assert (game.turn, game.round_index) == (0, game.rules.num_rounds - 1)
    assert not game.terminated[0]


@ALL_PLAYERS
def test_the_last_round_is_two_of_five_then_one_of_three_then_one_of_two(num_players: int) -> None:
    game = KododoGame(1, Rules(num_players=num_players))
    play_random(game, np.random.default_rng(8), steps=3 * (game.rules.num_rounds - 1))
    for held, legal in ((5, range(5, 15)), (3, range(3)), (2, range(2))):
        assert not game.terminated[0]
        assert (game.hands[0] >= 0).sum(axis=1).tolist() == [held] * num_players
        assert (game.hands[0, :, held:] == -1).all()
        for player in range(num_players):
            assert game.legal_action_mask()[0, player].nonzero()[0].tolist() == list(legal)
        play_random(game, np.random.default_rng(9), steps=1)
        assert game.draw_pile_size == 0
    assert game.terminated[0]


def test_the_last_card_is_discarded_unscored() -> None:
    # Blue scores, and each player's last card is blue too: it counts neither as a card on
    # the table (blue would be at the limit of 5) nor as points.
    table = ["B2 B3 G2 Y2", "B2 B3 O2 V2"]
    game = start(short_rules(2, rounds=1), [table], spares="B6 B5")
    assert play_round(game, table).tolist() == [[5, 5]]
    assert game.terminated[0]
    assert (game.hands == -1).all()
    assert game.scores[0].tolist() == [5, 5]
    assert game.pile_sizes[0].tolist() == [2, 2]


# --- evaluation: the exact number of Kododo cards -------------------------------------

EXACT_KODODO_TABLES = [
    (["B1 B1 G2 Y3", "G1 V1 B2 B3"], [2, 2]),
    (["B1 B1 B1 G2", "B2 G1 Y2 Y3", "V1 O2 O3 V2"], [3, 1, 1]),
    (["B1 B1 G2 G3", "G1 G1 B2 B3", "Y1 O1 V2 B3", "O2 O3 Y2 Y3"], [2, 2, 2, 0]),
    (["B1 B1 B1 B1", "G1 G1 G2 G3", "Y1 O2 O3 V2", "V3 V4 Y2 Y3", "O4 O5 G4 B2"], [4, 2, 1, 0, 0]),
]


@pytest.mark.parametrize(("table", "won"), EXACT_KODODO_TABLES)
def test_with_exactly_p_plus_2_kododos_only_they_score_one_point_each(
    table: list[str], won: list[int]
) -> None:
    assert evaluate(table) == (won, won)


@pytest.mark.parametrize(
    "table",
    [
        ["B1 B1 G2 Y3", "G1 V2 B2 B3"],  # 3 Kododo cards, one too few
        ["B1 B1 G1 Y3", "G1 V1 B2 B3"],  # 5, one too many
        ["B1 B1 B2 G3", "G1 G1 B3 B4", "Y1 O2 V2 V3", "O3 O4 Y2 Y3"],  # 5
        ["B1 B1 B2 G1", "G1 G1 B3 B4", "Y1 O1 V2 V3", "O3 O4 Y2 Y3"],  # 7
    ],
)
def test_with_one_kododo_more_or_fewer_the_majority_colour_scores(table: list[str]) -> None:
    assert evaluate(table) == colour_scores(table, "B")


def test_in_a_majority_round_a_kododo_card_is_worth_its_one_point() -> None:
    table = ["B1 B6 G2 G3", "B1 Y2 Y3 O2"]
    assert evaluate(table) == ([7, 1], [2, 1])


# --- evaluation: the majority, the limit, ties -----------------------------------------


def test_the_colour_with_most_cards_scores_each_players_own_cards_by_value() -> None:
    table = ["G3 G4 B2 Y2", "G6 B2 Y2 O2", "B3 Y3 O3 V2", "G2 V3 O2 V4"]
    assert evaluate(table) == ([7, 6, 0, 2], [2, 1, 0, 1])


MAJORITIES: dict[str, list[tuple[str | None, list[str]]]] = {
    "a colour one below the limit scores": [
        ("B", ["BBBBGGYO", "BBBBBGGGGYYO", "BBBBBBGGGGGYYYOO", "BBBBBBBGGGGGGYYYOOOV"]),
    ],
    "a colour at the limit is out and the next one scores": [
        ("G", ["BBBBBGGY", "BBBBBBGGGGYY", "BBBBBBBGGGGGYYOO", "BBBBBBBBGGGGGGYYYOOV"]),
    ],
    "a colour over the limit is out and the next one scores": [
        ("G", ["BBBBBBGG", "BBBBBBBBGGGY", "BBBBBBBBBBGGGGYY", "BBBBBBBBBBGGGGGGYYYO"]),
    ],
    "several colours at or over the limit are all out": [
        ("Y", ["BBBBBBBGGGGGGGYY", "BBBBBBBGGGGGGGGY", "GGGGGGGGBBBBBBBY"]),
    ],
    "colours that share the highest count are out and the next lower count is tried": [
        (None, ["BBBGGGYO"]),
        ("Y", ["BBBGGGYY", "BBBBBGGGGGYY", "BBBBBBGGGGGGYYYYOOOV"]),
        ("O", ["BBBBGGGGYYYYOOOV"]),
    ],
    "ties cascade down to a colour that is alone": [
        ("V", ["BBBBBGGGGGYYYYOOOOVV"]),  # two ties, one below the other
        ("O", ["BBBBBBBBGGGGGYYYYYOO"]),  # the limit first, then a tie
        ("Y", ["BBBBBBBBGGGGGGGGYYOV"]),  # two over the limit
    ],
    "nobody scores when no colour is left": [
        (None, ["BBBBBBBB", "BBBBBBBBBBBB", "BBBBBBBBGGGGGGGG", "BBBBGGGGYYYYOOOOVVVV"]),
        (None, ["BBBBBGGGGGYYYOOO"]),
    ],
    "a count of zero never scores": [(None, ["BBBBGGGG", "BBGGYYOO", "BBBBGGGGYYYYOOOO"])],
}


@pytest.mark.parametrize("clause", MAJORITIES)
def test_the_majority(clause: str) -> None:
    for scoring, tables in MAJORITIES[clause]:
        for table in map(table_of, tables):
            expected = colour_scores(table, scoring) if scoring else nobody_scores(table)
            assert evaluate(table) == expected, table


def test_no_colour_is_told_as_minus_one() -> None:
    for colours in ("BBBBGGGG", "BBGGYYOO", "BBBBGGGGYYYYOOOO"):
        totals = np.array([[colours.count(colour)] for colour in COLOURS])
        assert scoring_colour(totals, limit=7).tolist() == [-1]


def test_the_order_of_the_colours_makes_no_difference() -> None:
    rng = np.random.default_rng(10)
    totals = rng.multinomial(16, [0.3, 0.2, 0.2, 0.2, 0.1], size=300).T
    renamed = rng.permutation(5)
    scoring = scoring_colour(totals, 7)
    renamed_scoring = scoring_colour(totals[renamed], 7)
    assert (scoring >= 0).any()
    assert (scoring < 0).any()
    assert (np.where(renamed_scoring >= 0, renamed[renamed_scoring], -1) == scoring).all()


def test_score_round_answers_for_many_games_at_once_as_for_each_alone() -> None:
    rng = np.random.default_rng(11)
    counts = rng.multinomial(4, [0.2] * 5, size=(3, 200)).transpose(0, 2, 1)
    laid = np.concatenate([counts, rng.integers(0, 4, (3, 1, 200)), counts * 3], axis=1)
    total = laid[:, :6].sum(axis=0)
    together = score_round(laid, total, 5, 6)
    for game in range(200):
        single = slice(game, game + 1)
        alone = score_round(laid[..., single], total[:, single], 5, 6)
        assert (together[0][:, single] == alone[0]).all()
        assert (together[1][:, single] == alone[1]).all()


# --- scores and the end ---------------------------------------------------------------


def test_points_and_cards_come_in_the_dtype_of_what_was_given() -> None:
    """The search counts in bytes, which are enough for a round; wider numbers stay wide."""
    counts = np.array([[[3], [0]], [[1], [0]]])
    laid = np.concatenate([counts, np.zeros((2, 1, 1), np.intp), counts * 5], axis=1)
    for dtype in (np.uint8, np.int16, np.int32):
        points, cards_won = score_round(laid.astype(dtype), np.array([[4], [0], [0]]), 4, 5)
        assert points.dtype == cards_won.dtype == dtype
        assert points.tolist() == [[15], [5]]
        assert cards_won.tolist() == [[3], [1]]


def test_points_are_scored_at_the_end_of_a_round_only_and_add_up() -> None:
    first = ["B2 B3 G2 Y2", "O2 V2 B4 G3"]
    second = ["V3 V4 B2 B3", "V2 G2 Y2 O3"]
    game = start(Rules(num_players=2), [first, second])
    for turn in TURNS[:2]:
        lay(game, [cards(names)[turn] for names in first])
        assert game.rewards.tolist() == [[0, 0]]
        assert game.scores.tolist() == [[0, 0]]
    lay(game, [cards(names)[3:] for names in first])
    assert game.rewards.tolist() == [[5, 4]]
    assert play_round(game, second).tolist() == [[7, 2]]
    assert game.scores.tolist() == [[12, 6]]
    assert game.pile_sizes.tolist() == [[4, 2]]


def finished(table: Sequence[str]) -> KododoGame:
    """Return a finished game of one round without draws."""
    game = start(short_rules(len(table), rounds=1), [table])
    play_round(game, table)
    assert game.terminated[0]
    return game


@pytest.mark.parametrize(
    ("table", "scores", "piles", "shares"),
    [
        pytest.param(
            ["B6 G2 G3 Y2", "B1 B1 B2 O2"], [6, 4], [1, 3], [1, 0],
            id="the highest total wins whatever the piles",
        ),
        pytest.param(
            ["B3 G2 Y2 O2", "B1 B2 G2 Y2"], [3, 3], [1, 2], [0, 1],
            id="among equal totals most cards in the score pile win",
        ),
        pytest.param(
            ["G6 B2 Y2 O2", "G3 G3 B2 Y2", "G1 G1 O2 V2", "B2 Y2 O2 V2"],
            [6, 6, 2, 0], [1, 2, 2, 0], [0, 1, 0, 0],
            id="the tie break is among the highest totals only",
        ),
        pytest.param(
            ["G1 G2 B2 Y2", "G1 G2 O2 V2", "G3 B2 Y2 O2", "B3 Y3 O3 V3"],
            [3, 3, 3, 0], [2, 2, 1, 0], [0.5, 0.5, 0, 0],
            id="the victory is shared if the piles are equal too",
        ),
    ],
)  # fmt: skip
def test_the_victory(
    table: list[str], scores: list[int], piles: list[int], shares: list[float]
) -> None:
    game = finished(table)
    assert game.scores.tolist() == [scores]
    assert game.pile_sizes.tolist() == [piles]
    assert game.outcome().tolist() == [shares]


@ALL_PLAYERS
def test_a_victory_without_points_is_shared_by_all(num_players: int) -> None:
    game = finished(table_of("B" * 2 * num_players + "G" * 2 * num_players))
    assert game.scores.tolist() == [[0] * num_players]
    np.testing.assert_allclose(game.outcome(), 1 / num_players)


def test_a_game_that_is_over_stays_as_it_is() -> None:
    game = finished(["B3 G2 Y2 O2", "B1 B2 G2 Y2"])
    assert game.legal_action_mask()[0].nonzero()[1].tolist() == [0, 0]
    assert not game.deciding().any()
    before = [game.scores.copy(), game.pile_sizes.copy(), game.hands.copy(), game.outcome()]
    game.step([[0, 0]])
    after = [game.scores, game.pile_sizes, game.hands, game.outcome()]
    assert all((old == new).all() for old, new in zip(before, after, strict=True))
    assert game.rewards.tolist() == [[0, 0]]
    assert game.terminated[0]
    with pytest.raises(ValueError, match="player 1, action 1 "):
        game.step([[0, 1]])


# --- the long variant -----------------------------------------------------------------

# Two players; blue, and in GREEN_9 green, has the majority; the points are in the names.
BLUE_5_4 = ["B2 B3 G2 Y2", "B4 O2 V2 G3"]
BLUE_3_6 = ["B1 B1 B1 G2", "B6 Y2 O2 V2"]
GREEN_6_3 = ["G6 B2 Y2 O2", "G1 G2 B3 V2"]
NOBODY = ["Y2 Y2 Y3 Y3", "V2 V2 V3 V3"]


def test_the_long_variant_goes_to_50_points() -> None:
    assert Rules(variant="long").target_score == 50
    with pytest.raises(ValueError, match=r"target_score.*'long'"):
        Rules(target_score=30)  # it had no effect, but made another game for policies


def test_in_the_first_deal_the_target_is_tested_at_its_end_only() -> None:
    game = start(short_rules(2, 2, variant="long", target_score=5), [BLUE_5_4, NOBODY])
    play_round(game, BLUE_5_4)
    assert game.scores.tolist() == [[5, 4]]
    assert not game.terminated[0]
    play_round(game, NOBODY)
    assert game.terminated[0]
    assert game.outcome().tolist() == [[1, 0]]


def test_a_first_deal_without_the_target_is_followed_by_another() -> None:
    rules = short_rules(2, 2, variant="long", target_score=6)
    game = start(rules, [BLUE_5_4, NOBODY], [GREEN_6_3, NOBODY])
    play_round(game, BLUE_5_4)
    play_round(game, NOBODY)
    assert not game.terminated[0]
    assert (game.turn, game.round_index, game.draw_pile_size) == (0, 0, 8)
    assert game.scores.tolist() == [[5, 4]]
    dealt = written_deck([GREEN_6_3, NOBODY], rules)
    assert game.hands[0].tolist() == [sorted(dealt[:5]), sorted(dealt[5:10])]
    assert (game.table == -1).all()
    assert not game.view(0).pieces["seen"].any()


def test_totals_accumulate_over_the_deals() -> None:
    rules = short_rules(2, 2, variant="long", target_score=100)
    game = start(rules, [BLUE_5_4, NOBODY], [GREEN_6_3, BLUE_3_6])
    for table in (BLUE_5_4, NOBODY, GREEN_6_3, BLUE_3_6):
        play_round(game, table)
    assert game.scores.tolist() == [[14, 13]]


@pytest.mark.parametrize(("target", "over"), [(11, True), (12, False)])
def test_from_the_second_deal_on_the_target_is_tested_after_every_round(
    target: int, over: bool
) -> None:
    rules = short_rules(2, 3, variant="long", target_score=target)
    game = start(rules, [BLUE_5_4, NOBODY, NOBODY[::-1]], [GREEN_6_3, NOBODY, NOBODY])
    for table in (BLUE_5_4, NOBODY, NOBODY[::-1]):
        play_round(game, table)
        assert not game.terminated[0]
    for turn in TURNS[:2]:
        lay(game, [cards(names)[turn] for names in GREEN_6_3])
        assert not game.terminated[0]
    lay(game, [cards(names)[3:] for names in GREEN_6_3])
    assert game.scores.tolist() == [[11, 7]]
    assert game.terminated[0] == over


@pytest.mark.parametrize(("target", "over"), [(6, True), (7, False)])
def test_the_target_is_reached_by_exactly_as_many_points(target: int, over: bool) -> None:
    game = start(short_rules(2, 1, variant="long", target_score=target), [BLUE_3_6])
    play_round(game, BLUE_3_6)
    assert game.scores.tolist() == [[3, 6]]
    assert game.terminated[0] == over


def test_ruling_the_last_round_is_played_in_every_deal() -> None:
    game = KododoGame(1, Rules(num_players=3, variant="long", target_score=1_000), seed=0)
    rng = np.random.default_rng(12)
    for _ in range(3):
        play_random(game, rng, steps=3 * 6)
        assert (game.round_index, game.draw_pile_size) == (6, 0)
        for held in (5, 3, 2):
            assert (game.hands[0] >= 0).sum(axis=1).tolist() == [held] * 3
            play_random(game, rng, steps=1)
        assert (game.round_index, game.draw_pile_size) == (0, 72)


def test_all_100_cards_are_shuffled_again_and_the_removal_is_repeated() -> None:
    rules = Rules(num_players=2, variant="long", target_score=1_000)
    decks = np.stack([shuffled(rules, seed) for seed in (1, 2, 3)])
    game = KododoGame(1, rules)
    game.reset(decks=decks[None])
    rng = np.random.default_rng(13)
    for deal in range(3):
        assert game.draw_pile_size == 80
        play_random(game, rng, steps=3 * 11 - 1)
        # 4 * 11 - 1 cards each have been laid, and two each are left: all but the removed.
        revealed = np.repeat(np.arange(30), game.view(0).pieces["seen"][0].ravel())
        came_up = [*revealed.tolist(), *game.hands[0, :, :2].ravel().tolist()]
        assert sorted(came_up) == sorted(decks[deal, :90].tolist())
        play_random(game, rng, steps=1)


def test_ruling_the_tie_break_counts_the_cards_won_since_the_last_shuffle() -> None:
    game = start(short_rules(2, 1, variant="long", target_score=9), [BLUE_3_6], [GREEN_6_3])
    play_round(game, BLUE_3_6)
    assert game.scores.tolist() == [[3, 6]]
    assert game.pile_sizes.tolist() == [[0, 0]]
    play_round(game, GREEN_6_3)
    assert game.terminated[0]
    assert game.scores.tolist() == [[9, 9]]
    # In both deals together it would be 4 cards against 3.
    assert game.pile_sizes.tolist() == [[1, 2]]
    assert game.outcome().tolist() == [[0, 1]]


def test_a_game_that_is_over_keeps_its_result_while_others_are_dealt_again() -> None:
    rules = short_rules(2, 1, variant="long", target_score=5)
    tied = ["B3 B2 G2 Y2", "B5 O2 V2 G3"]
    game = KododoGame(2, rules, seed=0)
    game.reset(decks=[[written_deck([first], rules)] for first in (tied, NOBODY)])
    assert play_round(game, tied, NOBODY)[0].tolist() == [5, 5]
    for _ in range(3):
        assert game.terminated.tolist() == [True, False]
        assert game.scores[0].tolist() == [5, 5]
        assert game.pile_sizes[0].tolist() == [2, 1]
        assert game.outcome()[0].tolist() == [1, 0]
        assert (game.hands[0] == -1).all()
        play_random(game, np.random.default_rng(15), steps=1)


# --- what a player knows --------------------------------------------------------------


def test_a_player_knows_his_own_hand_and_everything_revealed() -> None:
    first = BLUE_5_4
    second = GREEN_6_3
    game = start(Rules(num_players=2), [first, second], spares="V5 V6")
    play_round(game, first)
    lay(game, [cards(names)[:2] for names in second])
    revealed = Counter(c for names in first for c in cards(names))
    revealed.update(c for names in second for c in cards(names)[:2])
    for player in range(2):
        pieces = game.view(player).pieces
        held = Counter(game.hands[0, player].tolist())
        assert pieces["hand"][0].ravel().tolist() == [held[c] for c in range(30)]
        assert pieces["seen"][0].ravel().tolist() == [revealed[c] for c in range(30)]
        assert pieces["scores"][0].tolist() == [[5, 4], [4, 5]][player]
        assert pieces["pile_sizes"][0].tolist() == [[2, 1], [1, 2]][player]


def test_a_player_knows_how_many_cards_are_left() -> None:
    game = KododoGame(1, Rules(num_players=5))
    pile_size = 60
    for drawn in [2, 1, 1] * 3 + [0, 0]:
        assert game.view(3).pieces["draw_pile"].tolist() == [pile_size]
        play_random(game, np.random.default_rng(14), steps=1)
        pile_size -= 5 * drawn
    assert pile_size == 0


# --- actions in words, decks of several deals -----------------------------------------------


def test_actions_in_words() -> None:
    game = KododoGame(1)
    assert words_of(game).describe_action(3) == "lay the card in slot 3"
    assert words_of(game).describe_action(11) == "lay the cards in slots 1 and 4"


def test_a_long_game_takes_the_decks_of_a_hundred_deals_and_another_of_one() -> None:
    decks = np.stack([shuffled(Rules())] * 101)[None]
    long = KododoGame(1, Rules(variant="long"))
    standard = KododoGame(1)
    for accepted in (decks[:, 0], decks[:, :100]):
        long.reset(decks=accepted)
    with pytest.raises(ValueError, match=r"at most 100 deals.*101"):
        long.reset(decks=decks)
    with pytest.raises(ValueError, match="shape"):
        standard.reset(decks=decks[:, :2])
