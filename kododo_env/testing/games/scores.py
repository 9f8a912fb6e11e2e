"""The check of rewards, scores and outcomes, and that finished games do not change.

Rewards must add up to scores, and the outcome of a game must add up to 1.
"""

from __future__ import annotations

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.subject import Subject, check_array, turns
from kododo_env.testing.report import Fault

GAMES = 50


def scores(subject: Subject) -> str:
    """Check rewards, scores and outcomes after each step of whole games."""
    game = subject.game(GAMES)
    returns = np.zeros((GAMES, game.num_players))
    over = game.terminated.copy()
    _well_formed(game, "after the deal")
    if game.scores.any() or game.rewards.any() or over.any():
        raise Fault("after the deal some games have points or are over")
    for actions in turns(game, subject.rng()):
        game.step(actions)
        when = f"after step {game.steps_played}"
        _well_formed(game, when)
        if game.rewards[over].any():
            raise Fault(f"{when} a game that was already over has rewards")
        returns += game.rewards
        differences = np.argwhere(returns != game.scores)
        if len(differences):
            env, player = differences[0]
            raise Fault(
                f"{when} player {player} of game {env} has {game.scores[env, player]} points; "
                f"the rewards so far add up to {returns[env, player]:g}"
            )
        ended = game.terminated & ~over
        if (over & ~game.terminated).any() or not np.array_equal(game.just_terminated, ended):
            raise Fault(f"{when} just_terminated differs from the games that the step ended")
        over = game.terminated.copy()
    steps = game.steps_played
    _absorbs(game)
    return f"{GAMES} games of up to {steps} steps"


def _well_formed(game: BatchGame, when: str) -> None:
    shape = (game.num_envs, game.num_players)
    check_array(game.rewards, "rewards", shape, np.float32, when)
    check_array(game.scores, "scores", shape, np.int16, when)
    check_array(game.terminated, "terminated", shape[:1], np.bool_, when)
    check_array(game.just_terminated, "just_terminated", shape[:1], np.bool_, when)
    shares = game.outcome()
    if shares.shape != shape or shares.min() < 0 or abs(shares.sum(axis=1) - 1).max() > 1e-9:
        raise Fault(f"{when} the outcome of a game does not add up to 1")


def _absorbs(game: BatchGame) -> None:
    """Check that steps after the end change nothing, and that restart_finished deals new games."""
    observed = game.observe()
    points = game.scores.copy()
    shares = game.outcome()
    game.step(np.full((game.num_envs, game.num_players), game.no_op))
    if game.rewards.any() or game.just_terminated.any():
        raise Fault("a step after the end gives rewards or ends a game again")
    unchanged = np.array_equal(game.scores, points) and np.array_equal(game.outcome(), shares)
    if not unchanged or not np.array_equal(game.observe(), observed):
        raise Fault("a step after the end changes scores, outcome or observations")
    if not game.restart_finished().all() or game.terminated.any() or game.scores.any():
        raise Fault("restart_finished does not deal new games when all are over")
    if game.restart_finished().any():
        raise Fault("restart_finished deals again for games that are not over")
    fresh = game.fresh(game.num_envs, 0)
    if fresh.deciding().any(axis=1).all() and not game.deciding().any(axis=1).all():
        raise Fault("after restart_finished nobody has a choice in some games")
