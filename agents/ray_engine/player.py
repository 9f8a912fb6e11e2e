"""The games and the network of an environment runner."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.ppo.imitation import Imitation
from agents.ppo.ppo import PPO
from agents.training.training_config import Task

Columns = dict[str, npt.NDArray[Any]]
"""Columns of decisions, named as in ``agents.ppo``; the first axis is the decision."""


@dataclass(frozen=True)
class RolloutPart:
    """A part of the games of an update, which any runner plays with the same result.

    Attributes:
        update: The number of the update.
        index: The number of the part. Both numbers determine its games.
        games: The number of games of self-play.
        imitation: Whether the expert plays; otherwise the agents of the update's table play.
    """

    update: int
    index: int
    games: int
    imitation: bool = False


@dataclass(frozen=True)
class PartRollout:
    """The result of a part: its number, the agent-steps, and the decisions."""

    index: int
    steps: int
    decisions: Columns


def pieces(games: int, parts: int, **settings: Any) -> list[RolloutPart]:
    """Divide the games of an update into nearly equal, nonempty parts.

    Args:
        games: The number of games of self-play.
        parts: The maximum number of parts.
        **settings: Further fields of each ``RolloutPart``.
    """
    parts = min(games, parts)
    ends = [games * k // parts for k in range(parts + 1)]
    return [RolloutPart(index=k, games=ends[k + 1] - ends[k], **settings) for k in range(parts)]


class Player:
    """A player of parts of one size. The decisions depend only on the weights and the part.

    Args:
        task: The task to learn.
        games: The number of games of self-play in a part.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """

    def __init__(self, task: Task, games: int, bfloat16: bool) -> None:
        self.task = replace(task, recipe=replace(task.recipe, num_envs=games))
        self.tables = self.task.tables()
        self.game, _ = self.tables[None]
        self.learner = PPO(self.game, task.recipe, task.seed, bfloat16=bfloat16)

    def play(self, piece: RolloutPart, weights: dict[str, npt.NDArray[Any]]) -> PartRollout:
        """Play a part of a rollout.

        Args:
            piece: The part.
            weights: The network's weights, by name.

        Raises:
            DivergenceError: The network's outputs are not finite.
        """
        tensors = {name: torch.from_numpy(np.array(array)) for name, array in weights.items()}
        self.learner.network.load_state_dict(tensors)
        seeds = np.random.SeedSequence([self.task.seed, piece.update, piece.index])
        seed = int(seeds.generate_state(1)[0])
        torch.manual_seed(seed)
        if piece.imitation:
            self.game.reset(seed)
            decisions, steps = self.imitation.play(self.game, np.random.default_rng(seed))
        else:
            game, agents = self.task.table_of(self.tables, piece.update)
            decisions, steps = self.learner.play(game, agents, seed)
        return PartRollout(
            piece.index, steps, {name: column.numpy() for name, column in decisions.items()}
        )

    @cached_property
    def imitation(self) -> Imitation:
        """The imitation, made on demand because a resumed run may not need the expert's file."""
        expert = self.task.expert()
        assert expert is not None
        return Imitation(self.learner, expert)
