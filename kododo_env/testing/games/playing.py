"""How the checks of a batch game make games, play them at random and look at them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any
from xml.etree import ElementTree

import numpy as np

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.arrays import Int64, Intp, Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import PlaysRounds
from kododo_env.core.view import View
from kododo_env.testing.report import Fault

Make = Callable[..., BatchGame]
Reseat = Callable[[BatchGame, Uint8, Intp], Uint8]
LONGEST_GAME = 10_000  # steps; a game that goes on for longer is taken for one without end


@dataclass(frozen=True)
class Subject:
    """The subject of the checks: one game under one set of rules."""

    make: Make  # ``make(num_envs, seed=..., **rules)`` is a new batch
    rules: Mapping[str, Any]  # as ``make`` takes them
    seed: int = 0  # from which all randomness of the checks follows
    places: int = 10  # at how many places of a game the expensive checks stop and look

    def game(self, num_envs: int, seed: int | None = None) -> BatchGame:
        """A new batch; ``seed`` is the subject's own unless another is given."""
        return self.make(num_envs, seed=self.seed if seed is None else seed, **self.rules)

    def rng(self, salt: int = 0) -> np.random.Generator:
        """A generator of the checks' own."""
        return np.random.default_rng((self.seed, salt))

    def stops(self, num_envs: int) -> frozenset[int]:
        """At which steps of a game to look: evenly spread, the deal and the last step included."""
        game, steps = self.game(num_envs), 0
        for actions in turns(game, self.rng()):
            try:
                game.step(actions)
            except ValueError as error:
                message = f"after step {steps} step refuses what the mask allows: {error}"
                raise Fault(message) from error
            steps += 1
        return frozenset(np.linspace(0, steps - 1, self.places).round().astype(int).tolist())


def as_rules(rules: object) -> dict[str, Any]:
    """Rules as keyword arguments, from a mapping or a dataclass."""
    if is_dataclass(rules) and not isinstance(rules, type):
        return {field.name: getattr(rules, field.name) for field in fields(rules) if field.init}
    if isinstance(rules, Mapping):
        return dict(rules)
    raise TypeError(f"rules must be a mapping or a dataclass, not {rules!r}")


def turns(game: BatchGame, rng: np.random.Generator) -> Iterator[Int64]:
    """Random legal actions for every step until all games are over; the caller steps.

    Yields:
        Shape (N, P).

    Raises:
        Fault: The games do not end, or nothing is legal.
    """
    for _ in range(LONGEST_GAME):
        if game.terminated.all():
            return
        mask = game.legal_action_mask()
        if not mask.any(axis=2).all():
            env, player = np.argwhere(~mask.any(axis=2))[0]
            where = f"after step {game.steps_played}"
            raise Fault(f"{where} nothing is legal for player {player} of game {env}")
        yield random_legal_actions(mask, rng)
    raise Fault(f"after {LONGEST_GAME} steps of random play there are games that have not ended")


def stir(seed: int) -> None:
    """Bring everybody's random numbers into another state: the thing checked has its own."""
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002


def public_names(view: View) -> list[str]:
    """The names of all that a view tells without being asked for anything."""
    names = [name for name in dir(view) if not name.startswith("_")]
    return [name for name in names if not callable(getattr(type(view), name, None))]


def shown_by(view: View) -> dict[str, Any]:
    """All that a view tells, by name."""
    return {name: getattr(view, name) for name in public_names(view)}


def look_at_everything(game: BatchGame, rng: np.random.Generator) -> None:
    """Ask a batch for all that it can tell, which must change nothing."""
    game.observe()
    game.deciding()
    game.outcome()
    if isinstance(game, PlaysRounds) and game.round_steps < 1:
        raise Fault(f"round_steps must be 1 or more, not {game.round_steps}")
    game.clone()
    for player in (None, *range(game.num_players)):
        if not game.text(0, player).strip():
            raise Fault("text() is empty")
        ElementTree.fromstring(game.svg(0, player))
    for player in range(game.num_players):
        shown_by(game.view(player))
        game.determinize(player, rng, 2)
