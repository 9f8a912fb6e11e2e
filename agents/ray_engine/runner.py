"""RLlib's environment runner, with a batch of games instead of single environments."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from ray.rllib.env.env_runner import EnvRunner

from agents.ppo.machine import prepare_process
from agents.ray_engine.player import PartRollout, Player, RolloutPart
from agents.training.training_config import Task


class BatchEnvRunner(EnvRunner):
    """An environment runner that plays parts of a rollout with the weights that it is sent.

    A runner has no state, so any runner can play a lost part again with the same result.

    Args:
        config: RLlib's configuration. Its ``env_config`` contains the ``task`` and ``bfloat16``.
        **kwargs: Further arguments of ``EnvRunner``.
    """

    def __init__(self, *, config: Any, **kwargs: Any) -> None:
        super().__init__(config=config, **kwargs)
        prepare_process()
        self.task: Task = self.config.env_config["task"]
        self.bfloat16: bool = self.config.env_config["bfloat16"]
        self.players: dict[int, Player] = {}  # by the number of games

    def sample(
        self, *, piece: RolloutPart, weights: dict[str, npt.NDArray[Any]]
    ) -> PartRollout | ValueError:
        """Play a part of a rollout.

        Returns:
            The result of the part; or an exception if the network diverged or this machine lacks a
            policy file. It is not raised, because RLlib would restart the runner forever.
        """
        try:
            if piece.games not in self.players:
                self.players[piece.games] = Player(self.task, piece.games, self.bfloat16)
            return self.players[piece.games].play(piece, weights)
        except ValueError as error:
            return error

    def assert_healthy(self) -> None:
        """Do nothing: a runner is healthy once it is constructed."""

    def get_spaces(self) -> dict[str, Any]:
        """Return no spaces, because the module makes its own."""
        return {}
