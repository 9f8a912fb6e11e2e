"""The core against the slow referee, over many whole games on the same decks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from kododo_env.games.kododo import KododoGame, Rules
from tests.helpers import enough
from tests.kododo.scripted import SLOTS
from tests.referees import kododo as referee
from tests.referees.kododo import Referee

LONG_DEALS = 20
"""No long game takes so many deals."""

CASES = [(players, "standard", enough(400)) for players in (2, 3, 4, 5)] + [
    (players, "long", enough(200)) for players in (2, 3, 4, 5)
]
ACTION_OF = {slots: action for action, slots in enumerate(SLOTS)} | {(): 0}


def set_up(num_players: int, variant: str, num: int) -> tuple[KododoGame, list[Referee]]:
    """The same shuffled decks for the core and for as many referees."""
    rng = np.random.default_rng([num_players, num])
    deck = np.array(referee.full_deck())
    deals = 1 if variant == "standard" else LONG_DEALS
    decks = np.array([[rng.permutation(deck) for _ in range(deals)] for _ in range(num)])
    game = KododoGame(num, Rules(num_players=num_players, variant=variant))
    game.reset(decks=decks[:, 0] if variant == "standard" else decks)
    return game, [Referee(num_players, each.tolist(), variant) for each in decks]


def play_turn(game: KododoGame, referees: Sequence[Referee], rng: np.random.Generator) -> None:
    """Play one turn at random, the same in the core and with the referees."""
    chosen = []
    for one in referees:
        legal = [one.choices(player) for player in range(game.num_players)]
        chosen.append([choices[rng.integers(len(choices))] for choices in legal])
        one.play(chosen[-1])
    game.step([[ACTION_OF[slots] for slots in each] for each in chosen])


def filled(cards: Sequence[int], size: int) -> list[int]:
    """A row of the core's arrays: -1 where there is no card."""
    return [*cards, *[-1] * (size - len(cards))]


def by_type(cards: Sequence[int]) -> list[int]:
    count = Counter(cards)
    return [count[card] for card in range(referee.COLOURS * referee.VALUES)]


def assert_same_position(game: KododoGame, referees: Sequence[Referee]) -> None:
    """All that the core shows is what the referees have, whatever the game."""
    players = range(game.num_players)
    assert game.terminated.tolist() == [one.finished for one in referees]
    assert game.scores.tolist() == [one.scores for one in referees]
    assert game.rewards.tolist() == [one.rewards for one in referees]
    piles = [[len(pile) for pile in one.piles] for one in referees]
    assert game.pile_sizes.tolist() == piles
    hands = [[filled(one.hands[player], 5) for player in players] for one in referees]
    assert game.hands.tolist() == hands
    table = [[filled(one.table[player], 4) for player in players] for one in referees]
    assert game.table.tolist() == table
    shares = [[(player in one.winners()) / len(one.winners()) for player in players]
              for one in referees]  # fmt: skip
    np.testing.assert_allclose(game.outcome(), shares)
    for one in referees:
        if not one.finished:
            # These are the whole batch's; a game that is over waits for the others.
            assert (game.turn, game.round_index) == (one.turn, one.round_index)
            assert game.draw_pile_size == len(one.draw_pile)


def assert_same_legal_actions(game: KododoGame, referees: Sequence[Referee]) -> None:
    mask = game.legal_action_mask()
    for index, one in enumerate(referees):
        for player in range(game.num_players):
            legal = [ACTION_OF[slots] for slots in one.choices(player)]
            assert mask[index, player].nonzero()[0].tolist() == legal


def assert_same_knowledge(game: KododoGame, referees: Sequence[Referee]) -> None:
    """Every number of the observation of a running game, worked out from the referee."""
    for player in range(game.num_players):
        pieces = game.view(player).pieces
        for index, one in enumerate(referees):
            if not one.finished:
                seen = {name: numbers[index].tolist() for name, numbers in pieces.items()}
                assert seen == observation_of(one, player)


def observation_of(one: Referee, player: int) -> dict[str, object]:
    """What the observation's pieces should say, counted from what the player may know."""
    known = one.known_to(player)
    colours = range(referee.COLOURS)
    seats = [
        [[card for card in cards if referee.colour_of(card) == colour] for colour in colours]
        for cards in known.table
    ]
    totals = [sum(len(seat[colour]) for seat in seats) for colour in colours]
    kododos = [sum(map(referee.is_kododo, cards)) for cards in known.table]
    limit, number = referee.LIMIT[one.num_players], referee.KODODO_NUMBER[one.num_players]
    rounds = {2: 11, 3: 7, 4: 6, 5: 4}[one.num_players]
    return {
        "hand": in_rows(by_type(known.hand)),
        "table_cards": [[len(cards) for cards in seat] for seat in seats],
        "table_points": [[sum(map(referee.value_of, cards)) for cards in seat] for seat in seats],
        "table_kododos": kododos,
        "colour_totals": totals,
        "to_limit": [max(0, limit - total) for total in totals],
        "kododo_total": sum(kododos),
        "to_kododo_number": max(0, number - sum(kododos)),
        "scores": known.scores,
        "pile_sizes": known.pile_sizes,
        "turn": [int(turn == known.turn) for turn in range(3)],
        "rounds_left": rounds - known.round_index,
        "draw_pile": known.draw_pile,
        "later_deal": int(known.later_deal),
        "seen": in_rows(by_type(known.revealed)),
    }


def in_rows(counts: list[int]) -> list[list[int]]:
    """Counts by card type as a row for each colour."""
    return [counts[row : row + referee.VALUES] for row in range(0, len(counts), referee.VALUES)]


@pytest.mark.parametrize(("num_players", "variant", "num"), CASES)
def test_whole_games_go_as_with_the_referee(num_players: int, variant: str, num: int) -> None:
    game, referees = set_up(num_players, variant, num)
    rng = np.random.default_rng(num_players)
    assert_same_position(game, referees)
    while not game.terminated.all():
        assert_same_legal_actions(game, referees)
        play_turn(game, referees, rng)
        assert_same_position(game, referees)
    assert all(one.finished for one in referees)


@pytest.mark.parametrize(("num_players", "variant", "num"), CASES)
def test_observations_are_what_the_referee_says_a_player_knows(
    num_players: int, variant: str, num: int
) -> None:
    game, referees = set_up(num_players, variant, num // 15)
    rng = np.random.default_rng(num_players)
    while not game.terminated.all():
        assert_same_knowledge(game, referees)
        observation = game.observe()
        assert (observation <= game.layout.maxima).all()
        play_turn(game, referees, rng)


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_the_games_above_meet_every_kind_of_round_and_end(num_players: int) -> None:
    game, referees = set_up(num_players, "standard", 400)
    rng = np.random.default_rng(num_players)
    while not game.terminated.all():
        play_turn(game, referees, rng)
    met = Counter[str]()
    for one in referees:
        tied = sorted(one.scores)[-1] == sorted(one.scores)[-2]
        met["tie broken by the piles"] += tied and len(one.winners()) == 1
        met["shared victory"] += len(one.winners()) > 1
        for table in one.tables:
            laid = [card for cards in table for card in cards]
            exact = sum(map(referee.is_kododo, laid)) == referee.KODODO_NUMBER[num_players]
            most = max(Counter(map(referee.colour_of, laid)).values())
            met["Kododos"] += exact
            met["limit"] += not exact and most >= referee.LIMIT[num_players]
            met["nobody"] += referee.cards_won(table) == [[]] * num_players
    assert len(+met) == 5, met


def test_the_referees_own_tables_are_the_rulebooks() -> None:
    assert Counter(map(referee.value_of, referee.full_deck())) == {
        value: 5 * copies for value, copies in {1: 5, 2: 6, 3: 5, 4: 2, 5: 1, 6: 1}.items()
    }
    assert [referee.REMOVED_CARDS[players] for players in (2, 3, 4, 5)] == [10, 13, 0, 15]
    assert [referee.KODODO_NUMBER[players] for players in (2, 3, 4, 5)] == [4, 5, 6, 7]
    assert [referee.LIMIT[players] for players in (2, 3, 4, 5)] == [5, 6, 7, 8]
