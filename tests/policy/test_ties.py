"""The rule for ties: at temperature 0 a policy chooses equally on every machine."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from kododo_env import kododo_v0, registry
from kododo_env.agent_registry import POLICIES
from kododo_env.arrays.dtypes import Bool, Float32
from kododo_env.core.agent import TIE, first_of_best
from kododo_env.core.batch_game import BatchGame
from kododo_env.networks.network import GameNetwork
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.search.exact import _tempered
from tests.policy.test_numpy_session import with_numpy
from tests.policy.test_policy_files import for_every_policy

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "onnx_policy.mjs"
MOVED = 2e-6
# Gaps between logits differ by up to 2.3e-5 between processors and libraries. A choice farther
# than this from the bound of the rule must be the same.
NOISE = 5e-5


class Moved(OnnxAgent):
    """A policy as on another processor: all logits are slightly different."""

    rng = np.random.default_rng(3)

    def evaluate(self, *inputs: Any) -> tuple[Float32, Float32]:
        logits, values = super().evaluate(*inputs)
        return logits + self.rng.uniform(-MOVED, MOVED, logits.shape).astype(np.float32), values


def whole_games(policy: OnnxAgent, games: int) -> Iterator[tuple[BatchGame, list[Any]]]:
    """Yield each position of self-play games, and the chosen actions, (P, N)."""
    game = registry.batch_game(policy.game, games, 0, num_players=policy.num_players)
    rng = np.random.default_rng(0)
    while not game.terminated.all():
        chosen = [policy.act(game.view(player), rng) for player in range(game.num_players)]
        yield game, chosen
        game.step(np.stack(chosen, axis=1))


def logits_of(policy: OnnxAgent, game: BatchGame) -> Iterator[Float32]:
    """Yield the logits of a policy for each player, (N, A)."""
    for player in range(game.num_players):
        view = game.view(player)
        yield policy.evaluate(view.observation, view.legal_action_mask)[0]


def unlucky(logits: Float32) -> Bool:
    """Whether a gap is so near the bound that machines may disagree, (N,)."""
    gaps = logits.max(axis=1, keepdims=True) - logits
    return (np.abs(gaps - TIE) < NOISE).any(axis=1)


@cache
def unlucky_games(path: Path, games: int) -> Bool:
    """Return which self-play games may differ on another machine, (N,)."""
    policy = OnnxAgent(path, temperature=0)
    close = np.zeros(games, bool)
    for game, _ in whole_games(policy, games):
        close |= np.any([unlucky(logits) for logits in logits_of(policy, game)], axis=0)
    return close


@for_every_policy
@pytest.mark.parametrize("make_twin", [with_numpy, Moved], ids=["numpy", "moved"])
def test_it_plays_the_same_games(name: str, make_twin: Callable[[Path], OnnxAgent]) -> None:
    """kado-3p played other games on another processor, because mirrored cells have equal logits."""
    path = POLICIES / f"{name}.onnx"
    policy = OnnxAgent(path)
    twin = make_twin(path)
    policy.temperature = twin.temperature = 0
    lucky = ~unlucky_games(path, 10)
    rng = np.random.default_rng(0)
    assert lucky.sum() >= 8
    for game, chosen in whole_games(policy, 10):
        for player, actions in enumerate(chosen):
            assert np.array_equal(twin.act(game.view(player), rng)[lucky], actions[lucky])


def in_node(logits: Float32) -> list[int]:
    """Return the choices of the JavaScript example for logits (N, A)."""
    code = f"""
        import {{ loadPolicy }} from {json.dumps(EXAMPLE.as_uri())};
        import {{ readFileSync }} from "node:fs";
        const rows = JSON.parse(readFileSync(0, "utf8"));
        const dims = [rows.length, rows[0].length];
        const logits = {{ data: Float32Array.from(rows.flat()), dims }};
        const session = {{ run: async () => ({{ logits, value: {{ data: [] }} }}) }};
        const ort = {{ InferenceSession: {{ create: async () => session }}, Tensor: class {{}} }};
        const metadata = {{ pieces: [["x", [1], 1]], actions: rows[0] }};
        const policy = await loadPolicy(ort, null, metadata);
        console.log(JSON.stringify(await policy.act([[0]], [[1]])));
    """
    command = ["node", "--input-type=module", "--eval", code]
    rows = json.dumps(logits.tolist())
    done = subprocess.run(command, input=rows, capture_output=True, text=True, check=True)
    return list(json.loads(done.stdout))


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_javascript_has_the_same_rule() -> None:
    """Check whole games of every shipped policy at temperature 0, and logits at the bound."""
    bound = np.float32(1) - np.array([[0.99 * TIE, 0], [1.01 * TIE, 0], [0, 0]], np.float32)
    batches = [bound]
    for path in sorted(POLICIES.glob("*.onnx")):
        policy = OnnxAgent(path, temperature=0)
        for game, _ in whole_games(policy, 2):
            batches += logits_of(policy, game)
    widest = max(batch.shape[1] for batch in batches)
    filled = [np.pad(batch, [(0, 0), (0, widest - batch.shape[1])], constant_values=-1e9)
              for batch in batches]  # fmt: skip
    logits = np.concatenate(filled).astype(np.float32)
    clear = ~unlucky(logits)
    clear[:3] = True
    assert first_of_best(bound).tolist() == [0, 1, 0]
    assert np.array_equal(np.array(in_node(logits))[clear], first_of_best(logits)[clear])


def test_a_network_and_exact_strategies_have_the_same_rule() -> None:
    """The last bit chose between mirrored actions, and no test noticed."""
    game = kododo_v0.batch_game(2, num_players=2, seed=0)
    network = GameNetwork(game.layout, game.actions, width=8, depth=1)
    bits = torch.linspace(0, MOVED, game.num_actions)  # the last action is slightly ahead
    network.forward = lambda observation, *_: (bits.expand(len(observation), -1), None)  # type: ignore[assignment]
    view = game.view(0)
    agent = NetworkAgent(network, temperature=0)
    first = view.legal_action_mask.argmax(axis=1)
    assert np.array_equal(agent.act(view, np.random.default_rng(0)), first)
    assert _tempered(np.array([[0.5 - 1e-7, 0.5 + 1e-7]]), 0).tolist() == [[1, 0]]
