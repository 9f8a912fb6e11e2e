"""Games of random legal play that can be played again, so that choosing costs nothing then."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame


class Recorded:
    """A batch and everybody's actions in one game of it.

    Args:
        game: The batch; it is played to its end.

    Attributes:
        game: The batch.
        actions: Those of each step, (N, P); in memory games come last, as in the core.
    """

    def __init__(self, game: BatchGame) -> None:
        self.game, self.actions = game, list[npt.NDArray[np.int64]]()
        self._dice = game.rng.bit_generator.state
        rng = np.random.default_rng(0)
        game.reset()
        while not game.terminated.all():
            self.actions.append(random_actions(game, rng))
            game.step(self.actions[-1])

    @property
    def agent_steps(self) -> int:
        """Players' steps in all games; a player who only waits counts too."""
        return len(self.actions) * self.game.num_envs * self.game.num_players

    def rewind(self) -> None:
        """Let the next ``reset`` deal the same cards again."""
        self.game.rng.bit_generator.state = self._dice


def random_actions(game: BatchGame, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A legal action for everybody, (N, P), in memory with the games last."""
    return np.asfortranarray(random_legal_actions(game.legal_action_mask(), rng))
