"""How small and how large a setting may be that is a number: one table for all scripts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_type_hints

from kododo_env.core.numbers import finite_number, whole_number

YEAR = 525_600  # minutes
MOST_GAMES = 10_000_000  # by then intervals are narrower than .001
MOST_PROCESSES = 512
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

    lowest: int
    highest: int
    whole: bool = True
    above: bool = False

    def checked(self, value: Any, name: str) -> int | float:
        """The value as Python's int or float; ValueError, naming it, if it will not do."""
        if self.whole:
            return whole_number(value, name, self.lowest, self.highest)
        return finite_number(value, name, self.lowest, self.highest, self.above)

    def __str__(self) -> str:
        if self.above:
            return f"above {self.lowest}, at most {self.highest:,}"
        return f"{self.lowest} to {self.highest:,}"


def _real(lowest: int, highest: int) -> Bound:
    return Bound(lowest, highest, whole=False)


def _positive(highest: int) -> Bound:
    return Bound(0, highest, whole=False, above=True)


# By the name of the field, whatever the class: the same name means the same everywhere.
BOUNDS = {
    "minutes": _positive(YEAR),
    "steps": Bound(1, 10**12),
    "seed": Bound(0, MOST_SEED),
    "checkpoint_minutes": _positive(YEAR),
    "evaluations": Bound(1, 10_000),
    "games": Bound(1, MOST_GAMES),
    "record_games": Bound(1, MOST_GAMES),
    "threads": Bound(1, MOST_PROCESSES),
    "workers": Bound(1, MOST_PROCESSES),
    "learners": Bound(1, MOST_PROCESSES),
    "search_games": Bound(1, MOST_GAMES),
    # of make_policies
    "seeds": Bound(1, 1000),
    "jobs": Bound(1, MOST_PROCESSES),
    # of the benchmark
    "rounds": Bound(1, 1000),
    "seconds": _positive(3600),
    # of a table
    "people": Bound(1, 100),  # how many seats there are is each game's
    "port": Bound(0, 65_535),
    # of a search's budget
    "worlds": Bound(1, 100_000),
    "milliseconds": _positive(600_000),
    # of a recipe; that it fits into memory is checked for all of them together
    "num_envs": Bound(1, 1_000_000),
    "batch_size": Bound(1, 10_000_000),
    "n_epochs": Bound(1, 1000),
    "learning_rate": _positive(1),
    "final_learning_rate": _real(0, 1),
    "muon": _real(0, 1000),
    "ent_coef": _real(0, 10),
    "final_ent_coef": _real(0, 10),
    "magnet": _real(0, 10),
    "magnet_updates": _real(1, 1_000_000),
    "clip_range": _positive(10),
    "gamma": _real(0, 1),
    "gae_lambda": _real(0, 1),
    "vf_coef": _real(0, 1000),
    "max_grad_norm": _positive(1_000_000),
    "margin_weight": _real(-1000, 1000),
    "width": Bound(1, 4096),
    "depth": Bound(1, 16),
    "one_hot": Bound(0, 255),
    "imitation_share": _real(0, 1),
    "imitation_learning_rate": _positive(1),
    "imitation_temperature": _real(0, 1000),
    "opponents_share": _real(0, 1),
    "temperature": _real(0, 100),
}


def check_settings(config: Any, flags: bool = False) -> None:
    """Check all numbers of a dataclass that the table names; None will do where it is the default.

    Args:
        config: An instance, frozen or not; its numbers become Python's own.
        flags: Whether to name them as on the command line.

    Raises:
        ValueError: One is no such number.
    """
    for each in fields(config):
        value = getattr(config, each.name)
        if each.name in BOUNDS and not (value is None and each.default is None):
            name = flag(each.name) if flags else each.name
            object.__setattr__(config, each.name, BOUNDS[each.name].checked(value, name))


def flag(name: str) -> str:
    """How a field is given on the command line."""
    return f"--{name.replace('_', '-')}"


def bounds_text(config_class: type[Any]) -> str:
    """The table for the numbers of a command line, to stand below its help."""
    bounds = {flag(name): BOUNDS[name] for name in _names(config_class) if name in BOUNDS}
    width = max(map(len, bounds), default=0)
    return "\n".join(["numbers:", *(f"  {name:<{width}}  {bounds[name]}" for name in bounds)])


def _names(config_class: type[Any]) -> Iterator[str]:
    """The fields of a dataclass, and of those that are its fields."""
    types = get_type_hints(config_class)
    for each in fields(config_class):
        if is_dataclass(types[each.name]):
            yield from _names(types[each.name])
        else:
            yield each.name
