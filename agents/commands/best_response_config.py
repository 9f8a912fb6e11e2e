"""What the command line asks of a best response."""

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
    """How much an attacker who knows a policy gains against it, in place of a tournament:
    best responses learn against copies of it, and search has it as its model.
    """

    best_response: str | None = None
    """The policy: a file, or the name of one that ships. Its file says which game is played."""
    seeds: Annotated[int, Bound(1, 1000)] = 2
    """How many best responses learn: from --seed, --seed + 1, ..."""
    teams: Annotated[int, Bound(0, 1000)] = 1
    """How many teams learn, with more than two players: P - 1 attackers against one policy."""
    minutes: Minutes | None = None
    """How long each of them learns; 5 if neither this nor --steps is given."""
    steps: Steps | None = None
    """Each learner's own steps instead of minutes, rounded up to whole updates."""
    threads: Processes = 1
    """Threads of the processor for learning."""
    search: str = "50ms"
    """What a decision may cost the search: a time (600000ms at most), or a number of worlds
    (100000 at most). With --steps, one thread and worlds, the same arguments give the same
    numbers."""
    search_games: Games = 1_000
    """Games of the search against the policy; slow, see --search."""
    save: Path | None = None
    """Keep the best response that gains most as a policy file (.onnx)."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        for setting in fields(self):
            if self.best_response is None and getattr(self, setting.name) != setting.default:
                raise ValueError(f"{flag(setting.name)} goes with --best-response POLICY only")
        Budget(self.minutes, self.steps)  # raises if both are given
