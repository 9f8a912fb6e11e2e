"""Games whose records the tests write and read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from kododo_env.core import BatchGame
from kododo_env.records import Recorder, record_games
from kododo_env.records.lines import sealed
from tests.helpers import random_actions

DATE = "2026-05-17T20:15:00"


def recorded(game: BatchGame, seed: int = 0, **settings: Any) -> list[Recorder]:
    """Play a batch at random to its end; return a recorder for each of its games."""
    rng = np.random.default_rng(seed)
    return record_games(game, lambda batch: random_actions(batch, rng), **settings)


def edited(text: str, line: int, change: Callable[[dict[str, Any]], Any]) -> str:
    """Return a record with a change in one line."""
    lines = text.splitlines()
    content = json.loads(lines[line - 1])
    change(content)
    lines[line - 1] = json.dumps(content)
    return "\n".join(lines) + "\n"


def resealed(text: str) -> str:
    """Return a changed record with the right digests."""
    lines = []
    before = ""
    for line in map(json.loads, text.splitlines()):
        lines.append(sealed(line, before))
        before = lines[-1]["digest"]
    return "".join(json.dumps(line) + "\n" for line in lines)
