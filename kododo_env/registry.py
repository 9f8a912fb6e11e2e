"""The games and their environment modules.

Another package adds a game by an entry point ``NAME = "package.NAME_v0"`` of the group
``kododo_env.games``. It is imported only when its game is used.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING, Any

from kododo_env.checks.numbers import quote
from kododo_env.checks.options import is_one_of
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View, game_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from kododo_env.rendering.game_picture import Picture
    from kododo_env.rendering.game_words import Words
    from kododo_env.rendering.lesson import Lesson

ENVIRONMENT_MODULES = {
    "kododo": "kododo_env.kododo_v0",
    "combi_combo": "kododo_env.combi_combo_v0",
    "kado": "kododo_env.kado_v0",
}
"""The games of this package. Other packages register theirs by entry points."""
GROUP = "kododo_env.games"
NAME = re.compile(r"[a-z][a-z0-9_]*")
IN_A_MODULE = ("GYMNASIUM_ID", "PLAYERS", "batch_game", "parallel_env", "env")


def check_name(game: object, of: str = "") -> None:
    """Check the name of a game, which becomes part of the names of modules, files and policies.

    Args:
        game: The name.
        of: The beginning of the error message, such as the package of the game.

    Raises:
        ValueError: The name is invalid.
    """
    if not isinstance(game, str) or not NAME.fullmatch(game):
        raise ValueError(
            f"{of}name of a game must have lower-case letters, digits and _, such as high_card, "
            f"got {quote(game)}"
        )


def environment_module(game: str) -> Any:
    """Return the environment module of a game, such as ``kododo_env.kododo_v0``.

    It has GYMNASIUM_ID, PLAYERS, the possible numbers of players, and the functions ``batch_game``,
    ``parallel_env`` and ``env``.

    Raises:
        ValueError: The game is unknown, or its package cannot be imported.
    """
    module = beside(game)
    missing = [name for name in IN_A_MODULE if not hasattr(module, name)]
    if missing:
        raise ValueError(
            f"{module.__name__} is not an environment module: it lacks {', '.join(missing)}"
        )
    return module


def beside(game: str, name: str = "") -> Any:
    """Return a module of the package of a game's environment module, such as ``baselines.kado``.

    Without a name, it is the environment module itself.

    Raises:
        ValueError: The game is unknown, or its package cannot be imported.
    """
    entry = None if is_one_of(game, ENVIRONMENT_MODULES) else _entry_point(game)
    module = ENVIRONMENT_MODULES[game] if entry is None else entry.value
    if name:
        module = ".".join(filter(None, (module.rpartition(".")[0], name)))
    try:
        return import_module(module)
    except Exception as error:
        if entry is None:
            raise
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"cannot import game {quote(game)} of package {_package(entry)}: {module}: {reason}"
        ) from error


def _entry_point(game: str) -> EntryPoint:
    """Return the entry point of a game of another package."""
    entries = _entry_points(tuple(sys.path))
    matches = [entry for entry in entries if entry.name == game]
    if not matches:
        names = ", ".join(dict.fromkeys((*ENVIRONMENT_MODULES, *sorted(entries.names))))
        raise ValueError(f"unknown game {quote(game)}; choose from {names}")
    check_name(game, f"package {_package(matches[0])}: ")
    if len(matches) > 1:
        packages = " and ".join(map(_package, matches))
        raise ValueError(f"{packages} both have a game {quote(game)}: uninstall one of them")
    return matches[0]


@cache  # reading the metadata of all installed packages is slow
def _entry_points(path: tuple[str, ...]) -> EntryPoints:
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=GROUP)


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.value


def batch_game(game: str, num_envs: int, seed: int | None = None, **rules: Any) -> BatchGame:
    """Create a batch of games by name; ``rules`` are parameters of the game's ``Rules``.

    Raises:
        ValueError: The game is unknown, the rules are invalid, or the name of the batch is not
            the name of the game, by which records and policies find it.
    """
    batch: BatchGame = environment_module(game).batch_game(num_envs, seed=seed, **rules)
    if batch.name != game:
        raise ValueError(
            f"batch of the game {quote(game)} must have the same name, got {quote(batch.name)}"
        )
    return batch


# --- texts and pictures -------------------------------------------------------------------


def words_of(game: BatchGame | View) -> Words:
    """Return a game in words, as the module ``text.words`` beside its class has them.

    Without such a module, actions are described by their layout, and nothing else is.

    Args:
        game: The batch, or a player's view of it: then the words contain only what the view's
            player knows.
    """
    from kododo_env.rendering import plain_words
    from kododo_env.rendering.game_words import Words

    batch, reader = _position(game)
    return Words(batch, _text_module(type(batch), "words") or plain_words, reader)


def picture_of(game: BatchGame | View) -> Picture:
    """Return what draws a game: the module ``text.picture`` beside its class, or plain text.

    Args:
        game: The batch, or a player's view of it: then only what this player knows is drawn.
    """
    from kododo_env.rendering import plain_picture
    from kododo_env.rendering.game_picture import Picture

    batch, reader = _position(game)
    return Picture(batch, _text_module(type(batch), "picture") or plain_picture, reader)


def lesson_of(game: BatchGame) -> Lesson | None:
    """Return the first lesson of a game: ``LESSON`` in ``text.lesson``; None if it has none."""
    module: Any = _text_module(type(game), "lesson")
    return module and module.LESSON


def examples_of(game: BatchGame) -> ModuleType | None:
    """Return the module ``text.examples`` of a game, which draws the examples of its rules."""
    return _text_module(type(game), "examples")


def rules_text(game: BatchGame, language: str = "en") -> str:
    """Return the rules of a game as Markdown: ``rules.md`` beside the module of its class.

    Args:
        game: A batch of the game.
        language: The code of a language; without a file such as ``rules.de.md``, the rules are in
            English.

    Raises:
        ValueError: The game has no ``rules.md``.
    """
    package = type(game).__module__.rpartition(".")[0]
    folder = files(package or __package__)
    for name in (f"rules.{language}.md", "rules.md"):
        if (folder / name).is_file():
            return (folder / name).read_text("utf-8")
    raise ValueError(f"{game.name} has no rules.md")


def _position(game: BatchGame | View) -> tuple[BatchGame, int | None]:
    """Return a batch, and the player if it is given by a view."""
    return (game_of(game), game.player) if isinstance(game, View) else (game, None)


@cache
def _text_module(kind: type[BatchGame], name: str) -> ModuleType | None:
    """Return a module of the package ``text`` beside the module of a game's class, or None.

    If the class has none, its base classes are searched.
    """
    for base in kind.__mro__:
        package = f"{base.__module__.rpartition('.')[0]}.text"
        if not package.startswith(".") and find_spec(package) and find_spec(f"{package}.{name}"):
            return import_module(f"{package}.{name}")
    return None
