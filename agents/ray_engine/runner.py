"""RLlib's environment runner, with a whole batch of games in place of single environments."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from ray.rllib.env.env_runner import EnvRunner

from agents.ppo.machine import prepare_process
from agents.ray_engine.player import Piece, Played, Player
from agents.training.training_config import Task


class BatchEnvRunner(EnvRunner):
    """Plays the pieces that it is given; the weights come with each of them.

    So it holds nothing that would be lost with it: one that Ray has started again, or another
    one, plays a lost piece as the first would have.

    Args:
        config: Its ``env_config`` has the ``task`` and whether to use ``bfloat16``.
        **kwargs: RLlib's.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        prepare_process()
        self.task: Task = self.config.env_config["task"]
        self.bfloat16: bool = self.config.env_config["bfloat16"]
        self.players: dict[int, Player] = {}  # by the number of games

    def sample(self, *, piece: Piece, weights: dict[str, npt.NDArray[Any]]) -> Played | ValueError:
        """The decisions of a piece, or the words on what is wrong: a network that diverged, or a
        policy file that this machine does not have.

        An error is returned, not raised: RLlib would begin the runner again and again.
        """
        try:
            if piece.games not in self.players:
                self.players[piece.games] = Player(self.task, piece.games, self.bfloat16)
            return self.players[piece.games].play(piece, weights)
        except ValueError as error:
            return error

    def assert_healthy(self) -> None:
        """It is, once it is there."""

    def get_spaces(self) -> dict[str, Any]:
        """None: the module makes its own."""
        return {}
