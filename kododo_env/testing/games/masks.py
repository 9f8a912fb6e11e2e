"""Masks are never empty, and step accepts the actions they allow and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 2


def masks(subject: Subject) -> str:
    """At every step the shape; at some places every action of every player."""
    game, stops, steps, tried = subject.game(GAMES), subject.stops(GAMES), 0, 0
    _well_formed(game, "after the deal")
    for actions in turns(game, subject.rng()):
        if steps in stops:
            when = f"after step {steps}"
            tried += _legal_accepted(game, actions, when)
            tried += _rest_refused(game, actions, when)
        game.step(actions)
        steps += 1
        _well_formed(game, f"after step {steps}")
    idle = np.arange(game.num_actions) == game.no_op
    if (game.legal_action_mask() != idle).any():
        raise Fault("in a game that is over something else than the no-op is legal")
    return f"{tried} actions at {len(stops)} places of {steps} steps"


def _well_formed(game: BatchGame, when: str) -> None:
    mask = game.legal_action_mask()
    shape = (game.num_envs, game.num_players, game.num_actions)
    if (mask.shape, mask.dtype) != (shape, np.dtype(np.bool_)):
        raise Fault(f"{when} the mask is {mask.dtype} {mask.shape}, not bool {shape}")
    if not np.array_equal(game.deciding(), mask.sum(axis=2) > 1):
        raise Fault(f"{when} deciding() is not who has more than one legal action")
    if mask.flags.writeable:
        raise Fault(f"{when} the mask can be written to")


def _legal_accepted(game: BatchGame, actions: Int64, when: str) -> int:
    """Every legal action is played, each in a copy of its own."""
    choices = np.argwhere(game.legal_action_mask())
    many = game.take(choices[:, 0])
    wanted = actions[choices[:, 0]]
    wanted[np.arange(len(choices)), choices[:, 1]] = choices[:, 2]
    try:
        many.step(wanted)
    except Exception as error:
        raise Fault(f"{when} step refuses what the mask allows: {error}") from error
    return len(choices)


def _rest_refused(game: BatchGame, actions: Int64, when: str) -> int:
    """Every other action, or thing that is no action, is refused and changes nothing."""
    before, tried = game.state(), 0
    for env, player, action in _illegal(game):
        wrong = actions.copy()
        wrong[env, player] = action
        what = f"{when} action {action} of player {player} in game {env}"
        said = _refusal(game, wrong, f"{what}, which the mask forbids,")
        for words in (f"game {env}", f"player {player}", f"action {action}"):
            if words not in said or "\n" in said:
                raise Fault(f"{what}: the message does not say {words!r} in one line: {said}")
        tried += 1
    for what, no_actions in _no_actions(game, actions):
        _refusal(game, no_actions, f"{when} actions {what}")
    complaint = f"{when} an action was refused, but not without a change:"
    check_same(game.state(), before, "state()", complaint)
    return tried


def _illegal(game: BatchGame) -> Iterator[tuple[int, int, int]]:
    """All actions of the last game that the mask forbids, and two numbers that are none."""
    env = game.num_envs - 1
    for player, action in np.argwhere(~game.legal_action_mask()[env]):
        yield env, int(player), int(action)
    for player in range(game.num_players):
        yield env, player, -1
        yield env, player, game.num_actions


def _no_actions(game: BatchGame, actions: Int64) -> Iterator[tuple[str, Any]]:
    yield "of too few games", actions[:-1]
    yield "of too few players", actions[:, :-1]
    yield "as floats", actions.astype(float)
    yield "as truth values", actions.astype(bool)
    yield "as words", actions.astype(str)


def _refusal(game: BatchGame, wrong: Any, what: str) -> str:
    """The message with which the actions are refused; they are tried on the game itself."""
    try:
        game.step(wrong)
    except ValueError as error:
        return str(error)
    except Exception as error:
        raise Fault(f"{what} is a {type(error).__name__}, not a ValueError: {error}") from error
    raise Fault(f"{what} is played")
