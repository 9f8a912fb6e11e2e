"""Which games there are, and the doors through which they are entered."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol, cast

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.core.options import is_one_of

DOORS = {
    "kododo": "kododo_env.kododo_v0",
    "combi_combo": "kododo_env.combi_combo_v0",
    "kado": "kododo_env.kado_v0",
}


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


def door(game: str) -> Door:
    """The module through which a game is entered.

    Raises:
        ValueError: There is no game of that name.
    """
    return cast("Door", import_module(_module(game)))


def package(game: str) -> str:
    """The package in which a game's door lies, and in which its baselines are found.

    Raises:
        ValueError: There is no game of that name.
    """
    return _module(game).rpartition(".")[0]


def _module(game: str) -> str:
    if not is_one_of(game, DOORS):
        raise ValueError(f"unknown game {shown(game)}; choose one of {', '.join(DOORS)}")
    return DOORS[game]


def batch_game(game: str, num_envs: int, seed: int | None = None, **rules: Any) -> BatchGame:
    """A batch of games by name; ``rules`` are the parameters of that game's ``Rules``.

    Raises:
        ValueError: There is no such game, or its rules cannot be played.
    """
    return door(game).batch_game(num_envs, seed=seed, **rules)
