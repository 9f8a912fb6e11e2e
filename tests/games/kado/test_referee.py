"""KADO's core compared with the slow referee; ``test_rules`` plays the games."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest

from kododo_env.games.kado import KadoGame, Rules
from tests.games.kado import written_deals
from tests.games.referees import comparison
from tests.games.referees import kado as referee
from tests.games.referees.kado import Card, Move, Numbers, Referee

AT_THE_END = ("row_points", "column_best", "own_gifts", "own_ribbons", "scores", "seen")


def card_id(card: Card | None, numbers: Numbers = referee.RULEBOOK) -> int:
    if card is None:
        return -1
    return (card[0] * numbers.ribbons + card[1]) * highest(numbers) + card[2] - 1


@cache
def highest(numbers: Numbers) -> int:
    """The highest value of a card."""
    return max(value for ribbons in numbers.deck for cell in ribbons for value in cell)


@cache
def action_of(move: Move, num_players: int, rules: Numbers = referee.RULEBOOK) -> int:
    """Compute the number of an action from first principles."""
    name, *numbers = move
    if name == "give":
        return written_deals.give(numbers[0])
    if name == "discard":
        return written_deals.discard(num_players)
    if name == "pass":
        return written_deals.no_challenge(num_players)
    if name == "guess":
        return num_players + 2 + rules.ribbons * numbers[0] + numbers[1]
    row = numbers[0] + rules.rows - 1
    column = numbers[1] + rules.columns - 1
    first = num_players + 2 + rules.gifts * rules.ribbons
    action = first + row * (2 * rules.columns - 1) + column
    assert rules != referee.RULEBOOK or action == written_deals.place(num_players, *numbers)
    return action


def choose(judge: Referee, rng: np.random.Generator) -> dict[int, Move]:
    """Random choices in which half of the guesses are partly right."""
    moves = {}
    for player, options in judge.choices.items():
        moves[player] = options[rng.integers(len(options))]
        if judge.turn.phase == 1 and rng.random() < 0.4:
            gift, ribbon, *_ = judge.turn.before[judge.turn.dealer]
            near = [("guess", gift, ribbon), ("guess", gift, 0), ("guess", 0, ribbon)]
            moves[player] = near[rng.integers(3)]
    return moves


def one_hot(index: int | None, size: int) -> list[int]:
    return [int(place == index) for place in range(size)]


def card_piece(card: Card | None, numbers: Numbers) -> tuple[list[int], list[int], int]:
    gift, ribbon, value, _ = (None, None, 0, 0) if card is None else card
    return one_hot(gift, numbers.gifts), one_hot(ribbon, numbers.ribbons), value


def tableau_pieces(tableau: referee.Tableau, numbers: Numbers) -> dict[str, object]:
    """The pieces of one tableau, from its board."""
    down = numbers.rows - 1
    right = numbers.columns - 1
    all_rows = range(2 * down + 1)
    all_columns = range(2 * right + 1)
    gifts = range(numbers.gifts)
    ribbons = range(numbers.ribbons)
    board = {(row + down, column + right): card for (row, column), card in tableau.items()}
    free = {(row + down, column + right) for row, column in numbers.places_for_a_card(tableau)}
    rows = [[card for cell, card in board.items() if cell[0] == row] for row in all_rows]
    columns = [
        [card for cell, card in board.items() if cell[1] == number] for number in all_columns
    ]
    if len(board) == numbers.turns:
        free = set()
    return {
        "row_points": [[sum(c[2] for c in row if c[0] == gift) for gift in gifts] for row in rows],
        "column_ribbons": [[sum(c[1] == r for c in column) for r in ribbons] for column in columns],
        "column_best": [max((card[2] for card in column), default=0) for column in columns],
        "filled": [[int((row, column) in board) for column in all_columns] for row in all_rows],
        "open": [[int((row, column) in free) for column in all_columns] for row in all_rows],
    }


class Comparison(comparison.RefereeComparison):
    """Comparison for KADO, at decisions only, since games wait for others of the batch."""

    def __init__(self, rules: Rules, num: int, rng: np.random.Generator) -> None:
        numbers = Numbers(
            rules.deck,
            rules.num_rows,
            rules.num_columns,
            rules.perfect_points,
            bool(rules.max_discards),
        )
        if rules == Rules(rules.num_players):
            numbers = referee.RULEBOOK
        deck = numbers.full_deck()
        decks = [[deck[index] for index in rng.permutation(len(deck))] for _ in range(num)]
        self.game = KadoGame(num, rules, seed=0)
        self.game.reset(decks=[[card_id(card, numbers) for card in cards] for cards in decks])
        self.referees = [Referee(rules.num_players, cards, numbers) for cards in decks]
        self.before = self.game.scores.copy()

    def play(self, rng: np.random.Generator) -> None:
        game = self.game
        self.before = self.game.scores.copy()
        actions = np.full((game.num_envs, game.num_players), game.no_op)
        for index in self.running():
            judge = self.referees[index]
            moves = choose(judge, rng)
            for player, move in moves.items():
                actions[index, player] = action_of(move, game.num_players, judge.numbers)
            judge.play(moves)
        game.step(actions)

    def assert_same_legal_actions(self) -> None:
        game = self.game
        mask = np.zeros((game.num_envs, game.num_players, game.num_actions), np.bool_)
        mask[:, :, game.no_op] = True
        for index in self.running():
            judge = self.referees[index]
            for player, options in judge.choices.items():
                mask[index, player, game.no_op] = False
                legal = [action_of(move, game.num_players, judge.numbers) for move in options]
                mask[index, player, legal] = True
        assert (game.legal_action_mask() == mask).all()

    def running(self) -> Iterator[int]:
        indices: list[int] = np.flatnonzero(self.game.deciding().any(axis=1)).tolist()
        return iter(indices)

    def assert_same_position(self) -> None:
        game = self.game
        assert (game.rewards == game.scores - self.before).all()
        names = ("offered", "held", "put_aside", "swapped", "draw_pile_sizes")
        attributes = {name: getattr(game, name).tolist() for name in names}
        as_seen = [game.held_as_seen_by(player).tolist() for player in range(game.num_players)]
        for index in self.running():
            judge = self.referees[index]
            turn = self.referees[index].turn
            assert (game.turn, game.phase, game.dealer) == (turn.number, turn.phase, turn.dealer)
            if turn.phase == 1:
                assert game.challenger == turn.challenger
            cards = [turn.before.get(player) for player in judge.players]
            before = [card_id(card, judge.numbers) for card in cards]
            for cards_seen, held in zip(judge.cards_seen, as_seen, strict=True):
                expected = [
                    card_id(card if card in cards_seen else None, judge.numbers) for card in cards
                ]
                assert held[index] == expected
            aside = turn.dealt.index(turn.aside) + 1 if turn.aside else 0
            pile = len(judge.pile) + (turn.offered is not None)
            offered = card_id(turn.offered, judge.numbers)
            whole = (offered, before, aside, turn.swapped, pile)
            assert tuple(attributes[name][index] for name in names) == whole
            if game.phase == game.phase_step == 0:
                self.assert_same_tableaus(index, judge)
        if game.terminated.all():
            self.assert_same_end()

    def assert_same_end(self) -> None:
        pieces = self.game.view(0).pieces
        for index, judge in enumerate(self.referees):
            assert judge.finished
            self.assert_same_tableaus(index, judge)
            expected = self.observation_of(judge, 0)
            for name in AT_THE_END:
                assert pieces[name][index].tolist() == expected[name], name
            winners = judge.winners()
            shares = [(player in winners) / len(winners) for player in judge.players]
            np.testing.assert_allclose(self.game.outcome()[index], shares)

    def assert_same_tableaus(self, index: int, judge: Referee) -> None:
        game = self.game
        numbers = judge.numbers
        rows = 2 * numbers.rows - 1
        columns = 2 * numbers.columns - 1
        board = np.full((judge.num_players, rows, columns), -1)
        for player, tableau in enumerate(judge.tableaus):
            for (row, column), card in tableau.items():
                board[player, row + rows // 2, column + columns // 2] = card_id(card, numbers)
        assert (game.tableaus[index] == board).all()
        assert game.scores[index].tolist() == judge.scores()
        assert game.perfects[index].tolist() == [len(won) for won in judge.perfects]

    def observation_of(self, judge: Referee, player: int) -> dict[str, object]:
        turn = judge.turn
        seats = [(player + step) % judge.num_players for step in judge.players]
        cards_seen = judge.cards_seen[player]
        own_cards = judge.tableaus[player].values()
        numbers = judge.numbers
        tableaus = [tableau_pieces(judge.tableaus[seat], numbers) for seat in seats]
        before = [turn.before.get(seat) for seat in seats]
        cards = [card_piece(card if card in cards_seen else None, numbers) for card in before]
        offered = card_piece(turn.offered if player == turn.dealer else None, numbers)
        ruled_out = [{guess[kind] for guess in turn.wrong_guesses} for kind in (0, 1)]
        gifts = range(numbers.gifts)
        ribbons = range(numbers.ribbons)
        kinds = Counter(card[:3] for card in cards_seen)
        values = range(1, highest(numbers) + 1)
        return {
            **{name: [tableau[name] for tableau in tableaus] for name in tableaus[0]},
            "scores": [judge.scores()[seat] for seat in seats],
            "perfects": [len(judge.perfects[seat]) for seat in seats],
            "turns_left": numbers.turns - turn.number,
            "phase": one_hot(turn.phase, 3),
            "dealer": [int(seat == turn.dealer) for seat in seats],
            "challenger": [int(seat == turn.challenger) for seat in seats],
            "dealt_as": [turn.dealt.index(card) + 1 if card else 0 for card in before],
            "put_aside": turn.dealt.index(turn.aside) + 1 if turn.aside else 0,
            "card_gift": [card[0] for card in cards],
            "card_ribbon": [card[1] for card in cards],
            "card_value": [card[2] for card in cards],
            "offered_gift": offered[0],
            "offered_ribbon": offered[1],
            "offered_value": offered[2],
            "not_gift": [int(gift in ruled_out[0]) for gift in gifts],
            "not_ribbon": [int(ribbon in ruled_out[1]) for ribbon in ribbons],
            "own_gifts": [sum(card[2] for card in own_cards if card[0] == gift) for gift in gifts],
            "own_ribbons": [sum(card[1] == ribbon for card in own_cards) for ribbon in ribbons],
            "seen": [[[kinds[gift, ribbon, value] for value in values] for ribbon in ribbons]
                     for gift in gifts],
        }  # fmt: skip


@pytest.mark.parametrize("num_players", [2, 3, 4])
def test_the_games_above_meet_all_that_can_happen(num_players: int) -> None:
    rng = np.random.default_rng(num_players)
    comparison = Comparison(Rules(num_players), 120, rng)
    game = comparison.game
    met = Counter[str]()
    while not game.terminated.all():
        comparison.play(rng)
        met["waiting after a swap"] += game.swapped.sum() if game.phase == 1 else 0
        met["swap"] += game.swapped.sum() if game.phase == 2 else 0
        met["wrong guess"] += game.ruled_out_gifts.any(axis=1).sum()
        met["card put aside"] += game.put_aside.sum()
    for judge in comparison.referees:
        met["perfect"] += sum(map(len, judge.perfects))
        met["shared victory"] += len(judge.winners()) > 1
        for tableau in judge.tableaus:
            columns = {column for _, column in tableau}
            met["column"] += any(
                judge.numbers.points_of_a_column(
                    [c for cell, c in tableau.items() if cell[1] == column]
                )
                for column in columns
            )
    only_in_the_duel = "card put aside"
    not_in_the_duel = "waiting after a swap"
    never = not_in_the_duel if num_players == 2 else only_in_the_duel
    assert [name for name, times in met.items() if not times] == [never], met
