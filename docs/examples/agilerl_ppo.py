"""AgileRL: PPO with masks on a batch of games in a Gymnasium VectorEnv.

    pip install '.[play,export]' agilerl peft
    python docs/examples/agilerl_ppo.py

One seat of every game learns among random players. At the end it is a policy file, agilerl.onnx,
whose share of the victory among random players is told beside that of the network before it
learned. AgileRL looks for the mask in the info, and wants the observation to be an array.
"""

from __future__ import annotations

import gymnasium
import numpy as np
import torch
from agilerl.algorithms import PPO
from agilerl.rollouts.on_policy import collect_rollouts
from torch import nn

import kododo_env
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

PLAYERS, GAMES, STEPS, UPDATES = 4, 1024, 18, 20  # a game of Kododo has 18 steps


class Network(nn.Module):
    """What a policy file has of an agent: logits and values, both from the actor's encoder."""

    def __init__(self, agent: PPO) -> None:
        super().__init__()
        self.encoder, self.value = agent.actor.encoder, agent.critic.head_net
        self.logits = agent.actor.head_net.wrapped  # without the drawing of actions

    def forward(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values."""
        hidden = self.encoder(numbers)
        return self.logits(hidden), self.value(hidden)


def main() -> None:
    """Train for some updates, measure and export."""
    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  AgileRL shuffles by it
    envs = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=PLAYERS, opponents="random",
        reward="win", autoreset_mode="SameStep", action_mask="info", normalize=True,
        illegal_action="raise",
    )  # fmt: skip
    agent = PPO(
        envs.single_observation_space, envs.single_action_space, num_envs=GAMES,
        learn_step=GAMES * STEPS, batch_size=1024, lr=1e-3, gamma=1.0,
        normalize_images=False,
        # Its GAE (2.58) ends a game one step too early, so that the reward of the last choice
        # would reach no other; returns to the end of the game do not.
        rollout_buffer_config={"use_gae": False},
    )  # fmt: skip
    network = Network(agent)

    def choose(numbers, mask):
        """The likeliest actions."""
        with torch.no_grad():
            logits, _ = network(torch.from_numpy(numbers))
        return logits.masked_fill(~torch.from_numpy(mask), -torch.inf).argmax(dim=1)

    before = share(choose, "kododo", PLAYERS, normalize=True)
    observation, info = envs.reset(seed=0)
    after = observation, np.zeros(GAMES), np.zeros(GAMES), info
    for update in range(1, UPDATES + 1):
        state = dict(zip(("last_obs", "last_done", "last_scores", "last_info"), after, strict=True))
        won, *after = collect_rollouts(agent, envs, STEPS, **state)
        agent.learn()
        print(f"update {update}: mean return {np.mean(won):+.3f}", flush=True)
    export(network, envs.unwrapped.game, "agilerl.onnx", normalize=True)
    learned = kododo_env.load("agilerl.onnx")
    after = Match(learned, "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


if __name__ == "__main__":
    main()
