"""Combi-Combo's core compared with the slow referee; ``test_rules`` plays the games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from kododo_env.games.combi_combo import CombiComboGame, Rules
from tests.games.referees import combi_combo as referee
from tests.games.referees import comparison
from tests.games.referees.combi_combo import Card, Numbers, Referee


def number_of(card: Card) -> int:
    """Convert a card of the referee to the core's type."""
    return 4 * card[0] + card[1] - 1


def by_type(cards: Sequence[Card], numbers: Numbers) -> list[list[int]]:
    """Count cards by type, in a row for each colour."""
    count = Counter(map(number_of, cards))
    return [[count[4 * colour + value] for value in range(4)] for colour in range(numbers.colours)]


def numbers_of(rules: Rules) -> Numbers:
    """Convert the rules for the referee."""
    undealt = rules.num_cards - rules.num_players * (rules.opening_hand + rules.num_turns)
    return Numbers(
        rules.num_colours,
        rules.copies,
        rules.opening_hand,
        rules.num_turns,
        max(0, undealt - rules.num_turns),
        rules.ones_points,
        rules.sequence_points,
        rules.twos_points,
        rules.twos_in_series,
        rules.threes_par,
        rules.fours_points,
    )


class Comparison(comparison.RefereeComparison):
    """Comparison for Combi-Combo; in every other game 4s are passed if possible."""

    def __init__(self, rules: Rules, num: int, rng: np.random.Generator) -> None:
        numbers = referee.RULEBOOK if rules == Rules(rules.num_players) else numbers_of(rules)
        deck = numbers.full_deck()
        decks = [[deck[place] for place in rng.permutation(len(deck))] for _ in range(num)]
        self.game = CombiComboGame(num, rules, seed=0)
        self.game.reset(decks=[[number_of(card) for card in cards] for cards in decks])
        self.referees = [Referee(rules.num_players, cards, numbers) for cards in decks]

    def play(self, rng: np.random.Generator) -> None:
        chosen = []
        for index, judge in enumerate(self.referees):
            cards = []
            for player in range(self.game.num_players):
                choices = judge.choices(player)
                if index % 2:
                    choices = [card for card in choices if card[1] == 4] or choices
                cards.append(choices[rng.integers(len(choices))])
            judge.play(cards)
            chosen.append([number_of(card) for card in cards])
        self.game.step(chosen)

    def assert_same_position(self) -> None:
        game = self.game
        referees = self.referees
        players = range(game.num_players)
        assert game.terminated.tolist() == [judge.finished for judge in referees]
        assert game.scores.tolist() == [judge.scores() for judge in referees]
        assert game.rewards.tolist() == game.scores.tolist()
        for name in ("hands", "passed", "received"):
            expected = [
                [by_type(getattr(judge, name)[player], judge.numbers) for player in players]
                for judge in referees
            ]
            counts = getattr(game, name)
            assert counts.reshape(*counts.shape[:2], -1, 4).tolist() == expected, name
        face_up = [by_type(judge.face_up, judge.numbers) for judge in referees]
        assert game.face_up.reshape(game.num_envs, -1, 4).tolist() == face_up
        assert {game.turn} == {judge.turn for judge in referees}
        assert {game.draw_pile_size} == {len(pile) for judge in referees for pile in judge.piles}
        winners = [referee.winners(judge.hands, judge.numbers) for judge in referees]
        shares = [[(player in won) / len(won) for player in players] for won in winners]
        np.testing.assert_allclose(game.outcome(), shares)

    def assert_same_legal_actions(self) -> None:
        mask = self.game.legal_action_mask()
        no_op = self.game.no_op
        for index, judge in enumerate(self.referees):
            for player in range(self.game.num_players):
                legal = sorted(map(number_of, judge.choices(player))) or [no_op]
                assert mask[index, player].nonzero()[0].tolist() == legal

    def running(self) -> Iterator[int]:
        return iter(range(self.game.num_envs))

    def observation_of(self, judge: Referee, player: int) -> dict[str, object]:
        hand = judge.hands[player]
        numbers = judge.numbers
        of_colour = [
            {value for colour, value in hand if colour == suit} for suit in range(numbers.colours)
        ]
        return {
            "hand": by_type(hand, numbers),
            "passed": by_type(judge.passed[player], numbers),
            "received": by_type(judge.received[player], numbers),
            **({"face_up": by_type(judge.face_up, numbers)} if judge.face_up else {}),
            "by_value": [referee.count(hand, value) for value in (1, 2, 3, 4)],
            "by_colour": [len(values) for values in of_colour],
            "fours": sum(4 in values for values in of_colour),
            "turn": [int(turn == judge.turn) for turn in range(numbers.turns)],
            "draw_pile": len(judge.piles[player]),
        }


@pytest.mark.parametrize("num_players", [4, 5])
def test_the_games_above_meet_ties_and_high_and_low_scores(num_players: int) -> None:
    comparison = Comparison(Rules(num_players), 250, np.random.default_rng(num_players))
    comparison.play_to_the_end(np.random.default_rng(num_players))
    for games, threshold in ((slice(0, None, 2), 8), (slice(1, None, 2), 10)):
        assert (comparison.game.outcome()[games] == 1 / 2).any()
        assert comparison.game.scores[games].min() < 0
        assert comparison.game.scores[games].max() > threshold
