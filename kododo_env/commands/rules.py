"""``kododo rules``: print the rules of a game."""

from __future__ import annotations

from dataclasses import dataclass

from kododo_env import registry


@dataclass(frozen=True)
class RulesConfig:
    """Print the rules of a game, as Markdown."""

    game: str
    """The game."""


def rules(config: RulesConfig) -> None:
    """Print the rules.

    Raises:
        ValueError: The game is unknown.
    """
    print(registry.rules_text(registry.batch_game(config.game, 1)).rstrip("\n"), flush=True)
