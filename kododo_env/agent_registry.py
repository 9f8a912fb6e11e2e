"""Agents by name: scripted players, policies from files, levels, searches and bots."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from kododo_env import registry
from kododo_env.bots.factory import is_bot, make_bot
from kododo_env.core.agent import Agent, FirstAgent, LastAgent, RandomAgent, check_agents
from kododo_env.core.numbers import quote
from kododo_env.system.files import fingerprint

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame
    from kododo_env.search.search import SearchBudget

# Folders of policy files: the shipped policies, and the held-out opponents among policies.
POLICIES = Path(str(resources.files("kododo_env.policy"))) / "shipped"
HELD_OUT_POLICIES = POLICIES.with_name("held_out")
# The folder of the populations: lists of held-out opponents, and the policy files that they name.
POPULATION = POLICIES.with_name("population")
VALIDATION = "validation"
TEST = "test"
SPLITS = (VALIDATION, TEST)
# The settings and the measured strength of the levels, for each game and number of players.
LEVELS_FILE = POLICIES.with_name("data") / "levels.json"
# The fitted weights of the ``OutcomeModel`` for searches that use a shipped policy.
OUTCOMES_FILE = LEVELS_FILE.with_name("outcomes.json")
SUFFIX = ".onnx"
HELD_OUT_PREFIX = "stranger-"
MEMBER = "member-"
SEARCH = "search:"
FLAT = "flat:"
SEARCHES = (SEARCH, FLAT)
DRAWN = "drawn:"
LEVEL = "level-"
# Like these agents, an untrained policy may always choose the first or the last legal action.
FIXED: dict[str, Callable[[], Agent]] = {"first": FirstAgent, "last": LastAgent}
TAKEN = ("random", *FIXED)
AGENT = "an agent (an object with a name and act(view, rng))"
BEGINNINGS = (HELD_OUT_PREFIX, MEMBER, LEVEL)
LEVELS = tuple(f"{LEVEL}{number}" for number in range(1, 6))
WEAKER = LEVELS[:3]  # these levels play the shipped policy at a higher temperature
AS_IT_SHIPS = LEVELS[3]
SEARCHING = LEVELS[4]
LEVEL_WORDS = dict(zip(LEVELS, ("easy", "medium", "hard", "expert", "strongest"), strict=True))
NAME = re.compile(r"[a-z][a-z0-9_-]*")  # the name of a scripted agent
MOST_DIGITS = 12  # the longest budget of a search, or seed


def scripted(game: str) -> dict[str, Callable[[], Agent]]:
    """Return the constructors of a game's scripted agents by name, baselines first.

    Raises:
        ValueError: The game is unknown, or the name of one of its agents is invalid or taken.
    """
    module = _scripted_module(game)
    makers: dict[Any, Callable[[], Agent]] = {**module.BASELINES, **getattr(module, "HELD_OUT", {})}
    reserved = {*TAKEN, *shipped()}
    for name in makers:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(
                f"agent name of {game} must have lower-case letters, digits, - and _, such as "
                f"heuristic, got {quote(name)}"
            )
        if name in reserved or name.startswith(BEGINNINGS):
            raise ValueError(f"agent name {name!r} of {game} is already taken or reserved")
    return {"random": RandomAgent, **makers}


def baselines(game: str) -> tuple[str, ...]:
    """Return the names of a game's baselines, the weakest first.

    Raises:
        ValueError: The game is unknown.
    """
    return ("random", *_scripted_module(game).BASELINES)


def held_out(game: str, players: int) -> tuple[str, ...]:
    """Return the names of the held-out opponents of a game, which are never used in training.

    Args:
        game: The game's name.
        players: The number of players.

    Returns:
        Names for ``make_agent``: scripted players, the main one first, then searches, then a
        policy trained by self-play only. Empty if the game has none.

    Raises:
        ValueError: The game is unknown.
    """
    module = _scripted_module(game)
    held_out_policy = f"{HELD_OUT_PREFIX}{game}-{players}p"
    return (
        *getattr(module, "HELD_OUT", ()),
        *getattr(module, "HELD_OUT_SEARCHES", ()),
        *((held_out_policy,) if held_out_policy in held_out_policy_names() else ()),
    )


def _scripted_module(game: str) -> Any:
    """Return a game's module in the package ``baselines`` beside its environment module.

    Its BASELINES are functions that make agents, by name, the weakest first. It may have HELD_OUT,
    the same for held-out opponents, the main one first; and HELD_OUT_SEARCHES, the names of
    searches.
    """
    return registry.beside(game, f"baselines.{game}")


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


def held_out_policy_names() -> tuple[str, ...]:
    """Return the names of the shipped held-out policies, such as ``stranger-kododo-4p``."""
    return tuple(
        sorted(f"{HELD_OUT_PREFIX}{path.stem}" for path in HELD_OUT_POLICIES.glob(f"*{SUFFIX}"))
    )


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


def levels(game: str, players: int) -> dict[str, dict[str, Any]]:
    """Return the levels of a game, the weakest first; all use the shipped policy.

    Args:
        game: The game's name.
        players: P, the number of players.

    Returns:
        A dict for each level, by its name for ``make_agent``. Its keys are ``temperature``, the
        policy's temperature, or ``search``, the budget of a search that uses the policy; and
        ``share``, the win share in ``games`` games against P - 1 copies of the policy.

    Raises:
        ValueError: No policy is shipped for this game and number of players.
    """
    tables = json.loads(LEVELS_FILE.read_text("utf-8"))
    facts: dict[str, dict[str, Any]] = tables.get(f"{game}-{players}p", {}).get("levels", {})
    if not facts:
        raise ValueError(
            f"{game} with {players} players has no levels, because it has no shipped policy"
        )
    return facts


def policy_path(policy: str) -> Path:
    """Return the path of a shipped policy by its name; return other text as a path."""
    member = POPULATION / f"{policy.removeprefix(MEMBER)}{SUFFIX}"
    if policy.startswith(MEMBER) and member.exists():
        return member
    if policy in held_out_policy_names():
        return HELD_OUT_POLICIES / f"{policy.removeprefix(HELD_OUT_PREFIX)}{SUFFIX}"
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
    if path.suffix == SUFFIX:
        agent = OnnxAgent(path)
        agent.name = str(policy) if path.parent in (HELD_OUT_POLICIES, POPULATION) else agent.name
        if path.parent == POLICIES:
            fitted = _outcomes().get(path.stem)
            if fitted is not None and fitted["sha256"] == fingerprint(path):
                agent.outcome_weights = np.array(fitted["weights"])
        return agent
    raise ValueError(
        f"unknown policy {quote(str(policy))}; expected a policy file ({SUFFIX}) or the name of a "
        f"shipped policy: {', '.join(shipped()) or 'none'}"
    )


@cache
def _outcomes() -> dict[str, Any]:
    """Return the content of the file of outcome models; cached, as each policy reads it."""
    models: dict[str, Any] = json.loads(OUTCOMES_FILE.read_text("utf-8"))
    return models


def make_agent(name: str, game: str, players: int | None = None) -> Agent:
    """Create an agent by name, or from a policy file.

    Names are:

    - a scripted agent of the game, such as ``heuristic``;
    - ``first`` or ``last``, which always play the first or the last legal action;
    - ``drawn:0``, an agent with random weights drawn from the seed 0;
    - a shipped policy, such as ``kododo-4p``, or the path of a policy file;
    - a level from ``level-1`` (the weakest) to ``level-5``;
    - a search that uses one of these agents: ``search:heuristic:50ms`` with 50 milliseconds per
      decision, ``search:kododo-4p:64`` with 64 worlds, or ``flat:random:64``;
    - a bot, whose code is run: ``bot.py:Class``, ``package.module:Class`` or ``exec:CMD``;
      ``bot.py:Class:2s`` and ``exec:2s:CMD`` have 2 seconds for a decision.

    Args:
        name: The name, or the path of a policy file.
        game: The game's name.
        players: The number of players; required for levels, ignored for other agents.

    Raises:
        ValueError: The agent is unknown, or its file cannot be read.
    """
    makers = {**scripted(game), **FIXED}
    if not isinstance(name, str):
        raise ValueError(f"agent name must be a string, got {quote(name)}")
    if name.startswith(SEARCHES):
        return _search(name, game, players)
    if name.startswith(DRAWN):
        return _drawn(name, game)
    if name in makers:
        return makers[name]()
    if is_bot(name):
        return make_bot(name)
    if policy_path(name).suffix == SUFFIX:
        return load(name)
    if name.startswith(LEVEL):
        return _level(name, game, players)
    if os.path.isdir(name):  # False for text that cannot be a path
        raise ValueError(f"expected a policy file ({SUFFIX}), got the folder {name}")
    tables = policy_tables().items()
    policies = [policy for policy, (of, _) in tables if of == game and policy in shipped()]
    policies += [
        policy
        for policy in held_out_policy_names()
        if policy.removeprefix(HELD_OUT_PREFIX) in policies
    ]
    policies += LEVELS if policies else ()
    raise ValueError(
        f"unknown agent {quote(name)}; choose from {', '.join((*makers, *policies))}, "
        f"a policy file ({SUFFIX}) or a bot (bot.py:Class, exec:CMD)"
    )


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


def _drawn(name: str, game: str) -> Agent:
    """Return an agent with random weights, from ``drawn:SEED``."""
    seed = name.removeprefix(DRAWN)
    draw = getattr(_scripted_module(game), "drawn", None)
    if draw is None:
        raise ValueError(f"{game} has no agents with random weights, got {quote(name)}")
    if not (seed.isascii() and seed.isdecimal() and len(seed) <= MOST_DIGITS):
        raise ValueError(f"expected drawn:SEED, such as drawn:0, got {quote(name)}")
    agent: Agent = draw(int(seed))
    agent.name = name
    return agent


def _level(name: str, game: str, players: int | None) -> Agent:
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
        agent = _search(f"{SEARCH}{policy}:{settings['search']}", game)
    else:
        agent = OnnxAgent(policy_path(policy), settings["temperature"])
    agent.name = name
    return agent


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


def _search(name: str, game: str, players: int | None = None) -> Agent:
    """Return a search, from ``KIND:AGENT:WORLDS`` or ``KIND:AGENT:MILLISECONDSms``."""
    from kododo_env.search.flat import FlatMonteCarlo
    from kododo_env.search.search import SearchAgent

    kind, agent, amount = search_parts(name)
    if agent.startswith(SEARCHES) or agent == SEARCHING:
        raise ValueError(f"a search cannot use another search, got {quote(name)}")
    budget = search_budget(amount.removeprefix(":"))
    policy = make_agent(agent, game, players)
    if kind == FLAT:
        return FlatMonteCarlo(policy, budget, name)
    return SearchAgent(policy, budget, name)


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
