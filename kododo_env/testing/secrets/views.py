"""The check that a view's arrays have only the player's data, and no memory of the game."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import UndoSupport
from kododo_env.testing.differences import check_same
from kododo_env.testing.games.subject import Subject, rejection, shown_by, turns
from kododo_env.testing.report import Fault

GAMES = 2


def views(subject: Subject) -> str:
    """Check all arrays of all players' views, at some steps of a game."""
    game = subject.game(GAMES)
    stops = subject.stops(GAMES)
    arrays = 0
    earlier_view = None
    for actions in turns(game, subject.rng()):
        if earlier_view is not None:
            _check_expired(game, earlier_view)
        if game.steps_played in stops:
            for player in range(game.num_players):
                arrays += _check_view(game, player, f"after step {game.steps_played}")
            for player in (-1, game.num_players):
                rejection(partial(game.view, player), f"view({player})")
        earlier_view = game.view(game.steps_played % game.num_players)
        game.step(actions)
    return f"{arrays} arrays at {len(stops)} places of {game.steps_played} steps"


def _check_view(game: BatchGame, player: int, when: str) -> int:
    """Check one view, and return its number of arrays."""
    view = game.view(player)
    _check_facts(game, player, when)
    before = (game.state(), game.observe(), _all_attributes(game))
    arrays = list(_arrays(shown_by(view), f"view({player})"))
    for path, array in arrays:
        _check_bases(array, view.observation, f"{when} {path}")
    for _, array in arrays:
        _scribble(array)
    after = (game.state(), game.observe(), _all_attributes(game))
    prefix = f"{when} writing to arrays of view({player}) changes the game:"
    check_same(after, before, "the game", prefix)
    return len(arrays)


def _check_facts(game: BatchGame, player: int, when: str) -> None:
    """Check that a view agrees with the game."""
    observation = game.observe()[:, player]
    facts = {
        "observation": observation,
        "legal_action_mask": game.legal_action_mask()[:, player],
        "pieces": game.layout.views(observation),
        "player": player,
        "game_name": game.name,
        "num_envs": game.num_envs,
        "num_players": game.num_players,
        "num_actions": game.num_actions,
        "rules": game.rules,
        "undoable_steps": game.undoable_steps if isinstance(game, UndoSupport) else 0,
    }
    view = game.view(player)
    for name, fact in facts.items():
        check_same(getattr(view, name), fact, f"view({player}).{name}", when)


def _all_attributes(game: BatchGame) -> list[dict[str, Any]]:
    return [copy.deepcopy(shown_by(game.view(player))) for player in range(game.num_players)]


def _arrays(attribute: Any, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    if isinstance(attribute, np.ndarray):
        yield path, attribute
    elif isinstance(attribute, dict):
        for name, part in attribute.items():
            yield from _arrays(part, f"{path}.{name}")


def _check_bases(
    array: np.ndarray[Any, Any], observation: np.ndarray[Any, Any], label: str
) -> None:
    """Check that no base of an array holds more than the array or the player's observation."""
    base: Any = array.base
    while base is not None:
        size = getattr(base, "nbytes", 0)
        is_observation = size == observation.nbytes and sorted(base.tobytes()) == sorted(
            observation.tobytes()
        )
        if size > array.nbytes and not is_observation:
            raise Fault(f"{label}.base exposes {size} bytes instead of {array.nbytes}")
        base = getattr(base, "base", None)


def _scribble(array: np.ndarray[Any, Any]) -> None:
    """Write to an array and its bases, if numpy allows it."""
    if isinstance(array.base, np.ndarray):
        _scribble(array.base)
    try:
        array.flags.writeable = True
    except ValueError:
        return
    array[...] = ~array if array.dtype.kind in "biu" else array + 1


def _check_expired(game: BatchGame, view: Any) -> None:
    try:
        _ = view.observation
    except RuntimeError:
        return
    raise Fault("a view of an earlier turn still has an observation")
