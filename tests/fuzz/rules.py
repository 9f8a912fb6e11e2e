"""Any value for any field of any game's rules, in Python and as ``--rules`` has it."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from kododo_env.policy.metadata import describe
from kododo_env.rules_arguments import hashable, make_game, parse_rules
from tests.doors import GAMES
from tests.fuzz.expected import ACCEPTED, REFUSED, Wrong, refuses
from tests.fuzz.odd import STRANGE, TEXTS, WHOLE, text_of, value_of
from tests.fuzz.playing import play_out

TRIES = 30  # most combinations cannot be played


def generate(rng: Random) -> dict[str, Any]:
    """A game and some of its rules, as expressions or as JSON texts."""
    game = rng.choice(GAMES)
    given: dict[str, Any] = {"game": game, "seed": rng.randrange(99)}
    defaults = registry.batch_game(game, 1).rules
    names = [field.name for field in fields(defaults)]
    if rng.random() < 0.15:
        texts = {name: rng.choice((*TEXTS, *WHOLE[:30])) for name in rng.sample(names, 2)}
        return {**given, "texts": texts}
    for _ in range(TRIES):
        some = rng.sample(names, rng.choice((1, 1, 2, 2, 3, 4)))
        given["rules"] = {name: _expression(rng, getattr(defaults, name)) for name in some}
        with suppress(Exception):
            _game(given)
            break
    return given


def _expression(rng: Random, default: Any) -> str:
    """A value for a field, mostly of the right type."""
    if rng.random() < 0.1:
        return rng.choice((*STRANGE, *WHOLE))
    if isinstance(default, str):
        return rng.choice(("'standard'", "'long'", "'long'", "'Long'", "''"))
    if isinstance(default, tuple):
        if default and isinstance(default[0], tuple):
            return _nested(rng, default)
        size = rng.choice((len(default), len(default), rng.randint(0, 9)))
        chosen = default if size == len(default) else rng.choices(default or (1,), k=size)
        return str(tuple(_number(rng, each) for each in chosen))
    return str(_number(rng, default or 0))


def _number(rng: Random, default: int) -> int:
    near = rng.randint(-2, 6)
    return rng.choice((default, default + near, default + near, near, rng.randint(0, 40_000)))


def _nested(rng: Random, default: Any) -> str:
    """Lists of lists of small numbers, such as a deck by kinds of cards."""
    rows, columns = rng.randint(1, len(default)), rng.randint(1, len(default[0]))
    highest, most = rng.choice((2, 5, 9, 60)), rng.choice((1, 3, 12, 60))
    cells = [
        [[rng.randint(1, highest) for _ in range(rng.randint(0, most))] for _ in range(columns)]
        for _ in range(rows)
    ]
    return str(cells)


def _game(given: dict[str, Any]) -> BatchGame:
    if "texts" in given:
        rules = parse_rules([f"{name}={text_of(text)}" for name, text in given["texts"].items()])
        players = rules.pop("num_players", 4)
        return make_game(given["game"], 2, players, rules, given["seed"])
    rules = {name: value_of(text) for name, text in given["rules"].items()}
    return registry.batch_game(given["game"], 2, given["seed"], **rules)


def check(given: dict[str, Any], base: Path) -> str:
    """They are refused, or a game with them is played to its end."""
    games: list[BatchGame] = []
    if refuses(lambda: games.append(_game(given))):
        return REFUSED
    (game,) = games
    written = describe(game).rules
    again = type(game.rules)(**{name: hashable(value) for name, value in written.items()})
    if again != game.rules or hash(again) != hash(game.rules):
        raise Wrong("the rules are others after a file", json.dumps(written))
    for name, value in vars(again).items():
        if repr(value) != repr(getattr(game.rules, name)):
            raise Wrong("a rule has another type after a file", name)
    play_out(game, given["seed"])
    return ACCEPTED
