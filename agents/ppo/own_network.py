"""A class of networks of a user's own in the place of ``GameNetwork``.

All that the learner needs is a ``torch.nn.Module`` that is made from the game's layouts, and whose
``forward`` takes observations (B, F) float32 and gives logits (B, A) and values (B,) or (B, 1). A
class that inherits from ``GameNetwork`` is asked as that is, with canonical observations.
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
TRIED = 4  # rows that a network is asked about before it learns


class OwnNetwork(nn.Module):
    """A network of somebody's own, which the learner asks as it asks ``GameNetwork``.

    Observations are given to it as they are: its own canonical form is the identity. It is always
    in evaluation mode, since the learner asks about a position more than once and expects the same
    answer: dropout does nothing.

    Args:
        network: The network.
        num_actions: A.
    """

    def __init__(self, network: nn.Module, num_actions: int) -> None:
        super().__init__()
        self.network = network
        self.num_actions = num_actions
        self.eval()

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Logits (B, A), legal or not, and values (B,), float32, of observations (B, F)."""
        return self.from_canonical(*self.canonical(observation))

    def canonical(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """The observations as float32 (B, F), and no entries of actions, (B, 0)."""
        return observation.to(torch.float32), observation.new_zeros((observation.shape[0], 0))

    def from_canonical(
        self, observation: Tensor, entries: Tensor, bfloat16: bool = False
    ) -> tuple[Tensor, Tensor]:
        """Logits and values of observations, float32 (B, F)."""
        if bfloat16:
            with torch.autocast(observation.device.type, torch.bfloat16):
                logits, values = self.network(observation)
        else:
            logits, values = self.network(observation)
        return logits.to(torch.float32), values.to(torch.float32).flatten()

    def hidden_matrices(self) -> list[Tensor]:
        """The matrices of linear layers but those that give all logits, or the value."""
        outputs = (1, self.num_actions)
        return [
            layer.weight
            for layer in self.modules()
            if isinstance(layer, nn.Linear) and layer.out_features not in outputs
        ]


Learned = GameNetwork | OwnNetwork
"""A network that the learner teaches."""


def make_network(recipe: Recipe, game: BatchGame) -> Learned:
    """The network of a recipe, with fresh weights; the code of one's own is run.

    Raises:
        ValueError: The class cannot be imported or made, or its networks are none.
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
        raise ValueError(f"{title}: it has no weights that can be learned")
    rows = torch.from_numpy(np.array(game.observe(), order="C").reshape(-1, game.layout.size))
    with blamed(title, "fails"), torch.no_grad():
        network.eval()
        _check_answers(network(rows[:TRIED].to(torch.float32)), len(rows[:TRIED]), game.num_actions)
    return network if isinstance(network, GameNetwork) else OwnNetwork(network, game.num_actions)


def network_class(name: str) -> type[nn.Module]:
    """A user's class of networks, whose code is run.

    Raises:
        ValueError: There is no such class, or it is none of networks.
    """
    kind = load_code(name, OPTION)
    if not (isinstance(kind, type) and issubclass(kind, nn.Module)):
        raise ValueError(f"{OPTION} {name}: it must be a class that inherits from torch.nn.Module")
    return kind


def arguments_taken(kind: type[nn.Module]) -> list[str]:
    """Which of ``SETTINGS`` a class of networks takes beside the layouts."""
    parameters = signature(kind).parameters
    if any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters.values()):
        return [*SETTINGS]
    return [name for name in SETTINGS if name in parameters]


def _check_answers(answers: Any, rows: int, actions: int) -> None:
    """Raise ValueError unless answers are logits and values."""
    shapes = [
        tuple(answer.shape) if isinstance(answer, Tensor) else type(answer).__name__
        for answer in (answers if isinstance(answers, tuple | list) else [answers])
    ]
    if shapes not in ([(rows, actions), (rows,)], [(rows, actions), (rows, 1)]):
        description = ", ".join(map(str, shapes))
        raise ValueError(
            f"forward must give logits ({rows}, {actions}) and values ({rows},) for {rows} "
            f"observations, not {description}"
        )
