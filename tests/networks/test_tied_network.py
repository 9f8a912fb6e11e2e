"""The tied network: weights shared over axes that a game declares alike."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from agents.export.onnx_export import check_parity
from agents.export.policy_weights import network_of
from agents.export.precision import halved, write_plain
from agents.training.training_config import default_config, task_of
from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.export.policy_graph import policy_bytes
from kododo_env.layouts.actions import ActionLayout, ActionPiece
from kododo_env.layouts.observation import ObservationLayout, Piece
from kododo_env.networks.network import GameNetwork
from kododo_env.networks.tied_network import Pooling, first_and_pooled, raw_blocks
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.game_tables import TABLES
from tests.policy_exports import exported

# Rows within seats, a gift to guess, and a place in an own row.
PIECES = (
    Piece("points", (2, 3, 4), 9, "", ("seat", "row", "gift")),
    Piece("scores", (2,), 30, "", ("seat",)),
    Piece("card", (4,), 1, "", ("gift",)),
)
LAYOUT = ObservationLayout(PIECES, tied_axes=("seat", "row"))
ACTIONS = ActionLayout(
    (
        ActionPiece("pass"),
        ActionPiece("place", (4, 3), ("gift", "row")),
        ActionPiece("give", (2,), ("seat",)),
        ActionPiece("guess", (4, 5), ("gift", "ribbon")),
    )
)


def random_network(layout: ObservationLayout, actions: ActionLayout) -> GameNetwork:
    """Return a tied network with clearly different outputs, unlike a fresh one."""
    torch.manual_seed(0)
    network = GameNetwork(layout, actions, 32, 2, 8, tied=True)
    for tensor in network.parameters():
        torch.nn.init.normal_(tensor, std=0.3)
    return network


def of_game(name: str) -> tuple[GameNetwork, BatchGame]:
    game = registry.batch_game(name, 1)
    return random_network(game.layout, game.actions), game


def observations(count: int = 50) -> torch.Tensor:
    rng = np.random.default_rng(0)
    return torch.from_numpy(rng.integers(0, LAYOUT.maxima + 1, (count, LAYOUT.size)))


def with_rows(observation: torch.Tensor, seat: int, order: list[int]) -> torch.Tensor:
    """Reorder the rows of a seat in observations."""
    changed = observation.clone()
    points = changed[:, :24].reshape(-1, 2, 3, 4)
    points[:, seat] = points[:, seat, order]
    return changed


def test_rows_of_others_may_lie_in_any_order() -> None:
    network = random_network(LAYOUT, ACTIONS)
    observation = observations()
    with torch.no_grad():
        logits, values = network(observation)
        moved_logits, moved_values = network(with_rows(observation, 1, [2, 0, 1]))
    assert torch.allclose(logits, moved_logits, atol=1e-5)
    assert torch.allclose(values, moved_values, atol=1e-5)


def test_a_row_is_judged_by_the_card_and_by_the_seat_around_it() -> None:
    """An own row depends on the card and the own score, not on the opponent's score."""
    network = random_network(LAYOUT, ACTIONS)
    observation = observations()
    observation[:, :24] = 0
    assert network.encoders is not None

    def rows(observed: torch.Tensor) -> torch.Tensor:
        """Return the embeddings of own rows, (B, 3, E)."""
        assert network.encoders is not None
        canonical = network.canonical(observed)[0]
        return network.encoders(canonical * network.scale)[1]["row"].detach()

    expected = rows(observation)
    for piece, number, counts in (("card", 0, True), ("scores", 0, True), ("scores", 1, False)):
        changed = observation.clone()
        changed[:, LAYOUT.where(piece)][:, number] += 1
        assert ((rows(changed) - expected).abs().max() > 0.01) == counts


def test_the_gradient_through_what_is_pooled_is_the_one_that_torch_finds() -> None:
    """Equal entries differ: each of them gets the whole gradient of the maximum."""
    torch.manual_seed(0)
    embeddings = torch.randn(5, 2, 3, 4, dtype=torch.float64, requires_grad=True)
    first, pooled = Pooling.apply(embeddings)
    plain = first_and_pooled(embeddings)
    assert all(map(torch.equal, (first, pooled), plain))
    weights = torch.randn_like(first), torch.randn_like(pooled)
    gradients, expected = (
        torch.autograd.grad(outputs, embeddings, weights) for outputs in ((first, pooled), plain)
    )
    assert torch.allclose(gradients[0], expected[0])
    equal = torch.ones(1, 1, 2, 1, requires_grad=True)
    Pooling.apply(equal)[1][0, 0, 1].backward()
    assert equal.grad is not None
    assert equal.grad.flatten().tolist() == [1.0, 1.0]


def test_an_action_about_a_row_goes_where_the_row_goes() -> None:
    network = random_network(LAYOUT, ACTIONS)
    observation = observations()
    order = [2, 0, 1]
    with torch.no_grad():
        logits, values = network(observation)
        moved_logits, moved_values = network(with_rows(observation, 0, order))
    assert torch.allclose(values, moved_values, atol=1e-5)
    place = ACTIONS.where("place")
    rows = logits[:, place].reshape(-1, 4, 3)
    moved = moved_logits[:, place].reshape(-1, 4, 3)
    assert torch.allclose(rows[:, :, order], moved, atol=1e-5)
    assert (rows - moved).abs().max() > 0.01
    for name in ("pass", "give", "guess"):
        block = ACTIONS.where(name)
        assert torch.allclose(logits[:, block], moved_logits[:, block], atol=1e-5)


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_number_of_an_observation_counts(game: str, players: int) -> None:
    """The raw output also has the length that the canonical observation expects."""
    batch = registry.batch_game(game, 1, num_players=players)
    network = random_network(batch.layout, batch.actions)
    assert network.encoders is not None
    assert {*network.encoders.columns} == {*range(batch.layout.size)}
    blocks = raw_blocks(network.canonical, batch.actions.pieces)
    assert sum(block.size for block in blocks) == network.canonical.num_outputs


def test_it_goes_into_a_file_and_comes_back(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """KADO has all kinds of axes."""
    network, game, whole = exported(tmp_path_factory, "kado", tied=True)
    back = network_of(whole)
    assert back.settings == network.settings
    for name, tensor in network.state_dict().items():
        assert torch.equal(back.state_dict()[name], tensor)
    half = tmp_path / "half.onnx"
    plain = tmp_path / "plain.onnx"
    half.write_bytes(policy_bytes(halved(onnx.load(whole)), OnnxAgent(whole).metadata))
    write_plain(half, plain)
    check_parity(network_of(half), OnnxAgent(plain), game)


def test_all_hidden_matrices_are_muons() -> None:
    network = random_network(LAYOUT, ACTIONS)
    names = {id(tensor): name for name, tensor in network.named_parameters()}
    hidden = {names[id(tensor)] for tensor in network.hidden_matrices()}
    output_matrices = {name for name in names.values() if name.endswith("weight")} - hidden
    blocks = {f"policy_head.blocks.{number}.last.weight" for number in range(4)}
    assert output_matrices == {*blocks, "value_head.weight"}
    dense = GameNetwork(LAYOUT, ACTIONS, 8, 2)
    assert {id(matrix) for matrix in dense.hidden_matrices()} == {
        id(parameter) for parameter in dense.trunk.parameters() if parameter.ndim == 2
    }


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        (replace(LAYOUT, tied_axes=()), "needs tied axes"),
        (
            ObservationLayout(
                (
                    Piece("cells", (2, 3, 4), 1, "", ("seat", "side", "cell")),
                    Piece("seats", (2,), 1, "", ("seat",)),
                    Piece("sides", (3,), 1, "", ("side",)),
                ),
                tied_axes=("seat", "side", "cell"),
            ),
            "'cell' is inside several others: seat, side",
        ),
    ],
)
def test_a_layout_that_cannot_be_tied_is_rejected(layout: ObservationLayout, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        GameNetwork(layout, ACTIONS, 8, 1, tied=True)


def test_a_run_is_rejected_where_a_game_does_not_declare_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(
        registry.ENVIRONMENT_MODULES, "high_card", "tests.toy_game.high_card.high_card_v0"
    )
    with pytest.raises(ValueError, match="--tied"):
        task_of(default_config("high_card", 2, tied=True))
