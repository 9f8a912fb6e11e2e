"""One network for two to five players of Kododo, by PPO with masks in one file.

    pip install '.[play,export,sb3]'
    python docs/examples/all_players.py

Each update plays games with two, three, four and five players, in which the network plays all
seats, and learns from all of them together: with padded=True the observations of all tables have
the same size. Then the network is exported as a policy file for each number of players,
kododo-2p.onnx to kododo-5p.onnx, and compared with the shipped policies, each of which was trained
for one number of players. --decisions ends the training after a number of decisions instead of
minutes, and --json writes the comparison.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn

import kododo_env
from kododo_env import registry
from kododo_env.arena.head_to_head import Match
from kododo_env.export import export_tables
from kododo_env.networks import GameNetwork
from kododo_env.networks.network import drawn, log_probabilities
from kododo_env.system.text_table import table as aligned
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.spaces import layouts_of

GAE_LAMBDA = 0.7
CLIP = 0.2
VALUE = 0.5
MINIBATCH = 4096
EPOCHS = 2
FIRST_RATE = 1e-3
LAST_RATE = 1e-4
FIRST_ENTROPY = 0.02
LAST_ENTROPY = 0.005
SEATS = 512  # seats of each table in an update


def main() -> None:
    """Train for some minutes, write the policy files, and print the comparison."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--game", default="kododo")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--decisions", type=int, help="decisions to train on, instead of minutes")
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("all-players"))
    parser.add_argument("--json", type=Path, help="file for the results of the comparison")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    torch.set_num_threads(2)
    tables = {}
    for players in registry.environment_module(options.game).PLAYERS:
        seed = options.seed + players
        game = registry.batch_game(options.game, SEATS // players, seed=seed, num_players=players)
        tables[players] = BatchVecEnv(game, reward="margin+win", padded=True)
    layouts = layouts_of(tables[players].observation_space)
    network = GameNetwork(layouts.observation, layouts.actions, width=256, depth=3, one_hot=8)
    training = train(network, tables, options.minutes, options.decisions)
    files = export_tables(network, game, options.folder, temperature=0.25)
    rows = compare(options.game, files, options.games)
    print(aligned([list(rows[0]), *([str(cell) for cell in row.values()] for row in rows)]))
    if options.json:
        options.json.write_text(json.dumps({"training": training, "rows": rows}, indent=1) + "\n")


def train(
    network: GameNetwork, tables: dict[int, BatchVecEnv], minutes: float, max_decisions: int | None
) -> dict[str, float]:
    """Alternate rollouts and updates until the time or the decisions are spent.

    Returns:
        The number of decisions and the seconds.
    """
    optimizer = torch.optim.Adam(network.parameters(), lr=FIRST_RATE, eps=1e-5)
    start = time.perf_counter()
    updates = 0
    decisions = 0
    progress = 0.0
    while progress < 1:
        optimizer.param_groups[0]["lr"] = FIRST_RATE + progress * (LAST_RATE - FIRST_RATE)
        entropy_weight = FIRST_ENTROPY + progress * (LAST_ENTROPY - FIRST_ENTROPY)
        rows = [rollout(network, env) for env in tables.values()]
        columns = [torch.cat(column) for column in zip(*rows, strict=True)]
        learn(network, optimizer, columns, entropy_weight)
        updates += 1
        decisions += len(columns[0])
        seconds = time.perf_counter() - start
        progress = decisions / max_decisions if max_decisions else seconds / (60 * minutes)
    print(f"{updates} updates, {decisions / 1e6:.1f} million decisions in {seconds:.0f} seconds")
    return {"decisions": decisions, "seconds": round(seconds, 1)}


def rollout(network: GameNetwork, env: BatchVecEnv) -> tuple[torch.Tensor, ...]:
    """Play all games of a table to their end.

    Returns:
        Observations (B, F), masks (B, A), actions, their log-probabilities, advantages and returns,
        (B,) each.
    """
    observations = torch.from_numpy(env.reset())
    decisions = []
    rewards = []
    values = []
    done = False
    while not done:
        masks = torch.from_numpy(env.action_masks())
        with torch.no_grad():
            logits, value = network(observations)
            log_probs = log_probabilities(logits, masks)
            actions = drawn(log_probs)
        action_log_probs = log_probs.gather(1, actions[:, None])[:, 0]
        decisions.append((observations, masks, actions, action_log_probs))
        values.append(value.numpy())
        next_observations, reward, dones, _ = env.step(actions.numpy())
        observations = torch.from_numpy(next_observations)
        done = bool(dones.all())
        rewards.append(reward)
    advantages = np.zeros((len(rewards), env.num_envs), np.float32)
    advantage = next_value = np.zeros(env.num_envs, np.float32)
    for step in reversed(range(len(rewards))):
        advantage = rewards[step] + next_value - values[step] + GAE_LAMBDA * advantage
        next_value = values[step]
        advantages[step] = advantage
    advantage_column = torch.from_numpy(advantages.reshape(-1))
    returns = advantage_column + torch.from_numpy(np.concatenate(values))
    columns = [torch.cat(column) for column in zip(*decisions, strict=True)]
    return (*columns, advantage_column, returns)


def learn(
    network: GameNetwork,
    optimizer: torch.optim.Optimizer,
    columns: list[torch.Tensor],
    entropy_weight: float,
) -> None:
    """Minimise PPO's clipped loss over several epochs of minibatches."""
    for _ in range(EPOCHS):
        for indices in torch.randperm(len(columns[0])).split(MINIBATCH):
            observations, masks, actions, old_log_probs, advantages, returns = (
                column[indices] for column in columns
            )
            logits, values = network(observations)
            log_probs = log_probabilities(logits, masks)
            ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            clipped = torch.clamp(ratio, 1 - CLIP, 1 + CLIP)
            entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
            policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
            value_loss = (returns - values).square().mean()
            loss = policy_loss - entropy_weight * entropy + VALUE * value_loss
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimizer.step()


def compare(game: str, files: dict[int, Path], games: int) -> list[dict[str, float]]:
    """Play the network and the shipped policies against other agents, at each table.

    Returns:
        One row per number of players: win shares of one bot against copies of its opponent.
    """
    rows = []
    for players, path in files.items():
        bot = kododo_env.load(path)
        specialist = f"{game}-{players}p"
        pairs = {
            "v heuristic": (bot, "heuristic"),
            "v random": (bot, "random"),
            "specialist v heuristic": (specialist, "heuristic"),
            "v specialist": (bot, specialist),
        }
        row = {"players": players, "parity": round(1 / players, 3)}
        for name, (agent, opponent) in pairs.items():
            result = Match(agent, opponent, game, players, games).play()
            row[name] = round(float(result.share.mean), 3)
        rows.append(row)
    return rows


if __name__ == "__main__":
    main()
