"""The tables of a game's page, from its code; docs/update_tables.py writes them."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from typing import Any

from kododo_env import registry
from kododo_env.layouts.observation import ObservationLayout

LONGEST_DEFAULT = 40  # characters; longer defaults are not shown
# A section of a docstring in Google's style, and an argument in the section.
SECTION = re.compile(r"^(?:Args|Attributes):\n((?:(?: {4}.*)?(?:\n|\Z))+)", re.MULTILINE)
ENTRY = re.compile(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", re.MULTILINE)


def head(game: str) -> str:
    """Return the table of facts, in the order of PettingZoo's pages, for the default number of
    players.
    """
    module = registry.environment_module(game)
    env = module.parallel_env()
    name = env.metadata["name"]
    agents = env.possible_agents
    id = module.GYMNASIUM_ID
    assert env.metadata["is_parallelizable"]
    numbers = env.observation_space(agents[0])["observation"]
    state = env.state_space
    actions = env.action_space(agents[0])
    player_counts = ", ".join(map(str, module.PLAYERS))
    rows = {
        "Import": "`import kododo_env, pettingzoo`",
        "Creation": f'`pettingzoo.make("parallel", "{id}")`',
        "Parallel API": f'yes; AEC: `pettingzoo.make("aec", "{id}")`',
        "Without a registry": f"`kododo_env.{name}.parallel_env()`; AEC: `env()`",
        "Gymnasium id": f"`kododo_env:{id}`",
        "Batch": f"`kododo_env.{name}.batch_game(num_envs)`",
        "Actions": type(actions).__name__,
        "Agents": f"`agents = {agents}`",
        "Number of agents": f"{len(agents)}; `num_players` takes {player_counts}",
        "Action shape": f"`{actions.shape}`",
        "Action values": f"`{actions}`",
        "Observation shape": f"`{numbers.shape}`",
        "Observation values": _range(numbers),
        "State shape": f"`{state.shape}`",
        "State values": _range(state),
    }
    return _table(rows.items(), "", f"with {len(agents)} players")


def _range(box: Any) -> str:
    return f"`{box.dtype}`, {box.low.min()} to {box.high.max()}"


def arguments(game: str) -> str:
    """Return the table of the rules' fields, which environments take as keyword arguments."""
    rows = [(f"`{name}`", default, meaning) for name, default, meaning in _rules(game)]
    return _table(rows, "argument", "default", "")


def _rules(game: str) -> Iterator[tuple[str, str, str]]:
    """Return the fields of a game's rules: name, default and meaning."""
    rules = type(registry.batch_game(game, 1).rules)
    meanings = dict(_meanings(rules))
    for field in fields(rules):
        yield field.name, _default(field.default), meanings[field.name]


def _meanings(documented: Any) -> Iterator[tuple[str, str]]:
    """Yield the arguments or attributes in a docstring, with their text as Markdown."""
    for section in SECTION.findall(inspect.getdoc(documented) or ""):
        for name, description in ENTRY.findall(section):
            words = " ".join(description.split())
            yield name, words.replace("``", "`").replace("|", "\\|")


def _default(value: Any) -> str:
    text = repr(value)
    return f"`{text}`" if len(text) <= LONGEST_DEFAULT else "–"


def layout(game: str) -> str:
    """Return sizes by number of players, and the pieces of the default observation, as tables."""
    module = registry.environment_module(game)
    rows = []
    for players in module.PLAYERS:
        batch = module.batch_game(1, num_players=players)
        observation = f"({batch.layout.size},) {batch.layout.dtype}"
        rows.append((f"{players}", observation, f"Discrete({batch.num_actions})"))
    table = _table(rows, "players", "observation", "actions")
    default = module.batch_game(1)
    title = f"The pieces of an observation with {default.num_players} players:"
    return "\n".join([table, "", title, "", _pieces(default.layout)])


def _pieces(layout: ObservationLayout) -> str:
    rows = []
    for piece in layout.pieces:
        where = layout.where(piece.name)
        index = f"{where.start}" if piece.size == 1 else f"{where.start}–{where.stop - 1}"
        shape = " × ".join(map(str, piece.shape)) or "1"
        axes = ", ".join(piece.axes) or "–"
        values = f"0–{piece.maximum}"
        rows.append((index, f"`{piece.name}`", shape, axes, values, piece.description))
    return _table(rows, "index", "piece", "shape", "axes", "values", "meaning")


def _table(rows: Iterable[Sequence[str]], *heads: str) -> str:
    header, *lines = (f"| {' | '.join(row)} |" for row in (heads, *rows))
    return "\n".join([header, "|" + "---|" * len(heads), *lines])
