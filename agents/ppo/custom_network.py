"""Networks of a user's own class instead of ``GameNetwork``.

The class must inherit from ``torch.nn.Module`` and take the game's observation and action layouts.
Its ``forward`` takes observations, (B, F) float32, and returns logits, (B, A), and values, (B,) or
(B, 1). A subclass of ``GameNetwork`` gets canonical observations, as ``GameNetwork`` does.
"""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.recipes.recipe import Recipe
from kododo_env.bots.python_code import blamed, load_code
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import SETTINGS, GameNetwork

OPTION = "--network"
TRIED = 4  # observations on which a network is tested before training


class CustomNetwork(nn.Module):
    """A user's own network with the interface of ``GameNetwork``.

    The network gets raw observations; ``canonical`` only casts them. It is always in evaluation
    mode, without dropout, because the learner evaluates a position more than once and expects the
    same outputs.

    Args:
        network: The user's network.
        num_actions: The number of actions, A.
    """

    def __init__(self, network: nn.Module, num_actions: int) -> None:
        super().__init__()
        self.network = network
        self.num_actions = num_actions
        self.eval()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return logits, (B, A), and values, (B,), for observations (B, F); all float32, without a
        mask.
        """
        return self.from_canonical(*self.canonical(observation))

    def canonical(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Return the observations, (B, F) float32, and an empty array of action entries, (B, 0)."""
        return observation.to(torch.float32), observation.new_zeros((observation.shape[0], 0))

    def from_canonical(
        self, observation: Tensor, entries: Tensor, bfloat16: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Return logits, (B, A), and values, (B,), as float32.

        Args:
            observation: Observations, (B, F) float32.
            entries: Not used.
            bfloat16: Whether to multiply matrices in bfloat16.
        """
        if bfloat16:
            with torch.autocast(observation.device.type, torch.bfloat16):
                logits, values = self.network(observation)
        else:
            logits, values = self.network(observation)
        return logits.to(torch.float32), values.to(torch.float32).flatten()

    def hidden_matrices(self) -> list[Tensor]:
        """Return the weights of the linear layers that do not have A outputs or one output."""
        outputs = (1, self.num_actions)
        return [
            layer.weight
            for layer in self.modules()
            if isinstance(layer, nn.Linear) and layer.out_features not in outputs
        ]


Learned = GameNetwork | CustomNetwork
"""A network that the learner can train."""


def make_network(recipe: Recipe, game: BatchGame) -> Learned:
    """Make the network of a recipe with new weights; a user's own class is imported and called.

    Raises:
        ValueError: The class cannot be imported or called, or its network is invalid.
    """
    settings = {name: getattr(recipe, name) for name in SETTINGS}
    if not recipe.network:
        return GameNetwork(game.layout, game.actions, **settings)
    kind = network_class(recipe.network)
    arguments = {name: settings[name] for name in arguments_taken(kind)}
    title = f"{OPTION} {recipe.network}"
    with blamed(title, "cannot be made"):
        network = kind(game.layout, game.actions, **arguments)
    if not any(weight.requires_grad for weight in network.parameters()):
        raise ValueError(f"{title} has no trainable weights")
    rows = torch.from_numpy(np.array(game.observe(), order="C").reshape(-1, game.layout.size))
    with blamed(title, "fails"), torch.no_grad():
        network.eval()
        _check_answers(network(rows[:TRIED].to(torch.float32)), len(rows[:TRIED]), game.num_actions)
    return network if isinstance(network, GameNetwork) else CustomNetwork(network, game.num_actions)


def network_class(name: str) -> type[nn.Module]:
    """Import a user's network class, which runs the user's code.

    Raises:
        ValueError: The class does not exist, or is not a subclass of ``torch.nn.Module``.
    """
    kind = load_code(name, OPTION)
    if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
        raise ValueError(f"{OPTION} {name} must be a class that inherits from torch.nn.Module")
    return kind


def arguments_taken(kind: type[nn.Module]) -> list[str]:
    """Return the names in ``SETTINGS`` that a network class accepts as arguments."""
    parameters = signature(kind).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return [*SETTINGS]
    return [name for name in SETTINGS if name in parameters]


def _check_answers(answers: Any, rows: int, actions: int) -> None:
    """Raise ValueError unless the outputs are logits and values."""
    shapes = [
        tuple(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
        for answer in (answers if isinstance(answers, tuple | list) else [answers])
    ]
    if shapes not in ([(rows, actions), (rows,)], [(rows, actions), (rows, 1)]):
        description = ", ".join(map(str, shapes))
        raise ValueError(
            f"forward must return logits ({rows}, {actions}) and values ({rows},) for {rows} "
            f"observations, got {description}"
        )
