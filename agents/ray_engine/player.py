"""A batch of games and a network that plays them: what an environment runner holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from agents.networks.network import SETTINGS
from agents.ppo.imitation import Imitation
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.trainer import opponents_envs
from agents.training.training_config import Task
from kododo_env.wrappers.vec import BatchVecEnv

Columns = dict[str, npt.NDArray[Any]]
"""Decisions, by the names of ``agents.ppo``: arrays whose first axis is the decisions."""


@dataclass(frozen=True)
class Piece:
    """A part of the games of an update, which anybody can play with the same result.

    Attributes:
        update: The update's number.
        index: The piece's number, of which with the update's its games follow.
        games: How many games of self-play it has.
        imitation: Whether the expert plays.
        opponent: Otherwise who sits in the other seats; None: the network itself.
    """

    update: int
    index: int
    games: int
    imitation: bool = False
    opponent: str | None = None


@dataclass(frozen=True)
class Played:
    """What was seen in a piece: its number, the agent-steps, and the decisions."""

    index: int
    steps: int
    decisions: Columns


def pieces(games: int, parts: int, **of_all: Any) -> list[Piece]:
    """The games of an update in nearly equal parts, none of them empty."""
    parts = min(games, parts)
    ends = [games * k // parts for k in range(parts + 1)]
    return [Piece(index=k, games=ends[k + 1] - ends[k], **of_all) for k in range(parts)]


def make_model(task: Task, games: int, bfloat16: bool = False) -> SelfPlayPPO:
    """A learner over so many games, which has learned nothing yet."""
    recipe = task.recipe
    env = BatchVecEnv(task.batch_game(games, task.seed), recipe.reward)
    network = {name: getattr(recipe, name) for name in SETTINGS}
    return SelfPlayPPO(env, recipe, network, task.seed, lambda: 1.0, bfloat16=bfloat16)


class Player:
    """Plays pieces of one size; what comes of them depends on the weights and the piece only.

    Args:
        task: What is learned.
        games: How many games of self-play a piece has.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """

    def __init__(self, task: Task, games: int, bfloat16: bool) -> None:
        self.task = replace(task, recipe=replace(task.recipe, num_envs=games))
        self.model = make_model(task, games, bfloat16=bfloat16)
        env = self.model.get_env()
        assert isinstance(env, BatchVecEnv)
        self.env = env
        self.others = opponents_envs(self.task)
        self.expert = task.expert()

    def play(self, piece: Piece, weights: dict[str, npt.NDArray[Any]]) -> Played:
        """The decisions of a piece.

        Args:
            piece: What is played.
            weights: The network's.

        Raises:
            Diverged: The network's answers are no numbers.
        """
        tensors = {name: torch.from_numpy(np.array(each)) for name, each in weights.items()}
        self.model.policy.network.load_state_dict(tensors)
        seeds = np.random.SeedSequence([self.task.seed, piece.update, piece.index])
        seed = int(seeds.generate_state(1)[0])
        torch.manual_seed(seed)
        steps, decisions = (self._imitate if piece.imitation else self._play_itself)(piece, seed)
        return Played(piece.index, steps, {name: each.numpy() for name, each in decisions.items()})

    def _play_itself(self, piece: Piece, seed: int) -> tuple[int, dict[str, torch.Tensor]]:
        model = self.model
        env = self.env if piece.opponent is None else self.others[piece.opponent]
        env.seed(seed)
        model.set_env(env)
        steps = model.n_steps * model.n_envs
        _, callback = model._setup_learn(steps)  # which deals anew
        model.collect_rollouts(env, callback, model.rollout_buffer, model.n_steps)
        return steps, model.rollout_buffer.packed()

    def _imitate(self, piece: Piece, seed: int) -> tuple[int, dict[str, torch.Tensor]]:
        assert self.expert is not None
        model, game = self.model, self.env.game
        game.reset(seed)
        imitation = Imitation(model.policy, self.expert, self.task.recipe)
        seen = imitation.demonstrations(game, np.random.default_rng(seed))
        return game.steps_played * self.env.num_envs, seen
