"""``kododo bench``: measure how fast this machine plays, compared with PettingZoo's rps_v2.

Random legal play; the contenders alternate, so that other work of the machine affects them
equally, and the time is the processor time of the process. An agent-step is one player's step, so
a step of N games of P players counts as N * P agent-steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from importlib.util import find_spec
from random import random
from statistics import median
from time import process_time
from typing import Annotated, Any

import numpy as np

from kododo_env import registry
from kododo_env.arena.text_table import table
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.bounds import Bound, check_settings, positive

PEER = "PettingZoo's rps_v2"
Speed = Callable[[], float]


@dataclass(frozen=True)
class BenchConfig:
    """Print how fast this machine plays: agent-steps a second, beside PettingZoo's rps_v2."""

    players: int = 4
    """Players at a table; rps_v2 has 2."""
    num_envs: Annotated[int, Bound(1, 1_000_000)] = 4096
    """Games in a batch."""
    seconds: Annotated[float, positive(3600)] = 0.3
    """Seconds of each contender in each round."""
    rounds: Annotated[int, Bound(1, 1000)] = 5
    """Number of rounds, of which the median is printed."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)


def bench(config: BenchConfig) -> None:
    """Measure, and print the table."""
    contenders = contenders_of(config)
    for measure in contenders.values():
        measure()  # warm up: imports and caches are not measured
    rounds = [
        {name: measure() for name, measure in contenders.items()} for _ in range(config.rounds)
    ]
    speeds = {name: median(round_speeds[name] for round_speeds in rounds) for name in contenders}
    rows: list[tuple[str, ...]] = [("random legal play, one process", "agent-steps/s", "x rps_v2")]
    for name, speed in speeds.items():
        ratio = f"{speed / speeds[PEER]:.1f}" if PEER in speeds else "-"
        rows.append((name, f"{speed:,.0f}", ratio))
    print(table(rows), flush=True)
    if PEER not in speeds:
        print(f"{PEER} is not installed: pip install 'pettingzoo[classic]'")


def contenders_of(config: BenchConfig) -> dict[str, Speed]:
    """Return what is measured: by name a function that returns agent-steps a second.

    Raises:
        ValueError: No game allows this number of players.
    """
    contenders: dict[str, Speed] = {}
    for game in registry.ENVIRONMENT_MODULES:
        module = registry.environment_module(game)
        if config.players in module.PLAYERS:
            batch = module.batch_game(config.num_envs, seed=0, num_players=config.players)
            env = module.parallel_env(num_players=config.players)
            contenders[f"{game}, {config.num_envs:,} games at once"] = partial(
                batch_speed, batch, config.seconds
            )
            contenders[f"{game}, one parallel_env"] = partial(
                parallel_env_speed, env, choose_legal, config.seconds
            )
    if not contenders:
        raise ValueError(f"no game allows {config.players} players")
    if find_spec("pygame"):  # which PettingZoo's game draws with
        from pettingzoo.classic.rps.rps import parallel_env

        contenders[PEER] = partial(
            parallel_env_speed, parallel_env(), choose_hand_sign, config.seconds
        )
    return contenders


def batch_speed(game: Any, seconds: float) -> float:
    """Measure steps, masks and observations of whole games, without the choice of actions."""
    agent_steps = 0
    elapsed = 0.0
    rng = np.random.default_rng(0)
    while elapsed < seconds:
        game.reset()
        mask = game.legal_action_mask()
        while not game.terminated.all():
            actions = random_legal_actions(mask, rng)
            start = process_time()
            game.step(actions)
            mask = game.legal_action_mask()
            game.observe()
            elapsed += process_time() - start
            agent_steps += actions.size
    return agent_steps / elapsed


def parallel_env_speed(
    env: Any, choose: Callable[[dict[str, Any]], dict[str, int]], seconds: float
) -> float:
    """Measure whole episodes of a ParallelEnv, with the choice of actions, without ``reset``."""
    agent_steps = 0
    elapsed = 0.0
    while elapsed < seconds:
        observations, _ = env.reset()
        start = process_time()
        while env.agents:
            agent_steps += len(env.agents)
            observations = env.step(choose(observations))[0]
        elapsed += process_time() - start
    return agent_steps / elapsed


@cache
def _legal_actions(mask: bytes) -> list[int]:
    """Return the legal actions of a mask; cached, as there are few different masks."""
    return [int(action) for action in np.flatnonzero(np.frombuffer(mask, np.int8))]


def choose_legal(observations: dict[str, Any]) -> dict[str, int]:
    """Return a legal action for each agent."""
    actions = {}
    for name, observation in observations.items():
        legal = _legal_actions(observation["action_mask"].tobytes())
        actions[name] = legal[int(random() * len(legal))]
    return actions


def choose_hand_sign(observations: dict[str, Any]) -> dict[str, int]:
    """Return rock, paper or scissors for each agent."""
    return {name: int(random() * 3) for name in observations}
