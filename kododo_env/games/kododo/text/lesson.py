"""The first lesson of Kododo: three rounds, with the limit, a tie and the Kododo number."""

from __future__ import annotations

from kododo_env.core.capabilities import Lesson, LessonStep
from kododo_env.games.kododo.rules import Rules
from kododo_env.rendering.svg_cards import suits

RULES = Rules(num_players=3)

Laid = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

# For each turn: the cards that the three players lay, the text before it, and ``LessonStep.shows``.
TURNS: tuple[tuple[Laid, str, tuple[str, ...]], ...] = (
    (
        (("blue 3", "blue 6"), ("blue 2", "green 3"), ("green 2", "yellow 3")),
        "All lay cards face down and turn them over together. After three turns the colour with "
        "the most cards on the table scores: all who laid it take their own cards of it, and "
        "these are worth their values. Your best colour is blue: lay blue 3 and blue 6.",
        ("player_1 lays",),
    ),
    (
        (("blue 2",), ("green 2",), ("blue 2",)),
        "Another player lays blue too: three blue cards are there now, and blue leads. Go on, "
        "lay blue 2. In the second and the third turn all lay one card.",
        ("player_2 lays",),
    ),
    (
        (("green 4",), ("blue 3",), ("orange 3",)),
        "Five blue cards. Take care: a colour at the limit, players plus three, so six here, is "
        "out. With another blue card you would lose all of it. Lay green 4.",
        ("the limit of 6", "the colour that scores", "player_0 takes"),
    ),
    (
        (("yellow 4", "yellow 5"), ("violet 2", "violet 3"), ("orange 3", "violet 2")),
        "Another player laid the sixth blue card: blue is out, and the next colour scores. Your "
        "green card was a second hope. Now a new round: lay yellow 4 and yellow 5.",
        ("player_1 lays", "player_2 lays"),
    ),
    (
        (("orange 2",), ("orange 3",), ("violet 3",)),
        "Three violet cards, two yellow ones: violet would score, and none is yours. But colours "
        "with equally many cards are all out, and the next one scores. Let orange catch up with "
        "violet: lay orange 2.",
        ("player_1 lays", "player_2 lays"),
    ),
    (
        (("orange 3",), ("yellow 2",), ("green 2",)),
        "Four violet cards, three orange ones. Make them equal: lay orange 3.",
        ("as many of each", "the colour that scores", "player_0 takes"),
    ),
    (
        (("blue 1", "violet 1"), ("orange 1", "orange 4"), ("green 3", "orange 2")),
        "A tie, and yellow scores with fewer cards. One rule is left. A card of value 1, with the "
        "lizard, is a Kododo card. If exactly five of them lie there, players plus two, then they "
        "alone score, 1 point each. Lay blue 1 and violet 1.",
        ("player_1 lays", "player_2 lays"),
    ),
    (
        (("green 2",), ("orange 5",), ("green 1",)),
        "Three Kododo cards are there. With six of them nothing would be gained, so wait and see "
        "what the others do: lay green 2, and keep yellow 1.",
        ("player_1 lays", "player_2 lays"),
    ),
    (
        (("yellow 1",), ("orange 2",), ("violet 2",)),
        "Four Kododo cards, and many orange ones, which would bring nothing to you. Lay the fifth "
        "Kododo card, yellow 1.",
        ("exactly the number", "player_0 takes"),
    ),
)
END = (
    "Orange had most cards and got nothing. That is all there is to it. In a whole game limit and "
    "Kododo number depend on the number of players, and stand on the table. The rounds go on "
    "until the draw pile is empty, then the last cards in hand are played. The highest total wins."
)
# Cards that are drawn in the last round but never laid.
LAST_HANDS = (
    "violet 4, green 3, blue 4, yellow 3, violet 5",
    "blue 3, violet 4, yellow 3, green 3, orange 2",
    "yellow 2, green 2, blue 4, orange 4, violet 3",
)


def _deck() -> tuple[int, ...]:
    """The cards in the order in which they are dealt and drawn, so that each is there in time."""
    names = [
        f"{suit.name} {value}"
        for suit in suits(RULES.num_colours)
        for value in range(1, RULES.num_values + 1)
    ]
    held = [
        [card for laid, *_ in TURNS for card in laid[seat]] + LAST_HANDS[seat].split(", ")
        for seat in range(RULES.num_players)
    ]
    deck = [cards.pop(0) for cards in held for _ in range(RULES.hand_size)]
    for laid, *_ in TURNS:
        deck += [cards.pop(0) for cards in held for _ in laid[0]]
    return tuple(map(names.index, deck))


def _lay(cards: tuple[str, ...]) -> tuple[str, ...]:
    return (f"lay {' and '.join(cards)}",)


LESSON = Lesson(
    players=RULES.num_players,
    deck=_deck(),
    opening={},
    steps=tuple(
        LessonStep(text, _lay(cards), {1: _lay(left_cards), 2: _lay(right_cards)}, shows)
        for (cards, left_cards, right_cards), text, shows in TURNS
    ),
    end=END,
)
