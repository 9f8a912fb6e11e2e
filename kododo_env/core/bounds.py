"""How small and how large a number may be: a bound stands on the field that it bounds."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from kododo_env.core.numbers import finite_number, whole_number

YEAR = 525_600  # minutes
MOST_GAMES = 10_000_000  # by then intervals are narrower than .001
MOST_STEPS = 10**12
MOST_SEED = 2**32 - 1  # what stable-baselines3 and torch both take


@dataclass(frozen=True)
class Bound:
    """Which numbers a setting takes.

    Attributes:
        lowest: The smallest.
        highest: The largest.
        whole: Whether whole numbers only.
        above: Whether the lowest itself will not do.
    """

    lowest: float
    highest: int
    whole: bool = True
    above: bool = False

    def checked(self, value: Any, name: str) -> int | float:
        """The value as Python's int or float; ValueError, naming it, if it will not do."""
        if self.whole:
            return whole_number(value, name, int(self.lowest), self.highest)
        return finite_number(value, name, self.lowest, self.highest, self.above)

    def __str__(self) -> str:
        if self.above:
            return f"above {self.lowest}, at most {self.highest:,}"
        return f"{self.lowest} to {self.highest:,}"


def real(lowest: float, highest: int) -> Bound:
    """Any number from the lowest to the highest."""
    return Bound(lowest, highest, whole=False)


def positive(highest: int) -> Bound:
    """Any number above 0, up to the highest."""
    return Bound(0, highest, whole=False, above=True)


# Fields that several classes have.
Seed = Annotated[int, Bound(0, MOST_SEED)]
Games = Annotated[int, Bound(1, MOST_GAMES)]
Processes = Annotated[int, Bound(1, 512)]
Minutes = Annotated[float, positive(YEAR)]
Steps = Annotated[int, Bound(1, MOST_STEPS)]


@cache
def bounds_of(config_class: type) -> dict[str, Bound]:
    """The bounds that stand on a dataclass's fields, ``width: Annotated[int, Bound(1, 4096)]``."""
    hints = get_type_hints(config_class, include_extras=True)
    bounds = {
        config_field.name: _bound(hints[config_field.name]) for config_field in fields(config_class)
    }
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _bound(hint: Any) -> Bound | None:
    """What stands on a type, or on one of a union."""
    beside = (*getattr(hint, "__metadata__", ()), *map(_bound, get_args(hint)))
    return next((annotation for annotation in beside if isinstance(annotation, Bound)), None)


def check_settings(config: Any, flags: bool = False) -> None:
    """Check the numbers of a dataclass by their bounds; None will do where it is the default.

    Args:
        config: An instance, frozen or not; its numbers become Python's own.
        flags: Whether to name them as on the command line.

    Raises:
        ValueError: One is no such number.
    """
    for name, bound in bounds_of(config.__class__).items():
        value = getattr(config, name)
        if value is not None or getattr(config.__class__, name, "") is not None:
            checked = bound.checked(value, flag(name) if flags else name)
            object.__setattr__(config, name, checked)


def flag(name: str) -> str:
    """How a field is given on the command line."""
    return f"--{name.replace('_', '-')}"
