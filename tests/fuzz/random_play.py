"""Playing accepted positions to their end, to check that they are valid."""

from __future__ import annotations

import warnings
from random import Random
from typing import Any

import numpy as np

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from tests.fuzz.promises import FaultFound
from tests.game_tables import TABLES
from tests.helpers import random_actions

LONGEST_GAME = 100_000  # steps; no legal game takes this many
WATCHED = 1000  # initial steps that are all checked; later only some are


def random_position(rng: Random) -> dict[str, Any]:
    """Return a game, its rules, a seed and a number of steps."""
    game, players = rng.choice(TABLES)
    names = set(registry.batch_game(game, 1).rules.__dict__)
    long = "variant" in names and rng.random() < 0.3
    return {
        "game": game,
        "rules": {"num_players": players}
        | ({"variant": "long", "target_score": 9} if long else {}),
        "num_envs": rng.choice((1, 1, 2, 3)),
        "seed": rng.randrange(1 << 32),
        "steps": rng.choice((0, 0, 1, 2, 3, 5, 8, 13, 21, 34, 55)),
    }


def position(case: dict[str, Any], **changes: Any) -> BatchGame:
    """Return the batch that ``random_position`` describes."""
    case = case | changes
    game = registry.batch_game(case["game"], case["num_envs"], case["seed"], **case["rules"])
    rng = np.random.default_rng(case["seed"])
    for _ in range(case["steps"]):
        game.step(random_actions(game, rng))
    return game


def play_out(game: BatchGame, seed: int, scored: bool = True) -> None:
    """Play at random to the end, and check everything on the way.

    Args:
        game: The game, which is played from its position.
        seed: The seed of the play.
        scored: Whether the scores start at 0 or at the sum of earlier rewards.

    Raises:
        FaultFound: The game is invalid.
    """
    rng = np.random.default_rng(seed)
    points = game.scores.astype(np.float64)
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        for steps in range(LONGEST_GAME):
            if steps < WATCHED or steps % 97 == 0:
                _look(game, rng, closely=steps % 7 == 0)
            if game.terminated.all():
                break
            game.step(random_actions(game, rng))
            points += game.rewards
            if scored and not np.array_equal(points, game.scores):
                raise FaultFound("the scores are not the sum of the rewards", f"step {steps}")
        else:
            raise FaultFound("the game does not end")
        _look(game, rng, closely=True)
    if not np.allclose(game.outcome().sum(axis=1), 1):
        raise FaultFound("the shares of the victory do not sum to 1")


def _look(game: BatchGame, rng: np.random.Generator, closely: bool) -> None:
    if not game.legal_action_mask().any(axis=2).all():
        raise FaultFound("a player has no legal action")
    pieces = game.layout.views(game.observe().reshape(-1, game.layout.size))
    for piece in game.layout.pieces:
        if pieces[piece.name].max(initial=0) > piece.maximum:
            raise FaultFound(f"the observation's piece {piece.name} is above its maximum")
    if closely:
        player = int(rng.integers(game.num_players))
        world = game.determinize(player, rng, 2)
        if not np.array_equal(world.observe()[::2, player], game.observe()[:, player]):
            raise FaultFound("a determinised game looks another to its player")
        game.outcome()
        if not game.text(0, player) or not game.svg(0):
            raise FaultFound("a game without text or picture")
