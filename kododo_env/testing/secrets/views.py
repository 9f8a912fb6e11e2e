"""The arrays of a view are the player's own: nothing behind it, and no way back to the game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import TakesBack
from kododo_env.testing.everything import check_same
from kododo_env.testing.games.playing import Subject, public_names, shown_by, turns
from kododo_env.testing.report import Fault

GAMES = 2


def views(subject: Subject) -> str:
    """Every array of every view, at some places of a game."""
    game, stops, steps, arrays = subject.game(GAMES), subject.stops(GAMES), 0, 0
    old = None
    for actions in turns(game, subject.rng()):
        if old is not None:
            _good_until_the_next_step(game, old)
        if steps in stops:
            for player in range(game.num_players):
                arrays += _own(game, player, f"after step {steps}")
            for wrong in (-1, game.num_players):
                _no_player(game, wrong)
        old = game.view(steps % game.num_players)
        game.step(actions)
        steps += 1
    return f"{arrays} arrays at {len(stops)} places of {steps} steps"


def _own(game: BatchGame, player: int, when: str) -> int:
    """One view shows the player's share of the game's arrays, and nothing more hangs on them."""
    view = game.view(player)
    if not np.array_equal(view.observation, game.observe()[:, player]):
        raise Fault(f"{when} the observation in player {player}'s view is not the player's")
    if not np.array_equal(view.legal_action_mask, game.legal_action_mask()[:, player]):
        raise Fault(f"{when} the mask in player {player}'s view is not the player's")
    _told(game, player, when)
    before = game.state(), game.observe(), _all_shown(game)
    found = list(_arrays(shown_by(view), f"view({player})"))
    for path, array in found:
        _nothing_behind(array, view.observation, f"{when} {path}")
    for _, array in found:
        _scribble(array)
    after = game.state(), game.observe(), _all_shown(game)
    wrong = f"{when} what player {player}'s view hands out can be written to:"
    check_same(after, before, "the game", wrong)
    return len(found)


def _told(game: BatchGame, player: int, when: str) -> None:
    """All that a view says of the game is so; its pieces are those of the observation."""
    view = game.view(player)
    for name, is_so in (
        ("player", player), ("game_name", game.name), ("num_envs", game.num_envs),
        ("num_players", game.num_players), ("num_actions", game.num_actions),
        ("no_op", game.no_op), ("rules", game.rules),
        ("known_past", game.known_past if isinstance(game, TakesBack) else 0),
    ):  # fmt: skip
        if getattr(view, name) != is_so:
            raise Fault(f"{when} view({player}).{name} is {getattr(view, name)!r}, not {is_so!r}")
    pieces = game.layout.views(game.observe()[:, player])
    check_same(view.pieces, pieces, f"view({player}).pieces", when)


def _all_shown(game: BatchGame) -> list[dict[str, Any]]:
    return [
        {name: _kept(value) for name, value in shown_by(game.view(player)).items()}
        for player in range(game.num_players)
    ]


def _kept(value: Any) -> Any:
    """The value as it is now: arrays are copied."""
    if isinstance(value, np.ndarray):
        return value.copy()
    return {name: _kept(part) for name, part in value.items()} if isinstance(value, dict) else value


def _arrays(value: Any, path: str) -> Iterator[tuple[str, np.ndarray[Any, Any]]]:
    if isinstance(value, np.ndarray):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _arrays(part, f"{path}.{name}")


def _nothing_behind(
    array: np.ndarray[Any, Any], observation: np.ndarray[Any, Any], what: str
) -> None:
    """No array from which this one was cut holds more than it does, or than the observation."""
    behind: Any = array.base
    while behind is not None:
        size = getattr(behind, "nbytes", 0)
        own = size == observation.nbytes and sorted(behind.tobytes()) == sorted(
            observation.tobytes()
        )
        if size > array.nbytes and not own:
            raise Fault(f"{what}.base leads to {size} bytes, of which {array.nbytes} are shown")
        behind = getattr(behind, "base", None)


def _scribble(array: np.ndarray[Any, Any]) -> None:
    """Write into an array wherever numpy lets one."""
    if isinstance(array.base, np.ndarray):
        _scribble(array.base)
    try:
        array.flags.writeable = True
    except ValueError:
        return
    array[...] = ~array if array.dtype.kind in "biu" else array + 1


def _good_until_the_next_step(game: BatchGame, old: Any) -> None:
    try:
        _ = old.observation
    except RuntimeError:
        return
    raise Fault("a view of an earlier turn still shows an observation")


def _no_player(game: BatchGame, player: int) -> None:
    try:
        names = public_names(game.view(player))
    except ValueError:
        return
    raise Fault(f"there is a view of player {player}, and it shows {', '.join(names)}")
