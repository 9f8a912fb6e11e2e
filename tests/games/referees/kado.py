"""A slow and simple implementation of KADO, one game at a time, from the rulebook only.

Nothing here comes from the package under test: a card is (gift, ribbon, value, copy), a tableau is
a dict from (row, column), counted from the first card, to a card, and a game is one generator that
asks the players for their choices. Numbers of the rules may differ from the rulebook; Python
integers never overflow.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

VALUES = {0: (1, 3, 5), 1: (1, 2, 4), 2: (2, 3, 5), 3: (1, 4), 4: (2, 3)}
"""Values of the cards of a gift and a ribbon, by (ribbon - gift) mod 5."""

Card = tuple[int, int, int, int]
"""Gift, ribbon, value, and the number of the copy."""
Cell = tuple[int, int]
Tableau = dict[Cell, Card]
Move = tuple[str, *tuple[int, ...]]
Choices = dict[int, list[Move]]
"""The players with a decision, and their options."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of the rules, by default those of the rulebook.

    Attributes:
        deck: Values of the cards by gift and ribbon.
        rows, columns: The size of a tableau; each of its cells takes one turn.
        points_of_a_perfect: Points of a perfect at the end.
        discards: Whether the dealer may put a card aside; None: with two players.
    """

    deck: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
        tuple(VALUES[(ribbon - gift) % 5] for ribbon in range(5)) for gift in range(5)
    )
    rows: int = 3
    columns: int = 4
    points_of_a_perfect: int = 2
    discards: bool | None = None

    @property
    def gifts(self) -> int:
        return len(self.deck)

    @property
    def ribbons(self) -> int:
        return len(self.deck[0])

    @property
    def turns(self) -> int:
        return self.rows * self.columns

    def full_deck(self) -> list[Card]:
        """Return all cards, 65 by the rulebook, by gift, ribbon and value."""
        return [
            (gift, ribbon, value, copy)
            for gift, ribbons in enumerate(self.deck)
            for ribbon, values in enumerate(ribbons)
            for value in sorted(set(values))
            for copy in range(values.count(value))
        ]

    def places_for_a_card(self, tableau: Tableau) -> list[Cell]:
        """Return the cells for the next card."""
        if not tableau:
            return [(0, 0)]
        cells = set()
        for row, column in tableau:
            for cell in (
                (row - 1, column),
                (row + 1, column),
                (row, column - 1),
                (row, column + 1),
            ):
                if cell not in tableau and self.fits([*tableau, cell]):
                    cells.add(cell)
        return sorted(cells)

    def fits(self, cells: list[Cell]) -> bool:
        """Return whether these cells lie within the rows and columns of a tableau."""
        rows = [cell[0] for cell in cells]
        columns = [cell[1] for cell in cells]
        return max(rows) - min(rows) < self.rows and max(columns) - min(columns) < self.columns

    def points_of_a_row(self, cards: list[Card]) -> int:
        """Return the largest sum of the values of one gift."""
        return max(
            sum(card[2] for card in cards if card[0] == chosen) for chosen in range(self.gifts)
        )

    def points_of_a_column(self, cards: list[Card]) -> int:
        """Return the highest value of three cards with the same ribbon."""
        if len(cards) < self.rows or len({card[1] for card in cards}) > 1:
            return 0
        return max(card[2] for card in cards)

    def points_of_a_tableau(self, tableau: Tableau) -> int:
        rows = {cell[0] for cell in tableau}
        columns = {cell[1] for cell in tableau}
        return sum(
            self.points_of_a_row([card for cell, card in tableau.items() if cell[0] == row])
            for row in rows
        ) + sum(
            self.points_of_a_column([card for cell, card in tableau.items() if cell[1] == column])
            for column in columns
        )


RULEBOOK = Numbers()


@dataclass
class Turn:
    """The course of one turn.

    Attributes:
        number: The number of the turn, from 0.
        dealer: The player who deals.
        phase: 0 dealing, 1 challenge, 2 placing.
        offered: The card that the dealer looks at, until it is given.
        dealt: The cards dealt so far, in order.
        before: The card that lies before each player.
        aside: The card that was put aside.
        challenger: The player who may challenge.
        wrong_guesses: Gift and ribbon of each wrong guess.
        swapped: Whether a challenge was won.
    """

    number: int
    dealer: int
    phase: int = 0
    offered: Card | None = None
    dealt: list[Card] = field(default_factory=list)
    before: dict[int, Card] = field(default_factory=dict)
    aside: Card | None = None
    challenger: int | None = None
    wrong_guesses: list[tuple[int, int]] = field(default_factory=list)
    swapped: bool = False


class Referee:
    """One game.

    Args:
        num_players: 2 to 4.
        deck: The order of the cards.
        numbers: The numbers of the rules.

    Attributes:
        choices: The players with a decision, and their options; empty when the game is over.
        tableaus: The tableau of each player.
        perfects: The cards that each player has won by perfects; None if the pile was empty.
        seen: All cards that each player has seen so far.
        turn: The current turn, or the last one.
    """

    def __init__(self, num_players: int, deck: list[Card], numbers: Numbers = RULEBOOK) -> None:
        assert sorted(deck) == numbers.full_deck()
        self.numbers = numbers
        self.discards = num_players == 2 if numbers.discards is None else numbers.discards
        self.num_players = num_players
        self.pile = list(deck)
        self.players = range(num_players)
        self.tableaus: list[Tableau] = [{} for _ in self.players]
        self.perfects: list[list[Card | None]] = [[] for _ in self.players]
        self.cards_seen: list[set[Card]] = [set() for _ in self.players]
        self.turn = Turn(0, 0)
        self._story = self._game()
        self.choices: Choices = next(self._story)

    @property
    def finished(self) -> bool:
        return not self.choices

    def play(self, moves: dict[int, Move]) -> None:
        """Play the choices of all players who have a decision."""
        assert moves.keys() == self.choices.keys()
        assert all(move in self.choices[player] for player, move in moves.items())
        try:
            self.choices = self._story.send(moves)
        except StopIteration:
            self.choices = {}

    def scores(self) -> list[int]:
        """Return the points of the current tableaus."""
        return [
            self.numbers.points_of_a_tableau(tableau) + self.numbers.points_of_a_perfect * len(won)
            for tableau, won in zip(self.tableaus, self.perfects, strict=True)
        ]

    def winners(self) -> list[int]:
        best = max(self.scores())
        return [player for player in self.players if self.scores()[player] == best]

    # --- the game -------------------------------------------------------------------------

    def _game(self) -> Generator[Choices, dict[int, Move], None]:
        for number in range(self.numbers.turns):
            self.turn = Turn(number, number % self.num_players)
            yield from self._dealing(self.turn)
            yield from self._challenges(self.turn)
            yield from self._placing(self.turn)

    def _ask(self, choices: Choices) -> Generator[Choices, dict[int, Move], dict[int, Move]]:
        """Ask the players who have a choice; the others make their only choice."""
        moves = {player: options[0] for player, options in choices.items()}
        decisions = {player: options for player, options in choices.items() if len(options) > 1}
        if decisions:
            moves.update((yield decisions))
        return moves

    def _dealing(self, turn: Turn) -> Generator[Choices, dict[int, Move], None]:
        while len(turn.before) < self.num_players:
            turn.offered = self.pile.pop(0)
            self.cards_seen[turn.dealer].add(turn.offered)
            options: list[Move] = []
            for steps in self.players:
                if (turn.dealer + steps) % self.num_players not in turn.before:
                    options.append(("give", steps))
            if self.discards and turn.aside is None:
                options.append(("discard",))
            move = (yield from self._ask({turn.dealer: options}))[turn.dealer]
            turn.dealt.append(turn.offered)
            if move == ("discard",):
                turn.aside = turn.offered
            else:
                turn.before[(turn.dealer + move[1]) % self.num_players] = turn.offered
            turn.offered = None

    def _challenges(self, turn: Turn) -> Generator[Choices, dict[int, Move], None]:
        turn.phase = 1
        gifts = range(self.numbers.gifts)
        ribbons = range(self.numbers.ribbons)
        guesses = [("guess", gift, ribbon) for gift in gifts for ribbon in ribbons]
        for steps in range(1, self.num_players):
            turn.challenger = (turn.dealer + steps) % self.num_players
            options: list[Move] = [("pass",), *guesses]
            move = (yield from self._ask({turn.challenger: options}))[turn.challenger]
            if move == ("pass",):
                continue
            gift, ribbon, *_ = turn.before[turn.dealer]
            if move[1] != gift and move[2] != ribbon:
                turn.wrong_guesses.append((move[1], move[2]))
                continue
            self._swap(turn, turn.challenger)
            if move[1] == gift and move[2] == ribbon:
                self.perfects[turn.challenger].append(self.pile.pop(0) if self.pile else None)
            return

    def _swap(self, turn: Turn, challenger: int) -> None:
        dealer_card = turn.before[turn.dealer]
        challenger_card = turn.before[challenger]
        turn.before[turn.dealer] = challenger_card
        turn.before[challenger] = dealer_card
        turn.swapped = True
        for player in self.players:
            self.cards_seen[player] |= {dealer_card, challenger_card}

    def _placing(self, turn: Turn) -> Generator[Choices, dict[int, Move], None]:
        turn.phase = 2
        turn.challenger = None
        for player in self.players:
            self.cards_seen[player].add(turn.before[player])
        moves = yield from self._ask(
            {
                player: [("place", *cell) for cell in self.numbers.places_for_a_card(tableau)]
                for player, tableau in enumerate(self.tableaus)
            }
        )
        for player in self.players:
            _, row, column = moves[player]
            self.tableaus[player][row, column] = turn.before[player]
            for viewer in self.players:
                self.cards_seen[viewer].add(turn.before[player])
