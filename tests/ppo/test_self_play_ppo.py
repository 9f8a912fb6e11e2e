"""The learner: it acts as its network says, learns, and leaves nothing behind."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.networks.network import masked
from kododo_env import kododo_v0
from kododo_env.wrappers.vec import BatchVecEnv, Step
from tests.trainings import learner

ROOT = Path(__file__).parents[2]


def test_a_rollout_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kododo's self-play grew by a megabyte with each update: the callback named itself."""
    env = BatchVecEnv(kododo_v0.batch_game(4, seed=0), "win")
    model, seen = learner(env), []
    step_wait = env.step_wait

    def noted() -> Step:
        played = step_wait()
        seen.extend(weakref.ref(array) for array in played[:2])
        return played

    monkeypatch.setattr(env, "step_wait", noted)
    gc.disable()
    try:
        for _ in range(3):
            model.learn(1, reset_num_timesteps=False)
        left = sum(reference() is not None for reference in seen)
    finally:
        gc.enable()
    assert left <= 1  # the observations that the next rollout begins with


def test_what_is_kept_is_what_the_network_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    env = BatchVecEnv(kododo_v0.batch_game(16, seed=0))
    model = learner(env)
    monkeypatch.setattr(model, "train", lambda: None)
    seen = [env.reset()]
    step_wait = env.step_wait

    def watched() -> object:
        result = step_wait()
        seen.append(result[0])
        return result

    monkeypatch.setattr(env, "step_wait", watched)
    monkeypatch.setattr(env, "reset", lambda: seen[0])
    model.learn(1)
    packed = model.rollout_buffer.packed()
    observations = torch.from_numpy(np.concatenate(seen[:-1]))
    with torch.no_grad():
        logits, values = model.policy.network(observations)
    log_probs = torch.log_softmax(masked(logits, packed["masks"]), dim=1)
    taken = log_probs.gather(1, packed["actions"][:, None]).squeeze(1)
    assert torch.allclose(taken, packed["log_probs"], atol=1e-4)
    assert np.allclose(values.numpy(), model.rollout_buffer.values.flatten(), atol=1e-4)


def test_learning_beats_its_own_start() -> None:
    """A tiny game with one obvious lesson: take the card that scores."""
    rules = {
        "num_players": 2, "num_colours": 2, "copies": (0, 6), "hand_size": 2, "plays": (1,),
        "removed_cards": 0, "limit_offset": 9, "kododo_offset": 9,
    }  # fmt: skip
    env = BatchVecEnv(kododo_v0.batch_game(64, seed=0, **rules), "score")
    model = learner(env, steps=5)
    first = None
    for _ in range(25):
        model.learn(1, reset_num_timesteps=False)
        mean = float(model.rollout_buffer.rewards.mean())
        first = mean if first is None else first
    assert mean > first + 0.1


def test_what_is_compiled_for_each_number_of_rows_is_not_kept_for_ever() -> None:
    """Training in bfloat16 grew by hundreds of MB, where the processor has it."""
    script = (
        "import psutil, torch, agents.ppo.self_play_ppo\n"
        "torch.set_num_threads(1)\n"
        "layer, resident = torch.nn.Linear(256, 256), []\n"
        "for rows in range(1, 801):\n"
        "    with torch.no_grad(), torch.autocast('cpu', torch.bfloat16):\n"
        "        layer(torch.zeros(rows, 256))\n"
        "    resident.append(psutil.Process().memory_info().rss)\n"
        "print(resident[-1] - resident[100])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 64 << 20
