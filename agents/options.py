"""The options that train.py and evaluate.py share: the budget and the engine.

This module imports no third-party library, so that ``evaluate.py --help`` is quick.
"""

from __future__ import annotations

import time
from typing import Any, Literal

from kododo_env.core.bounds import MOST_STEPS, YEAR, flag
from kododo_env.core.numbers import finite_number, whole_number

Engine = Literal["local", "ray"]
RAY: Engine = "ray"
DEFAULT_MINUTES = 5.0


def check_engine(config: Any, *ray_only: str) -> None:
    """Check that options of ``--engine ray`` are given only together with it.

    Args:
        config: A dataclass of options with a field ``engine``.
        *ray_only: The names of the fields that need ``--engine ray``; None means not given.

    Raises:
        ValueError: Such an option is given without ``--engine ray``.
    """
    for name in ray_only:
        if config.engine != RAY and getattr(config, name) is not None:
            raise ValueError(f"{flag(name)} needs --engine ray")


class Budget:
    """A training budget in minutes or agent-steps. The clock starts when it is created.

    Args:
        minutes: The budget in minutes; 5 if neither ``minutes`` nor ``steps`` is given.
        steps: The budget in agent-steps. With a budget in steps, a seed always gives the same
            result.
        spent: Seconds that were spent before.

    Raises:
        ValueError: Both ``minutes`` and ``steps`` are given, or one is out of bounds.
    """

    def __init__(
        self, minutes: float | None = None, steps: int | None = None, spent: float = 0.0
    ) -> None:
        if minutes is not None:
            finite_number(minutes, "minutes", 0, YEAR, above=True)
        if steps is not None:
            whole_number(steps, "steps", 1, MOST_STEPS)
        if minutes is not None and steps is not None:
            raise ValueError("give minutes or steps, not both")
        self.steps = steps
        self.minutes = None if steps is not None else minutes or DEFAULT_MINUTES
        self._start = time.monotonic() - spent

    @property
    def seconds(self) -> float:
        """The seconds spent so far."""
        return time.monotonic() - self._start

    def remaining(self, steps: int, seconds: float | None = None) -> float:
        """Return the remaining share of the budget, from 1 to 0.

        Args:
            steps: The agent-steps taken so far.
            seconds: The seconds spent so far; None: ``self.seconds``.
        """
        if self.minutes is None:
            assert self.steps is not None
            return max(0.0, 1 - steps / self.steps)
        return max(0.0, 1 - (self.seconds if seconds is None else seconds) / (60 * self.minutes))

    def text(self) -> str:
        """Return the budget as text, such as "5 minutes"."""
        return f"{self.minutes:g} minutes" if self.minutes else f"{self.steps:,} agent-steps"
