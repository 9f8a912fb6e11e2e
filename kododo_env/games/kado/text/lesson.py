"""The first lesson of KADO: three turns with a deal, a wrong guess, a swap and a perfect."""

from __future__ import annotations

from kododo_env.games.kado.rules import GIFTS, RIBBONS, Rules
from kododo_env.rendering.lesson import Lesson, LessonAction, LessonStep, Sign

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


PASS = LessonAction("pass")


def _give(places: int) -> LessonAction:
    """Give the card to the player this many places to the left of the dealer, or keep it by 0."""
    return LessonAction("give", (places,))


def _guess(gift: str, ribbon: str) -> LessonAction:
    return LessonAction("guess", (GIFTS.index(gift), RIBBONS.index(ribbon)))


def _place(row: int, column: int) -> LessonAction:
    """Place the card in a cell of the whole board, counted from 0."""
    return LessonAction("place", (row, column))


OPENING = {
    0: (_give(0), _give(1), PASS, _place(3, 3), PASS, _place(2, 4)),
    1: (PASS, _give(0), _give(1), _place(2, 4), PASS, _place(3, 3)),
    2: (PASS, PASS, _place(2, 4), _give(0), _give(2), _place(3, 4)),
}
PLACES = Sign("kado.player_scores", (0,))
SWAPS = Sign("kado.players_swap")
STEPS = (
    LessonStep(
        "kado.lesson.deal",
        (_give(1),),
        {},
        (Sign("kado.player_gives", (0, 1)),),
    ),
    LessonStep(
        "kado.lesson.column",
        (_give(0),),
        {1: (_guess("plush", "red"),), 2: (PASS,)},
        (Sign("kado.player_guesses_wrong", (1,)),),
    ),
    LessonStep(
        "kado.lesson.place",
        (_place(4, 3),),
        {
            1: (_place(3, 4), _give(0), _give(1)),
            2: (_place(4, 4), _guess("socks", "blue")),
        },
        (PLACES, Sign("kado.player_guesses_wrong", (2,))),
    ),
    LessonStep(
        "kado.lesson.guess",
        (_guess("cube", "violet"),),
        {},
        (Sign("kado.player_guesses_right", (0,)), SWAPS),
    ),
    LessonStep(
        "kado.lesson.swap",
        (_place(3, 4),),
        {
            1: (_place(4, 3),),
            2: (_place(4, 3), _give(0), _give(2)),
        },
        (PLACES,),
    ),
    LessonStep(
        "kado.lesson.gap",
        (_guess("socks", "blue"),),
        {},
        (Sign("kado.player_guesses_perfect", (0,)), SWAPS),
    ),
    LessonStep(
        "kado.lesson.perfect",
        (_place(4, 4),),
        {1: (_place(4, 4),), 2: (_place(2, 5),)},
        (PLACES,),
    ),
)
END = "kado.lesson.end"
LESSON = Lesson(RULES.num_players, tuple(map(_id, DECK)), OPENING, STEPS, END)
