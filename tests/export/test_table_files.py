"""Export one network as a policy file for each number of players."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from kododo_env import export as export_package
from kododo_env import registry
from kododo_env.all_tables import padding_of
from kododo_env.core.agent import random_legal_actions
from kododo_env.export import export_tables
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.networks.network import GameNetwork
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.wrappers.sb3 import BatchVecEnv


class WithMask(nn.Module):
    """A network of padded, scaled observations and masks, without a value."""

    def __init__(self, size: int, actions: int) -> None:
        super().__init__()
        self.layer = nn.Linear(size, actions)

    def forward(self, observation: torch.Tensor, action_mask: torch.Tensor) -> torch.Tensor:
        return self.layer(observation).masked_fill(action_mask == 0, -1e9)


@pytest.mark.parametrize(
    ("name", "masks", "canonical"),
    [("kado", False, False), ("combi_combo", True, True)],
)
def test_each_file_answers_as_the_network_over_padded_observations(
    name: str, masks: bool, canonical: bool, tmp_path: Path
) -> None:
    """Actions depend on the number of players in KADO, observations in Combi-Combo."""
    torch.manual_seed(0)
    game = registry.batch_game(name, 4)
    padding = padding_of(game)
    network: nn.Module
    if masks:
        network = WithMask(padding.layout.size, padding.actions.size)
    else:
        network = GameNetwork(padding.layout, padding.actions, width=16, depth=1)
    options = {"normalize": masks, "canonical": canonical}
    files = export_tables(network, game, tmp_path / "bots", temperature=0.5, **options)
    assert tuple(files) == registry.environment_module(name).PLAYERS
    rng = np.random.default_rng(0)
    for players, path in files.items():
        assert path == tmp_path / "bots" / f"{name}-{players}p.onnx"
        agent = OnnxAgent(path)
        assert (agent.num_players, agent.temperature) == (players, 0.5)
        assert agent.metadata.training["model"] == type(network).__name__
        played = registry.batch_game(name, 4, 1, num_players=players)
        env = BatchVecEnv(played.clone(), padded=True, **options)
        table_padding = padding_of(played)
        form = CanonicalForm(table_padding.layout, table_padding.actions)
        for _ in range(4):
            numbers = torch.from_numpy(env._observations()).float()
            legal = env.action_masks()
            with torch.no_grad():
                answers = network(numbers, torch.from_numpy(legal)) if masks else network(numbers)
            logits = (answers if masks else answers[0]).numpy()
            rows = np.array(env.game.observe(), order="C").reshape(-1, played.layout.size)
            mask = np.array(env.game.legal_action_mask(), order="C").reshape(len(rows), -1)
            file_logits, _ = agent.evaluate(rows, mask.astype(np.int8))
            if canonical:
                chosen = form(table_padding.observations(rows), table_padding.masks(mask)).actions
                logits = np.take_along_axis(logits, chosen.argsort(axis=1), axis=1)
            expected = logits[:, table_padding.numbers]
            np.testing.assert_allclose(file_logits[mask], expected[mask], rtol=1e-4, atol=1e-4)
            env.step(random_legal_actions(legal, rng))


def test_the_package_has_no_other_names() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        export_package.nothing  # noqa: B018
