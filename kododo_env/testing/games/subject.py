"""Helpers for the checks of a batch game: creating, playing and observing games."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Any
from xml.etree import ElementTree

import numpy as np
import numpy.typing as npt

from kododo_env.arrays.dtypes import Int64, Intp, Uint8
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import RoundPlay
from kododo_env.core.view import View
from kododo_env.registry import picture_of
from kododo_env.testing.report import Fault

Make = Callable[..., BatchGame]
Reseat = Callable[[BatchGame, Uint8, Intp], Uint8]
LONGEST_GAME = 10_000  # steps; a longer game is a fault


@dataclass(frozen=True)
class Subject:
    """The subject of the checks: a game with one set of rules."""

    make: Make  # ``make(num_envs, seed=..., **rules)`` returns a new batch
    rules: Mapping[str, Any]  # keyword arguments of ``make``
    seed: int = 0  # of all random numbers of the checks
    places: int = 10  # the number of steps in a game at which the expensive checks run

    def game(self, num_envs: int, seed: int | None = None) -> BatchGame:
        """Return a new batch; None as the seed stands for the seed of the subject."""
        return self.make(num_envs, seed=self.seed if seed is None else seed, **self.rules)

    def dealt(self, decks: Uint8) -> BatchGame:
        """Return a new batch that is dealt with decks, (N, D) or (N, K, D)."""
        game = self.game(len(decks))
        game.reset(decks=decks)
        return game

    def rng(self, salt: int = 0) -> np.random.Generator:
        """Return a generator that depends on the subject's seed and on ``salt``."""
        return np.random.default_rng((self.seed, salt))

    def stops(self, num_envs: int) -> frozenset[int]:
        """Return the numbers of ``places`` evenly spaced steps, from 0 to the last step.

        Args:
            num_envs: The number of games in the batch that is played.
        """
        game = self.game(num_envs)
        play(game, self.rng())
        last = game.steps_played - 1
        return frozenset(np.linspace(0, last, self.places).round().astype(int).tolist())


def as_rules(rules: object) -> dict[str, Any]:
    """Return rules, a mapping or a dataclass, as keyword arguments.

    Raises:
        TypeError: ``rules`` is neither a mapping nor a dataclass.
    """
    if is_dataclass(rules) and not isinstance(rules, type):
        return {field.name: getattr(rules, field.name) for field in fields(rules) if field.init}
    if isinstance(rules, Mapping):
        return dict(rules)
    raise TypeError(f"rules must be a mapping or a dataclass, got {rules!r}")


def turns(game: BatchGame, rng: np.random.Generator) -> Iterator[Int64]:
    """Yield random legal actions until all games are over; call ``game.step`` after each.

    Yields:
        Actions, int64, shape (N, P).

    Raises:
        Fault: The games do not end, or a player has no legal action.
    """
    for _ in range(LONGEST_GAME):
        if game.terminated.all():
            return
        mask = game.legal_action_mask()
        if not mask.any(axis=2).all():
            env, player = np.argwhere(~mask.any(axis=2))[0]
            where = f"after step {game.steps_played}"
            raise Fault(f"{where} player {player} of game {env} has no legal action")
        yield random_legal_actions(mask, rng)
    raise Fault(f"some games have not ended after {LONGEST_GAME} steps of random play")


def play(game: BatchGame, rng: np.random.Generator, steps: int | None = None) -> None:
    """Play random legal actions until all games are over, at most ``steps`` steps.

    Raises:
        Fault: A step rejects a legal action.
    """
    for actions in islice(turns(game, rng), steps):
        try:
            game.step(actions)
        except ValueError as error:
            when = f"after step {game.steps_played}"
            raise Fault(f"{when} step rejects a legal action: {error}") from error


def rejection(call: Callable[[], object], label: str) -> str:
    """Return the message of the ValueError that a call must raise.

    Args:
        call: The call, with an invalid argument.
        label: The description of the argument, for the message of a Fault.

    Raises:
        Fault: The call raises no ValueError, or one whose message has several lines.
    """
    try:
        call()
    except ValueError as error:
        message = str(error)
    except Exception as error:
        raise Fault(f"{label} raises {type(error).__name__}, not ValueError: {error}") from error
    else:
        raise Fault(f"{label} is accepted")
    if "\n" in message:
        raise Fault(f"the error for {label} has several lines: {message}")
    return message


def check_array(
    array: np.ndarray[Any, Any], name: str, shape: tuple[int, ...], dtype: npt.DTypeLike, when: str
) -> None:
    """Raise Fault unless a game's own array has a shape and a dtype, and is read-only."""
    if (array.shape, array.dtype) != (shape, np.dtype(dtype)):
        expected = f"{np.dtype(dtype)} {shape}"
        raise Fault(f"{when} {name} is {array.dtype} {array.shape}, not {expected}")
    if array.flags.writeable:
        raise Fault(f"{when} {name} is writeable")


def stir(seed: int) -> None:
    """Seed the global generators of random and numpy, on which games must not depend."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def shown_by(view: View) -> dict[str, Any]:
    """Return a view's public attributes by name, without methods."""
    public = [name for name in dir(view) if not name.startswith("_")]
    return {
        name: getattr(view, name)
        for name in public
        if not callable(getattr(type(view), name, None))
    }


def look_at_everything(game: BatchGame, rng: np.random.Generator) -> None:
    """Call all methods that read a batch, which must not change it.

    Raises:
        Fault: ``round_steps`` is below 1, or ``text`` returns no text.
    """
    game.observe()
    game.deciding()
    game.outcome()
    if isinstance(game, RoundPlay) and game.round_steps < 1:
        raise Fault(f"round_steps must be at least 1, got {game.round_steps}")
    game.clone()
    picture = picture_of(game)
    for player in (None, *range(game.num_players)):
        if not picture.text(0, player).strip():
            raise Fault("text() is empty")
        ElementTree.fromstring(picture.svg(0, player))
    for player in range(game.num_players):
        shown_by(game.view(player))
        game.determinize(player, rng, 2)
