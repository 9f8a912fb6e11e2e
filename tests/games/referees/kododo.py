"""A slow and simple implementation of Kododo, one game at a time, from the rulebook only.

Nothing here comes from the package under test: a card is a number, colour * 6 + value - 1, a hand
is a sorted list, and every rule is a loop that can be compared with the rulebook. Numbers of the
rules may differ from the rulebook; Python integers never overflow.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

REMOVED_CARDS = {2: 10, 3: 13, 4: 0, 5: 15}
KODODO_NUMBER = {2: 4, 3: 5, 4: 6, 5: 7}
LIMIT = {2: 5, 3: 6, 4: 7, 5: 8}


@dataclass(frozen=True)
class Numbers:
    """The numbers of the rules, by default those of the rulebook for all numbers of players.

    Attributes:
        removed_cards, kododo_number, limit: Numbers that depend on the number of players.
        colours: The number of colours.
        copies: The number of cards of the values 1, 2, ... in each colour.
        cards_in_hand: Cards in hand at the start of a round.
        cards_to_lay: Cards to lay in each turn of a round.
        points_of_a_long_game: Points that end a long game.
        most_deals: Maximum number of deals of a long game, which the rulebook does not limit.
    """

    removed_cards: int
    kododo_number: int
    limit: int
    colours: int = 5
    copies: tuple[int, ...] = (5, 6, 5, 2, 1, 1)
    cards_in_hand: int = 5
    cards_to_lay: tuple[int, ...] = (2, 1, 1)
    points_of_a_long_game: int = 50
    most_deals: int | None = None

    @property
    def values(self) -> int:
        return len(self.copies)

    def colour_of(self, card: int) -> int:
        return card // self.values

    def value_of(self, card: int) -> int:
        return card % self.values + 1

    def is_kododo(self, card: int) -> bool:
        return self.value_of(card) == 1

    def full_deck(self) -> list[int]:
        """Return all cards, sorted by number."""
        deck = []
        for colour in range(self.colours):
            for place, copies in enumerate(self.copies):
                for _ in range(copies):
                    deck.append(colour * self.values + place)
        return deck


def rulebook(num_players: int) -> Numbers:
    """Return the numbers of the rulebook."""
    return Numbers(REMOVED_CARDS[num_players], KODODO_NUMBER[num_players], LIMIT[num_players])


def majority_colour(laid: list[int], numbers: Numbers) -> int | None:
    """Return the colour that scores if the Kododo cards do not, or None."""
    count = dict.fromkeys(range(numbers.colours), 0)
    for card in laid:
        count[numbers.colour_of(card)] += 1
    still_in = [colour for colour in count if 0 < count[colour] < numbers.limit]
    while still_in:
        highest = max(count[colour] for colour in still_in)
        leaders = [colour for colour in still_in if count[colour] == highest]
        if len(leaders) == 1:
            return leaders[0]
        still_in = [colour for colour in still_in if colour not in leaders]
    return None


def cards_won(table: list[list[int]], numbers: Numbers) -> list[list[int]]:
    """Return which of its own cards each player takes at the end of a round."""
    laid = [card for cards in table for card in cards]
    if sum(numbers.is_kododo(card) for card in laid) == numbers.kododo_number:
        return [[card for card in cards if numbers.is_kododo(card)] for cards in table]
    colour = majority_colour(laid, numbers)
    return [[card for card in cards if numbers.colour_of(card) == colour] for cards in table]


@dataclass
class PlayerKnowledge:
    """The knowledge of one player, whose own seat comes first."""

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
        decks: The order of the cards of each deal. From the front: the hands, player after player,
            then the cards to draw; the removed cards are the last ones.
        variant: "standard" or "long".
        numbers: The numbers of the rules.

    Attributes:
        hands: The cards of each player, sorted.
        table: The cards that each player has laid in this round, in order.
        piles: The score pile of each player since the last shuffle.
        scores: The points of each player over all deals.
        rewards: The points of the last turn.
        revealed: All cards shown since the last shuffle.
        tables: All tables that have been evaluated.
        deal, round_index, turn: The current deal, round and turn, each counted from 0.
        finished: Whether the game is over.
    """

    def __init__(
        self,
        num_players: int,
        decks: list[list[int]],
        variant: str = "standard",
        numbers: Numbers | None = None,
    ) -> None:
        self.num_players = num_players
        self.numbers = numbers or rulebook(num_players)
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
        assert sorted(cards) == self.numbers.full_deck()
        cards = cards[: len(cards) - self.numbers.removed_cards]
        self.hands = []
        for _ in range(self.num_players):
            self.hands.append(sorted(cards[: self.numbers.cards_in_hand]))
            cards = cards[self.numbers.cards_in_hand :]
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
        """Return a player's choices: positions in the sorted hand; one empty choice at the end."""
        if self.finished:
            return [()]
        places = range(len(self.hands[player]))
        return list(combinations(places, self.numbers.cards_to_lay[self.turn]))

    def play(self, choices: list[tuple[int, ...]]) -> None:
        """Lay the chosen cards of all players."""
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
            for _ in range(self.numbers.cards_to_lay[self.turn]):
                if not self.last_round:
                    self.hands[player].append(self.draw_pile.pop(0))
            self.hands[player].sort()
        self.turn += 1
        if self.turn == len(self.numbers.cards_to_lay):
            self.end_round()

    def end_round(self) -> None:
        if self.last_round:
            for hand in self.hands:
                assert len(hand) == self.numbers.cards_in_hand - sum(self.numbers.cards_to_lay)
                hand.clear()
        self.tables.append(self.table)
        won = cards_won(self.table, self.numbers)
        for player in range(self.num_players):
            self.piles[player].extend(won[player])
            self.rewards[player] = sum(self.numbers.value_of(card) for card in won[player])
            self.scores[player] += self.rewards[player]
        self.round_index += 1
        deal_is_over = self.last_round
        self.start_round()
        if self.variant == "standard":
            self.finished = deal_is_over
            return
        somebody_has_50 = max(self.scores) >= self.numbers.points_of_a_long_game
        last_deal = deal_is_over and self.deal + 1 == self.numbers.most_deals
        if last_deal or (somebody_has_50 and (deal_is_over or self.deal >= 1)):
            self.finished = True
        elif deal_is_over:
            self.start_deal()

    def winners(self) -> list[int]:
        """Return the players with most points; of these with the largest score pile."""
        players = list(range(self.num_players))
        highest = max(self.scores[player] for player in players)
        players = [player for player in players if self.scores[player] == highest]
        largest = max(len(self.piles[player]) for player in players)
        return [player for player in players if len(self.piles[player]) == largest]

    def knowledge_of(self, player: int) -> PlayerKnowledge:
        """Return the knowledge of one player, with seats counted from their own."""
        order = [(player + step) % self.num_players for step in range(self.num_players)]
        return PlayerKnowledge(
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
