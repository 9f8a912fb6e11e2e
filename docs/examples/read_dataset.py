"""A dataset of decisions, read with five libraries.

    pip install '.[offline]' pandas polars duckdb datasets minari pillow
    python read_dataset.py [decisions.parquet]

``kododo dataset FOLDER`` writes a dataset of mixed strength; without a file, random games are
recorded.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import datasets
import duckdb
import minari
import numpy as np
import pandas as pd
import polars as pl
from gymnasium.spaces import Box, Discrete
from minari.data_collector import EpisodeBuffer

from kododo_env import kododo_v0
from kododo_env.core.agent import random_legal_actions
from kododo_env.records import DecisionFile, DecisionLog, read_decisions


def random_games(path: Path) -> Path:
    """Write the decisions of 100 random games."""
    game = kododo_v0.batch_game(100, seed=0)
    rng = np.random.default_rng(0)
    log = DecisionLog(game)
    while not game.terminated.all():
        actions = random_legal_actions(game.legal_action_mask(), rng)
        game.step(actions)
        log.step(actions)
    with DecisionFile(path, game) as file:
        file.write(log.end(), agents=["random"] * game.num_players)
    return path


def as_episodes(path: Path) -> minari.MinariDataset:
    """Return a dataset of Minari, in which an episode is the game of one player.

    Minari needs an observation after the last action, on which no decision depends: the last
    observation is repeated.
    """
    columns = read_decisions(path)
    starts = np.flatnonzero(np.diff(columns["game"]) | np.diff(columns["seat"].astype(int))) + 1
    episodes = []
    for rows in np.split(np.arange(len(columns["action"])), starts):
        observations = columns["observation"][rows]
        terminations = np.arange(len(rows)) == len(rows) - 1
        episodes.append(
            EpisodeBuffer(
                observations=[*observations, observations[-1]],
                actions=[*columns["action"][rows]],
                rewards=[*columns["reward"][rows]],
                terminations=[*terminations],
                truncations=[False] * len(rows),
            )
        )
    width = columns["observation"].shape[1]
    actions = columns["mask"].shape[1]
    return minari.create_dataset_from_buffers(
        "kododo/decisions-v0",
        episodes,
        observation_space=Box(0, 255, (width,), np.uint8),
        action_space=Discrete(actions),
        data_format="arrow",
    )


with tempfile.TemporaryDirectory() as folder:
    os.environ["MINARI_DATASETS_PATH"] = folder
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else random_games(Path(folder, "games.parquet"))
    by_pandas = pd.read_parquet(path)
    by_polars = pl.read_parquet(path)
    by_datasets = datasets.load_dataset(
        "parquet", data_files=str(path), split="train", cache_dir=folder
    )
    shares = duckdb.sql(f"select agent, avg(outcome) from '{path}' group by agent").fetchall()
    for column in by_pandas["observation"], by_polars["observation"], by_datasets["observation"]:
        observations = np.frombuffer(b"".join(column), np.uint8).reshape(len(column), -1)
        print("observations:", observations.shape)
    print("shares:", shares)
    print("episodes:", as_episodes(path).total_episodes)
