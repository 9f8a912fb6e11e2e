"""TorchRL: PPO with masks by self-play, on a batch of games as one EnvBase.

    pip install '.[play,export]' torchrl
    python docs/examples/torchrl_ppo.py

All seats of every game learn, with one GameNetwork. At the end it is exported to a policy file,
torchrl.onnx, and its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable

import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import reward_function
from kododo_env.export import export
from kododo_env.networks import GameNetwork, NetworkAgent

PLAYERS = 4
SEATS = 1024  # in all games together
STEPS = 18  # of a game
MINIBATCHES = 8
EPOCHS = 3


class GameEnv(EnvBase):
    """All seats of a batch of games, each as one environment of TorchRL's batch."""

    def __init__(self, game: BatchGame) -> None:
        seats = game.num_envs * game.num_players
        super().__init__(batch_size=[seats])
        self.game = game
        self.reward_of = reward_function("margin+win")
        self.observation_spec = Composite(
            observation=Unbounded((seats, game.layout.size), dtype=torch.uint8),
            action_mask=Binary(game.actions.size, (seats, game.actions.size), dtype=torch.bool),
            shape=[seats],
        )
        self.action_spec = Categorical(game.actions.size, (seats,))
        self.reward_spec = Unbounded((seats, 1))

    def _set_seed(self, seed: int | None) -> None:
        self.game.reset(seed)

    def _reset(self, tensordict: TensorDict | None, **_) -> TensorDict:
        if tensordict is not None and "_reset" in tensordict:
            self.game.restart_finished()
        else:
            self.game.reset()
        return self.positions()

    def _step(self, tensordict: TensorDict) -> TensorDict:
        self.game.step(tensordict["action"].view(-1, self.game.num_players).numpy())
        reward = torch.from_numpy(self.reward_of(self.game).reshape(-1, 1))
        over = torch.from_numpy(self.game.just_terminated).repeat_interleave(self.game.num_players)
        return self.positions().update({"reward": reward, "terminated": over, "done": over})

    def positions(self) -> TensorDict:
        """Return the observations of all seats, and their legal actions."""
        observation = torch.tensor(self.game.observe()).flatten(0, 1)
        mask = torch.tensor(self.game.legal_action_mask()).flatten(0, 1)
        return TensorDict({"observation": observation, "action_mask": mask}, self.batch_size)


class ActorCritic(torch.nn.Module):
    """A network for batches of any shape, with values as a column, as TorchRL expects."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return logits (..., A) and values (..., 1)."""
        logits, value = self.network(observation.flatten(0, -2))
        shape = observation.shape[:-1]
        return logits.view(*shape, -1), value.view(*shape, 1)


def train(
    steps: int = 800_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> GameNetwork:
    """Train by self-play for ``steps`` agent-steps; ``report`` gets the agent after each update."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    game = kododo_v0.batch_game(SEATS // PLAYERS, num_players=PLAYERS)
    env = GameEnv(game)
    env.set_seed(seed)
    network = GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)
    agent = NetworkAgent(network)
    actor_critic = TensorDictModule(
        ActorCritic(network), ["observation"], ["logits", "state_value"]
    )
    policy = ProbabilisticActor(
        actor_critic,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    advantages_of = GAE(gamma=1.0, lmbda=0.7, value_network=actor_critic, shifted=True)
    # The policy stores its value in the minibatch, so the critic need not evaluate the network.
    critic = TensorDictModule(torch.nn.Identity(), ["state_value"], ["state_value"])
    loss_of = ClipPPOLoss(policy, critic, entropy_coeff=0.03, normalize_advantage=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    updates = max(1, steps // (SEATS * STEPS))
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, updates)
    collector = Collector(
        env, policy, frames_per_batch=SEATS * STEPS, total_frames=updates * SEATS * STEPS
    )
    for batch in collector:
        advantages_of(batch)
        learn(batch, loss_of, optimizer)
        schedule.step()
        report(agent)
    collector.shutdown()
    return network


def learn(batch: TensorDict, loss_of: ClipPPOLoss, optimizer: torch.optim.Optimizer) -> None:
    """Minimise PPO's clipped loss over several epochs of minibatches."""
    rows = batch.exclude("next", "collector").reshape(-1)
    for _ in range(EPOCHS):
        for indices in torch.randperm(len(rows)).chunk(MINIBATCHES):
            losses = loss_of(rows[indices])
            loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(loss_of.parameters(), 0.5)
            optimizer.step()


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=800_000, help="agent-steps of all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="torchrl.onnx")
    options = parser.parse_args()
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    torch.manual_seed(options.seed)
    untrained = GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)
    before = share(NetworkAgent(untrained), "random", options.games)
    export(train(options.steps, options.seed), game, options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
