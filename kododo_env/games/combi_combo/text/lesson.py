"""The first lesson of Combi-Combo: the last three turns of a game, and its score line by line."""

from __future__ import annotations

from kododo_env.games.combi_combo.rules import COLOURS, VALUES, Rules
from kododo_env.rendering.lesson import Lesson, LessonStep

RULES = Rules()

# The pile of each player; all other cards lie in the middle. Everybody passes the first cards of
# their own pile, in this order, except where ``TURNS`` tells the learner to pass a different card.
PILES = (
    "O2 O2 Y2 Y2 R4 B1 B2 G2 Y3 Y4 R2 R3",
    "V3 V4 G4 Y4 O4 R4 V3 Y4 V4 O3 O4 R1",
    "G4 B4 V2 B3 G3 R3 V4 Y3 G3 G2 O3 Y1",
    "G1 B4 O3 Y4 V2 B3 B4 V4 O4 G4 G4 O1",
)
LETTERS = {colour[0].upper(): colour for colour in COLOURS}

# For each of the last turns: the text, the cards that may be passed, and ``LessonStep.shows``.
TURNS = (
    (
        "combi_combo.lesson.pass",
        ("Y4",),
        ("to player_0",),
    ),
    (
        "combi_combo.lesson.sequence",
        ("V2", "G2", "R2"),
        ("to player_0",),
    ),
    (
        "combi_combo.lesson.ones",
        ("B4",),
        ("to player_0", "player_0: "),
    ),
)
END = "combi_combo.lesson.end"


def _name(code: str) -> str:
    return f"{LETTERS[code[0]]} {code[1]}"


def _pass(code: str) -> str:
    return f"pass {_name(code)} to the left"


def _lesson() -> Lesson:
    names = [f"{colour} {value}" for colour in COLOURS for value in range(1, VALUES + 1)]
    piles = [pile.split() for pile in PILES]
    passed = [tuple(map(_pass, pile[: RULES.num_turns])) for pile in piles]
    before = RULES.num_turns - len(TURNS)
    seats = range(1, RULES.num_players)
    steps = [
        LessonStep(
            text,
            tuple(map(_pass, cards)),
            {seat: passed[seat][turn : turn + 1] for seat in seats},
            shows,
        )
        for turn, (text, cards, shows) in enumerate(TURNS, before)
    ]
    return Lesson(
        players=RULES.num_players,
        deck=tuple(names.index(_name(code)) for pile in piles for code in pile),
        opening={seat: words[:before] for seat, words in enumerate(passed)},
        steps=tuple(steps),
        end=END,
    )


LESSON = _lesson()
