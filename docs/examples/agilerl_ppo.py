"""AgileRL: PPO with masks on a batch of games in a Gymnasium VectorEnv.

    python docs/examples/agilerl_ppo.py

One seat of every game learns among heuristics. AgileRL looks for the mask in the info, and
wants the observation to be an array.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts

GAMES, STEPS, UPDATES = 64, 18, 3  # a game of Kododo has 18 steps


def main() -> None:
    """Train for some updates."""
    torch.manual_seed(0)
    envs = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=4, opponents="heuristic",
        reward="win", autoreset_mode="SameStep", action_mask="info", normalize=True,
        illegal_action="raise",
    )  # fmt: skip
    agent = PPO(
        envs.single_observation_space, envs.single_action_space, num_envs=GAMES,
        learn_step=GAMES * STEPS, batch_size=GAMES * STEPS // 4, lr=1e-3, gamma=1.0,
        normalize_images=False,
    )  # fmt: skip
    state = {}
    for update in range(1, UPDATES + 1):
        won, *after = collect_rollouts(agent, envs, STEPS, **state)
        state = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), after, strict=True))
        loss = agent.learn()
        print(f"update {update}: mean return {np.mean(won):+.3f}, loss {loss}", flush=True)


if __name__ == "__main__":
    main()
