"""The canonical observation, the network and its export."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch

from agents.export import onnx_export as export
from kododo_env import kododo_v0, registry
from kododo_env.core.agent import first_of_best, random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.export import policy_export, torch_models
from kododo_env.export.parity import positions
from kododo_env.layouts.actions import ActionLayout, ActionPiece
from kododo_env.layouts.canonical import CanonicalForm
from kododo_env.layouts.observation import ObservationLayout, Piece, Symmetry
from kododo_env.networks.canonical import Canonical
from kododo_env.networks.network import ILLEGAL, GameNetwork, drawn, log_probabilities, masked
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.helpers import play_random, rearranged
from tests.networks.test_tied_network import random_network as tied_network
from tests.policy.test_ties import unlucky
from tests.policy_exports import exported


def random_network(game: BatchGame, seed: int = 0, one_hot: int = 8) -> GameNetwork:
    """Return a network with clearly different outputs, unlike a fresh one."""
    torch.manual_seed(seed)
    network = GameNetwork(game.layout, game.actions, width=32, depth=2, one_hot=one_hot)
    torch.nn.init.normal_(network.policy_head.weight, std=0.5)
    return network


def largest(name: str) -> BatchGame:
    """Return the game with its largest number of players."""
    return registry.batch_game(name, 1, num_players=max(registry.environment_module(name).PLAYERS))


def twins_of(game: BatchGame, observation: np.ndarray, names: np.ndarray) -> np.ndarray:
    """Rename entry i of every interchangeable axis to names[i]."""
    symmetry = game.layout.symmetry
    assert symmetry is not None
    return rearranged(game, observation, symmetry.axes, np.argsort(names))


def symmetries(canonical: Canonical, every: int = 1) -> list[np.ndarray]:
    """Return renamings of a game's symmetry: all rotations, or every n-th permutation."""
    if canonical.group == "rotations":
        return [np.roll(np.arange(canonical.entries), shift) for shift in range(canonical.entries)]
    return [np.array(names) for names in permutations(range(canonical.entries))][::every]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
def test_twins_look_the_same_to_the_network(name: str, tied: bool) -> None:
    game = largest(name)
    observation, _ = positions(game, 500 if tied else 2000)
    network = tied_network(game.layout, game.actions) if tied else random_network(game)
    near = 1e-4 if tied else 1e-5
    with torch.no_grad():
        canonical, _ = network.canonical(torch.from_numpy(observation))
        _, value = network(torch.from_numpy(observation))
        for names in symmetries(network.canonical, every=17):
            twin = torch.from_numpy(twins_of(game, observation, names))
            unchanged = (network.canonical(twin)[0] == canonical).all(dim=1)
            # Rarely, different entries have the same key.
            assert unchanged.float().mean() > 0.99
            assert torch.allclose(
                network(twin)[1][unchanged], value[unchanged], rtol=near, atol=near
            )


def test_pairs_and_slots_follow_the_cards_not_their_places() -> None:
    """Hands that differ only in the names of colours get the same logits, card by card."""
    game = kododo_v0.batch_game(64, seed=3)
    network = random_network(game)
    names = np.array([3, 0, 4, 1, 2])
    observation = np.ascontiguousarray(game.observe()[:, 0])
    twin = twins_of(game, observation, names)
    with torch.no_grad():
        logits, twin_logits = (network(torch.from_numpy(x))[0].numpy() for x in (observation, twin))
    values = game.rules.num_values
    by_colour = game.view(0).pieces["hand"]
    for row, hand, twin_row, held in zip(
        logits, game.hands[:, 0], twin_logits, by_colour, strict=True
    ):
        if len(np.unique(held[held.any(axis=1)], axis=0)) < held.any(axis=1).sum():
            continue  # two colours have equal cards, so either may come first
        moved = names[hand // values] * values + hand % values
        place = np.argsort(np.argsort(moved, kind="stable"), kind="stable")
        for action in range(game.num_actions):
            slots = game._tables.slots[action]
            twin_slots = tuple(sorted(int(place[slot]) for slot in slots))
            assert row[action] == pytest.approx(
                twin_row[game._tables.slots.index(twin_slots)], abs=1e-5
            )


def test_equal_cards_get_equal_logits() -> None:
    game = kododo_v0.batch_game(256, seed=1)
    network = random_network(game)
    with torch.no_grad():
        logits = network(torch.from_numpy(np.ascontiguousarray(game.observe()[:, 0])))[0]
    hands = game.hands[:, 0]
    env, slot = np.argwhere(hands[:, :-1] == hands[:, 1:])[0]
    assert logits[env, slot] == logits[env, slot + 1]


def two_axes() -> tuple[ObservationLayout, ActionLayout]:
    """Return layouts in which gifts and ribbons are rotated together, as in KADO."""
    pieces = (
        Piece("seen", (5, 5, 2), 3, "", ("gift", "ribbon", "value")),
        Piece("ribbons", (5,), 9, "", ("ribbon",)),
        Piece("turn", (), 12, ""),
        Piece("gifts", (3, 5), 4, "", ("seat", "gift")),
    )
    symmetry = Symmetry(("gift", "ribbon"), "rotations", ("gifts",))
    actions = (ActionPiece("pass"), ActionPiece("guess", (5, 5), ("gift", "ribbon")))
    return ObservationLayout(pieces, symmetry), ActionLayout(actions)


def test_rotations_move_both_axes_and_the_actions_with_them() -> None:
    layout, actions = two_axes()
    torch.manual_seed(1)
    network = GameNetwork(layout, actions, width=16, depth=2)
    torch.nn.init.normal_(network.policy_head.weight)
    rng = np.random.default_rng(0)
    observation = rng.integers(0, layout.maxima + 1, (50, layout.size)).astype(np.uint8)

    @dataclass
    class Only:
        layout: ObservationLayout

    for shift in range(5):
        names = np.roll(np.arange(5), -shift)  # entry i becomes i + shift
        twin = twins_of(Only(layout), observation, (np.arange(5) + shift) % 5)  # type: ignore[arg-type]
        with torch.no_grad():
            logits, value = network(torch.from_numpy(observation))
            twin_logits, twin_value = network(torch.from_numpy(twin))
        assert torch.allclose(value, twin_value, atol=1e-5)
        assert torch.allclose(logits[:, 0], twin_logits[:, 0], atol=1e-5)
        guesses = twin_logits[:, 1:].reshape(-1, 5, 5)
        back = guesses.roll((-shift, -shift), (1, 2))
        assert torch.allclose(logits[:, 1:].reshape(-1, 5, 5), back, atol=1e-5), names


def test_more_than_two_interchangeable_axes_are_rejected() -> None:
    """It was an IndexError."""
    cube = Piece("cube", (2, 2, 2), 1, "", ("a", "b", "c"))
    layout = ObservationLayout((cube,), Symmetry(("a", "b", "c"), "permutations", ("cube",)))
    with pytest.raises(ValueError, match="two interchangeable axes"):
        Canonical(layout, ActionLayout((ActionPiece("pass"),)))


def test_masked_logits_are_those_of_legal_actions() -> None:
    logits = torch.tensor([[1.0, 2.0, 3.0]])
    assert masked(logits, torch.tensor([[1, 0, 1]])).tolist() == [[1.0, ILLEGAL, 3.0]]


def test_probabilities_are_those_of_a_softmax() -> None:
    torch.manual_seed(0)
    logits = 9 * torch.randn(1000, 24)
    mask = torch.rand(1000, 24) < 0.3
    mask[:, 5] = True
    expected = torch.log_softmax(masked(logits, mask), dim=1)
    assert torch.allclose(log_probabilities(logits, mask), expected, atol=1e-5)


def test_actions_are_drawn_as_often_as_is_likely_and_illegal_ones_never() -> None:
    torch.manual_seed(0)
    logits = torch.tensor([3.0, 0.0, 1.0, 2.0, 9.0]).expand(200_000, 5)
    mask = torch.tensor([0, 1, 1, 1, 0])
    shares = drawn(log_probabilities(logits, mask)).bincount(minlength=5) / len(logits)
    expected = torch.softmax(torch.tensor([0.0, 1.0, 2.0]), dim=0)
    assert shares[0] == shares[4] == 0
    assert torch.allclose(shares[1:4], expected, atol=0.005)


@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
def test_answers_and_gradients_in_bfloat16_are_near(name: str) -> None:
    """It uses no autocast: biases are added later, and both heads are one matrix."""
    game = registry.batch_game(name, 64, seed=0)
    network = random_network(game)
    for layer in (*network.trunk[:1], network.policy_head, network.value_head):
        torch.nn.init.normal_(layer.bias)
    with torch.no_grad():
        canonical = network.canonical(torch.from_numpy(np.array(game.observe()[:, 0])))
    results = []
    for bfloat16 in (False, True):
        logits, values = network.from_canonical(*canonical, bfloat16=bfloat16)
        gradients = torch.autograd.grad(logits.mean() + values.mean(), list(network.parameters()))
        results.append((logits, values, *gradients))
    for expected, actual in zip(*results, strict=True):
        assert actual.dtype == torch.float32
        assert torch.allclose(expected, actual, rtol=0.05, atol=0.05)


def test_small_numbers_are_given_one_hot() -> None:
    game = kododo_v0.batch_game(4, num_players=4, seed=0)
    play_random(game, np.random.default_rng(0), steps=2)
    network = random_network(game)
    layout = game.layout
    observation = torch.from_numpy(game.observe()[:, 0])
    canonical, _ = network.canonical(observation)
    inputs, _ = network._inputs(canonical)
    assert inputs.shape == (4, layout.size + len(network.levels))
    place = {int(column): index for index, column in enumerate(network.canonical.columns)}
    for name in ("to_limit", "rounds_left", "to_kododo_number", "table_kododos"):
        piece = layout.piece(name)
        where = layout.where(name)
        for column in range(where.start, where.stop):
            level_inputs = (network.level_columns == place[column]).nonzero().flatten()
            one_hot = inputs[:, layout.size + level_inputs]
            assert one_hot.shape == (4, piece.maximum + 1)
            assert (one_hot.argmax(dim=1) == canonical[:, place[column]]).all()
            assert (one_hot.sum(dim=1) == 1).all()
    assert len(random_network(game, one_hot=0).levels) == 0


# --- export -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> tuple[GameNetwork, BatchGame, Path]:
    return exported(tmp_path_factory, "kododo")


def test_the_file_plays_as_the_network(policy: tuple[GameNetwork, BatchGame, Path]) -> None:
    network, game, path = policy
    agent = OnnxAgent(path)
    export.check_parity(network, agent, game)
    observation, mask = positions(game, 500, seed=9)
    with torch.no_grad():
        logits = masked(network(torch.from_numpy(observation))[0], torch.from_numpy(mask))
    file_logits, _ = agent.evaluate(observation, mask)
    clear = ~unlucky(file_logits)
    assert clear.sum() >= 495
    assert (first_of_best(file_logits) == first_of_best(logits.numpy()))[clear].all()
    for size in (1, 7):  # any batch size
        assert np.allclose(
            agent.evaluate(observation[:size], mask[:size])[0], file_logits[:size], atol=1e-5
        )


def test_a_file_that_disagrees_is_not_written(
    policy: tuple[GameNetwork, BatchGame, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, game, path = policy
    network = random_network(game, seed=1)
    # The exporter takes seconds, so it returns the file of another network.
    monkeypatch.setattr(torch_models, "_to_onnx", lambda *_: onnx.load(path))
    monkeypatch.setattr(policy_export, "policy_model", lambda *_: onnx.load(path))
    with pytest.raises(ValueError, match="disagrees with the network"):
        export.export_policy(network, game, tmp_path / "bot.onnx")
    assert list(tmp_path.iterdir()) == []


def test_the_file_says_what_it_is_for(policy: tuple[GameNetwork, BatchGame, Path]) -> None:
    _, game, path = policy
    metadata = OnnxAgent(path).metadata
    assert (metadata.game, metadata.num_players) == ("kododo", game.num_players)
    assert metadata.actions[0] == "card slot=0"
    assert metadata.layout == game.layout.fingerprint()
    assert not any(node.metadata_props for node in onnx.load(path).graph.node)


def test_temperature_zero_plays_the_likeliest_and_one_draws(
    policy: tuple[GameNetwork, BatchGame, Path],
) -> None:
    _, game, path = policy
    batch = kododo_v0.batch_game(400, seed=0)
    batch.load_state(game.take(np.zeros(400, np.intp)).state())
    rng = np.random.default_rng(0)
    cold, hot = (OnnxAgent(path, temperature).act(batch.view(0), rng) for temperature in (0.0, 1.0))
    assert len(np.unique(cold)) == 1
    assert len(np.unique(hot)) > 1


@pytest.mark.parametrize("num_envs", [1, 3])
def test_a_network_plays_without_warnings(num_envs: int) -> None:
    """With one game, torch got the read-only array of the view."""
    game = kododo_v0.batch_game(num_envs, num_players=2, seed=0)
    network = GameNetwork(game.layout, game.actions, width=8, depth=1)
    assert NetworkAgent(network).act(game.view(0), np.random.default_rng(0)).shape == (num_envs,)


def test_a_network_that_learns_from_canonical_rows_plays_by_plain_ones() -> None:
    game = kododo_v0.batch_game(50, num_players=4, seed=0)
    network = random_network(game)
    play_random(game, np.random.default_rng(0), 4)
    rng = np.random.default_rng(0)
    plain = NetworkAgent(network).act(game.view(1), rng)
    network.canonical_input = True
    assert np.array_equal(NetworkAgent(network).act(game.view(1), rng), plain)


@pytest.mark.parametrize("name", registry.ENVIRONMENT_MODULES)
@pytest.mark.parametrize("players", [2, 4])
def test_the_canonical_form_is_the_same_in_torch_and_in_numpy(name: str, players: int) -> None:
    """A network also gives the same logits for a canonical and a plain row."""
    game = registry.batch_game(
        name, 32, num_players=max(players, min(registry.environment_module(name).PLAYERS))
    )
    form = CanonicalForm(game.layout, game.actions)
    torch_form = Canonical(game.layout, game.actions, np.arange(game.layout.size))
    network = random_network(game)
    rng = np.random.default_rng(0)
    while not game.terminated.all():
        observations = np.array(game.observe(), order="C").reshape(-1, game.layout.size)
        masks = np.array(game.legal_action_mask(), order="C").reshape(-1, game.num_actions)
        rows = form(observations, masks)
        canonical, _ = torch_form(torch.from_numpy(observations))
        assert np.array_equal(canonical.numpy(), rows.observations)
        plain = network(torch.from_numpy(observations))[0].detach().numpy()
        network.canonical_input = True
        answers = network(torch.from_numpy(rows.observations))[0].detach().numpy()
        network.canonical_input = False
        legal = rows.masks
        expected = np.take_along_axis(plain, rows.actions, axis=1)
        np.testing.assert_allclose(answers[legal], expected[legal], rtol=1e-4, atol=1e-4)
        game.step(random_legal_actions(game.legal_action_mask(), rng))
