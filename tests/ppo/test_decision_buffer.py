"""The buffer of decisions: what it keeps, and its advantages."""

from __future__ import annotations

import numpy as np
import torch
from gymnasium import spaces

from agents.ppo.decision_buffer import DecisionBuffer
from kododo_env import kododo_v0
from kododo_env.wrappers.vec import BatchVecEnv
from tests.trainings import learner


def slow_advantages(
    rewards: list[float], values: list[float], starts: list[bool], last_value: float,
    gamma: float, decided: list[bool], lam: float,
) -> list[float]:  # fmt: skip
    """Advantages of one slot, episode by episode, over its decisions only."""
    found = [0.0] * len(rewards)
    ends = [t for t in range(1, len(rewards)) if starts[t]] + [len(rewards)]
    begin = 0
    for end in ends:
        chosen = [t for t in range(begin, end) if decided[t]]
        advantage = 0.0
        for k in reversed(range(len(chosen))):
            t, following = chosen[k], chosen[k + 1] if k + 1 < len(chosen) else end
            gained = sum(rewards[t:following])
            if k + 1 < len(chosen):
                after = values[following]
            else:
                after = last_value if end == len(rewards) else 0.0
            advantage = gained + gamma * after - values[t] + gamma * lam * advantage
            found[t] = advantage
        begin = end
    return found


def test_advantages_run_over_a_slots_own_decisions() -> None:
    rng = np.random.default_rng(0)
    steps, slots = 12, 30
    buffer = DecisionBuffer(
        steps, spaces.Box(0, 9, (3,), np.uint8), spaces.Discrete(4), "cpu", 0.7, 0.9, slots
    )
    buffer.reset()
    rewards = rng.normal(size=(steps, slots)).astype(np.float32)
    values = rng.normal(size=(steps, slots)).astype(np.float32)
    starts, decided = rng.random((2, steps, slots)) < np.array([0.2, 0.5])[:, None, None]
    last = rng.normal(size=slots).astype(np.float32)
    for t in range(steps):
        who = np.flatnonzero(decided[t])
        buffer.add_decisions(who, torch.from_numpy(values[t, who]))
        buffer.add_step(rewards[t], starts[t])
    buffer.gamma, buffer.gae_lambda = 0.9, 0.7
    buffer.estimate(last)
    for slot in range(slots):
        expected = slow_advantages(
            rewards[:, slot].tolist(), values[:, slot].tolist(), starts[:, slot].tolist(),
            float(last[slot]), 0.9, decided[:, slot].tolist(), 0.7,
        )  # fmt: skip
        assert np.allclose(buffer.advantages[:, slot], expected, atol=1e-4)
    assert (buffer.decided == decided).all()


def test_forced_moves_leave_no_transition() -> None:
    """In the long variant a finished game waits for the end of the deal with only the no-op."""
    env = BatchVecEnv(kododo_v0.batch_game(8, num_players=5, variant="long", seed=5), "win")
    model = learner(env, steps=100)
    model.learn(1)
    buffer = model.rollout_buffer
    packed = buffer.packed()
    assert (packed["masks"].sum(dim=1) > 1).all()
    assert len(packed["actions"]) == buffer.decided.sum() < 100 * env.num_envs
    assert packed["masks"].gather(1, packed["actions"][:, None]).all()  # only what was legal
