"""The first lesson of Kododo: three rounds, with the limit, a tie and the Kododo number."""

from __future__ import annotations

from kododo_env.games.kododo.rules import Rules
from kododo_env.rendering.lesson import Lesson, LessonAction, LessonStep, Sign
from kododo_env.rendering.svg_cards import suits

RULES = Rules(num_players=3)

LAYS_1 = Sign("kododo.player_lays", (1,))
LAYS_2 = Sign("kododo.player_lays", (2,))
TAKES = Sign("kododo.player_takes", (0,))

Laid = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]

# For each turn: the cards that the three players lay, the text before it, and ``LessonStep.signs``.
TURNS: tuple[tuple[Laid, str, tuple[Sign, ...]], ...] = (
    (
        (("blue 3", "blue 6"), ("blue 2", "green 3"), ("green 2", "yellow 3")),
        "kododo.lesson.majority",
        (LAYS_1,),
    ),
    (
        (("blue 2",), ("green 2",), ("blue 2",)),
        "kododo.lesson.lead",
        (LAYS_2,),
    ),
    (
        (("green 4",), ("blue 3",), ("orange 3",)),
        "kododo.lesson.limit",
        (Sign("kododo.colour_at_limit"), Sign("kododo.colour_scores"), TAKES),
    ),
    (
        (("yellow 4", "yellow 5"), ("violet 2", "violet 3"), ("orange 3", "violet 2")),
        "kododo.lesson.out",
        (LAYS_1, LAYS_2),
    ),
    (
        (("orange 2",), ("orange 3",), ("violet 3",)),
        "kododo.lesson.tie",
        (LAYS_1, LAYS_2),
    ),
    (
        (("orange 3",), ("yellow 2",), ("green 2",)),
        "kododo.lesson.balance",
        (Sign("kododo.colours_tie"), Sign("kododo.colour_scores"), TAKES),
    ),
    (
        (("blue 1", "violet 1"), ("orange 1", "orange 4"), ("green 3", "orange 2")),
        "kododo.lesson.kododo",
        (LAYS_1, LAYS_2),
    ),
    (
        (("green 2",), ("orange 5",), ("green 1",)),
        "kododo.lesson.patience",
        (LAYS_1, LAYS_2),
    ),
    (
        (("yellow 1",), ("orange 2",), ("violet 2",)),
        "kododo.lesson.number",
        (Sign("kododo.kododos_score"), TAKES),
    ),
)
END = "kododo.lesson.end"
# Cards that are drawn in the last round but never laid.
LAST_HANDS = (
    "violet 4, green 3, blue 4, yellow 3, violet 5",
    "blue 3, violet 4, yellow 3, green 3, orange 2",
    "yellow 2, green 2, blue 4, orange 4, violet 3",
)


CARDS = [
    f"{suit.name.rpartition('.')[2]} {value}"
    for suit in suits(RULES.num_colours)
    for value in range(1, RULES.num_values + 1)
]


def _deck() -> tuple[int, ...]:
    """The cards in the order in which they are dealt and drawn, so that each is there in time."""
    held = [
        [card for laid, *_ in TURNS for card in laid[seat]] + LAST_HANDS[seat].split(", ")
        for seat in range(RULES.num_players)
    ]
    deck = [cards.pop(0) for cards in held for _ in range(RULES.hand_size)]
    for laid, *_ in TURNS:
        deck += [cards.pop(0) for cards in held for _ in laid[0]]
    return tuple(map(CARDS.index, deck))


def _lay(cards: tuple[str, ...]) -> tuple[LessonAction, ...]:
    kind = "card" if len(cards) == 1 else "pair"
    return (LessonAction(kind, cards=tuple(map(CARDS.index, cards))),)


LESSON = Lesson(
    players=RULES.num_players,
    deck=_deck(),
    opening={},
    steps=tuple(
        LessonStep(text, _lay(cards), {1: _lay(left_cards), 2: _lay(right_cards)}, signs)
        for (cards, left_cards, right_cards), text, signs in TURNS
    ),
    end=END,
)
