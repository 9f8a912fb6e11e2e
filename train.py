"""Train a bot by self-play: python train.py --help."""

from __future__ import annotations

from agents.commands.script import run_script

if __name__ == "__main__":
    run_script(
        "agents.training.training_config:TrainConfig",
        "agents.commands.train:train",
        "agents.training.training_config:defaults",
    )
