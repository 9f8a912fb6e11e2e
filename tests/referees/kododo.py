"""Kododo played slowly and plainly, one game at a time, from the rulebook alone.

Nothing here comes from the package under test: a card is a number, colour * 6 + value - 1,
a hand is a sorted list, and every rule is a loop that can be read beside the rulebook.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

COLOURS = 5
VALUES = 6
CARDS_OF_VALUE = {1: 5, 2: 6, 3: 5, 4: 2, 5: 1, 6: 1}

REMOVED_CARDS = {2: 10, 3: 13, 4: 0, 5: 15}
KODODO_NUMBER = {2: 4, 3: 5, 4: 6, 5: 7}
LIMIT = {2: 5, 3: 6, 4: 7, 5: 8}

CARDS_IN_HAND = 5
CARDS_TO_LAY = [2, 1, 1]
POINTS_OF_A_LONG_GAME = 50


def colour_of(card: int) -> int:
    return card // VALUES


def value_of(card: int) -> int:
    return card % VALUES + 1


def is_kododo(card: int) -> bool:
    return value_of(card) == 1


def full_deck() -> list[int]:
    """The 100 cards in the order of their numbers."""
    deck = []
    for colour in range(COLOURS):
        for value, copies in CARDS_OF_VALUE.items():
            for _ in range(copies):
                deck.append(colour * VALUES + value - 1)
    return deck


def majority_colour(laid: list[int], limit: int) -> int | None:
    """The colour that scores when the Kododo cards do not, or None."""
    count = dict.fromkeys(range(COLOURS), 0)
    for card in laid:
        count[colour_of(card)] += 1
    still_in = [colour for colour in count if 0 < count[colour] < limit]
    while still_in:
        highest = max(count[colour] for colour in still_in)
        leaders = [colour for colour in still_in if count[colour] == highest]
        if len(leaders) == 1:
            return leaders[0]
        still_in = [colour for colour in still_in if colour not in leaders]
    return None


def cards_won(table: list[list[int]]) -> list[list[int]]:
    """Which of his own cards each player takes at the end of a round."""
    num_players = len(table)
    laid = [card for cards in table for card in cards]
    if sum(is_kododo(card) for card in laid) == KODODO_NUMBER[num_players]:
        return [[card for card in cards if is_kododo(card)] for cards in table]
    colour = majority_colour(laid, LIMIT[num_players])
    return [[card for card in cards if colour_of(card) == colour] for cards in table]


@dataclass
class Known:
    """What one player knows; his own seat comes first."""

    hand: list[int]
    revealed: list[int]
    table: list[list[int]]
    scores: list[int]
    pile_sizes: list[int]
    draw_pile: int
    turn: int
    round_index: int
    later_deal: bool


class Referee:
    """One game.

    Args:
        num_players: 2 to 5.
        decks: The order of the cards of each deal. From the front: the hands, player
            after player, then what is drawn; the removed cards are the last ones.
        variant: "standard" or "long".

    Attributes:
        hands: Each player's cards, sorted.
        table: The cards each player has laid in this round, in their order.
        piles: Each player's score pile, since the last shuffle.
        scores: Each player's points in all deals.
        rewards: The points of the last turn.
        revealed: All cards ever shown since the last shuffle.
        tables: Every table that has been evaluated.
        deal, round_index, turn: Where the game stands, each counted from 0.
        finished: Whether the game is over.
    """

    def __init__(self, num_players: int, decks: list[list[int]], variant: str = "standard") -> None:
        self.num_players = num_players
        self.decks = decks
        self.variant = variant
        self.deal = -1
        self.scores = [0] * num_players
        self.rewards = [0] * num_players
        self.finished = False
        self.tables: list[list[list[int]]] = []
        self.start_deal()

    def start_deal(self) -> None:
        self.deal += 1
        cards = list(self.decks[self.deal])
        assert sorted(cards) == full_deck()
        cards = cards[: len(cards) - REMOVED_CARDS[self.num_players]]
        self.hands = []
        for _ in range(self.num_players):
            self.hands.append(sorted(cards[:CARDS_IN_HAND]))
            cards = cards[CARDS_IN_HAND:]
        self.draw_pile = cards
        self.revealed: list[int] = []
        self.piles: list[list[int]] = [[] for _ in range(self.num_players)]
        self.round_index = 0
        self.start_round()

    def start_round(self) -> None:
        self.table: list[list[int]] = [[] for _ in range(self.num_players)]
        self.turn = 0
        self.last_round = not self.draw_pile

    def choices(self, player: int) -> list[tuple[int, ...]]:
        """What a player may lay: places in his sorted hand. One empty choice when all is over."""
        if self.finished:
            return [()]
        places = range(len(self.hands[player]))
        return list(combinations(places, CARDS_TO_LAY[self.turn]))

    def play(self, choices: list[tuple[int, ...]]) -> None:
        """Everybody lays the cards in the places he chose."""
        self.rewards = [0] * self.num_players
        if self.finished:
            return
        for player in range(self.num_players):
            assert choices[player] in self.choices(player)
            laid = [self.hands[player][place] for place in choices[player]]
            for card in laid:
                self.hands[player].remove(card)
                self.table[player].append(card)
                self.revealed.append(card)
        for player in range(self.num_players):
            for _ in range(CARDS_TO_LAY[self.turn]):
                if not self.last_round:
                    self.hands[player].append(self.draw_pile.pop(0))
            self.hands[player].sort()
        self.turn += 1
        if self.turn == len(CARDS_TO_LAY):
            self.end_round()

    def end_round(self) -> None:
        if self.last_round:
            for hand in self.hands:
                assert len(hand) == 1
                hand.clear()
        self.tables.append(self.table)
        won = cards_won(self.table)
        for player in range(self.num_players):
            self.piles[player].extend(won[player])
            self.rewards[player] = sum(value_of(card) for card in won[player])
            self.scores[player] += self.rewards[player]
        self.round_index += 1
        deal_is_over = self.last_round
        self.start_round()
        if self.variant == "standard":
            self.finished = deal_is_over
            return
        somebody_has_50 = max(self.scores) >= POINTS_OF_A_LONG_GAME
        if somebody_has_50 and (deal_is_over or self.deal >= 1):
            self.finished = True
        elif deal_is_over:
            self.start_deal()

    def winners(self) -> list[int]:
        """Most points; then the larger score pile; then all who are left share the victory."""
        players = list(range(self.num_players))
        most = max(self.scores[player] for player in players)
        players = [player for player in players if self.scores[player] == most]
        largest = max(len(self.piles[player]) for player in players)
        return [player for player in players if len(self.piles[player]) == largest]

    def known_to(self, player: int) -> Known:
        """All that one player may know, the seats counted from his own."""
        order = [(player + step) % self.num_players for step in range(self.num_players)]
        return Known(
            hand=list(self.hands[player]),
            revealed=sorted(self.revealed),
            table=[list(self.table[seat]) for seat in order],
            scores=[self.scores[seat] for seat in order],
            pile_sizes=[len(self.piles[seat]) for seat in order],
            draw_pile=len(self.draw_pile),
            turn=self.turn,
            round_index=self.round_index,
            later_deal=self.deal >= 1,
        )
