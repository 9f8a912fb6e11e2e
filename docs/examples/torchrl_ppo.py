"""TorchRL: PPO with masks on the PettingZoo environment, one network for all seats.

    python docs/examples/torchrl_ppo.py

The returns of all players sum to zero; the entropy falls. At the end TorchRL's wrapper of Gymnasium
plays one seat of each of many games at random, on the batch.
"""

from __future__ import annotations

from time import perf_counter

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import ActionMask, GymWrapper, TransformedEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from kododo_env import kododo_v0

UPDATES, STEPS, MINIBATCH, EPOCHS = 5, 360, 90, 4  # a game of Kododo has 18 steps
GAMES = 1024  # at once, on the batch


def main() -> None:
    """Train for some updates."""
    torch.manual_seed(0)
    # The wrapper makes one group of the agents player_0, player_1, …: "player".
    games = kododo_v0.parallel_env(num_players=4, reward="win", normalize=True)
    env = PettingZooWrapper(games, categorical_actions=True, seed=0)
    seen, mask = ("player", "observation", "observation"), ("player", "action_mask")
    size, actions = env.observation_spec[seen].shape[-1], env.action_spec[env.action_key].space.n
    policy = ProbabilisticActor(
        TensorDictModule(MLP(size, actions, num_cells=[128, 128]), [seen], [("player", "logits")]),
        in_keys={"logits": ("player", "logits"), "mask": mask},
        out_keys=[env.action_key],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("player", "log_prob"),
    )
    value = ValueOperator(MLP(size, 1, num_cells=[128]), [seen], [("player", "state_value")])
    loss_of = ClipPPOLoss(policy, value, entropy_coeff=0.01, normalize_advantage=True)
    loss_of.set_keys(
        action=env.action_key,
        reward=env.reward_key,
        sample_log_prob=("player", "log_prob"),
        value=("player", "state_value"),
        done=("player", "done"),
        terminated=("player", "terminated"),
    )
    loss_of.make_value_estimator(gamma=1.0, lmbda=0.9)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    collector = Collector(env, policy, frames_per_batch=STEPS, total_frames=UPDATES * STEPS)
    for update, batch in enumerate(collector, 1):
        losses = learn(batch, loss_of, optimizer)
        loss, entropy = float(losses["loss_critic"]), float(losses["entropy"])
        print(f"update {update}: loss of the critic {loss:.3f}, entropy {entropy:.2f}", flush=True)
    play_on_the_batch()


def learn(batch, loss_of, optimizer):
    """PPO's clipped objective over some epochs of minibatches; return the last losses."""
    for _ in range(EPOCHS):
        with torch.no_grad():
            loss_of.value_estimator(batch)
        for rows in torch.randperm(len(batch)).split(MINIBATCH):
            losses = loss_of(batch[rows])
            loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return losses.detach()


def play_on_the_batch() -> None:
    """Play many games at once, and say how fast."""
    games = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0",
        num_envs=GAMES,
        num_players=4,
        normalize=True,
        action_mask="observation",
        illegal_action="raise",
        autoreset_mode="Disabled",  # TorchRL deals again itself
    )
    env = TransformedEnv(GymWrapper(games, categorical_action_encoding=True), ActionMask())
    env.rollout(2)
    started = perf_counter()
    played = env.rollout(90, break_when_any_done=False)  # five games in each slot
    speed = played.numel() / (perf_counter() - started)
    print(f"{speed:,.0f} decisions a second on the batch")


if __name__ == "__main__":
    main()
