"""``kododo adopt``: make a policy file from an ONNX file of any exporter."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env import registry
from kododo_env.checks.bounds import real
from kododo_env.export import export
from kododo_env.policy.metadata_file import metadata_file
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.rules_arguments import default_players, make_game, parse_rules


@dataclass(frozen=True)
class AdoptConfig:
    """Make a policy file from an ONNX file with a policy network, from any exporter.

    The network takes observations (N, F), and optionally the mask of legal actions (N, A). It
    returns logits (N, A), and optionally the values of the positions (N,).
    """

    model: Path
    """The ONNX file, which contains the weights."""
    out: Path
    """The policy file to write; its metadata are written beside it as JSON."""
    game: str | None = None
    """The game that the policy plays; required."""
    players: int | None = None
    """Seats at a table; by default 4, or the most that the game allows."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    normalize: bool = False
    """The network takes normalised observations, as environments with normalize=True return."""
    temperature: Annotated[float, real(0, HOTTEST)] = 0.0
    """The playing temperature: 0 plays the likeliest action, 1 samples from the softmax of the
    logits."""

    def __post_init__(self) -> None:
        if self.game is None:
            raise ValueError(
                f"--game is required; choose from {', '.join(registry.ENVIRONMENT_MODULES)}"
            )


def adopt(config: AdoptConfig) -> None:
    """Write the policy file.

    Raises:
        ValueError: The model cannot be read, or does not match the game.
    """
    assert config.game is not None
    players = default_players(config.game) if config.players is None else config.players
    game = make_game(config.game, 1, players, parse_rules(config.rules))
    export(
        config.model, game, config.out, normalize=config.normalize, temperature=config.temperature
    )
    print(f"{config.out}\n{metadata_file(config.out)}")
