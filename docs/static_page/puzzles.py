"""The page of puzzles: each drawn as its player saw it, with the choices and the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kododo_env.agent_registry import LEVELS, baselines, make_agent
from kododo_env.bots.protocol import legal_actions
from kododo_env.play.puzzles import Puzzle, ask_bots, order, read_puzzles, write_puzzles
from kododo_env.records.lines import DIGEST, sealed
from kododo_env.rendering.languages import say, speaking

SEED = 0  # of kododo puzzles, by which they were found
PUZZLES = Path(__file__).parents[1] / "puzzles.jsonl"
GRADES = ("easy", "medium", "hard")


def ask_again(file: Path = PUZZLES) -> None:
    """Ask the scripted players and the levels of each puzzle again, which may have changed.

    Raises:
        ValueError: A line of the file is no puzzle.
    """
    write_puzzles(file, sorted(map(_ask, read_puzzles(file)), key=order))


def _ask(puzzle: Puzzle) -> Puzzle:
    table = puzzle.header.game, puzzle.position().num_players
    names = (*baselines(table[0]), *LEVELS[:-1])
    return ask_bots(puzzle, [make_agent(name, *table) for name in names], SEED)


def puzzles_json(language: str = "en") -> str:
    """All puzzles of ``docs/puzzles.jsonl`` as the page reads them.

    Args:
        language: Its code.

    Raises:
        ValueError: A line of the file is no puzzle, or there is no such language.
    """
    with speaking(language):
        return json.dumps([_page_entry(puzzle) for puzzle in read_puzzles(PUZZLES)])


def _page_entry(puzzle: Puzzle) -> dict[str, Any]:
    game = puzzle.position()
    seat = puzzle.seat
    view = game.view(seat)
    words = legal_actions(view)
    missed = len(puzzle.missed_by)
    return {
        # Of the position alone: readers keep which ones they have seen, and bots change.
        "id": sealed({"header": puzzle.header.to_json(), "played": puzzle.played, "seat": seat})[
            DIGEST
        ],
        "title": view.text(0).partition("\n")[0],
        "you": f"player_{seat}",
        "text": view.text(0),
        "picture": view.svg(0),
        "choices": list(dict.fromkeys(words.values())),  # equal cards are one choice
        "best": words[puzzle.best],
        "gains": [round(100 * gain, 1) for gain in (puzzle.gain, puzzle.low, puzzle.high)],
        "missed": puzzle.missed_by,
        "found": [name for name in puzzle.bots if name not in puzzle.missed_by],
        "grade": say(GRADES[min(3 * missed // max(1, len(puzzle.bots)), 2)]),
    }
