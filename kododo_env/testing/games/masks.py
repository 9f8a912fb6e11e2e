"""The check of masks, and that ``step`` accepts exactly the actions that they allow."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.differences import check_same
from kododo_env.testing.games.subject import Subject, check_array, rejection, turns
from kododo_env.testing.report import Fault

GAMES = 2


def masks(subject: Subject) -> str:
    """Check the masks at each step, and at some steps all legal and illegal actions."""
    game = subject.game(GAMES)
    stops = subject.stops(GAMES)
    tried = 0
    _well_formed(game, "after the deal")
    for actions in turns(game, subject.rng()):
        if game.steps_played in stops:
            when = f"after step {game.steps_played}"
            tried += _check_legal(game, actions, when)
            tried += _check_illegal(game, actions, when)
        game.step(actions)
        _well_formed(game, f"after step {game.steps_played}")
    idle = np.arange(game.num_actions) == game.no_op
    if (game.legal_action_mask() != idle).any():
        raise Fault("other actions than the no-op are legal in a game that is over")
    return f"{tried} actions at {len(stops)} places of {game.steps_played} steps"


def _well_formed(game: BatchGame, when: str) -> None:
    mask = game.legal_action_mask()
    shape = (game.num_envs, game.num_players, game.num_actions)
    check_array(mask, "the mask", shape, np.bool_, when)
    if not np.array_equal(game.deciding(), mask.sum(axis=2) > 1):
        raise Fault(f"{when} deciding() differs from having more than one legal action")


def _check_legal(game: BatchGame, actions: Int64, when: str) -> int:
    """Play every legal action, each in a copy of its game, and return how many."""
    choices = np.argwhere(game.legal_action_mask())
    copies = game.take(choices[:, 0])
    joint_actions = actions[choices[:, 0]]
    joint_actions[np.arange(len(choices)), choices[:, 1]] = choices[:, 2]
    try:
        copies.step(joint_actions)
    except Exception as error:
        raise Fault(f"{when} step rejects a legal action: {error}") from error
    return len(choices)


def _check_illegal(game: BatchGame, actions: Int64, when: str) -> int:
    """Check that invalid actions are rejected and change nothing, and return how many."""
    before = game.state()
    tried = 0
    for env, player, action in _illegal(game):
        wrong = actions.copy()
        wrong[env, player] = action
        label = f"{when} illegal action {action} of player {player} in game {env}"
        message = rejection(partial(game.step, wrong), label)
        for words in (f"game {env}", f"player {player}", f"action {action}"):
            if words not in message:
                raise Fault(f"{label}: the error lacks {words!r}: {message}")
        tried += 1
    for label, invalid in _invalid_actions(actions):
        rejection(partial(game.step, invalid), f"{when} array of actions {label}")
    prefix = f"{when} step rejects an action but changes the game:"
    check_same(game.state(), before, "state()", prefix)
    return tried


def _illegal(game: BatchGame) -> Iterator[tuple[int, int, int]]:
    """Yield (game, player, action) for all illegal actions of the last game, also out of range."""
    env = game.num_envs - 1
    for player, action in np.argwhere(~game.legal_action_mask()[env]):
        yield env, int(player), int(action)
    for player in range(game.num_players):
        yield env, player, -1
        yield env, player, game.num_actions


def _invalid_actions(actions: Int64) -> Iterator[tuple[str, Any]]:
    yield "of too few games", actions[:-1]
    yield "of too few players", actions[:, :-1]
    yield "as floats", actions.astype(float)
    yield "as bools", actions.astype(bool)
    yield "as strings", actions.astype(str)
