"""Training that diverges is reported at once, and the last good checkpoint is kept."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.commands.train import train
from agents.ppo.ppo import PPO
from agents.training.training_config import default_config
from kododo_env import kododo_v0
from kododo_env.networks.network import DivergenceError, GameNetwork
from kododo_env.networks.network_agent import NetworkAgent
from tests.command_line import train_py
from tests.trainings import NO_EXPORT, learner, update


def spoil(network: GameNetwork, bias: float) -> None:
    """Set the weights as a step that was too large would leave them."""
    with torch.no_grad():
        network.policy_head.bias.fill_(bias)


@pytest.mark.parametrize("rates", ["learning-rate", "imitation-learning-rate"])
def test_rates_that_are_too_high_are_named_not_an_illegal_action(
    rates: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Once it was "illegal action in kododo: game 7, player 0", some minutes later."""
    expert = "heuristic" if rates.startswith("imitation") else ""
    line = [
        "--run-dir", str(tmp_path / "run"), "--players", "2", "--num-envs", "16", "--width", "16",
        "--steps", "40000", "--games", "20", "--threads", "1", f"--{rates}", "1", "--muon", "1000",
        "--expert", expert,
    ]  # fmt: skip
    monkeypatch.setattr(sys, "argv", ["train.py", *line])
    code, _, error = train_py(capsys, line)
    (message,) = [line for line in error.splitlines() if "error" in line]
    assert code == 2
    assert "illegal action" not in error
    assert message.startswith("train.py: error: ")
    assert "NaN" in message
    assert "checkpoint" in message


@pytest.mark.parametrize("bias", [float("nan"), float("inf"), -float("inf"), -1e30])
def test_play_by_such_a_network_is_refused(bias: float) -> None:
    """-1e30 is a number, but lower than what illegal actions get."""
    game = kododo_v0.batch_game(4, num_players=2, seed=0)
    network = GameNetwork(game.layout, game.actions, width=8, depth=1)
    spoil(network, bias)
    with pytest.raises(DivergenceError, match="training has diverged"):
        NetworkAgent(network).act(game.view(0), np.random.default_rng(0))
    model = learner(game)
    spoil(model.network, bias)
    with pytest.raises(DivergenceError, match="training has diverged"):
        model.play(game, [None, None], 0)


def test_a_loss_that_is_nan_does_not_reach_the_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    game = kododo_v0.batch_game(8, num_players=2, seed=0)
    model = learner(game)
    update(model, game)
    before = [weights.detach().clone() for weights in model.parameters()]
    losses = model.losses
    monkeypatch.setattr(
        model,
        "losses",
        lambda *args, **options: {
            name: loss * float("nan") for name, loss in losses(*args, **options).items()
        },
    )
    with pytest.raises(DivergenceError, match="training has diverged"):
        update(model, game)
    assert all(torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))


def test_a_minibatch_of_one_decision_is_learned_from() -> None:
    """Once its advantage was divided by its spread, which is none: NaN, and an illegal action."""
    game = kododo_v0.batch_game(1, num_players=2, seed=0)
    model = learner(game, batch_size=1, n_epochs=1)
    update(model, game)
    assert all(bool(weights.isfinite().all()) for weights in model.parameters())


def test_the_last_good_checkpoint_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    config = default_config(
        players=2, steps=4 * 16 * 2 * 18, run_dir=folder, games=20, evaluations=1, threads=1,
        checkpoint_minutes=1e-9, num_envs=16, width=8, depth=1, expert="",
    )  # fmt: skip
    original = PPO.learn
    checkpoints: list[bytes] = []
    updates = count(1)

    def learn(self: PPO, *args: object) -> object:
        if next(updates) == 3:
            checkpoints.append((folder / "checkpoint.zip").read_bytes())
            spoil(self.network, float("nan"))
        return original(self, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(PPO, "learn", learn)
    with pytest.raises(ValueError, match=r"checkpoint.zip.* --resume"):
        train(config)
    assert (folder / "checkpoint.zip").read_bytes() == checkpoints[0]
    monkeypatch.undo()
    monkeypatch.setattr(*NO_EXPORT)
    train(replace(config, resume=True, steps=3 * 16 * 2 * 18))
    assert (folder / "results.json").exists()
