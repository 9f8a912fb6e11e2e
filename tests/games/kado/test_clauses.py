"""One test for each clause of KADO's rules, named after it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from kododo_env.core.agent import random_legal_actions
from kododo_env.games.kado import KadoGame, Rules
from kododo_env.games.kado.scoring import open_cells, score_columns, score_rows, within_frame
from kododo_env.games.kado.state import Phase
from kododo_env.registry import picture_of, words_of
from tests.games.kado.written_deals import (
    act,
    card,
    cards,
    deal,
    deck_of,
    discard,
    give,
    guess,
    legal,
    no_challenge,
    no_op,
    pass_all,
    place,
    place_all,
    play_turn,
    start,
)
from tests.helpers import play_random

ALL_PLAYERS = pytest.mark.parametrize("num_players", [2, 3, 4])


def cards_seen_by(game: KadoGame, player: int) -> list[str]:
    """Return the names of the cards that a player of a batch of one has seen."""
    indices = np.argwhere(game.view(player).pieces["seen"][0]).tolist()
    return [f"{'SCPFH'[gift]}{'VOGBR'[ribbon]}{value + 1}" for gift, ribbon, value in indices]


def names(text: str) -> list[str]:
    """Sort card names by id."""
    return sorted(text.split(), key=card)


def dealt_game(num_players: int = 3) -> KadoGame:
    """Return a game in its second turn: player 1 has kept PR3; the others have SV1, CB5, HO2."""
    first = " ".join(["SO1", "SO2", "SO4", "SG2"][:num_players])
    game = start(f"{first} PR3 SV1 CB5 HO2", Rules(num_players=num_players))
    recipients = [0, 1, 2][: num_players - 1 + (num_players == 2)]
    play_turn(game, recipients, (0, 0))
    deal(game, recipients)
    return game


# --- the cards and the turns ------------------------------------------------------------


def test_the_rulebooks_numbers_stand_in_for_none() -> None:
    assert Rules() == Rules(num_players=3, discards=0)
    assert Rules(num_players=2) == Rules(num_players=2, discards=1)


def test_the_deck_has_65_cards_as_even_as_can_be() -> None:
    deck = Rules().cards.tolist()
    assert len(deck) == len(set(deck)) == 65
    kinds = [divmod(number // 5, 5) for number in deck]
    values = [number % 5 + 1 for number in deck]
    thirteen = Counter({1: 3, 2: 3, 3: 3, 4: 2, 5: 2})
    for kind in range(5):
        of_gift = [v for (gift, _), v in zip(kinds, values, strict=True) if gift == kind]
        of_ribbon = [v for (_, ribbon), v in zip(kinds, values, strict=True) if ribbon == kind]
        assert Counter(of_gift) == Counter(of_ribbon) == thirteen


@pytest.mark.parametrize(
    ("distance", "values"), [(0, "135"), (1, "124"), (2, "235"), (3, "14"), (4, "23")]
)
def test_values_of_a_gift_and_a_ribbon_by_their_distance(distance: int, values: str) -> None:
    deck = set(Rules().cards.tolist())
    for gift in range(5):
        kind = "SCPFH"[gift] + "VOGBR"[(gift + distance) % 5]
        assert {v for v in "12345" if card(kind + v) in deck} == set(values)


@ALL_PLAYERS
def test_a_game_has_twelve_turns_and_the_dealer_moves_clockwise(num_players: int) -> None:
    game = KadoGame(1, Rules(num_players=num_players), seed=1)
    dealers = []
    while not game.terminated[0]:
        if len(dealers) == game.turn:
            dealers.append(game.dealer)
        play_random(game, np.random.default_rng(game.turn), steps=1)
    assert dealers == [turn % num_players for turn in range(12)]


# --- 1 dealing --------------------------------------------------------------------------


@ALL_PLAYERS
def test_the_dealer_looks_at_the_top_card_alone(num_players: int) -> None:
    game = start("PR3 SV1 CB5", Rules(num_players=num_players))
    assert cards_seen_by(game, 0) == ["PR3"]
    pieces = game.view(0).pieces
    assert pieces["offered_gift"][0].tolist() == [0, 0, 1, 0, 0]
    assert pieces["offered_ribbon"][0].tolist() == [0, 0, 0, 0, 1]
    assert pieces["offered_value"][0] == 3
    for opponent in range(1, num_players):
        assert cards_seen_by(game, opponent) == []
        assert not game.view(opponent).pieces["offered_value"].any()


@ALL_PLAYERS
def test_he_gives_it_to_any_player_who_has_none_himself_included(num_players: int) -> None:
    game = start("PR3 SV1 CB5", Rules(num_players=num_players))
    recipients = [give(steps) for steps in range(num_players)]
    duel = [discard(2)] if num_players == 2 else []
    assert legal(game, 0) == recipients + duel
    act(game, p0=give(1))
    assert legal(game, 0) == [give(0), *recipients[2:], *duel]
    assert game.held[0, 1] == card("PR3")
    for opponent in range(1, num_players):
        assert legal(game, opponent) == [no_op(num_players)]


def test_recipients_are_counted_from_the_dealer() -> None:
    game = start("PR3 SV1 CB5 FV2 HO2 CG1", Rules(num_players=3))
    play_turn(game, [0, 1], (0, 0))
    assert game.dealer == 1
    act(game, p1=give(2))
    assert game.held[0].tolist() == [card("FV2"), -1, -1]


@ALL_PLAYERS
def test_the_cards_lie_face_down_and_only_the_dealer_knows_them(num_players: int) -> None:
    game = start("PR3 SV1 CB5 HO2", Rules(num_players=num_players))
    deal(game, [1, 0, 2][: num_players - 1])
    if num_players == 2:
        act(game, p0=give(0))
    dealt = game.held[0].tolist()
    assert game.held_as_seen_by(0)[0].tolist() == dealt
    for opponent in range(1, num_players):
        assert (game.held_as_seen_by(opponent) == -1).all()
        assert cards_seen_by(game, opponent) == []


@ALL_PLAYERS
def test_the_last_card_goes_by_itself_to_whoever_has_none(num_players: int) -> None:
    game = start("PR3 SV1 CB5 HO2", Rules(num_players=num_players))
    if num_players == 2:
        act(game, p0=discard(2))
    deal(game, range(1, num_players))
    held = {2: "CB5 SV1", 3: "CB5 PR3 SV1", 4: "HO2 PR3 SV1 CB5"}[num_players]
    assert game.held[0].tolist() == cards(held)
    assert game.phase == 1
    assert held.split()[0] in cards_seen_by(game, 0)


# --- the duel ---------------------------------------------------------------------------


def test_duel_the_rulebooks_example() -> None:
    # Albertine gives the first card to her opponent, sets the second aside, keeps the third.
    game = start("PR3 SV1 CB5", Rules(num_players=2))
    act(game, p0=give(1))
    act(game, p0=discard(2))
    assert game.held[0].tolist() == cards("CB5 PR3")
    assert game.phase == 1
    assert game.draw_pile_sizes[0] == 62


def test_duel_one_card_a_turn_may_be_put_aside() -> None:
    game = start("PR3 SV1 CB5", Rules(num_players=2))
    act(game, p0=discard(2))
    assert legal(game, 0) == [give(0), give(1)]
    assert game.put_aside[0]
    act(game, p0=give(0))
    pass_all(game)
    assert not game.put_aside[0]
    assert legal(game, 1) == [give(0), give(1), discard(2)]


def test_duel_without_putting_a_card_aside_two_cards_are_dealt() -> None:
    game = start("PR3 SV1 CB5", Rules(num_players=2))
    act(game, p0=give(0))
    assert legal(game, 0) == [give(1), discard(2)]
    act(game, p0=give(1))
    assert game.held[0].tolist() == cards("PR3 SV1")
    assert cards_seen_by(game, 0) == names("PR3 SV1")


def test_duel_cards_put_aside_stay_face_down_to_the_end() -> None:
    game = start("PR3 SV1 CB5", Rules(num_players=2))
    act(game, p0=discard(2))
    play_random(game, np.random.default_rng(1))
    assert "PR3" in cards_seen_by(game, 0)
    assert "PR3" not in cards_seen_by(game, 1)


@pytest.mark.parametrize("num_players", [3, 4])
def test_with_more_players_no_card_is_put_aside(num_players: int) -> None:
    game = KadoGame(5, Rules(num_players=num_players), seed=1)
    while not game.terminated.all():
        assert not game.legal_action_mask()[:, :, discard(num_players)].any()
        play_random(game, np.random.default_rng(1), steps=1)


# --- 2 challenge ------------------------------------------------------------------------


@ALL_PLAYERS
def test_challenges_go_clockwise_from_the_dealers_left(num_players: int) -> None:
    game = KadoGame(1, Rules(num_players=num_players), seed=1)
    for turn in range(3):
        play_random(game, np.random.default_rng(1), num_players - 1 + (num_players == 2))
        for step in range(1, num_players):
            challenger = (turn + step) % num_players
            assert game.challenger == challenger
            assert game.deciding()[0].tolist() == [
                seat == challenger for seat in range(num_players)
            ]
            act(game, **{f"p{challenger}": no_challenge(num_players)})
        if turn:
            place_all(game, [0, 1][turn - 1], [1, 0][turn - 1])


@ALL_PLAYERS
def test_a_challenger_passes_or_names_a_gift_and_a_ribbon(num_players: int) -> None:
    game = dealt_game(num_players)
    every = {guess(num_players, gift + ribbon) for gift in "SCPFH" for ribbon in "VOGBR"}
    assert set(legal(game, 2 % num_players)) == every | {no_challenge(num_players)}


def test_a_wrong_guess_costs_nothing_and_is_public() -> None:
    game = dealt_game()
    act(game, p2=guess(3, "SV"))
    assert not game.rewards.any()
    assert not game.swapped[0]
    for player in range(3):
        pieces = game.view(player).pieces
        assert pieces["not_gift"][0].tolist() == [1, 0, 0, 0, 0]
        assert pieces["not_ribbon"][0].tolist() == [1, 0, 0, 0, 0]
    assert game.held[0].tolist() == cards("CB5 PR3 SV1")
    assert game.deciding()[0].tolist() == [True, False, False]


def test_wrong_guesses_of_a_turn_add_up_and_end_with_it() -> None:
    game = dealt_game()
    act(game, p2=guess(3, "SV"))
    act(game, p0=guess(3, "FB"))
    assert game.ruled_out_gifts[0].tolist() == [True, False, False, True, False]
    assert game.ruled_out_ribbons[0].tolist() == [True, False, False, True, False]
    place_all(game, 0, 1)
    assert not game.ruled_out_gifts.any()
    assert not game.ruled_out_ribbons.any()


def test_what_the_card_is_not_is_told_until_it_is_swapped() -> None:
    """Regression: the crossed gifts and ribbons stayed, beside a card that all had seen."""
    game = dealt_game(4)
    act(game, p2=guess(4, "SV"))
    assert "the dealer's card is not: socks, violet ribbon" in picture_of(game).text()
    act(game, p3=guess(4, "PV"))
    assert "the dealer's card is not" not in picture_of(game).text()


def test_passing_tells_nothing() -> None:
    game = dealt_game()
    act(game, p2=no_challenge(3))
    assert not game.ruled_out_gifts.any()
    assert not game.ruled_out_ribbons.any()


@pytest.mark.parametrize("kind", ["PV", "SR"])
def test_if_gift_or_ribbon_is_right_the_two_swap_their_cards(kind: str) -> None:
    game = dealt_game(4)
    act(game, p2=guess(4, kind))
    assert game.held[0].tolist() == cards("HO2 SV1 PR3 CB5")
    assert game.swapped[0]
    assert not game.perfects.any()
    assert not game.ruled_out_gifts.any()


def test_if_neither_is_right_nobody_swaps() -> None:
    game = dealt_game(4)
    act(game, p2=guess(4, "SV"))
    assert game.held[0].tolist() == cards("HO2 PR3 SV1 CB5")
    assert not game.swapped[0]


def test_a_swap_shows_both_cards_to_everybody_and_no_other() -> None:
    game = dealt_game(4)
    act(game, p2=no_challenge(4))
    act(game, p3=guess(4, "PV"))
    assert game.phase == 2
    assert game.held[0].tolist() == cards("HO2 CB5 SV1 PR3")
    # In the phase of placing all players also see their own card; the dealer has seen all.
    assert game.held_as_seen_by(0)[0].tolist() == [*cards("HO2 CB5"), -1, card("PR3")]
    assert game.held_as_seen_by(1)[0].tolist() == cards("HO2 CB5 SV1 PR3")
    assert game.held_as_seen_by(2)[0].tolist() == [-1, *cards("CB5 SV1 PR3")]
    assert game.held_as_seen_by(3)[0].tolist() == [-1, card("CB5"), -1, card("PR3")]


def test_a_won_challenge_ends_the_challenges_of_the_turn() -> None:
    game = dealt_game(4)
    act(game, p2=guess(4, "PV"))
    # Players 3 and 0 would have been asked.
    assert game.phase == 2


def test_in_a_batch_a_game_whose_challenges_have_ended_waits_for_the_others() -> None:
    game = KadoGame(2, Rules(num_players=3))
    game.reset(decks=[deck_of("PR3 SV1 CB5", Rules())] * 2)
    for recipient in (0, 1):
        game.step([[recipient, game.no_op, game.no_op]] * 2)
    pass_ = no_challenge(3)
    right = guess(3, "PR")
    game.step([[game.no_op, right, game.no_op], [game.no_op, pass_, game.no_op]])
    assert game.deciding().tolist() == [[False] * 3, [False, False, True]]
    assert game.legal_action_mask()[0, :, game.no_op].all()


def test_the_rulebooks_example_of_a_challenge() -> None:
    # One player guesses wrong; then the next is right in part and swaps with the dealer.
    game = dealt_game()
    act(game, p2=guess(3, "SG"))
    act(game, p0=guess(3, "FR"))
    assert game.held[0].tolist() == cards("PR3 CB5 SV1")


def test_a_perfect_wins_the_top_card_unseen_and_two_points() -> None:
    game = start("SO1 SO2 SO4 PR3 SV1 CB5 FV3", Rules(num_players=3))
    play_turn(game, [0, 1], (0, 0))
    deal(game, [0, 1])
    before = game.scores[0].tolist()
    act(game, p2=guess(3, "PR"))
    assert game.perfects[0].tolist() == [0, 0, 1]
    assert game.rewards[0].tolist() == [0, 0, 2]
    assert game.scores[0].tolist() == [before[0], before[1], before[2] + 2]
    assert game.draw_pile_sizes[0] == 65 - 6 - 1
    play_random(game, np.random.default_rng(1))
    assert all("FV3" not in cards_seen_by(game, player) for player in range(3))


def test_a_guess_right_in_part_wins_no_card() -> None:
    game = dealt_game()
    act(game, p2=guess(3, "PB"))
    assert game.swapped[0]
    assert not game.perfects.any()
    assert game.draw_pile_sizes[0] == 65 - 6


def test_a_perfect_scores_its_points_even_when_the_pile_has_run_out() -> None:
    # Ruling. Two turns of three players, and in each somebody is perfect: the pile has a
    # card for the first perfect, and none for the second.
    rules = Rules(num_players=3, deck=(((1, 2), (1,)), ((1, 2), (1, 3))), num_rows=1, num_columns=2)
    assert rules.num_cards == rules.cards_needed == 7
    game = KadoGame(1, rules, seed=3)
    for turn in range(2):
        deal(game, [0, 1])
        dealer_card = int(game.held[0, game.dealer])
        gift, ribbon, _ = rules.parts(dealer_card)
        action = game.moves.guess + gift * rules.num_ribbons + ribbon
        act(game, **{f"p{game.challenger}": action})
        assert game.perfects.sum() == turn + 1
        assert game.draw_pile_sizes[0] == [3, 0][turn]
    game.step([[int(np.flatnonzero(row)[0]) for row in game.legal_action_mask()[0]]])
    assert game.terminated[0]
    assert game.scores.sum() >= 2 * rules.perfect_points


@ALL_PLAYERS
def test_the_pile_of_the_default_deck_cannot_run_out(num_players: int) -> None:
    rules = Rules(num_players=num_players)
    # Each turn at most the dealt cards, one put aside in the duel, and one perfect.
    max_cards = 12 * (num_players + (num_players == 2) + 1)
    assert max_cards <= 65 == rules.num_cards


# --- 3 placing --------------------------------------------------------------------------


@ALL_PLAYERS
def test_the_first_card_goes_to_the_middle_of_the_board_by_itself(num_players: int) -> None:
    game = KadoGame(1, Rules(num_players=num_players), seed=1)
    cells = game.open_cells[0].copy()
    assert cells[:, 2, 3].all()
    assert cells.sum() == num_players
    play_turn(game, [0, 1, 2][: num_players - 1 + (num_players == 2)], (0, 0))
    assert game.turn == 1
    assert (game.tableaus[0, :, 2, 3] >= 0).all()


def test_nobody_but_the_dealer_sees_a_card_before_the_placing() -> None:
    game = start("PR3 SV1 CB5 HO2 FV2 CG1", Rules(num_players=3))
    play_turn(game, [0, 1], (0, 0))
    deal(game, [0, 1])
    first = names("PR3 SV1 CB5")
    assert cards_seen_by(game, 0) == first
    assert cards_seen_by(game, 2) == first
    pass_all(game)
    assert game.phase == 2
    assert cards_seen_by(game, 0) == names("PR3 SV1 CB5 CG1")
    assert cards_seen_by(game, 1) == names("PR3 SV1 CB5 HO2 FV2 CG1")
    assert cards_seen_by(game, 2) == names("PR3 SV1 CB5 FV2")


@ALL_PLAYERS
def test_all_place_at_once(num_players: int) -> None:
    game = KadoGame(1, Rules(num_players=num_players), seed=1)
    recipients = [0, 1, 2][: num_players - 1 + (num_players == 2)]
    play_turn(game, recipients, (0, 0))
    deal(game, recipients)
    pass_all(game)
    assert game.deciding().all()
    before = game.held[0].tolist()
    place_all(game, 0, 1)
    assert game.tableaus[0, :, 2, 4].tolist() == before


def filled(*cells: tuple[int, int]) -> np.ndarray:
    """Return a tableau with cards in these cells, relative to the first card."""
    board = np.zeros((1, 5, 7, 1), np.bool_)
    for row, column in cells:
        board[0, row + 2, column + 3, 0] = True
    return board


def cells_open(*cells: tuple[int, int]) -> set[tuple[int, int]]:
    return {
        (int(row) - 2, int(column) - 3)
        for row, column in np.argwhere(open_cells(filled(*cells))[0, :, :, 0])
    }


NEXT_CARDS = {
    "orthogonally next to a card": ([(0, 0)], {(-1, 0), (1, 0), (0, -1), (0, 1)}),
    "next to any of the cards": (
        [(0, 0), (0, 1)], {(0, -1), (0, 2), (-1, 0), (-1, 1), (1, 0), (1, 1)},
    ),
    "within three rows": (
        [(0, 0), (-1, 0), (-2, 0)], {(row, side) for row in (0, -1, -2) for side in (-1, 1)},
    ),
    "within four columns": (
        [(0, 0), (0, 1), (0, 2), (0, 3)], {(s, column) for column in range(4) for s in (-1, 1)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("clause", NEXT_CARDS)
def test_later_cards_go(clause: str) -> None:
    cards_there, free = NEXT_CARDS[clause]
    assert cells_open(*cards_there) == free


def test_which_rows_and_columns_these_are_is_settled_as_cards_go_down() -> None:
    game = KadoGame(1, Rules(num_players=3), seed=1)
    reach = []
    for cell in [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (2, 0)]:
        play_turn(game, [0, 1], cell)
        reach.append((game.open_cells[0, 0].any(axis=1).tolist(), game.open_cells[0, 0].sum()))
    assert reach[0][0] == [False, True, True, True, False]
    assert reach[3][0] == [False, True, False, True, False]  # the row is full
    assert reach[4][0] == [False, True, False, True, True]  # up or down, not both
    assert reach[5][0] == [False, False, False, True, True]  # the frame is settled
    rows, columns = np.nonzero(game.tableaus[0, 0] >= 0)
    assert sorted(zip(rows.tolist(), columns.tolist(), strict=True)) == [
        (2, 3), (2, 4), (2, 5), (2, 6), (3, 3), (4, 3),
    ]  # fmt: skip


def grown(rng: np.random.Generator, size: int) -> np.ndarray:
    """Adjacent cards from the middle of the board on, in any direction."""
    filled = np.zeros((5, 7), np.bool_)
    filled[2, 3] = True
    while filled.sum() < size:
        row = rng.integers(5)
        column = rng.integers(7)
        near = filled[max(0, row - 1) : row + 2, column].any()
        filled[row, column] |= near or filled[row, max(0, column - 1) : column + 2].any()
    return filled


def test_a_frame_holds_a_tableau_if_one_of_three_rows_and_four_columns_does() -> None:
    rng = np.random.default_rng(0)
    tableaus = np.array([[grown(rng, 1 + index % 7) for index in range(200)] for _ in range(2)])
    held = within_frame(tableaus.transpose(0, 2, 3, 1))
    frames = [(slice(row, row + 3), slice(column, column + 4)) for row in range(3)
              for column in range(4)]  # fmt: skip
    for player in range(2):
        for index, filled in enumerate(tableaus[player]):
            fits = any(filled[frame].sum() == filled.sum() for frame in frames)
            assert held[player, index] == fits
            if fits:
                cells = open_cells(filled[None, :, :, None])[0, :, :, 0]
                for row, column in np.argwhere(cells):
                    extended = filled.copy()
                    extended[row, column] = True
                    assert any(extended[frame].sum() == extended.sum() for frame in frames)
    assert 0.1 < held.mean() < 0.9
    assert held.any(axis=1).all()


def test_placed_cards_never_move() -> None:
    game = KadoGame(20, Rules(num_players=3), seed=1)
    rng = np.random.default_rng(1)
    while not game.terminated.all():
        before = game.tableaus.copy()
        play_random(game, rng, steps=1)
        occupied = before >= 0
        assert (game.tableaus[occupied] == before[occupied]).all()


@ALL_PLAYERS
def test_the_last_card_goes_to_the_last_cell_by_itself(num_players: int) -> None:
    game = KadoGame(9, Rules(num_players=num_players), seed=1)
    rng = np.random.default_rng(1)
    last = -1
    while not game.terminated.all():
        last = game.phase
        play_random(game, rng, steps=1)
    assert last == 1  # after the last challenge nothing is left to decide
    placed = game.tableaus >= 0
    assert (placed.sum(axis=(2, 3)) == 12).all()
    assert (placed.any(axis=3).sum(axis=2) == 3).all()
    assert (placed.any(axis=2).sum(axis=2) == 4).all()
    assert not game.open_cells.any()


# --- the score --------------------------------------------------------------------------


def tableau_score(rows: list[str]) -> tuple[int, int]:
    """Return the points of rows and columns of a tableau; "-" is an empty cell."""
    points = np.zeros((1, 5, 5, 1), np.uint8)
    ribbons = np.zeros((1, 7, 5, 1), np.uint8)
    best = np.zeros((1, 7, 1), np.uint8)
    for row, line in enumerate(rows):
        for column, name in enumerate(line.split()):
            if name != "-":
                points[0, row, "SCPFH".index(name[0])] += int(name[2])
                ribbons[0, column, "VOGBR".index(name[1])] += 1
                best[0, column] = max(best[0, column], int(name[2]))
    return int(score_rows(points)[0, 0]), int(score_columns(ribbons, best, 3)[0, 0])


SCORES = {
    "a row scores the best sum of values of one gift": (["SV1 CO3 SB4 PR2"], 5, 0),
    "the best gift of a row is not always the most frequent": (["SV1 SO1 SO2 HO5"], 5, 0),
    "each row has a gift of its own": (
        ["SV1 SO1 - -", "CB2 CO5 - -", "PV1 - - PR5"], 2 + 7 + 6, 0,
    ),
    "a column of one ribbon scores its highest value": (
        ["SV3 - - -", "FV5 - - -", "HV1 - - -"], 3 + 5 + 1, 5,
    ),
    "a column of two ribbons scores nothing": (
        ["SV3 - - -", "FV5 - - -", "HO2 - - -"], 3 + 5 + 2, 0,
    ),
    "a column scores only when it is full": (["SV3 - - -", "FV5 - - -"], 3 + 5, 0),
    "several columns score each for itself": (
        ["SV3 PR2 SO1 -", "FV5 CR1 FO1 -", "HV1 HR3 PG1 -"], 4 + 6 + 4, 5 + 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("clause", SCORES)
def test_the_score(clause: str) -> None:
    rows, of_rows, of_columns = SCORES[clause]
    assert tableau_score(rows) == (of_rows, of_columns)


def test_points_of_many_tableaus_at_once_are_those_of_each_alone_in_int16() -> None:
    """With other decks the sums exceed a byte, so they must not be computed in their own dtype."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, 200, (3, 5, 5, 4)).astype(np.uint8)
    rows = score_rows(points)
    assert (rows.shape, rows.dtype) == ((3, 4), np.dtype(np.int16))
    ribbons = rng.integers(0, 4, (3, 7, 5, 4)).astype(np.uint8)
    best = rng.integers(0, 200, (3, 7, 4)).astype(np.uint8)
    columns = score_columns(ribbons, best, 3)
    assert (columns.shape, columns.dtype) == ((3, 4), np.dtype(np.int16))
    for player in range(3):
        for game in range(4):
            of_rows = sum(max(map(int, row)) for row in points[player, :, :, game])
            assert rows[player, game] == of_rows
            full = (ribbons[player, :, :, game] == 3).any(axis=1)
            assert columns[player, game] == int(best[player, full, game].astype(int).sum())


def test_the_score_of_a_whole_game_is_rows_columns_and_perfects() -> None:
    # Player 0 builds the columns from SV1 SV3 SV5, PB1 PB2 PB4, CR1 CR4 SR3 and FO1 FO4 SO2.
    own_cards = ["SV1", "SV3", "SV5", "PB1", "PB2", "PB4", "CR1", "CR4", "SR3", "FO1", "FO4", "SO2"]
    spares = [name for name in (f"{g}{r}{v}" for g in "SCPFH" for r in "VOGBR" for v in "12345")
            if card(name) in Rules().cards.tolist() and name not in own_cards]  # fmt: skip
    order = []
    for turn, name in enumerate(own_cards):
        order += [name, spares[2 * turn], spares[2 * turn + 1]]
    game = start(" ".join(order), Rules(num_players=3))
    cells = [(row, column) for column in range(4) for row in range(3)]
    for turn, cell in enumerate(cells):
        to_player_0 = -turn % 3
        opponents = [seat for seat in range(3) if seat != to_player_0]
        play_turn(game, [to_player_0, opponents[0]], cell)
    rows = max(1, 1, 1, 1) + max(3, 2, 4, 4) + max(5 + 3 + 2, 4)
    assert game.tableaus[0, 0, 2:, 3:].ravel().tolist() == cards(
        "SV1 PB1 CR1 FO1 SV3 PB2 CR4 FO4 SV5 PB4 SR3 SO2"
    )
    assert game.scores[0, 0] == rows + 5 + 4 + 4 + 4
    assert game.terminated[0]


def test_the_highest_total_wins_and_ties_share() -> None:
    game = KadoGame(400, Rules(num_players=3), seed=1)
    play_random(game, np.random.default_rng(1))
    best = game.scores == game.scores.max(axis=1, keepdims=True)
    assert (game.outcome() == best / best.sum(axis=1, keepdims=True)).all()
    assert set(best.sum(axis=1).tolist()) >= {1, 2}


# --- actions in words -------------------------------------------------------------------


def test_no_news_of_a_player_who_is_not_asked_any_more() -> None:
    """Regression: in a batch with wrong guesses in other games, they counted as wrong too."""
    game = KadoGame(32, Rules(num_players=3), seed=1)
    rng = np.random.default_rng(0)
    quiet = 0
    while not game.terminated.all():
        before = game.clone()
        actions = random_legal_actions(game.legal_action_mask(), rng)
        game.step(actions)
        if before.phase == Phase.CHALLENGE:
            for index in np.flatnonzero(actions[:, before.challenger] == game.no_op).tolist():
                events = words_of(game).events(before, actions[index], index=index)
                quiet += 1
                assert not [event for event in events if "guesses" in event["key"]]
    assert quiet > 0


def test_actions_in_words() -> None:
    game = KadoGame(1, Rules(num_players=3), seed=1)
    assert words_of(game).describe_action(give(0)) == "keep the card"
    assert words_of(game).describe_action(give(2)) == "give the card to the player 2 to the left"
    assert words_of(game).describe_action(discard(3)) == "put the card aside"
    assert words_of(game).describe_action(no_challenge(3)) == "pass"
    assert words_of(game).describe_action(guess(3, "PR")) == "guess plush and red ribbon"
    assert words_of(game).describe_action(guess(3, "SV")) == "guess socks and violet ribbon"
    first = game.moves.place
    assert words_of(game).describe_action(first - 1) == "guess chocolates and red ribbon"
    assert words_of(game).describe_action(first) == "place the card in row 0, column 0 of the board"
    assert (
        words_of(game).describe_action(place(3, -1, 1))
        == "place the card in row 1, column 4 of the board"
    )
    assert words_of(game).describe_action(no_op(3)) == "nothing to decide"
    assert game.num_actions == no_op(3) + 1
