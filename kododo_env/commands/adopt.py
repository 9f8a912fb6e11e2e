"""A policy file from somebody else's ONNX file: what ``kododo adopt`` does."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from kododo_env import registry
from kododo_env.core.bounds import check_settings, real
from kododo_env.export import export
from kododo_env.policy.metadata_file import metadata_file
from kododo_env.policy.policy_schema import HOTTEST
from kododo_env.rules_arguments import default_players, make_game, parse_rules


@dataclass(frozen=True)
class AdoptConfig:
    """Make a policy file of an ONNX file with the network of a player, from any exporter.

    The network takes observations (N, F), and the mask of legal actions (N, A) if it wants one. It
    gives logits (N, A), and the values of the positions (N,) if it knows them.
    """

    model: Path
    """The ONNX file; its weights lie in it."""
    out: Path
    """The policy file to write; its metadata come beside it as JSON."""
    game: str | None = None
    """Which game it plays."""
    players: int | None = None
    """Seats at a table; if not given 4, or the most that the game takes."""
    rules: tuple[str, ...] = ()
    """Other rules as name=value, such as variant=long; the number of players is --players."""
    normalize: bool = False
    """It learned with normalize=True: each number of an observation divided by its maximum."""
    temperature: Annotated[float, real(0, HOTTEST)] = 0.0
    """At which it is meant to be played: 0 plays the likeliest action, 1 draws by its logits."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        if self.game is None:
            raise ValueError(f"give --game, one of {', '.join(registry.DOORS)}")


def adopt(config: AdoptConfig) -> None:
    """Write the policy file.

    Raises:
        ValueError: The model cannot be read, or does not fit the game.
    """
    assert config.game is not None
    players = default_players(config.game) if config.players is None else config.players
    game = make_game(config.game, 1, players, parse_rules(config.rules))
    export(
        config.model, game, config.out, normalize=config.normalize, temperature=config.temperature
    )
    print(f"{config.out}\n{metadata_file(config.out)}")
