"""Held-out opponents, named ``held-out:…``; no shipped policy has learned from them.

They are scripted players (``held-out:forecaster``), scripted players with random weights drawn from
a seed (``held-out:drawn-7``), and policies (``held-out:kododo-4p``, which was trained by self-play
only, and small networks such as ``held-out:kododo-4p-3``).
"""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

from kododo_env import registry
from kododo_env.checks.numbers import quote
from kododo_env.core.agent import Agent

HELD_OUT = "held-out:"
DRAWN = f"{HELD_OUT}drawn-"
# Folders of the policies trained by self-play only, and of the populations with their policies.
HELD_OUT_POLICIES = Path(str(resources.files("kododo_env.policy"))) / "held_out"
POPULATION = HELD_OUT_POLICIES.with_name("population")
VALIDATION = "validation"
TEST = "test"
SPLITS = (VALIDATION, TEST)


def scripted_players(game: str) -> Any:
    """Return a game's module in the package ``baselines`` beside its environment module.

    Its BASELINES are functions that make agents, by name, the weakest first. It may have HELD_OUT,
    the same for held-out opponents, the main one first; HELD_OUT_SEARCHES, the names of searches;
    and ``drawn``, a function that makes an agent with random weights from a seed.
    """
    return registry.beside(game, f"baselines.{game}")


def held_out(game: str, players: int) -> tuple[str, ...]:
    """Return the names of the main held-out opponents of a game.

    Args:
        game: The game's name.
        players: The number of players.

    Returns:
        Scripted players, the main one first, then searches, then a policy trained by self-play
        only. Empty if the game has none.

    Raises:
        ValueError: The game is unknown.
    """
    module = scripted_players(game)
    policy = f"{HELD_OUT}{game}-{players}p"
    return (
        *(f"{HELD_OUT}{name}" for name in getattr(module, "HELD_OUT", ())),
        *getattr(module, "HELD_OUT_SEARCHES", ()),
        *((policy,) if policy in held_out_policies() else ()),
    )


def held_out_policies() -> dict[str, Path]:
    """Return the files of the held-out policies, by name."""
    files = (path for folder in (HELD_OUT_POLICIES, POPULATION) for path in folder.glob("*.onnx"))
    return {f"{HELD_OUT}{path.stem}": path for path in sorted(files)}


def held_out_player(name: str, game: str) -> Agent:
    """Create a held-out opponent other than a policy.

    Raises:
        ValueError: The opponent is unknown.
    """
    module = scripted_players(game)
    makers = getattr(module, "HELD_OUT", {})
    make = makers.get(name.removeprefix(HELD_OUT))
    drawn = re.fullmatch(rf"{DRAWN}([0-9]{{1,12}})", name)
    if make is None and not (drawn and hasattr(module, "drawn")):
        raise ValueError(
            f"unknown held-out opponent {quote(name)} of {game}; docs/strength.md describes them"
        )
    agent: Agent = make() if make else module.drawn(int(drawn[1]))  # type: ignore[index]
    agent.name = name
    return agent


def population(game: str, players: int, split: str) -> dict[str, dict[str, Any]]:
    """Return the validation or the test split of a population of held-out opponents.

    Args:
        game: The game's name.
        players: P, the number of players.
        split: ``validation``, opponents for the selection of policies, or ``test``, opponents
            for published results only.

    Returns:
        A dict for each opponent, by its name for ``make_agent``. Its keys are ``kind``, and
        ``share``, the win share in ``games`` games against P - 1 copies of the heuristic.

    Raises:
        ValueError: The split is unknown, or the game has no population for this number of
            players.
    """
    path = POPULATION / f"{game}-{players}p.jsonl"
    if split not in SPLITS:
        raise ValueError(
            f"unknown split of a population {quote(split)}; choose from {', '.join(SPLITS)}"
        )
    if not path.exists():
        raise ValueError(f"{game} with {players} players has no population")
    members = map(json.loads, path.read_text("utf-8").splitlines())
    return {member["name"]: member for member in members if member["half"] == split}
