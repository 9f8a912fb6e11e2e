"""The command-line options that measure exploitability."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from agents.options import Budget
from kododo_env.checks.bounds import (
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
    """Measure the exploitability of a policy instead of playing a tournament: train best responses
    against copies of it, and let search use it as the model of all players.
    """

    best_response: str | None = None
    """The policy to attack: a policy file, or the name of a shipped policy. Its metadata determine
    the game."""
    seeds: Annotated[int, Bound(1, 1000)] = 2
    """Number of best responses, trained from --seed, --seed + 1, ..."""
    teams: Annotated[int, Bound(0, 1000)] = 1
    """Number of teams of P - 1 attackers against one copy of the policy, for more than two players.
    """
    minutes: Minutes | None = None
    """Training time of each attacker, in minutes; 5 if neither this nor --steps is given."""
    steps: Steps | None = None
    """Agent-steps of each attacker instead of minutes, rounded up to whole updates."""
    threads: Processes = 1
    """CPU threads for learning."""
    search: str = "50ms"
    """Budget of search for a decision: a time (at most 600000ms), or a number of worlds (at most
    100000). Results are reproducible with --steps, one thread and a number of worlds."""
    search_games: Games = 1_000
    """Games of search against the policy. Search is slow, see --search."""
    save: Path | None = None
    """The policy file (.onnx) to write, with the best response that gains most."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for setting in fields(self):
            if self.best_response is None and getattr(self, setting.name) != setting.default:
                raise ValueError(f"{flag(setting.name)} needs --best-response POLICY")
        Budget(self.minutes, self.steps)  # raises if both are given
