"""The page of puzzles: each is drawn as its player saw it, with the choices and the answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent
from kododo_env.bots.protocol import position
from kododo_env.levels import LEVELS
from kododo_env.records.lines import DIGEST, sealed
from kododo_env.rendering.languages import say, speaking
from kododo_env.review.puzzles import Puzzle, ask_bots, order, read_puzzles, write_puzzles
from kododo_env.table.names import bots_named

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
    words = registry.words_of(view)
    names = bots_named(puzzle.header.players, ())
    fields = position(view, True, names=names)
    reasons = puzzle.reasons()
    # Equal cards are a single choice.
    choices = {choice["words"]: choice for choice in reversed(fields["actions"])}
    missed = len(puzzle.missed_by)
    return {
        # Hash of the position only: the page remembers solved puzzles, and answers of bots change.
        "id": sealed({"header": puzzle.header.to_json(), "played": puzzle.played, "seat": seat})[
            DIGEST
        ],
        "title": fields["title"],
        "moment": ", ".join(fields["moment"]),
        "you": seat,
        "players": names,
        "text": fields["text"],
        "scene": fields["scene"],
        "hand": fields["hand"],
        "actions": [
            choice
            | {"reasons": [words.sentence(reason, names) for reason in reasons[choice["action"]]]}
            for choice in reversed(choices.values())
        ],
        "best": words.describe_choice(puzzle.best, seat, names=names),
        "themes": list(map(say, puzzle.themes())),
        "gains": [round(100 * gain, 1) for gain in (puzzle.gain, puzzle.low, puzzle.high)],
        "missed": puzzle.missed_by,
        "found": [name for name in puzzle.bots if name not in puzzle.missed_by],
        "grade": say(GRADES[min(3 * missed // max(1, len(puzzle.bots)), 2)]),
    }
