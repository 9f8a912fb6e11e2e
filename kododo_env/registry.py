"""Which games there are, and the doors through which they are entered.

A game may come from another package, as the entry point ``NAME = "package.NAME_v0"`` of the group
``kododo_env.games``. Nothing of that package is imported before the game is asked for.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

DOORS = {
    "kododo": "kododo_env.kododo_v0",
    "combi_combo": "kododo_env.combi_combo_v0",
    "kado": "kododo_env.kado_v0",
}
"""Our own games. Those of other packages are found by their entry points."""
GROUP = "kododo_env.games"
NAME = re.compile(r"[a-z][a-z0-9_]*")
IN_A_DOOR = ("GYMNASIUM_ID", "PLAYERS", "batch_game", "parallel_env", "env")


class Door(Protocol):
    """The functions in the module of each game, such as ``kododo_env.kododo_v0``."""

    GYMNASIUM_ID: str
    PLAYERS: tuple[int, ...]

    def batch_game(self, num_envs: int, seed: int | None = None, **rules: Any) -> BatchGame:
        """Many games at once."""
        ...

    def parallel_env(self, **options: Any) -> Any:
        """One game as a PettingZoo ParallelEnv."""
        ...

    def env(self, **options: Any) -> Any:
        """One game as a PettingZoo AECEnv."""
        ...


def check_name(game: object, of: str = "") -> None:
    """Raise ValueError if a game cannot have that name, ``of`` the package that gives it.

    It becomes part of a module's name, of files' and of policies'.
    """
    if not isinstance(game, str) or not NAME.fullmatch(game):
        raise ValueError(
            f"{of}a game cannot be called {shown(game)}: a name is of small letters, digits and _, "
            "such as high_card"
        )


def door(game: str) -> Door:
    """The module through which a game is entered.

    Raises:
        ValueError: There is no game of that name, or the package that has it is broken.
    """
    found = _module(game)
    if missing := [name for name in IN_A_DOOR if not hasattr(found, name)]:
        raise ValueError(f"{found.__name__} is no door of a game: it has no {', '.join(missing)}")
    return cast("Door", found)


def beside(game: str, name: str) -> Any:
    """A module that lies beside a game's door, such as ``baselines.kado`` beside that of KADO.

    Raises:
        ValueError: As ``door``.
    """
    return _module(game, name)


def _module(game: str, name: str = "") -> Any:
    """The module of a game's door, or another beside it."""
    entry = None if is_one_of(game, DOORS) else _entry_point(game)
    module = DOORS[game] if entry is None else entry.value
    if name:
        module = ".".join(filter(None, (module.rpartition(".")[0], name)))
    try:
        return import_module(module)
    except Exception as error:
        if entry is None:
            raise
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"the game {shown(game)} of the package {_package(entry)} is broken: {module} cannot "
            f"be imported: {said}"
        ) from error


def _entry_point(game: str) -> EntryPoint:
    """Where the game of another package is."""
    others = _entry_points(tuple(sys.path))
    found = [each for each in others if each.name == game]
    if not found:
        names = ", ".join(dict.fromkeys((*DOORS, *sorted(others.names))))
        raise ValueError(f"unknown game {shown(game)}; choose one of {names}")
    check_name(game, f"the package {_package(found[0])}: ")
    if len(found) > 1:
        packages = " and ".join(map(_package, found))
        raise ValueError(f"{packages} both have a game {shown(game)}: uninstall one of them")
    return found[0]


@cache  # it reads the metadata of all that is installed
def _entry_points(path: tuple[str, ...]) -> EntryPoints:
    from importlib.metadata import entry_points  # takes longer than all of this module

    return entry_points(group=GROUP)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


def batch_game(game: str, num_envs: int, seed: int | None = None, **rules: Any) -> BatchGame:
    """A batch of games by name; ``rules`` are the parameters of that game's ``Rules``.

    Raises:
        ValueError: There is no such game, its rules cannot be played, or it has another name
            than its batch, by which records and policies would not find it.
    """
    made = door(game).batch_game(num_envs, seed=seed, **rules)
    if made.name != game:
        raise ValueError(
            f"the game {shown(game)} must have this as its batch's name, not {shown(made.name)}"
        )
    return made
