"""The first lesson of KADO: three turns with a deal, a wrong guess, a swap and a perfect."""

from __future__ import annotations

from kododo_env.games.kado.rules import GIFTS, RIBBONS, Rules
from kododo_env.games.kado.text.cards import card_name
from kododo_env.rendering.lesson import Lesson, LessonStep

RULES = Rules()

# The cards of each turn, in the order in which the dealer looks at them.
DECK = (
    "plush 3 green", "cube 3 violet", "plush 4 blue",
    "cube 2 blue", "socks 1 orange", "cube 4 green",
    "socks 3 violet", "flowers 5 violet", "plush 5 red",
    # Here the lesson begins.
    "chocolates 1 red", "socks 5 green", "flowers 1 orange",
    "cube 5 orange", "cube 3 blue", "flowers 3 violet",
    "socks 4 blue", "plush 1 violet", "chocolates 2 orange",
)  # fmt: skip


def _id(card: str) -> int:
    gift, value, ribbon = card.split()
    return RULES.card(GIFTS.index(gift), RIBBONS.index(ribbon), int(value))


def _keep(card: str) -> str:
    return f"keep {card_name(RULES, _id(card))}"


def _give(card: str, seat: int) -> str:
    return f"give {card_name(RULES, _id(card))} to player_{seat}"


def _guess(gift: str, ribbon: str) -> str:
    return f"guess {gift} and {ribbon} ribbon"


def _place(card: str, row: int, column: int) -> str:
    return f"place {card_name(RULES, _id(card))} in row {row}, column {column}"


OPENING = {
    0: (
        _keep("plush 3 green"), _give("cube 3 violet", 1),
        "pass", _place("cube 4 green", 3, 2),
        "pass", _place("plush 5 red", 2, 3),
    ),
    1: (
        "pass",
        _keep("cube 2 blue"), _give("socks 1 orange", 2), _place("cube 2 blue", 2, 3),
        "pass", _place("flowers 5 violet", 3, 2),
    ),
    2: (
        "pass",
        "pass", _place("socks 1 orange", 2, 3),
        _keep("socks 3 violet"), _give("flowers 5 violet", 1), _place("socks 3 violet", 3, 3),
    ),
}  # fmt: skip
STEPS = (
    LessonStep(
        "kado.lesson.deal",
        (_give("chocolates 1 red", 1),),
        {},
        ("player_0 gives",),
    ),
    LessonStep(
        "kado.lesson.column",
        (_keep("socks 5 green"),),
        {1: (_guess("plush", "red"),), 2: ("pass",)},
        ("player_1 guesses",),
    ),
    LessonStep(
        "kado.lesson.place",
        (_place("socks 5 green", 4, 2),),
        {
            1: (_place("chocolates 1 red", 3, 3), _keep("cube 5 orange"), _give("cube 3 blue", 2)),
            2: (_place("flowers 1 orange", 4, 3), _guess("socks", "blue")),
        },
        ("player_0 places", "player_2 guesses"),
    ),
    LessonStep(
        "kado.lesson.guess",
        (_guess("cube", "violet"),),
        {},
        ("player_0 guesses", "and they swap"),
    ),
    LessonStep(
        "kado.lesson.swap",
        (_place("cube 5 orange", 2, 3),),
        {
            1: (_place("flowers 3 violet", 4, 2),),
            2: (_place("cube 3 blue", 3, 2), _keep("socks 4 blue"), _give("plush 1 violet", 1)),
        },
        ("player_0 places",),
    ),
    LessonStep(
        "kado.lesson.gap",
        (_guess("socks", "blue"),),
        {},
        ("player_0 guesses", "and they swap"),
    ),
    LessonStep(
        "kado.lesson.perfect",
        (_place("socks 4 blue", 3, 3),),
        {1: (_place("plush 1 violet", 3, 3),), 2: (_place("chocolates 2 orange", 1, 4),)},
        ("player_0 places",),
    ),
)
END = "kado.lesson.end"
LESSON = Lesson(RULES.num_players, tuple(map(_id, DECK)), OPENING, STEPS, END)
