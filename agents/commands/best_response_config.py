"""The command-line options of the measurement of exploitability."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from agents.options import Budget
from kododo_env.core.bounds import (
    Bound,
    Games,
    Minutes,
    Processes,
    Steps,
    check_settings,
    flag,
)


@dataclass(frozen=True)
class BestResponseConfig:
    """Measure how much an attacker who knows a policy gains against it, instead of a tournament:
    best responses are trained against copies of it, and search has it as its model.
    """

    best_response: str | None = None
    """The policy: a file, or the name of a shipped one. Its metadata determine the game."""
    seeds: Annotated[int, Bound(1, 1000)] = 2
    """Number of best responses, trained from --seed, --seed + 1, ..."""
    teams: Annotated[int, Bound(0, 1000)] = 1
    """Number of teams of P - 1 attackers against one policy, with more than two players."""
    minutes: Minutes | None = None
    """Training time of each; 5 if neither this nor --steps is given."""
    steps: Steps | None = None
    """Each learner's steps instead of minutes, rounded up to whole updates."""
    threads: Processes = 1
    """CPU threads for learning."""
    search: str = "50ms"
    """The search's budget for a decision: a time (600000ms at most), or a number of worlds
    (100000 at most). With --steps, one thread and worlds, results are reproducible."""
    search_games: Games = 1_000
    """Games of the search against the policy; they are slow, see --search."""
    save: Path | None = None
    """Save the best response that gains most as a policy file (.onnx)."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for setting in fields(self):
            if self.best_response is None and getattr(self, setting.name) != setting.default:
                raise ValueError(f"{flag(setting.name)} needs --best-response POLICY")
        Budget(self.minutes, self.steps)  # raises if both are given
