"""TorchRL: PPO with masks on a batch of games in a Gymnasium VectorEnv.

    pip install '.[play,export]' torchrl
    python docs/examples/torchrl_ppo.py

One seat of every game learns among random players. At the end it is a policy file, torchrl.onnx,
whose share of the victory among random players is told beside that of the network before it
learned.
"""

from __future__ import annotations

import gymnasium
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import DTypeCastTransform, GymWrapper, TransformedEnv
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

import kododo_env
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

PLAYERS, GAMES, STEPS = 4, 256, 18  # a game of Kododo has 18 steps
UPDATES, MINIBATCH, EPOCHS = 20, 256, 4


class Both(nn.Module):
    """The two networks as one, as a policy file has them."""

    def __init__(self, logits: nn.Module, value: nn.Module) -> None:
        super().__init__()
        self.logits, self.value = logits, value

    def forward(self, numbers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits and values."""
        return self.logits(numbers), self.value(numbers)


def main() -> None:
    """Train for some updates, measure and export."""
    torch.manual_seed(0)
    games = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", num_envs=GAMES, num_players=PLAYERS, opponents="random",
        reward="win", action_mask="observation", normalize=True, illegal_action="raise",
        autoreset_mode="Disabled",  # TorchRL deals again itself
    )  # fmt: skip
    env = TransformedEnv(
        GymWrapper(games, categorical_action_encoding=True),
        DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"]),
    )
    env.set_seed(0)
    size, actions = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    network = Both(
        MLP(size, actions, num_cells=[128, 128], activation_class=nn.ReLU),
        MLP(size, 1, num_cells=[128, 128], activation_class=nn.ReLU),
    )
    policy = ProbabilisticActor(
        TensorDictModule(network.logits, ["observation"], ["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    value = ValueOperator(network.value, ["observation"])

    def choose(numbers, mask):
        """The likeliest actions."""
        with torch.no_grad():
            logits = network.logits(torch.from_numpy(numbers))
        return logits.masked_fill(~torch.from_numpy(mask), -torch.inf).argmax(dim=1)

    before = share(choose, "kododo", PLAYERS, normalize=True)
    loss_of = ClipPPOLoss(policy, value, entropy_coeff=0.01, normalize_advantage=True)
    loss_of.make_value_estimator(gamma=1.0, lmbda=0.9)
    optimizer = torch.optim.Adam(loss_of.parameters(), lr=1e-3)
    frames = GAMES * STEPS
    collector = Collector(env, policy, frames_per_batch=frames, total_frames=UPDATES * frames)
    for update, batch in enumerate(collector, 1):
        learn(batch, loss_of, optimizer)
        won = float(batch["next", "reward"].sum() / batch["next", "done"].sum())
        print(f"update {update}: mean return {won:+.3f}", flush=True)
    collector.shutdown()
    export(network, games.unwrapped.game, "torchrl.onnx", normalize=True)
    learned = kododo_env.load("torchrl.onnx")
    after = Match(learned, "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


def learn(batch, loss_of, optimizer):
    """PPO's clipped objective over some epochs of minibatches."""
    for _ in range(EPOCHS):
        with torch.no_grad():
            loss_of.value_estimator(batch)
        rows = batch.reshape(-1)
        for picked in torch.randperm(len(rows)).split(MINIBATCH):
            losses = loss_of(rows[picked])
            loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
