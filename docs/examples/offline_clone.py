"""Offline learning: a network that imitates ``heuristic`` from 20,000 recorded games.

    pip install '.[play,export,dataset]'
    python docs/examples/offline_clone.py [decisions.parquet]

``kododo dataset`` writes such a file; without a file, games of heuristic and random players are
played. At the end the network is exported to a policy file, clone.onnx. Its win share against
random players is printed beside that of the untrained network and that of heuristic.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.shares import share
from kododo_env.commands.dataset import DatasetConfig, dataset
from kododo_env.export import export
from kododo_env.records import read_decisions

TEACHER = "heuristic"
PLAYERS = 4
GAMES = 20_000
WIDTH = 256
EPOCHS = 4
BATCH = 1024
RATE = 2e-3
OUT = "clone.onnx"


class Network(nn.Module):
    """A network that returns the logits of the actions, very low ones for illegal actions."""

    def __init__(self, numbers: int, actions: int) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(numbers, WIDTH), nn.ReLU(),
            nn.Linear(WIDTH, WIDTH), nn.ReLU(),
            nn.Linear(WIDTH, actions),
        )  # fmt: skip

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return logits (B, A) for observations (B, F) and masks (B, A)."""
        return self.layers(observation).masked_fill(~mask, -1e9)


def teacher_decisions(path, maxima):
    """Return observations scaled to 0 to 1, masks and actions of the teacher's decisions."""
    columns = read_decisions(path)
    by_teacher = columns["agent"] == TEACHER
    observations = (columns["observation"][by_teacher] / maxima).astype(np.float32)
    masks = columns["mask"][by_teacher]
    actions = columns["action"][by_teacher].astype(np.int64)
    return [torch.from_numpy(column) for column in (observations, masks, actions)]


def learn(network, columns):
    """Minimise the cross-entropy to the teacher's choices over several epochs."""
    optimizer = torch.optim.Adam(network.parameters(), lr=RATE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, total_iters=EPOCHS - 1)
    for epoch in range(1, EPOCHS + 1):
        for indices in torch.randperm(len(columns[0])).split(BATCH):
            observations, masks, actions = (column[indices] for column in columns)
            loss = cross_entropy(network(observations, masks), actions)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        print(f"pass {epoch}: loss {loss.item():.3f}", flush=True)


def share_of(agent):
    """Return an agent's win share against random players."""
    return Match(agent, "random", "kododo", PLAYERS, games=2000).play().share.mean


def main() -> None:
    """Write the dataset if there is none; read it, learn, export and measure."""
    torch.manual_seed(0)
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    network = Network(game.layout.size, game.num_actions)

    def choose(numbers, mask):
        """Return the likeliest actions."""
        with torch.no_grad():
            return network(torch.from_numpy(numbers), torch.from_numpy(mask)).argmax(dim=1)

    before = share(choose, "kododo", PLAYERS, normalize=True)
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) == 1:
            dataset(DatasetConfig(Path(folder), agents=(TEACHER, "random"), games=GAMES))
        path = sys.argv[1] if len(sys.argv) > 1 else Path(folder, "decisions.parquet")
        columns = teacher_decisions(path, game.layout.maxima)
    if not len(columns[0]):
        sys.exit(f"{path} has no decisions of {TEACHER}")
    print(f"{len(columns[0]):,} decisions of {TEACHER}")
    learn(network, columns)
    export(network, game, OUT, normalize=True)
    after = share_of(kododo_env.load(OUT))
    teacher_share = share_of(TEACHER)
    print(f"share among random players: {before.mean:.3f} before, {after:.3f} after")
    print(f"{after / teacher_share:.0%} of {TEACHER}'s {teacher_share:.3f}")


if __name__ == "__main__":
    main()
