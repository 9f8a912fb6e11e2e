"""The first lesson of Combi-Combo: the last three turns of a game, and its score line by line."""

from __future__ import annotations

from kododo_env.games.combi_combo.rules import COLOURS, VALUES, Rules
from kododo_env.rendering.lesson import Lesson, LessonAction, LessonStep, Sign

RULES = Rules()

# The pile of each player; all other cards lie in the middle. Everybody passes the first cards of
# their own pile, in this order, except where ``TURNS`` tells the learner to pass a different card.
PILES = (
    "O2 O2 Y2 Y2 R4 B1 B2 G2 Y3 Y4 R2 R3",
    "V3 V4 G4 Y4 O4 R4 V3 Y4 V4 O3 O4 R1",
    "G4 B4 V2 B3 G3 R3 V4 Y3 G3 G2 O3 Y1",
    "G1 B4 O3 Y4 V2 B3 B4 V4 O4 G4 G4 O1",
)
RECEIVES = Sign("combi_combo.player_passes", (3, 0))
LETTERS = "".join(colour[0].upper() for colour in COLOURS)

# For each of the last turns: the text, the cards that may be passed, and ``LessonStep.signs``.
TURNS = (
    (
        "combi_combo.lesson.pass",
        ("Y4",),
        (RECEIVES,),
    ),
    (
        "combi_combo.lesson.sequence",
        ("V2", "G2", "R2"),
        (RECEIVES,),
    ),
    (
        "combi_combo.lesson.ones",
        ("B4",),
        (RECEIVES, Sign("game.points_by_source", (0,))),
    ),
)
END = "combi_combo.lesson.end"


def _number(code: str) -> int:
    """The number of a card, such as Y4."""
    return LETTERS.index(code[0]) * VALUES + int(code[1]) - 1


def _pass(code: str) -> LessonAction:
    return LessonAction("pass_card", cards=(_number(code),))


def _lesson() -> Lesson:
    piles = [pile.split() for pile in PILES]
    passed = [tuple(map(_pass, pile[: RULES.num_turns])) for pile in piles]
    before = RULES.num_turns - len(TURNS)
    seats = range(1, RULES.num_players)
    steps = [
        LessonStep(
            text,
            tuple(map(_pass, cards)),
            {seat: passed[seat][turn : turn + 1] for seat in seats},
            signs,
        )
        for turn, (text, cards, signs) in enumerate(TURNS, before)
    ]
    return Lesson(
        players=RULES.num_players,
        deck=tuple(_number(code) for pile in piles for code in pile),
        opening={seat: actions[:before] for seat, actions in enumerate(passed)},
        steps=tuple(steps),
        end=END,
    )


LESSON = _lesson()
