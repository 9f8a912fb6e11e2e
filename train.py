"""Train a bot by self-play: python train.py --help."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents.commands.script import prepare_script

if TYPE_CHECKING:
    from agents.training.training_config import TrainConfig


def main(config: TrainConfig) -> None:
    """Train; libraries are imported after the arguments are read."""
    from agents.commands.train import train

    train(config)


if __name__ == "__main__":
    prepare_script()
    from agents.training.command_defaults import defaults
    from agents.training.training_config import TrainConfig
    from kododo_env.commands.cli import run_cli

    run_cli(TrainConfig, main, defaults=defaults)
