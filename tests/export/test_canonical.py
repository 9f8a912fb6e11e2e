"""Export models that were trained in canonical form: their files take plain observations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from torch import nn

from kododo_env import registry
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.export import export
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.networks import GamePolicy
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.sb3 import BatchVecEnv


class Linear(nn.Module):
    """Logits and a value from an observation, or from an observation and its mask."""

    def __init__(self, game: BatchGame, with_mask: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        inputs = game.layout.size + with_mask * game.num_actions
        self.layer = nn.Linear(inputs, game.num_actions + 1)
        self.with_mask = with_mask

    def forward(self, observation: Any) -> tuple[torch.Tensor, torch.Tensor]:
        if self.with_mask:
            parts = [observation["observation"], observation["action_mask"]]
            observation = torch.cat([part.float() for part in parts], dim=1)
        answers = self.layer(observation.float())
        return answers[:, :-1], answers[:, -1]


def rows_of(game: BatchGame) -> tuple[np.ndarray, np.ndarray]:
    observations = np.array(game.observe(), order="C").reshape(-1, game.layout.size)
    return observations, np.array(game.legal_action_mask(), order="C").reshape(-1, game.num_actions)


def check_answers(
    agent: OnnxAgent, network: Linear, game: BatchGame, normalize: bool, steps: int = 1000
) -> None:
    """Check that a file gives the network's answers, renamed to plain actions."""
    form = CanonicalForm(game.layout, game.actions)
    rng = np.random.default_rng(0)
    while not game.terminated.all() and game.steps_played < steps:
        observations, masks = rows_of(game)
        rows = form(observations, masks)
        numbers: Any = torch.from_numpy(rows.observations).float()
        if normalize:
            numbers = numbers / torch.from_numpy(game.layout.maxima.astype(np.float32))
        if network.with_mask:
            numbers = {"observation": numbers, "action_mask": torch.from_numpy(rows.masks)}
        with torch.no_grad():
            logits, values = network(numbers)
        expected = np.empty_like(logits)
        np.put_along_axis(expected, rows.actions, logits.numpy(), axis=1)
        file_logits, file_values = agent.evaluate(observations, masks.astype(np.int8))
        np.testing.assert_allclose(file_logits[masks], expected[masks], rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(file_values, values, rtol=1e-4, atol=1e-4)
        game.step(random_legal_actions(game.legal_action_mask(), rng))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("kododo", {}),
        ("combi_combo", {"normalize": True}),
        ("kado", {"action_mask": "observation"}),
    ],
)
def test_a_file_answers_as_the_network_does_in_canonical_form(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    game = registry.batch_game(name, 32, num_players=4, seed=1)
    network = Linear(game, "action_mask" in options)
    agent = OnnxAgent(export(network, game, tmp_path / "a.onnx", canonical=True, **options))
    check_answers(agent, network, game, "normalize" in options)


@pytest.mark.parametrize("policy", ["MlpPolicy", GamePolicy])
def test_a_model_s_space_says_that_it_is_canonical(policy: Any, tmp_path: Path) -> None:
    game = registry.batch_game("kado", 4, num_players=2)
    env = BatchVecEnv(game, canonical=True)
    model = MaskablePPO(policy, env, n_steps=8, batch_size=32, seed=0)
    with torch.no_grad():  # fresh logits are nearly equal, and count as ties
        for weight in model.policy.parameters():
            weight *= 2
    agent = OnnxAgent(export(model, game, tmp_path / "policy.onnx"))
    env.seed(0)
    observation = env.reset()
    chosen, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
    plain = np.stack([agent.act(game.view(seat), np.random.default_rng(0)) for seat in range(2)])
    form = CanonicalForm(game.layout, game.actions)
    actions = np.take_along_axis(form(*rows_of(game)).actions, chosen[:, None], axis=1)
    assert np.array_equal(actions.reshape(4, 2), plain.T)


class TwoInputs(nn.Module):
    """A network with the mask as its second input."""

    def __init__(self, network: Linear) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return self.network({"observation": observation, "action_mask": mask})


@pytest.mark.parametrize(
    ("name", "with_mask", "normalize"), [("kododo", False, True), ("combi_combo", True, False)]
)
def test_an_onnx_file_of_canonical_observations_answers_as_its_network(
    name: str, with_mask: bool, normalize: bool, tmp_path: Path
) -> None:
    game = registry.batch_game(name, 16, num_players=4, seed=1)
    network = Linear(game, with_mask)
    module = (TwoInputs(network) if with_mask else network).eval()
    inputs = [torch.zeros(2, game.layout.size), torch.zeros(2, game.num_actions)]
    torch.onnx.export(
        module,
        tuple(inputs[: 1 + with_mask]),
        tmp_path / "model.onnx",
        input_names=["obs", "mask"][: 1 + with_mask],
        output_names=["logits", "value"],
        dynamic_shapes=tuple({0: torch.export.Dim("batch", min=1)} for _ in range(1 + with_mask)),
        dynamo=True,
        external_data=False,
    )
    file = export(
        tmp_path / "model.onnx", game, tmp_path / "a.onnx", canonical=True, normalize=normalize
    )
    check_answers(OnnxAgent(file), network, game, normalize, steps=3)
