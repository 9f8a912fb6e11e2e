"""Measure how fast one of docs/examples learns: ``python benchmarks/library_curve.py EXAMPLE``.

The script runs in the environment of the example's library, and needs no other module of this
folder. ``make libraries`` calls it. An example has ``train(steps, seed, report)``, which calls
``report`` with its agent after each update. The agent is copied from time to time, and the copies
are measured after the training, so measuring does not count as training time.
"""

from __future__ import annotations

import argparse
import copy
import importlib.util
import json
import resource
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

from kododo_env.agent_registry import without_searches
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.held_out import VALIDATION, population

FIRST_SECONDS = 1.0
GROWTH = 1.25
"""Ratio of the core-seconds at two successive measurements."""


class Curve:
    """Copies of an agent during training, each with the core-seconds of the training until then."""

    def __init__(self) -> None:
        self.copies: list[tuple[float, Agent]] = []
        self.latest: tuple[float, Agent] | None = None
        self._start = core_seconds()
        self._next = FIRST_SECONDS

    def report(self, agent: Agent) -> None:
        """Copy the agent after an update, if a measurement is due."""
        begin = core_seconds()
        seconds = begin - self._start
        self.latest = seconds, agent
        if seconds >= self._next:
            self.copies.append((seconds, copy.deepcopy(agent)))
            self._next = seconds * GROWTH
        self._start += core_seconds() - begin

    def points(self) -> list[tuple[float, Agent]]:
        """Return the copies, and the agent after the last update, with their core-seconds."""
        if self.latest is None:
            raise ValueError("the example has not called report")
        if self.copies and self.copies[-1][0] == self.latest[0]:
            return self.copies
        return [*self.copies, self.latest]


def core_seconds() -> float:
    """Return the processor time of this process, with all threads and finished children."""
    usages = [
        resource.getrusage(scope) for scope in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(example: Path, seed: int, games: int, options: dict[str, Any]) -> dict[str, Any]:
    """Train an example; return its curve against heuristic and the win shares of the last agent."""
    spec = importlib.util.spec_from_file_location(example.stem, example)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[example.stem] = module
    spec.loader.exec_module(module)
    curve = Curve()
    module.train(seed=seed, report=curve.report, **options)
    table = options.get("game", "kododo"), options.get("players", 4)
    points = curve.points()
    shares = [
        {"core_seconds": seconds, "v heuristic": share(agent, "heuristic", *table, games // 2)}
        for seconds, agent in points[:-1]
    ]
    seconds, agent = points[-1]
    validation = without_searches(population(*table, VALIDATION))
    last = {
        "core_seconds": seconds,
        "v heuristic": share(agent, "heuristic", *table, games),
        "v random": share(agent, "random", *table, games),
        "v validation opponents": fmean(
            share(agent, name, *table, games // 4) for name in validation
        ),
    }
    return {"seed": seed, "games": games, "curve": shares, "last": last}


def share(agent: Agent, opponent: str, game: str, players: int, games: int) -> float:
    """Return the win share of one agent against copies of an opponent."""
    return Match(agent, opponent, game, players, games, seed=1).play().share.mean


def main() -> None:
    """Train one example with one seed and write the result."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("example", type=Path)
    parser.add_argument("--steps", type=int, help="training steps (default: those of the example)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=JSON", help="option of train"
    )
    parser.add_argument("--json", type=Path, help="file to write")
    arguments = parser.parse_args()
    pairs = (text.split("=", 1) for text in arguments.option)
    options = {name: json.loads(text) for name, text in pairs}
    if arguments.steps is not None:
        options["steps"] = arguments.steps
    result = measure(arguments.example, arguments.seed, arguments.games, options)
    text = json.dumps(result, indent=1)
    if arguments.json:
        arguments.json.write_text(text + "\n")
    print(text)


if __name__ == "__main__":
    main()
