"""Play the same deal again: a command for another person, or a bot in the seats of people."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.core.agent import Agent, joint_action
from kododo_env.core.batch_game import BatchGame
from kododo_env.records.header import rules_of
from kododo_env.rendering.languages import speaking
from kododo_env.rules_arguments import PLAYERS


def deal_by(game: BatchGame, seed: int) -> None:
    """Deal a batch of one from a seed, which also determines the later deals of the game."""
    rng = np.random.default_rng(seed)
    decks = game.sample_decks(1, rng)
    game.reset(int(rng.integers(1 << 62)), decks=decks)


def agents_choose(agents: Sequence[Agent | None], game: BatchGame, seed: int, step: int) -> Int64:
    """Return the actions of a table's agents, int64 (1, P), which depend only on seed and step.

    Args:
        agents: For each seat an agent, or None for a person, for whom some legal action is
            returned.
        game: A batch of one.
        seed: The seed of the game.
        step: The number of steps of the game that have been played.
    """
    return joint_action(agents, game, np.random.default_rng([seed, step]))


def playing_by(
    bot: Agent, agents: Sequence[Agent | None], game: BatchGame, seed: int
) -> Iterator[None]:
    """Play the deal of a seed with a bot in the seats of people, against the same agents.

    Args:
        bot: The bot in the seats of people.
        agents: For each seat an agent, or None for a person.
        game: A batch of one, which is dealt again and played to the end.
        seed: The seed of the game.

    Yields:
        None, after each step.
    """
    agents = list(agents)  # the table's own list may change meanwhile
    bots = [bot if agent is None else None for agent in agents]
    people = [seat for seat, agent in enumerate(agents) if agent is None]
    deal_by(game, seed)
    step = 0
    while not game.terminated[0]:
        with speaking("en"):  # bots know the English words
            joint = agents_choose(agents, game, seed, step)
            # With a separate generator, so that the others' randomness is unchanged.
            bot_actions = joint_action(bots, game, np.random.default_rng([seed, step, 1]))
        joint[:, people] = bot_actions[:, people]
        game.step(joint)
        step += 1
        yield


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
