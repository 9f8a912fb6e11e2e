"""The page of puzzles: each is drawn as its player saw it, with the choices and the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent
from kododo_env.bots.protocol import legal_actions
from kododo_env.levels import LEVELS
from kododo_env.records.lines import DIGEST, sealed
from kododo_env.rendering.languages import say, speaking
from kododo_env.review.puzzles import Puzzle, ask_bots, order, read_puzzles, write_puzzles

SEED = 0  # of the command kododo puzzles that found them
PUZZLES = Path(__file__).parents[1] / "puzzles.jsonl"
GRADES = ("level.easy", "level.medium", "level.hard")


def ask_again(file: Path = PUZZLES) -> None:
    """Update the answers of the scripted players and levels to each puzzle.

    Raises:
        ValueError: A line of the file is not a puzzle.
    """
    write_puzzles(file, sorted(map(_ask, read_puzzles(file)), key=order))


def _ask(puzzle: Puzzle) -> Puzzle:
    table = puzzle.header.game, puzzle.position().num_players
    names = (*baselines(table[0]), *LEVELS[:-1])
    return ask_bots(puzzle, [make_agent(name, *table) for name in names], SEED)


def puzzles_json(language: str = "en") -> str:
    """Return all puzzles of ``docs/puzzles.jsonl`` as JSON for the page.

    Args:
        language: The code of the language.

    Raises:
        ValueError: A line of the file is not a puzzle, or the language is unknown.
    """
    with speaking(language):
        return json.dumps([_page_entry(puzzle) for puzzle in read_puzzles(PUZZLES)])


def _page_entry(puzzle: Puzzle) -> dict[str, Any]:
    game = puzzle.position()
    seat = puzzle.seat
    view = game.view(seat)
    words = legal_actions(view)
    descriptions = registry.words_of(view)
    picture = registry.picture_of(view)
    missed = len(puzzle.missed_by)
    return {
        # Hash of the position only: the page remembers solved puzzles, and answers of bots change.
        "id": sealed({"header": puzzle.header.to_json(), "played": puzzle.played, "seat": seat})[
            DIGEST
        ],
        "title": descriptions.title(),
        "moment": ", ".join(descriptions.moment()),
        "you": f"player_{seat}",
        "text": picture.text(0),
        "picture": picture.svg(0),
        "scene": picture.scene(0).to_json(),
        "choices": list(dict.fromkeys(words.values())),  # equal cards are a single choice
        "best": words[puzzle.best],
        "gains": [round(100 * gain, 1) for gain in (puzzle.gain, puzzle.low, puzzle.high)],
        "missed": puzzle.missed_by,
        "found": [name for name in puzzle.bots if name not in puzzle.missed_by],
        "grade": say(GRADES[min(3 * missed // max(1, len(puzzle.bots)), 2)]),
    }
