"""How long the games of a batch are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame

LONGEST = 200  # steps of an update: games without a fixed length are cut there


class GameLength(NamedTuple):
    """What a batch takes, played at random."""

    steps: int  # from the deal until all games are over, at most ``LONGEST``
    deciding: float  # the share of the seats that had something to decide


def game_length(game: BatchGame) -> GameLength:
    """Play a fresh batch of the game, which itself stays as it is."""
    trial = game.fresh(game.num_envs, 0)
    rng = np.random.default_rng(0)
    deciding: list[float] = []
    while len(deciding) < LONGEST and not trial.terminated.all():
        deciding.append(float(trial.deciding().mean()))
        trial.step(random_legal_actions(trial.legal_action_mask(), rng))
    return GameLength(len(deciding), float(np.mean(deciding)))
