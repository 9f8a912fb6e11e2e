"""The options that train.py and evaluate.py share, and when an option can be given.

This module imports no third-party library, so that ``evaluate.py --help`` is quick.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_type_hints

from kododo_env.checks.bounds import MOST_STEPS, YEAR, flag
from kododo_env.checks.numbers import finite_number, whole_number

Engine = Literal["local", "ray"]
RAY: Engine = "ray"
DEFAULT_MINUTES = 5.0


@dataclass(frozen=True)
class Use:
    """When a setting can be given, declared like ``Annotated[float, Use(needs="magnet")]``.

    Attributes:
        fixed: Whether it cannot change when a run is resumed.
        needs: The setting without which it has no effect.
        value: The value that the needed setting must have; "": any value but an empty one.
    """

    fixed: bool = False
    needs: str = ""
    value: str = ""


@cache
def uses_of(config_class: type) -> dict[str, Use]:
    """Return the ``Use`` of each field that declares one."""
    hints = get_type_hints(config_class, include_extras=True)
    declared = {name: getattr(hint, "__metadata__", ()) for name, hint in hints.items()}
    return {
        name: use for name, metadata in declared.items() for use in metadata if isinstance(use, Use)
    }


def check_needs(config: Any, usual: Any) -> None:
    """Raise ValueError if a setting is changed that has no effect without another setting.

    Args:
        config: A dataclass.
        usual: What has the usual values as attributes.
    """
    for name, use in uses_of(config.__class__).items():
        if not use.needs or getattr(config, name) == getattr(usual, name):
            continue
        present = getattr(config, use.needs)
        if present != use.value if use.value else not present:
            needed = f"{flag(use.needs)} {use.value}".rstrip()
            raise ValueError(
                f"{flag(name)} has no effect without {needed}; give both or leave it out"
            )


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
