"""PPO with masks in one file: Gymnasium's vector environment, numpy and torch, nothing else.

    pip install '.[play,export]'
    python docs/examples/ppo_single_file.py

One seat of every game learns among heuristics. At the end it is a policy file, ppo.onnx. Its
share of the victory among random players is told beside that of the network before it learned.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import numpy as np
import torch
from torch import nn

import kododo_env
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

GAMMA, GAE_LAMBDA, CLIP, ENTROPY, VALUE, MINIBATCH, EPOCHS = 1.0, 0.9, 0.2, 0.01, 0.5, 1024, 4


class Network(nn.Module):
    """A trunk, the logits of the actions and the value of the position."""

    def __init__(self, numbers: int, actions: int) -> None:
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(numbers, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU()
        )
        self.logits, self.value = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(
        self, observation: torch.Tensor, mask: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The logits, those of illegal actions far below, and the value."""
        hidden = self.trunk(observation)
        return self.logits(hidden).masked_fill(~mask, -1e9), self.value(hidden).squeeze(-1)


def main() -> None:
    """Train for some updates; each plays every game once from beginning to end."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="kododo/Kododo-v0")
    parser.add_argument("--opponents", default="heuristic")
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument(
        "--steps", type=int, default=18, help="of an update; a game of Kododo has 18"
    )
    parser.add_argument("--updates", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="ppo.onnx")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    envs = gymnasium.make_vec(
        f"kododo_env:{options.game}", num_envs=options.num_envs, opponents=options.opponents,
        reward="win", autoreset_mode="SameStep", action_mask="info", normalize=True,
    )  # fmt: skip
    game = envs.unwrapped.game
    network = Network(envs.single_observation_space.shape[0], envs.single_action_space.n)

    def choose(numbers, mask):
        """The likeliest actions."""
        with torch.no_grad():
            return network(torch.from_numpy(numbers), torch.from_numpy(mask))[0].argmax(dim=1)

    before = share(choose, game.name, game.num_players, normalize=True)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, eps=1e-5)
    numbers, info = envs.reset(seed=options.seed)
    gone, begun = 0.0, time.perf_counter()
    for update in range(1, options.updates + 1):
        rows, won, numbers, info, seconds = rollout(envs, network, numbers, info, options.steps)
        learn(network, optimizer, rows)
        gone += seconds
        if update % 10 == 0 or update == options.updates:
            print(f"update {update}: mean return {won:+.3f}", flush=True)
    decisions = options.updates * options.steps * options.num_envs
    whole = time.perf_counter() - begun
    print(f"{decisions / whole:,.0f} decisions/s, {decisions / gone:,.0f} in the games alone")
    export(network, game, options.out, normalize=True)
    match = Match(kododo_env.load(options.out), "random", game.name, game.num_players, games=2000)
    after = match.play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


def rollout(envs, network, numbers, info, steps):
    """Play some steps; return observations, actions and rewards, with advantages."""
    kept, rewards, ends, values, gone = [], [], [], [], 0.0
    for _ in range(steps):
        seen, mask = torch.from_numpy(numbers), torch.from_numpy(info["action_mask"]).bool()
        with torch.no_grad():
            logits, value = network(seen, mask)
            choice = torch.distributions.Categorical(logits=logits)
            action = choice.sample()
        begun = time.perf_counter()
        numbers, reward, end, _, info = envs.step(action.numpy())
        gone += time.perf_counter() - begun
        kept.append((seen, mask, action, choice.log_prob(action)))
        rewards.append(reward)
        ends.append(end)
        values.append(value.numpy())
    with torch.no_grad():
        mask = torch.from_numpy(info["action_mask"]).bool()
        values.append(network(torch.from_numpy(numbers), mask)[1].numpy())
    advantages, last = np.zeros((steps, len(numbers)), np.float32), 0.0
    for step in reversed(range(steps)):
        on = 1.0 - ends[step]
        delta = rewards[step] + GAMMA * values[step + 1] * on - values[step]
        last = delta + GAMMA * GAE_LAMBDA * on * last
        advantages[step] = last
    columns = [torch.cat(column) for column in zip(*kept, strict=True)]
    gains = torch.from_numpy(advantages.reshape(-1))
    returns = gains + torch.from_numpy(np.concatenate(values[:-1]))
    won = float(np.sum(rewards) / max(1, np.sum(ends)))
    return (*columns, gains, returns), won, numbers, info, gone


def learn(network, optimizer, rows):
    """PPO's clipped objective over some epochs of minibatches."""
    for _ in range(EPOCHS):
        for picked in torch.randperm(len(rows[0])).split(MINIBATCH):
            seen, mask, action, before, gain, gained = (column[picked] for column in rows)
            logits, value = network(seen, mask)
            choice = torch.distributions.Categorical(logits=logits)
            ratio = (choice.log_prob(action) - before).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            clipped = torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
            loss = -torch.min(ratio * gain, clipped * gain).mean()
            loss = (
                loss + VALUE * (gained - value).square().mean() - ENTROPY * choice.entropy().mean()
            )
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


if __name__ == "__main__":
    main()
