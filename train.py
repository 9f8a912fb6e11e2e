"""Train a bot by self-play: python train.py --help."""

from __future__ import annotations

from agents.cli import run_cli
from agents.training_config import TrainConfig
from agents.training_run import train

if __name__ == "__main__":
    run_cli(TrainConfig, train)
