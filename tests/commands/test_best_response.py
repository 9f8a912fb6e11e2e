"""Exploitability: weights read back, a best response that learns, search, evaluate.py."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from agents.commands import best_response
from agents.commands.best_response import exploitability
from agents.commands.best_response_config import BestResponseConfig
from agents.export.onnx_export import check_parity
from agents.export.policy_weights import changed_rules, game_of, network_arguments, network_of
from agents.ppo.ppo import PPO, Rollout
from agents.recipes.recipe import Recipe
from agents.training import response_training
from agents.training.response_training import train_best_response
from kododo_env import registry
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.intervals import Estimate
from kododo_env.core import BatchGame
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.networks.network import GameNetwork
from kododo_env.policy.metadata import KEY, PolicyMetadata, describe
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.command_line import cli
from tests.game_tables import GAMES
from tests.policy.policy_files import changed
from tests.policy_exports import exported, shared

SMALL = Recipe(num_envs=24, batch_size=512, learning_rate=3e-3, ent_coef=0.01, final_ent_coef=0.003)
STEPS = 2 * 24 * 33  # of an update, in the game of two players below


@pytest.fixture(autouse=True)
def matches_are_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few games choose a temperature, and all games of a match are one batch."""
    monkeypatch.setattr(response_training, "SELECTION_GAMES", 20)
    monkeypatch.setattr(best_response, "CHUNKS", 1)


@pytest.fixture(scope="module")
def weak(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy for two players that has learned nothing, so it plays nearly at random."""
    batch = registry.batch_game("kododo", 1, num_players=2)
    torch.manual_seed(0)
    network = GameNetwork(batch.layout, batch.actions, width=24, depth=2)
    return shared(tmp_path_factory, "kododo-fresh", network, batch)


def tensor_of(model: onnx.ModelProto, name: str) -> onnx.TensorProto:
    return next(tensor for tensor in model.graph.initializer if tensor.name == f"network.{name}")


# --- weights ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_file_gives_its_network_back(game: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """And leaves torch's generator alone."""
    path = exported(tmp_path_factory, game)[2]
    before = torch.get_rng_state()
    network = network_of(path)
    agent = OnnxAgent(path)
    assert torch.equal(before, torch.get_rng_state())
    arguments = network_arguments(path)
    assert arguments == {"width": 24, "depth": 3, "one_hot": 8, "tied": False}
    check_parity(network, agent, game_of(agent.metadata))
    weights = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer}
    for name, tensor in network.state_dict().items():
        assert np.array_equal(tensor.numpy(), weights[f"network.{name}"])


def test_a_policys_game_is_made_with_its_own_rules() -> None:
    batch = registry.batch_game("kododo", 1, num_players=3, variant="long")
    metadata = PolicyMetadata.from_json(describe(batch).to_json())
    assert changed_rules(metadata) == {"variant": "long"}
    game = game_of(metadata, 5)
    assert (game.num_envs, game.rules) == (5, batch.rules)


def metadata_with(**facts: object) -> Callable[[onnx.ModelProto], None]:
    """Return a change of a file's metadata."""

    def change(model: onnx.ModelProto) -> None:
        metadata = json.loads(model.metadata_props[0].value) | facts
        onnx.helper.set_model_props(model, {KEY: json.dumps(metadata)})

    return change


def doubled(model: onnx.ModelProto) -> None:
    """Something else with the right weights."""
    for node in model.graph.node:
        for place, name in enumerate(node.output):
            if name == "value":
                node.output[place] = "half"
    model.graph.node.append(onnx.helper.make_node("Add", ["half", "half"], ["value"]))


def outside(model: onnx.ModelProto) -> None:
    """Its weights in another file, which must not be opened."""
    tensor = tensor_of(model, "trunk.0.weight")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/no/such/file")
    tensor.ClearField("raw_data")


UNTOLD = "no description of its network"
OTHER = "do not fit the network"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (metadata_with(network={}), UNTOLD),  # as in files of older versions
        (metadata_with(network={"width": 24, "depth": 2, "tall": True}), UNTOLD),
        # Before any memory is allocated for the size in the file.
        (metadata_with(network={"width": 4096, "depth": 16, "one_hot": 0}), OTHER),
        (metadata_with(network={"width": 23, "depth": 2, "one_hot": 0}), OTHER),
        (metadata_with(network={"width": 24, "depth": 1, "one_hot": 0}), OTHER),
        (metadata_with(network={"width": 24, "depth": 2, "one_hot": 8}), OTHER),
        (metadata_with(network={"width": 24, "depth": 2, "one_hot": 0, "tied": True}), OTHER),
        (doubled, "other outputs"),
        (outside, "weights are in another file"),
    ],
)
def test_a_file_with_another_network_than_it_tells_is_not_learned_on_from(
    change: Callable[[onnx.ModelProto], None], words: str, weak: Path, tmp_path: Path
) -> None:
    path = changed(weak, tmp_path / "changed.onnx", change)
    with pytest.raises(ValueError, match=words):
        network_of(path)
    if words == UNTOLD:
        assert Match(OnnxAgent(path), OnnxAgent(weak), "kododo", 2, 20).play().share.mean > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda model: model.ClearField("metadata_props"), "was not exported by this project"),
        (metadata_with(game="chess"), "unknown game 'chess'"),
        (metadata_with(version=7), "cannot play this game: it is for version 7, not 0"),
    ],
)
def test_nothing_is_trained_against_a_policy_of_no_game(
    change: Callable[[onnx.ModelProto], None],
    words: str,
    weak: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(best_response, "train_best_response", None)
    path = changed(weak, tmp_path / "changed.onnx", change)
    with pytest.raises(ValueError, match=words):
        exploitability(BestResponseConfig(str(path)))


# --- the best response --------------------------------------------------------------------


def test_a_weak_policy_is_exploited(weak: Path, tmp_path: Path) -> None:
    """A few seconds of PPO, and search with few worlds, are surely above an equal."""
    saved = tmp_path / "response.onnx"
    config = BestResponseConfig(
        str(weak), seeds=1, steps=4 * STEPS, search="6", search_games=20, save=saved
    )
    results = exploitability(config, games=600, recipe=SMALL)
    for attack in (*results.responses, results.best_response, results.search):
        assert attack.gain.low > 0
        assert attack.gain.mean == pytest.approx(attack.share.mean - 0.5)
    response = OnnxAgent(saved)
    assert response.metadata.training["against"] == weak.stem
    assert response.metadata.training["seed"] == 0
    result = Match(response, OnnxAgent(weak), "kododo", 2, 600, seed=5).play()
    assert result.share.low > 0.5


def test_the_best_of_the_seeds_is_saved(
    weak: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[str] = []
    means = iter([0.6, 0.8, 0.7, 0.5])  # the last one is the search's

    def attack(*_: object) -> best_response.Attack:
        mean = next(means)
        return best_response.Attack(Estimate(mean, 0, 1), Estimate(mean - 0.5, 0, 1), 10, {})

    monkeypatch.setattr(best_response, "_learn", lambda *_: {})
    monkeypatch.setattr(best_response, "_attack", attack)
    monkeypatch.setattr(best_response, "_copy", lambda source, _: saved.append(source.stem))
    config = BestResponseConfig(str(weak), seeds=3, search="1", save=tmp_path / "response.onnx")
    exploitability(config, games=2)
    assert saved == ["best-response-1"]


@pytest.mark.parametrize(
    ("team", "learners"),
    [
        (False, [[True, False, False, False], [False, True, False, False]]),
        (True, [[False, True, True, True], [True, False, True, True]]),
    ],
)
def test_the_learner_or_a_team_begins_as_the_policy_and_learns_in_every_seat(
    team: bool,
    learners: list[list[bool]],
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    played: list[list[bool]] = []
    play = response_training.PPO.play

    def noted(
        self: PPO, game: BatchGame, agents: list[Agent | None], seed: int, together: bool
    ) -> Rollout:
        assert together == team
        played.append([agent is None for agent in agents])
        return play(self, game, agents, seed, together)

    monkeypatch.setattr(response_training.PPO, "play", noted)
    monkeypatch.setattr(response_training.PPO, "learn", lambda *_: {})
    path = exported(tmp_path_factory, "kododo")[2]
    response = train_best_response(OnnxAgent(path), steps=6_000, recipe=SMALL, team=team)
    assert played[:2] == learners
    start = network_of(path).state_dict()
    for name, tensor in response.agent.network.state_dict().items():
        assert torch.equal(tensor, start[name])


def test_seats_that_play_together_are_given_the_mean_of_their_rewards() -> None:
    game = registry.batch_game("kododo", 8, num_players=3)
    learner = PPO(game, replace(SMALL, gae_lambda=1.0), seed=0)
    agents = [RandomAgent(), None, None]
    for together in (False, True):
        torch.manual_seed(1)
        first = learner.play(game, agents, 0, together).decisions["returns"][: 2 * 8]
        assert torch.allclose(*first.reshape(8, 2).unbind(1), atol=1e-5) == together


def not_exported(response: object, policy: OnnxAgent, *args: object) -> None:
    """In place of an export, which is slow and tested elsewhere: the policy's own file."""
    shutil.copy(policy.path, str(args[-1]))


def test_the_same_arguments_give_the_same_result(
    weak: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(best_response, "_export", not_exported)

    def weights(seed: int) -> torch.Tensor:
        trained = train_best_response(OnnxAgent(weak), steps=1, seed=seed, recipe=SMALL)
        return trained.agent.network.state_dict()["trunk.0.weight"]

    config = BestResponseConfig(str(weak), seeds=1, steps=1, search="4", search_games=2)
    first, second = (exploitability(config, 64, 3, recipe=SMALL).to_json() for _ in range(2))
    assert first == second
    assert torch.equal(weights(3), weights(3))
    assert not torch.equal(weights(3), weights(4))


@pytest.mark.parametrize("game", GAMES)
def test_every_game_is_attacked_alike(
    game: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = []
    attack = best_response._attack

    def noted(match: Match, *args: Any) -> best_response.Attack:
        sides.append((Path(str(match.agent)).stem, Path(str(match.copies)).stem))
        return attack(match, *args)

    monkeypatch.setattr(best_response, "_attack", noted)
    monkeypatch.setattr(best_response, "_export", not_exported)
    path = exported(tmp_path_factory, game)[2]
    players = OnnxAgent(path).num_players
    recipe = replace(SMALL, num_envs=2, batch_size=64)
    config = BestResponseConfig(str(path), seeds=1, steps=1, search="1", search_games=players)
    results = exploitability(config, games=players, recipe=recipe)
    content = results.to_json()
    assert (content["game"], content["players"]) == (game, players)
    for team in content["teams"]:
        assert team["gain"]["mean"] == pytest.approx(1 / players - team["share"]["mean"])
    assert len(content["teams"]) == (players > 2)
    assert sides[:2] == [("best-response-0", path.stem), (path.stem, "team-0")]
    assert f"parity {1 / players:.3f}" in results.to_text()


# --- evaluate.py --------------------------------------------------------------------------


def test_from_the_command_line(
    weak: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(response_training, "recipe_for", lambda *_: SMALL)
    monkeypatch.setattr(best_response, "_export", not_exported)
    out = tmp_path / "out.json"
    saved = tmp_path / "response.onnx"
    code, output, err = cli(
        capsys, "--best-response", str(weak), "--steps", "1", "--games", "40", "--search", "2",
        "--search-games", "8", "--workers", "1", "--json", str(out), "--save", str(saved),
    )  # fmt: skip
    assert (code, err) == (0, "")
    assert "mean of the best responses" in output
    content = json.loads(out.read_text())
    assert [content[key] for key in ("game", "players", "parity")] == ["kododo", 2, 0.5]
    mean = content["best_response"]
    search = content["search"]
    for seed, response in enumerate(mean["each"]):
        facts = [response[key] for key in ("games", "seed", "minutes", "steps")]
        assert facts == [40, seed, None, STEPS]
    assert [mean["games"], search["games"], search["budget"]] == [40, 8, "2"]
    for attack in (mean, *mean["each"], search):
        for end in ("mean", "low", "high"):
            assert attack["gain"][end] == pytest.approx(attack["share"][end] - 0.5)
    assert OnnxAgent(saved).num_players == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "out.json", "response.meta.json", "response.onnx",
    ]  # fmt: skip
