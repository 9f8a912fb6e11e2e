"""The command with which other people play the same deal."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import fields
from typing import Any

from kododo_env.core.batch_game import BatchGame
from kododo_env.records.header import rules_of
from kododo_env.rules_arguments import PLAYERS


def command_of(game: BatchGame, names: Mapping[int, str], seed: int) -> str:
    """Return the shell command with which another person plays the same deal.

    Args:
        game: A batch of one.
        names: The agents' names by seat; people have the other seats.
        seed: The seed of the game.
    """
    options = [f"{name}={_word(rules_of(game)[name])}" for name in _nondefault_rules(game.rules)]
    people = [seat for seat in range(game.num_players) if seat not in names]
    # People sit side by side; the first of them sits after an agent.
    first = next((seat for seat in people if (seat - 1) % game.num_players in names), 0)
    agent_seats = [(first + k) % game.num_players for k in range(len(people), game.num_players)]
    opponents = [names[seat] for seat in agent_seats]
    opponents = opponents if len(set(opponents)) > 1 else opponents[:1]
    words = [game.name, "--players", str(game.num_players)]
    words += ["--opponents", *opponents] if opponents else []
    words += ["--people", str(len(people))] if len(people) > 1 else []
    words += ["--seat", str(first)] if first else []
    words += ["--rules", *options] if options else []
    return f"python -m kododo_env play {shlex.join([*words, '--seed', str(seed)])}"


def _nondefault_rules(rules: Any) -> list[str]:
    """Return the names of the rules that do not follow from the others and the player count."""
    settings = {field.name: getattr(rules, field.name) for field in fields(rules)}
    for name in [rule for rule in settings if rule != PLAYERS]:
        other_settings = {rule: value for rule, value in settings.items() if rule != name}
        with suppress(ValueError):  # the rules are invalid without it
            settings = other_settings if type(rules)(**other_settings) == rules else settings
    return [name for name in settings if name != PLAYERS]


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
