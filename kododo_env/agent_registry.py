"""Agents by name: scripted players, policies from files, levels, searches and bots."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kododo_env import registry
from kododo_env.bots.names import EXEC, is_bot
from kododo_env.checks.numbers import quote
from kododo_env.core.agent import Agent, FirstAgent, LastAgent, RandomAgent, check_agents
from kododo_env.held_out import HELD_OUT, held_out_player, held_out_policies, scripted_players
from kododo_env.levels import LEVEL, LEVELS, SEARCHING, levels
from kododo_env.system.files import fingerprint

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame
    from kododo_env.search.search import SearchBudget

POLICIES = Path(str(resources.files("kododo_env.policy"))) / "shipped"
# The fitted weights of the ``OutcomeModel`` for searches that use a shipped policy.
OUTCOMES_FILE = POLICIES.with_name("data") / "outcomes.json"
SUFFIX = ".onnx"
SEARCH = "search:"
FLAT = "flat:"
SEARCHES = (SEARCH, FLAT)
AGENT = "an agent (an object with a name and act(view, rng))"
NAME = re.compile(r"[a-z][a-z0-9_-]*")  # the name of a scripted agent
MOST_DIGITS = 12  # the longest budget of a search


class Scheme(NamedTuple):
    """A form of names of agents.

    Attributes:
        accepts: Whether a name has this form, for a game.
        make: Creates the agent, from the name, the game and the number of players or None.
        examples: Returns names of this form for a game, for the message about an unknown name.
    """

    accepts: Callable[[str, str], bool]
    make: Callable[[str, str, int | None], Agent]
    examples: Callable[[str], Sequence[str]]


def make_agent(name: str, game: str, players: int | None = None) -> Agent:
    """Create an agent by name, or from a policy file.

    Names are:

    - a scripted agent of the game, such as ``heuristic``;
    - ``first`` or ``last``, which always play the first or the last legal action;
    - a shipped policy, such as ``kododo-4p``, or the path of a policy file;
    - a level from ``level-1`` (the weakest) to ``level-5``;
    - a search that uses one of these agents: ``search:heuristic:50ms`` with 50 milliseconds per
      decision, ``search:kododo-4p:64`` with 64 worlds, or ``flat:random:64``;
    - a bot, whose code is run: ``bot.py:Class``, ``package.module:Class`` or ``exec:CMD``;
      ``bot.py:Class:2s`` and ``exec:2s:CMD`` have 2 seconds for a decision;
    - a held-out opponent, such as ``held-out:forecaster``; see ``kododo_env.held_out``.

    Args:
        name: The name, or the path of a policy file.
        game: The game's name.
        players: The number of players; required for levels, ignored for other agents.

    Raises:
        ValueError: The agent is unknown, or its file cannot be read.
    """
    if not isinstance(name, str):
        raise ValueError(f"agent name must be a string, got {quote(name)}")
    for scheme in SCHEMES:
        if scheme.accepts(name, game):
            return scheme.make(name, game, players)
    if os.path.isdir(name):  # False for text that cannot be a path
        raise ValueError(f"expected a policy file ({SUFFIX}), got the folder {name}")
    names = [example for scheme in SCHEMES for example in scheme.examples(game)]
    raise ValueError(f"unknown agent {quote(name)}; choose from {', '.join(names)}")


def is_agent(candidate: object) -> bool:
    """Return whether a candidate is a string, or an instance (not a class) of ``Agent``."""
    return isinstance(candidate, str | Agent) and not isinstance(candidate, type)


def agent_for(candidate: Any, game: BatchGame) -> Agent:
    """Return ``candidate`` if it is an agent, or create the agent of that name.

    Raises:
        ValueError: ``candidate`` is neither an agent nor a known name, or cannot play this game.
    """
    if not is_agent(candidate):
        raise ValueError(f"a player must be {AGENT} or its name, got {quote(candidate)}")
    agent: Agent = candidate
    if isinstance(candidate, str):
        agent = make_agent(candidate, game.name, game.num_players)
    if not isinstance(agent.name, str):
        raise ValueError(f"name of a player must be a string, got {quote(agent.name)}")
    check_agents(game, [agent])
    return agent


# --- scripted agents ------------------------------------------------------------------------


def scripted(game: str) -> dict[str, Callable[[], Agent]]:
    """Return the constructors of a game's scripted agents by name, the weakest first.

    The last two always play the first or the last legal action, as an untrained policy may.

    Raises:
        ValueError: The game is unknown, or the name of one of its agents is invalid.
    """
    makers: dict[Any, Callable[[], Agent]] = scripted_players(game).BASELINES
    for name in makers:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(
                f"agent name of {game} must have lower-case letters, digits, - and _, such as "
                f"heuristic, got {quote(name)}"
            )
    return {"random": RandomAgent, **makers, "first": FirstAgent, "last": LastAgent}


def baselines(game: str) -> tuple[str, ...]:
    """Return the names of a game's baselines, the weakest first.

    Raises:
        ValueError: The game is unknown.
    """
    return ("random", *scripted_players(game).BASELINES)


# --- bots -----------------------------------------------------------------------------------


def _make_bot(name: str, *_: object) -> Agent:
    """Create a bot from its name.

    A Python bot's code is imported now; a program starts at its first decision.

    Raises:
        ValueError: The name is malformed; the file, module, class or program does not exist; its
            code fails; or this is a web page, where bots cannot run.
    """
    from kododo_env.bots.program import ProgramBot
    from kododo_env.bots.python_bot import python_bot

    if sys.platform == "emscripten":  # a browser, where a URL may name agents
        raise ValueError(
            f"bot {name} cannot run in a web page: install kododo-env and use its command line"
        )
    return ProgramBot(name) if name.startswith(EXEC) else python_bot(name)


# --- policies -------------------------------------------------------------------------------


def policy_tables() -> dict[str, tuple[str, int]]:
    """Return the game and the number of players of each shipped policy, by the policy's name."""
    return {
        f"{game}-{players}p": (game, players)
        for game in registry.ENVIRONMENT_MODULES
        for players in registry.environment_module(game).PLAYERS
    }


def shipped() -> tuple[str, ...]:
    """Return the names of the shipped policies, such as ``kododo-4p``."""
    return tuple(sorted(path.stem for path in POLICIES.glob(f"*{SUFFIX}")))


def policy_path(policy: str) -> Path:
    """Return the path of a policy of the package by its name; return other text as a path."""
    if policy.startswith(HELD_OUT):
        return held_out_policies().get(policy, Path(policy))
    return POLICIES / f"{policy}{SUFFIX}" if policy in shipped() else Path(policy)


def policy_file(name: str) -> Path | None:
    """Return an agent's policy file, or None for an agent without one, such as a program."""
    path = policy_path(name)
    return None if is_bot(name) or path.suffix != SUFFIX else path


def load(policy: str | Path) -> Agent:
    """Return a trained agent by the name of a shipped policy, or from any policy file.

    Raises:
        ValueError: The policy is unknown, or the file is not a policy file.
    """
    from kododo_env.policy.onnx_agent import OnnxAgent

    path = policy_path(str(policy))
    if path.suffix != SUFFIX:
        raise ValueError(
            f"unknown policy {quote(str(policy))}; expected a policy file ({SUFFIX}) or the name "
            f"of a shipped policy: {', '.join(shipped()) or 'none'}"
        )
    agent = OnnxAgent(path)
    if str(policy).startswith(HELD_OUT):
        agent.name = str(policy)
    if path.parent == POLICIES:
        fitted = _outcomes().get(path.stem)
        if fitted is not None and fitted["sha256"] == fingerprint(path):
            agent.outcome_weights = np.array(fitted["weights"])
    return agent


@cache
def _outcomes() -> dict[str, Any]:
    """Return the content of the file of outcome models; cached, as each policy reads it."""
    return json.loads(OUTCOMES_FILE.read_text("utf-8"))


def _shipped_for(game: str) -> list[str]:
    tables = policy_tables().items()
    return [policy for policy, (of, _) in tables if of == game and policy in shipped()]


def _make_level(name: str, game: str, players: int | None) -> Agent:
    """Return a level: the shipped policy of a table, weakened or with search."""
    from kododo_env.policy.onnx_agent import OnnxAgent

    if name not in LEVELS:
        raise ValueError(f"unknown level {quote(name)}; choose from {', '.join(LEVELS)}")
    if players is None:
        raise ValueError(
            f"{name} needs the number of players, as in make_agent(name, game, players)"
        )
    policy = f"{game}-{players}p"
    settings = levels(game, players).get(name)
    if settings is None:
        raise ValueError(f"{policy} has no {name} yet; create it with `make levels`")
    agent: Agent
    if "search" in settings:
        agent = _make_search(f"{SEARCH}{policy}:{settings['search']}", game, players)
    else:
        agent = OnnxAgent(policy_path(policy), settings["temperature"])
    agent.name = name
    return agent


# --- searches -------------------------------------------------------------------------------


def search_budget(text: str) -> SearchBudget:
    """Return the budget of a search: a number of worlds such as "64", or a time such as "50ms".

    Raises:
        ValueError: ``text`` is neither a number nor a time, or exceeds the limit.
    """
    from kododo_env.search.search import SearchBudget

    number = text.removesuffix("ms")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        raise ValueError(
            "expected search:AGENT:BUDGET or flat:AGENT:BUDGET with a number of worlds such as 64, "
            f"or a time such as 50ms, got {quote(text)}"
        )
    if text.endswith("ms"):
        return SearchBudget(milliseconds=float(number))
    return SearchBudget(worlds=int(number))


def _make_search(name: str, game: str, players: int | None) -> Agent:
    """Return a search, from ``KIND:AGENT:WORLDS`` or ``KIND:AGENT:MILLISECONDSms``."""
    from kododo_env.search.flat import FlatMonteCarlo
    from kododo_env.search.search import SearchAgent

    kind, agent, amount = search_parts(name)
    if agent.startswith(SEARCHES) or agent == SEARCHING:
        raise ValueError(f"a search cannot use another search, got {quote(name)}")
    budget = search_budget(amount.removeprefix(":"))
    policy = make_agent(agent, game, players)
    return (FlatMonteCarlo if kind == FLAT else SearchAgent)(policy, budget, name)


def without_searches(names: Iterable[str]) -> list[str]:
    """Remove the names of searches, which are slow agents, and return the others."""
    return [name for name in names if not search_parts(name)[0]]


def search_parts(name: str) -> tuple[str, str, str]:
    """Split the name of a search into its kind, its agent and its budget.

    Concatenated, the parts are the name. Kind and budget are empty unless it names a search.
    """
    for kind in SEARCHES:
        if name.startswith(kind):
            agent, colon, amount = name.removeprefix(kind).rpartition(":")
            return kind, agent, colon + amount
    return "", name, ""


SCHEMES = (
    Scheme(
        lambda name, game: name in scripted(game),
        lambda name, game, _: scripted(game)[name](),
        lambda game: [*scripted(game)],
    ),
    Scheme(
        lambda name, _: name.startswith(SEARCHES),
        _make_search,
        lambda _: [f"{kind}AGENT:BUDGET" for kind in SEARCHES],
    ),
    Scheme(
        lambda name, _: is_bot(name),
        _make_bot,
        lambda _: ["bot.py:Class", "exec:CMD"],
    ),
    Scheme(
        lambda name, _: policy_path(name).suffix == SUFFIX,
        lambda name, *_: load(name),
        lambda game: [*_shipped_for(game), f"FILE{SUFFIX}"],
    ),
    Scheme(
        lambda name, _: name.startswith(LEVEL),
        _make_level,
        lambda game: LEVELS if _shipped_for(game) else (),
    ),
    Scheme(
        lambda name, _: name.startswith(HELD_OUT),
        lambda name, game, _: held_out_player(name, game),
        lambda _: (),
    ),
)
"""The forms of names of agents; the first one that accepts a name makes the agent."""
