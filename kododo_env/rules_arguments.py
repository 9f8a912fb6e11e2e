"""Games made from command-line arguments: name, number of players and other rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from inspect import getmodule, signature
from typing import Any, Literal, get_args, get_origin

from kododo_env import registry
from kododo_env.checks.numbers import quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.system.json_text import parse_json

PLAYERS = "num_players"


def make_game(
    name: str, num_envs: int, players: int, rules: Mapping[str, Any], seed: int | None = None
) -> BatchGame:
    """Create a batch of games by name, number of players and other rules.

    Raises:
        ValueError: The game or a rule is unknown, or the rules are invalid.
    """
    if PLAYERS in rules:
        raise ValueError(f"rules must not have {PLAYERS}: use players")
    if rules:
        names = [field.name for field in fields(registry.batch_game(name, 1).rules)]
        for rule in rules:
            if rule not in names:
                raise ValueError(
                    f"unknown rule {quote(rule)} of {name}; choose from {', '.join(names)}"
                )
    return registry.batch_game(name, num_envs, seed, num_players=players, **rules)


def default_players(name: str) -> int:
    """Return four, or the largest number of players that the game allows."""
    players = registry.environment_module(name).PLAYERS
    return 4 if 4 in players else max(players)


def rule_choices(name: str) -> dict[str, tuple[str, ...]]:
    """Return the allowed strings of rules such as ``variant``, the default first.

    Raises:
        ValueError: The game is unknown.
    """
    make = registry.environment_module(name).batch_game
    annotations = {rule: entry.annotation for rule, entry in signature(make).parameters.items()}
    # With postponed evaluation annotations are strings: names in the environment module.
    types = {rule: vars(getmodule(make)).get(kind, kind) for rule, kind in annotations.items()}
    return {rule: get_args(kind) for rule, kind in types.items() if get_origin(kind) is Literal}


def parse_rules(options: Sequence[str]) -> dict[str, Any]:
    """Parse rules such as ``["variant=long", "target_score=30"]`` into keyword arguments.

    Raises:
        ValueError: An option is not of the form name=value, sets a rule twice, or sets the
            number of players, which has its own argument.
    """
    rules: dict[str, Any] = {}
    for option in options:
        name, equals, text = option.partition("=")
        if not name.isidentifier() or not equals or not text:
            raise ValueError(
                f"--rules expects name=value, such as variant=long, got {quote(option)}"
            )
        if name == PLAYERS:
            raise ValueError(f"--rules cannot set {PLAYERS}: use --players")
        if name in rules:
            raise ValueError(f"--rules sets {quote(name)} twice")
        rules[name] = _parse_rule(name, text)
    return rules


def _parse_rule(name: str, text: str) -> Any:
    try:
        return hashable(parse_json(text))
    except json.JSONDecodeError:
        return text
    except ValueError as error:  # brackets are nested too deep, or a number has too many digits
        raise ValueError(f"--rules {quote(name)}: invalid value {quote(text)}") from error


def hashable(content: Any) -> Any:
    """Convert the lists in parsed JSON to tuples, because rules must be hashable."""
    return tuple(map(hashable, content)) if isinstance(content, list) else content
