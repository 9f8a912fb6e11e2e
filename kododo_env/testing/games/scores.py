"""Rewards add up to scores, shares of the victory to 1; a finished game stays as it is."""

from __future__ import annotations

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 50


def scores(subject: Subject) -> str:
    """Whole games, looked at after every step."""
    game, steps = subject.game(GAMES), 0
    returns = np.zeros((GAMES, game.num_players))
    over = game.terminated.copy()
    _well_formed(game, "after the deal")
    if game.scores.any() or game.rewards.any() or over.any():
        raise Fault("after the deal there are points, or games that are over")
    for actions in turns(game, subject.rng()):
        game.step(actions)
        steps += 1
        when = f"after step {steps}"
        _well_formed(game, when)
        if game.rewards[over].any():
            raise Fault(f"{when} a game that was over before has rewards")
        returns += game.rewards
        wrong = np.argwhere(returns != game.scores)
        if len(wrong):
            env, player = wrong[0]
            raise Fault(
                f"{when} player {player} of game {env} has {game.scores[env, player]} points; "
                f"the rewards so far add up to {returns[env, player]:g}"
            )
        ended = game.terminated & ~over
        if (over & ~game.terminated).any() or not np.array_equal(game.just_terminated, ended):
            raise Fault(f"{when} just_terminated is not what the step ended")
        over = game.terminated.copy()
    _absorbs(game)
    return f"{GAMES} games of up to {steps} steps"


def _well_formed(game: BatchGame, when: str) -> None:
    shape = (game.num_envs, game.num_players)
    for name, dtype in (("rewards", np.float32), ("scores", np.int16)):
        array = getattr(game, name)
        if (array.shape, array.dtype) != (shape, np.dtype(dtype)):
            raise Fault(f"{when} {name} is {array.dtype} {array.shape}, not {dtype} {shape}")
    for name in ("rewards", "scores", "terminated", "just_terminated"):
        if getattr(game, name).flags.writeable:
            raise Fault(f"{when} {name} can be written to")
    shares = game.outcome()
    if shares.shape != shape or shares.min() < 0 or abs(shares.sum(axis=1) - 1).max() > 1e-9:
        raise Fault(f"{when} the shares of the victory in a game do not sum to 1")


def _absorbs(game: BatchGame) -> None:
    """Steps after the end change nothing, until the games are dealt again."""
    seen, points, shares = game.observe(), game.scores.copy(), game.outcome()
    game.step(np.full((game.num_envs, game.num_players), game.no_op))
    if game.rewards.any() or game.just_terminated.any():
        raise Fault("a step after the end gives rewards, or ends a game again")
    same = np.array_equal(game.scores, points) and np.array_equal(game.outcome(), shares)
    if not same or not np.array_equal(game.observe(), seen):
        raise Fault("a step after the end changes scores, outcome or observations")
    if not game.restart_finished().all() or game.terminated.any() or game.scores.any():
        raise Fault("restart_finished does not deal all games again when all are over")
    if game.restart_finished().any():
        raise Fault("games dealt again are dealt a second time")
    fresh = game.fresh(game.num_envs, 0)
    again, first = (each.deciding().any(axis=1).all() for each in (game, fresh))
    if first and not again:
        raise Fault("games dealt again have nothing to decide")
