"""Agents by name: what each game's scripted players are called, and policies from files."""

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
from kododo_env.bots.by_name import is_bot, make_bot
from kododo_env.core.agent import Agent, FirstAgent, LastAgent, RandomAgent, check_agents
from kododo_env.core.numbers import shown
from kododo_env.system.files import fingerprint

if TYPE_CHECKING:
    from kododo_env.core.batch_game import BatchGame
    from kododo_env.search.search import SearchBudget

# The policies that ship, and held-out opponents among them, from whom nobody has learned.
POLICIES = Path(str(resources.files("kododo_env.policy"))) / "shipped"
STRANGERS = POLICIES.with_name("held_out")
# Lists of strangers of all kinds, and the policies among them.
POPULATION = POLICIES.with_name("population")
HALVES = VALIDATION, TEST = ("validation", "test")
# How each table's levels are made of its policy, and how strong they were found to be.
LEVELS_FILE = POLICIES.with_name("data") / "levels.json"
# What a search over a policy that ships expects in the middle of a game: see ``OutcomeModel``.
OUTCOMES_FILE = LEVELS_FILE.with_name("outcomes.json")
SUFFIX = ".onnx"
STRANGER, MEMBER = "stranger-", "member-"
SEARCH, FLAT = SEARCHES = ("search:", "flat:")
DRAWN, LEVEL = "drawn:", "level-"
# They show what a policy does that has learned nothing and always takes its likeliest action.
FIXED: dict[str, Callable[[], Agent]] = {"first": FirstAgent, "last": LastAgent}
TAKEN = ("random", *FIXED)
AGENT = "an agent (an object with a name and act(view, rng))"
BEGINNINGS = (STRANGER, MEMBER, LEVEL)
# The first three play a policy that ships at a higher temperature, the fourth plays it as it is.
LEVELS = *WEAKER, AS_IT_SHIPS, SEARCHING = tuple(f"{LEVEL}{number}" for number in range(1, 6))
LEVEL_WORDS = dict(zip(LEVELS, ("easy", "medium", "hard", "expert", "strongest"), strict=True))
NAME = re.compile(r"[a-z][a-z0-9_-]*")  # of a scripted agent
MOST_DIGITS = 12  # of a search's budget, or a seed


def scripted(game: str) -> dict[str, Callable[[], Agent]]:
    """The makers of a game's scripted agents, by name: the baselines first.

    Raises:
        ValueError: There is no such game, or one of its agents has a name that cannot be theirs.
    """
    module = _scripted_module(game)
    own: dict[Any, Callable[[], Agent]] = {**module.BASELINES, **getattr(module, "HELD_OUT", {})}
    others = {*TAKEN, *shipped()}
    for name in own:
        if not isinstance(name, str) or not NAME.fullmatch(name):
            raise ValueError(
                f"an agent of {game} cannot be called {shown(name)}: a name is of small letters, "
                "digits, - and _, such as heuristic"
            )
        if name in others or name.startswith(BEGINNINGS):
            raise ValueError(f"an agent of {game} cannot be called {name}: others are")
    return {"random": RandomAgent, **own}


def baselines(game: str) -> tuple[str, ...]:
    """The names of those that every agent is measured against, the weakest first.

    Raises:
        ValueError: There is no such game.
    """
    return ("random", *_scripted_module(game).BASELINES)


def held_out(game: str, players: int) -> tuple[str, ...]:
    """The names of a table's held-out opponents: no recipe imitates or trains against them.

    Args:
        game: The game's name.
        players: P.

    Returns:
        The scripted ones, the main one first, then searches, then a policy that has learned by
        self-play alone. ``make_agent`` makes each of them. A game without any has none.

    Raises:
        ValueError: There is no such game.
    """
    module = _scripted_module(game)
    stranger = f"{STRANGER}{game}-{players}p"
    return (
        *getattr(module, "HELD_OUT", ()),
        *getattr(module, "HELD_OUT_SEARCHES", ()),
        *((stranger,) if stranger in strangers() else ()),
    )


def _scripted_module(game: str) -> Any:
    """A game's module in the ``baselines`` that lie beside its door.

    It has BASELINES: what makes an agent by its name, the weakest first. It may have HELD_OUT: the
    same for agents that are kept out of training, the main one first; and HELD_OUT_SEARCHES: the
    names of searches that are.
    """
    return registry.beside(game, f"baselines.{game}")


def policy_tables() -> dict[str, tuple[str, int]]:
    """The games and numbers of players for which a policy is to ship, by the policy's name."""
    return {
        f"{game}-{players}p": (game, players)
        for game in registry.DOORS
        for players in registry.door(game).PLAYERS
    }


def shipped() -> tuple[str, ...]:
    """The names of the policies that come with the project, such as ``kododo-4p``."""
    return tuple(sorted(path.stem for path in POLICIES.glob(f"*{SUFFIX}")))


def strangers() -> tuple[str, ...]:
    """The names of the held-out policies that come with the project: ``stranger-kododo-4p``, ..."""
    return tuple(sorted(f"{STRANGER}{path.stem}" for path in STRANGERS.glob(f"*{SUFFIX}")))


def population(game: str, players: int, half: str) -> dict[str, dict[str, Any]]:
    """A half of a table's population: strangers who neither train nor are trained by a policy.

    Args:
        game: The game's name.
        players: P.
        half: ``validation``, by which policies are chosen, or ``test``, which is only reported.

    Returns:
        By name, as ``make_agent`` takes it, what is known of each: its ``kind``, and the ``share``
        that it has in some ``games`` against P - 1 of the heuristic.

    Raises:
        ValueError: There is no such half, or no population of the table.
    """
    path = POPULATION / f"{game}-{players}p.jsonl"
    if half not in HALVES:
        raise ValueError(f"a population has the halves {' and '.join(HALVES)}, not {shown(half)}")
    if not path.exists():
        raise ValueError(f"{game} with {players} players has no population")
    members = map(json.loads, path.read_text("utf-8").splitlines())
    return {each["name"]: each for each in members if each["half"] == half}


def levels(game: str, players: int) -> dict[str, dict[str, Any]]:
    """The levels of a table, the weakest first; all play by the policy that ships for it.

    Args:
        game: The game's name.
        players: P.

    Returns:
        By name, as ``make_agent`` takes it, the ``temperature`` at which the policy plays, or the
        budget of a ``search`` over it; and the ``share`` that one has in some ``games`` against
        P - 1 of the policy.

    Raises:
        ValueError: There are none, since no policy ships for this table.
    """
    tables = json.loads(LEVELS_FILE.read_text("utf-8"))
    found: dict[str, dict[str, Any]] = tables.get(f"{game}-{players}p", {}).get("levels", {})
    if not found:
        raise ValueError(f"{game} with {players} players has no levels: no policy ships for it")
    return found


def policy_path(policy: str) -> Path:
    """The file of a policy that comes with the project; of anything else its own path."""
    member = POPULATION / f"{policy.removeprefix(MEMBER)}{SUFFIX}"
    if policy.startswith(MEMBER) and member.exists():
        return member
    if policy in strangers():
        return STRANGERS / f"{policy.removeprefix(STRANGER)}{SUFFIX}"
    return POLICIES / f"{policy}{SUFFIX}" if policy in shipped() else Path(policy)


def policy_file(name: str) -> Path | None:
    """An agent's policy file; None of an agent without one, such as a program that is given one."""
    path = policy_path(name)
    return None if is_bot(name) or path.suffix != SUFFIX else path


def load(policy: str | Path) -> Agent:
    """A learned agent: a policy that comes with the project by its name, or any policy file.

    Raises:
        ValueError: There is no such policy, or the file is not one.
    """
    from kododo_env.policy.onnx_agent import OnnxAgent

    path = policy_path(str(policy))
    if path.suffix == SUFFIX:
        agent = OnnxAgent(path)
        agent.name = str(policy) if path.parent in (STRANGERS, POPULATION) else agent.name
        if path.parent == POLICIES:
            fitted = _outcomes().get(path.stem)
            if fitted is not None and fitted["sha256"] == fingerprint(path):
                agent.outcome_weights = np.array(fitted["weights"])
        return agent
    known = ", ".join(shipped()) or "none"
    raise ValueError(
        f"unknown policy {shown(str(policy))}; give a {SUFFIX} file or one that is shipped: {known}"
    )


@cache
def _outcomes() -> dict[str, Any]:
    """All that is in the file of outcome models, which each load of a policy asks for."""
    found: dict[str, Any] = json.loads(OUTCOMES_FILE.read_text("utf-8"))
    return found


def make_agent(name: str, game: str, players: int | None = None) -> Agent:
    """An agent by name, or from a policy file.

    Args:
        name: A scripted agent of the game, ``first`` or ``last`` for the first or last legal
            action, ``drawn:0`` for one whose weights are drawn by that seed, a policy that comes
            with the project, the path of a policy file, one of the table's levels, ``level-1``
            (the weakest) to ``level-5``, a search over one of these such as
            ``search:heuristic:50ms``, ``search:kododo-4p:64`` (worlds) or ``flat:random:64``, or
            somebody's bot, whose code is run: ``bot.py:Class``, ``package.module:Class`` or
            ``exec:CMD``; ``bot.py:Class:2s`` and ``exec:2s:CMD`` have 2 seconds a decision.
        game: The game's name.
        players: P. Levels alone need it.

    Raises:
        ValueError: There is no such agent or file.
    """
    makers = {**scripted(game), **FIXED}
    if not isinstance(name, str):
        raise ValueError(f"an agent's name must be text, not {shown(name)}")
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
    if os.path.isdir(name):  # False for what can be no path
        raise ValueError(f"{name} is a folder; give a policy file ({SUFFIX})")
    tables = policy_tables().items()
    policies = [name for name, (of, _) in tables if of == game and name in shipped()]
    policies += [name for name in strangers() if name.removeprefix(STRANGER) in policies]
    policies += LEVELS if policies else ()
    raise ValueError(
        f"unknown agent {shown(name)}; {game} has {', '.join((*makers, *policies))}, "
        f"or give a policy file ({SUFFIX}) or a bot (bot.py:Class, exec:CMD)"
    )


def is_agent(candidate: object) -> bool:
    """Whether it can play: a name, or an object, not a class, with a name and ``act``."""
    return isinstance(candidate, str | Agent) and not isinstance(candidate, type)


def agent_for(given: Any, game: BatchGame) -> Agent:
    """The agent itself, or the one that ``make_agent`` makes of a name.

    Raises:
        ValueError: It is neither, or cannot play this game.
    """
    if not is_agent(given):
        raise ValueError(f"a player must be {AGENT} or the name of one, not {shown(given)}")
    named = isinstance(given, str)
    agent: Agent = make_agent(given, game.name, game.num_players) if named else given
    if not isinstance(agent.name, str):
        raise ValueError(f"the name of a player must be text, not {shown(agent.name)}")
    check_agents(game, [agent])
    return agent


def _drawn(name: str, game: str) -> Agent:
    """A stranger with drawn weights, from ``drawn:SEED``."""
    seed, draw = name.removeprefix(DRAWN), getattr(_scripted_module(game), "drawn", None)
    if draw is None:
        raise ValueError(f"{game} has no players with drawn weights, as in {shown(name)}")
    if not (seed.isascii() and seed.isdecimal() and len(seed) <= MOST_DIGITS):
        raise ValueError(
            f"a player with drawn weights is drawn:SEED, such as drawn:0, not {shown(name)}"
        )
    agent: Agent = draw(int(seed))
    agent.name = name
    return agent


def _level(name: str, game: str, players: int | None) -> Agent:
    """The policy that ships for a table, weakened or with search as the table's levels say."""
    from kododo_env.policy.onnx_agent import OnnxAgent

    if name not in LEVELS:
        raise ValueError(f"there are the levels {', '.join(LEVELS)}, not {shown(name)}")
    if players is None:
        raise ValueError(
            f"{name} needs the number of players, as in make_agent(name, game, players)"
        )
    made, policy = levels(game, players).get(name), f"{game}-{players}p"
    if made is None:
        raise ValueError(f"{policy} has no {name} yet: make levels finds it")
    agent: Agent
    if "search" in made:
        agent = _search(f"{SEARCH}{policy}:{made['search']}", game)
    else:
        agent = OnnxAgent(policy_path(policy), made["temperature"])
    agent.name = name
    return agent


def search_budget(text: str) -> SearchBudget:
    """The cost of a search's decision: a number of worlds such as "64", or a time as "50ms".

    Raises:
        ValueError: It is neither, or more than a search may have.
    """
    from kododo_env.search.search import SearchBudget

    number = text.removesuffix("ms")
    if not (number.isascii() and number.isdecimal() and len(number) <= MOST_DIGITS):
        raise ValueError(
            "a search is search:AGENT:WORLDS or search:AGENT:MILLISECONDSms, or flat: in place of "
            "search:, and may have a "
            f"number of worlds such as 64, or a time such as 50ms, not {shown(text)}"
        )
    if text.endswith("ms"):
        return SearchBudget(milliseconds=float(number))
    return SearchBudget(worlds=int(number))


def _search(name: str, game: str, players: int | None = None) -> Agent:
    """A search over an agent, from ``KIND:AGENT:WORLDS`` or ``KIND:AGENT:MILLISECONDSms``."""
    from kododo_env.search.flat import FlatMonteCarlo
    from kododo_env.search.search import SearchAgent

    kind, agent, amount = search_parts(name)
    if agent.startswith(SEARCHES) or agent == SEARCHING:
        raise ValueError(f"a search is not made over another search, as in {shown(name)}")
    budget = search_budget(amount.removeprefix(":"))
    policy = make_agent(agent, game, players)
    if kind == FLAT:
        return FlatMonteCarlo(policy, budget, name)
    return SearchAgent(policy, budget, name)


def without_searches(names: Iterable[str]) -> list[str]:
    """The names of the agents that are no searches, which are slow."""
    return [name for name in names if not search_parts(name)[0]]


def search_parts(name: str) -> tuple[str, str, str]:
    """An agent's name before, in and behind that of a search's policy: which search, its budget.

    They add up to the name. Of what is no search the first and the last are empty.
    """
    kind = next((each for each in SEARCHES if name.startswith(each)), "")
    if not kind:
        return "", name, ""
    agent, colon, amount = name.removeprefix(kind).rpartition(":")
    return kind, agent, colon + amount
