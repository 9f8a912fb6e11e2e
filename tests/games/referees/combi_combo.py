"""A slow and simple implementation of Combi-Combo, one game at a time, from the rulebook only.

Nothing here comes from the package under test: a card is a pair (colour, value), a hand is a sorted
list, and every rule is a loop that can be compared with the rulebook. Numbers of the rules may
differ from the rulebook; Python integers never overflow.
"""

from __future__ import annotations

from dataclasses import dataclass

Card = tuple[int, int]


@dataclass(frozen=True)
class Numbers:
    """The numbers of the rules, by default those of the rulebook.

    Attributes:
        colours: The number of colours.
        copies: The number of cards of the values 1 to 4 in each colour.
        opening_hand, turns: Cards in hand at the start, and turns; their sum is the number of cards
            of a player.
        turned_up_at_once: Cards turned up at once from the central pile, if there is one.
        ones_points, sequence, twos, twos_in_series, no_threes: Points in the lines of the score.
        fours: Points for 4s of 0, 1, 2, ... colours.
    """

    colours: int = 6
    copies: tuple[int, ...] = (1, 2, 3, 4)
    opening_hand: int = 4
    turns: int = 8
    turned_up_at_once: int = 4
    ones_points: int = 3
    sequence: int = 4
    twos: int = 3
    twos_in_series: int = 3
    no_threes: int = 4
    fours: tuple[int, ...] = (0, 0, 0, 1, 2, 4, 5)

    def full_deck(self) -> list[Card]:
        """Return all cards, 60 by the rulebook."""
        deck = []
        for colour in range(self.colours):
            for value, copies in zip((1, 2, 3, 4), self.copies, strict=True):
                for _ in range(copies):
                    deck.append((colour, value))
        return deck


RULEBOOK = Numbers()


def count(hand: list[Card], value: int) -> int:
    return len([card for card in hand if card[1] == value])


def points_for_ones(hands: list[list[Card]], player: int, numbers: Numbers) -> int:
    """Return 3 points for strictly more 1s than every other player."""
    for opponent, hand in enumerate(hands):
        if opponent != player and count(hand, 1) >= count(hands[player], 1):
            return 0
    return numbers.ones_points


def points_for_sequences(hand: list[Card], numbers: Numbers) -> int:
    """Return 4 points for each colour in which the player holds 1, 2, 3 and 4."""
    points = 0
    for colour in range(numbers.colours):
        if all((colour, value) in hand for value in (1, 2, 3, 4)):
            points += numbers.sequence
    return points


def points_for_twos(hand: list[Card], numbers: Numbers) -> int:
    """Return 3 points for every three 2s."""
    points = 0
    remaining = count(hand, 2)
    while remaining >= numbers.twos_in_series:
        points = points + numbers.twos
        remaining = remaining - numbers.twos_in_series
    return points


def points_for_threes(hand: list[Card], numbers: Numbers) -> int:
    """Return the points for 3s: 0 for four 3s, one point more or less for each 3 more or less."""
    return count(hand, 3) - numbers.no_threes


def points_for_fours(hand: list[Card], numbers: Numbers) -> int:
    """Return 1, 2, 4 or 5 points for 4s of three, four, five or six different colours."""
    return numbers.fours[len({colour for colour, value in hand if value == 4})]


def final_score(hands: list[list[Card]], player: int, numbers: Numbers) -> int:
    hand = hands[player]
    return (
        points_for_ones(hands, player, numbers)
        + points_for_sequences(hand, numbers)
        + points_for_twos(hand, numbers)
        + points_for_threes(hand, numbers)
        + points_for_fours(hand, numbers)
    )


def winners(hands: list[list[Card]], numbers: Numbers = RULEBOOK) -> list[int]:
    """Return the players with most points; of these with most 1s; of these with most 2s."""
    players = list(range(len(hands)))
    points = [final_score(hands, player, numbers) for player in players]
    players = [player for player in players if points[player] == max(points)]
    for value in (1, 2):
        highest = max(count(hands[player], value) for player in players)
        players = [player for player in players if count(hands[player], value) == highest]
    return players


class Referee:
    """One game.

    Args:
        num_players: 4 or 5.
        deck: The order of the cards: twelve cards of each player, and then the central pile.
        numbers: The numbers of the rules.

    Attributes:
        hands: The cards of each player, sorted.
        piles: The cards that each player still has to draw, the next card first.
        passed: The cards that each player has passed to the left, in order.
        received: The cards that each player has received from the right, in order.
        face_up: The cards turned up in the middle.
        turn: The number of turns played so far.
        finished: Whether the game is over.
    """

    def __init__(self, num_players: int, deck: list[Card], numbers: Numbers = RULEBOOK) -> None:
        assert sorted(deck) == numbers.full_deck()
        self.num_players = num_players
        self.numbers = numbers
        cards = list(deck)
        self.piles: list[list[Card]] = []
        for _ in range(num_players):
            self.piles.append(cards[: numbers.opening_hand + numbers.turns])
            cards = cards[numbers.opening_hand + numbers.turns :]
        self.central_pile = cards
        self.hands: list[list[Card]] = [[] for _ in range(num_players)]
        self.passed: list[list[Card]] = [[] for _ in range(num_players)]
        self.received: list[list[Card]] = [[] for _ in range(num_players)]
        self.face_up: list[Card] = []
        self.turn = 0
        self.finished = False
        for _ in range(numbers.opening_hand):
            self.everybody_draws()
        if self.central_pile:
            for _ in range(numbers.turned_up_at_once):
                self.turn_one_up()
        self.start_turn()

    def everybody_draws(self) -> None:
        for hand, pile in zip(self.hands, self.piles, strict=True):
            hand.append(pile.pop(0))
            hand.sort()

    def turn_one_up(self) -> None:
        self.face_up.append(self.central_pile.pop(0))

    def start_turn(self) -> None:
        if self.central_pile:
            self.turn_one_up()
        self.everybody_draws()

    def choices(self, player: int) -> list[Card]:
        """Return the cards that a player may pass; none when the game is over."""
        return [] if self.finished else sorted(set(self.hands[player]))

    def play(self, cards: list[Card]) -> None:
        """Pass a card of each player to the left, face down; then each takes the received card."""
        if self.finished:
            return
        for player, card in enumerate(cards):
            self.hands[player].remove(card)
            self.passed[player].append(card)
        for player, card in enumerate(cards):
            neighbour = player + 1 if player + 1 < self.num_players else 0
            self.hands[neighbour].append(card)
            self.hands[neighbour].sort()
            self.received[neighbour].append(card)
        self.turn += 1
        if self.turn == self.numbers.turns:
            self.finished = True
        else:
            self.start_turn()

    def scores(self) -> list[int]:
        """Return the points; 0 before the end."""
        if not self.finished:
            return [0] * self.num_players
        players = range(self.num_players)
        return [final_score(self.hands, player, self.numbers) for player in players]
