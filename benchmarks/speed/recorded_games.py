"""Record games of random legal play, to replay them without the time of choosing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame


class RecordedGames:
    """A batch and all actions of one round of its games.

    Args:
        game: The batch; it is played to its end.

    Attributes:
        game: The batch.
        actions: The actions of each step, (N, P), in Fortran order as in the core.
    """

    def __init__(self, game: BatchGame) -> None:
        self.game = game
        self.actions: list[npt.NDArray[np.int64]] = []
        self._dice = game.rng.bit_generator.state
        rng = np.random.default_rng(0)
        game.reset()
        while not game.terminated.all():
            self.actions.append(random_actions(game, rng))
            game.step(self.actions[-1])

    @property
    def agent_steps(self) -> int:
        """The number of agent-steps in all games, including those of waiting players."""
        return len(self.actions) * self.game.num_envs * self.game.num_players

    def rewind(self) -> None:
        """Let the next ``reset`` deal the same cards again."""
        self.game.rng.bit_generator.state = self._dice


def random_actions(game: BatchGame, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Draw legal actions for all players, (N, P), in Fortran order."""
    return np.asfortranarray(random_legal_actions(game.legal_action_mask(), rng))
