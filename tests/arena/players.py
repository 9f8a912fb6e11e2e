"""Players and tournaments for the tests of the arena, independent of games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.report import TournamentReport, build_report
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.core import BatchGame, View
from kododo_env.rules_arguments import make_game

GAME = "kododo"


class FirstActionAgent:
    """Plays the first legal action; counts how often it was asked, and for whom."""

    name = "first"

    def __init__(self) -> None:
        self.calls: Counter[int] = Counter()

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.calls[view.player] += 1
        return view.legal_action_mask.argmax(axis=1)


def batch(deals: int, players: int = 4, game: str = GAME) -> BatchGame:
    return make_game(game, deals, players, {})


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def tournament(kind: type[Tournament] = Tournament, **changes: Any) -> Tournament:
    arguments = {"game": GAME, "agents": ("first", "last", "random"), "players": 4, "games": 240}
    return kind(**{**arguments, **changes})


def report_of(played: Tournament, workers: int = 1) -> TournamentReport:
    return build_report(played, run(played, played.chunks(), workers))
