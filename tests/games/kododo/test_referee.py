"""Kododo's core compared with the slow referee; ``test_rules`` plays the games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

from kododo_env.games.kododo import KododoGame, Rules
from tests.games.kododo.written_deals import SLOTS
from tests.games.referees import comparison
from tests.games.referees import kododo as referee
from tests.games.referees.kododo import Numbers, Referee
from tests.games.rules_strategies import SEEDS, kododo_rules
from tests.helpers import hypothesis_settings, play_random

REAL_DEALS = 20
MOST_DEALS = 131
"""No long game under the real rules takes this many deals, nor what is played under others."""


@cache
def actions_of(hand_size: int) -> dict[tuple[int, ...], int]:
    """Return the action numbers by the slots that they lay."""
    places = range(hand_size)
    slots = [choice for plays in (1, 2) for choice in combinations(places, plays)]
    assert hand_size != 5 or slots == SLOTS
    return {choice: action for action, choice in enumerate(slots)} | {(): 0}


def filled(cards: Sequence[int], size: int) -> list[int]:
    """Pad cards with -1 to a row of the core's arrays."""
    return [*cards, *[-1] * (size - len(cards))]


def by_type(cards: Sequence[int], numbers: Numbers) -> list[list[int]]:
    """Count cards by type, in a row for each colour."""
    count = Counter(cards)
    values = range(numbers.values)
    return [
        [count[colour * numbers.values + value] for value in values]
        for colour in range(numbers.colours)
    ]


def numbers_of(rules: Rules) -> Numbers:
    """Convert the rules for the referee."""
    return Numbers(
        rules.removed,
        rules.num_players + rules.kododo_offset,
        rules.num_players + rules.limit_offset,
        rules.num_colours,
        rules.copies,
        rules.hand_size,
        rules.plays,
        rules.target_score,
        rules.max_deals,
    )


class Comparison(comparison.RefereeComparison):
    """Comparison for Kododo; a long game gets decks for ``deals`` deals, by default enough."""

    def __init__(
        self, rules: Rules, num: int, rng: np.random.Generator, deals: int | None = None
    ) -> None:
        real = rules == Rules(rules.num_players, rules.variant)
        numbers = referee.rulebook(rules.num_players) if real else numbers_of(rules)
        deck = np.array(numbers.full_deck())
        long = rules.variant == "long"
        max_deals = min(rules.max_deals, REAL_DEALS if real else MOST_DEALS)
        deals = deals or max_deals if long else 1
        decks = np.array([[rng.permutation(deck) for _ in range(deals)] for _ in range(num)])
        self.game = KododoGame(num, rules, seed=0)
        self.game.reset(decks=decks if long else decks[:, 0])
        self.referees = [
            Referee(rules.num_players, cards.tolist(), rules.variant, numbers) for cards in decks
        ]
        self.action = actions_of(rules.hand_size)

    def play(self, rng: np.random.Generator) -> None:
        chosen = []
        for judge in self.referees:
            legal = [judge.choices(player) for player in range(self.game.num_players)]
            chosen.append([choices[rng.integers(len(choices))] for choices in legal])
            judge.play(chosen[-1])
        self.game.step([[self.action[slots] for slots in moves] for moves in chosen])

    def assert_same_position(self) -> None:
        game = self.game
        referees = self.referees
        players = range(game.num_players)
        assert game.terminated.tolist() == [judge.finished for judge in referees]
        assert game.scores.tolist() == [judge.scores for judge in referees]
        assert game.rewards.tolist() == [judge.rewards for judge in referees]
        piles = [[len(pile) for pile in judge.piles] for judge in referees]
        assert game.pile_sizes.tolist() == piles
        numbers = referees[0].numbers
        held = numbers.cards_in_hand
        laid = sum(numbers.cards_to_lay)
        hands = [[filled(judge.hands[player], held) for player in players] for judge in referees]
        assert game.hands.tolist() == hands
        table = [[filled(judge.table[player], laid) for player in players] for judge in referees]
        assert game.table.tolist() == table
        shares = [[(player in judge.winners()) / len(judge.winners()) for player in players]
                  for judge in referees]  # fmt: skip
        np.testing.assert_allclose(game.outcome(), shares)
        for index in self.running():
            # These are the whole batch's; a game that is over waits for the others.
            judge = referees[index]
            assert (game.turn, game.round_index) == (judge.turn, judge.round_index)
            assert game.draw_pile_size == len(judge.draw_pile)

    def assert_same_legal_actions(self) -> None:
        mask = self.game.legal_action_mask()
        for index, judge in enumerate(self.referees):
            for player in range(self.game.num_players):
                legal = [self.action[slots] for slots in judge.choices(player)]
                assert mask[index, player].nonzero()[0].tolist() == legal

    def running(self) -> Iterator[int]:
        return (index for index, judge in enumerate(self.referees) if not judge.finished)

    def observation_of(self, judge: Referee, player: int) -> dict[str, object]:
        knowledge = judge.knowledge_of(player)
        numbers = judge.numbers
        colours = range(numbers.colours)
        seats = [
            [[card for card in cards if numbers.colour_of(card) == colour] for colour in colours]
            for cards in knowledge.table
        ]
        totals = [sum(len(seat[colour]) for seat in seats) for colour in colours]
        kododos = [sum(map(numbers.is_kododo, cards)) for cards in knowledge.table]
        values = [[sum(map(numbers.value_of, cards)) for cards in seat] for seat in seats]
        return {
            "hand": by_type(knowledge.hand, numbers),
            "table_cards": [[len(cards) for cards in seat] for seat in seats],
            "table_points": values,
            "table_kododos": kododos,
            "colour_totals": totals,
            "to_limit": [max(0, numbers.limit - total) for total in totals],
            "kododo_total": sum(kododos),
            "to_kododo_number": max(0, numbers.kododo_number - sum(kododos)),
            "scores": knowledge.scores,
            "pile_sizes": knowledge.pile_sizes,
            "turn": [int(turn == knowledge.turn) for turn in range(len(numbers.cards_to_lay))],
            "rounds_left": rounds_of(judge) - knowledge.round_index,
            "draw_pile": knowledge.draw_pile,
            "later_deal": int(knowledge.later_deal),
            "seen": by_type(knowledge.revealed, numbers),
        }


def rounds_of(judge: Referee) -> int:
    """Return the number of rounds of a deal."""
    if judge.numbers == referee.rulebook(judge.num_players):
        return {2: 11, 3: 7, 4: 6, 5: 4}[judge.num_players]
    numbers = judge.numbers
    players = judge.num_players
    remaining = len(numbers.full_deck()) - numbers.removed_cards - players * numbers.cards_in_hand
    return remaining // (players * sum(numbers.cards_to_lay)) + 1


@pytest.mark.parametrize("num_players", [2, 3, 4, 5])
def test_the_games_above_meet_every_kind_of_round_and_end(num_players: int) -> None:
    comparison = Comparison(Rules(num_players), 400, np.random.default_rng(num_players))
    comparison.play_to_the_end(np.random.default_rng(num_players))
    met = Counter[str]()
    for judge in comparison.referees:
        tied = sorted(judge.scores)[-1] == sorted(judge.scores)[-2]
        met["tie broken by the piles"] += tied and len(judge.winners()) == 1
        met["shared victory"] += len(judge.winners()) > 1
        numbers = judge.numbers
        for table in judge.tables:
            laid = [card for cards in table for card in cards]
            exact = sum(map(numbers.is_kododo, laid)) == numbers.kododo_number
            largest = max(Counter(map(numbers.colour_of, laid)).values())
            met["Kododos"] += exact
            met["limit"] += not exact and largest >= numbers.limit
            met["nobody"] += referee.cards_won(table, numbers) == [[]] * num_players
    assert len(+met) == 5, met


def test_the_referees_own_tables_are_the_rulebooks() -> None:
    numbers = referee.rulebook(4)
    assert Counter(map(numbers.value_of, numbers.full_deck())) == {
        value: 5 * copies for value, copies in {1: 5, 2: 6, 3: 5, 4: 2, 5: 1, 6: 1}.items()
    }
    assert [referee.REMOVED_CARDS[players] for players in (2, 3, 4, 5)] == [10, 13, 0, 15]
    assert [referee.KODODO_NUMBER[players] for players in (2, 3, 4, 5)] == [4, 5, 6, 7]
    assert [referee.LIMIT[players] for players in (2, 3, 4, 5)] == [5, 6, 7, 8]


@hypothesis_settings(10)
@given(kododo_rules(most_target=3), SEEDS)
def test_every_game_ends_as_the_referee_ends_it(rules: Rules, seed: int) -> None:
    """Under some of these rules players rarely score."""
    rng = np.random.default_rng(seed)
    comparison = Comparison(rules, 1, rng, deals=rules.max_deals)
    while not comparison.game.terminated[0]:
        comparison.play(rng)
        assert comparison.game.scores[0].tolist() == comparison.referees[0].scores
        assert bool(comparison.game.terminated[0]) == comparison.referees[0].finished
    assert comparison.referees[0].deal < rules.max_deals


def test_a_game_in_which_nobody_can_score_ends() -> None:
    """Regression: a game of one colour, always over the limit, was dealt forever."""
    nobody = {"num_colours": 1, "copies": (0, 9), "hand_size": 1, "plays": (1,)}
    rules = Rules(2, "long", **nobody, removed_cards=1, limit_offset=0, target_score=7)  # type: ignore[arg-type]
    game = KododoGame(3, rules, seed=0)
    deals = 0
    while not game.terminated.all():
        deals += game.round_index == 0
        assert deals <= rules.max_deals
        game.step(np.zeros((3, 2), np.int64))
    assert deals == rules.max_deals == 57
    assert not game.scores.any()
    assert (game.outcome() == 1 / 2).all()
    game.fresh(3).load_state(game.state())
    beyond = game.state()
    beyond["_deals"] += 1
    with pytest.raises(ValueError, match="not a state of kododo: _"):
        game.load_state(beyond)


def test_real_long_games_are_over_long_before_the_last_deal() -> None:
    game = KododoGame(500, Rules(5, "long"), seed=0)
    play_random(game, np.random.default_rng(0))
    assert game.rules.max_deals == 100
    assert game.state()["_deals"].max() < 10
    assert (game.scores.max(axis=1) >= 50).all()
