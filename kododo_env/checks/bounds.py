"""Bounds of the numeric fields of dataclasses, declared as annotations."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Annotated, Any, get_args, get_type_hints

from kododo_env.checks.numbers import finite_number, quote, whole_number

YEAR = 525_600  # minutes
MOST_GAMES = 10_000_000  # with so many games intervals are narrower than .001
MOST_STEPS = 10**12
MOST_SEED = 2**32 - 1  # the largest that stable-baselines3 and torch both accept


@dataclass(frozen=True)
class Bound:
    """The range of numbers that a setting accepts.

    Attributes:
        lowest: The smallest number.
        highest: The largest number.
        whole: Whether only integers are accepted.
        above: Whether ``lowest`` itself is excluded.
    """

    lowest: float
    highest: int
    whole: bool = True
    above: bool = False

    def checked(self, value: Any, name: str) -> int | float:
        """Return a number as Python's int or float; raise ValueError if it is out of bounds."""
        if self.whole:
            return whole_number(value, name, int(self.lowest), self.highest)
        return finite_number(value, name, self.lowest, self.highest, self.above)

    def __str__(self) -> str:
        if self.above:
            return f"above {self.lowest}, at most {self.highest:,}"
        return f"{self.lowest} to {self.highest:,}"


def real(lowest: float, highest: int) -> Bound:
    """Return the bound of any number from ``lowest`` to ``highest``."""
    return Bound(lowest, highest, whole=False)


def positive(highest: int) -> Bound:
    """Return the bound of any number above 0, up to ``highest``."""
    return Bound(0, highest, whole=False, above=True)


# Types of fields that several classes have.
Seed = Annotated[int, Bound(0, MOST_SEED)]
Games = Annotated[int, Bound(1, MOST_GAMES)]
Processes = Annotated[int, Bound(1, 512)]
Minutes = Annotated[float, positive(YEAR)]
Steps = Annotated[int, Bound(1, MOST_STEPS)]


@cache
def bounds_of(config_class: type) -> dict[str, Bound]:
    """Return the bounds of fields that are declared like ``Annotated[int, Bound(1, 4096)]``."""
    hints = get_type_hints(config_class, include_extras=True)
    bounds = {
        config_field.name: _bound(hints[config_field.name]) for config_field in fields(config_class)
    }
    return {name: bound for name, bound in bounds.items() if bound is not None}


def _bound(hint: Any) -> Bound | None:
    """Return the bound in an annotation, or in a member of a union."""
    beside = (*getattr(hint, "__metadata__", ()), *map(_bound, get_args(hint)))
    return next((annotation for annotation in beside if isinstance(annotation, Bound)), None)


def check_settings(config: Any, flags: bool = False) -> None:
    """Check the numbers of a dataclass against their bounds; None is valid if it is the default.

    Args:
        config: An instance, frozen or not; its numbers become Python's int and float.
        flags: Whether messages name the fields as on the command line.

    Raises:
        ValueError: A number has the wrong type or is out of bounds.
    """
    for name, bound in bounds_of(config.__class__).items():
        value = getattr(config, name)
        if value is not None or getattr(config.__class__, name, "") is not None:
            checked = bound.checked(value, flag(name) if flags else name)
            object.__setattr__(config, name, checked)


def check_players(rules: Any, game: str, lowest: int, highest: int) -> None:
    """Check the number of players in the rules of a game, which becomes Python's int.

    Raises:
        ValueError: It is not an integer from ``lowest`` to ``highest``.
    """
    players = whole_number(rules.num_players, "num_players")
    if not lowest <= players <= highest:
        raise ValueError(f"{game} needs {lowest} to {highest} players, not {quote(players)}")
    object.__setattr__(rules, "num_players", players)


def flag(name: str) -> str:
    """Return the command-line option of a field."""
    return f"--{name.replace('_', '-')}"
