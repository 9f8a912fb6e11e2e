"""A game as a command line gives it: by name, players and further rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from inspect import getmodule, signature
from typing import Any, Literal, get_args, get_origin

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.json_text import read_json
from kododo_env.core.numbers import shown

PLAYERS = "num_players"


def make_game(
    name: str, num_envs: int, players: int, rules: Mapping[str, Any], seed: int | None = None
) -> BatchGame:
    """A batch of games by name, players and further rules.

    Raises:
        ValueError: There is no such game or rule, or the rules cannot be played.
    """
    if PLAYERS in rules:
        raise ValueError(f"{PLAYERS} is no further rule: say it as players")
    if rules:
        known = [each.name for each in fields(registry.batch_game(name, 1).rules)]
        for rule in rules:
            if rule not in known:
                raise ValueError(f"{name} has no rule {shown(rule)}; it has {', '.join(known)}")
    return registry.batch_game(name, num_envs, seed, num_players=players, **rules)


def default_players(name: str) -> int:
    """Four, or the most that the game takes."""
    players = registry.door(name).PLAYERS
    return 4 if 4 in players else max(players)


def rule_choices(name: str) -> dict[str, tuple[str, ...]]:
    """The rules of a game that are one of some words, the usual one first, such as ``variant``.

    Raises:
        ValueError: There is no such game.
    """
    make = registry.door(name).batch_game
    # The further rules are named where only a type checker looks.
    given = {rule: each.annotation for rule, each in signature(make).parameters.items()}
    found = {rule: vars(getmodule(make)).get(kind, kind) for rule, kind in given.items()}
    return {rule: get_args(kind) for rule, kind in found.items() if get_origin(kind) is Literal}


def parse_rules(given: Sequence[str]) -> dict[str, Any]:
    """Rules such as ``["variant=long", "target_score=30"]`` as keyword arguments.

    Raises:
        ValueError: One is not of the form name=value, is given twice, or is the number of
            players, which has an argument of its own.
    """
    rules: dict[str, Any] = {}
    for each in given:
        name, equals, text = each.partition("=")
        if not name.isidentifier() or not equals or not text:
            raise ValueError(f"--rules takes name=value, such as variant=long, not {shown(each)}")
        if name == PLAYERS:
            raise ValueError(f"--rules cannot give {PLAYERS}: give --players")
        if name in rules:
            raise ValueError(f"--rules gives {shown(name)} twice")
        rules[name] = _value(name, text)
    return rules


def _value(name: str, text: str) -> Any:
    try:
        return hashable(read_json(text))
    except json.JSONDecodeError:
        return text
    except ValueError as error:  # too many brackets, or digits
        raise ValueError(f"--rules {shown(name)}: {shown(text)} cannot be a rule") from error


def hashable(value: Any) -> Any:
    """JSON's lists as the tuples that rules are made of."""
    return tuple(map(hashable, value)) if isinstance(value, list) else value
