"""The page of puzzles: each drawn as its player saw it, with the choices and the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kododo_env.bots.showing import legal_actions
from kododo_env.play.puzzles import Puzzle, read_puzzles
from kododo_env.rendering.languages import say, speaking

PUZZLES = Path(__file__).parents[1] / "puzzles.jsonl"
GRADES = ("easy", "medium", "hard")


def puzzles_json(language: str = "en") -> str:
    """All puzzles of ``docs/puzzles.jsonl`` as the page reads them.

    Args:
        language: Its code.

    Raises:
        ValueError: A line of the file is no puzzle, or there is no such language.
    """
    with speaking(language):
        return json.dumps([_shown(each) for each in read_puzzles(PUZZLES)])


def _shown(puzzle: Puzzle) -> dict[str, Any]:
    game = puzzle.position()
    view = game.view(puzzle.seat)
    words = legal_actions(view)
    missed = len(puzzle.missed_by)
    return {
        "id": puzzle.to_json()["digest"],
        "title": view.text(0).partition("\n")[0],
        "you": f"player_{puzzle.seat}",
        "text": view.text(0),
        "picture": view.svg(0),
        "choices": list(dict.fromkeys(words.values())),  # equal cards are one choice
        "best": words[puzzle.best],
        "gains": [round(100 * each, 1) for each in (puzzle.gain, puzzle.low, puzzle.high)],
        "missed": puzzle.missed_by,
        "found": [name for name in puzzle.bots if name not in puzzle.missed_by],
        "grade": say(GRADES[min(3 * missed // max(1, len(puzzle.bots)), 2)]),
    }
