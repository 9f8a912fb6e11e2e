"""``kododo bench``: measure the speed of the games on this machine, and of PettingZoo's rps_v2.

Players choose random legal actions. The environments are measured in turn, in several rounds, so
that other load on the machine affects them equally. Times are processor times of the process. A
step of N games with P players counts as N * P agent-steps.
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
from kododo_env.checks.bounds import Bound, positive
from kododo_env.core.agent import random_legal_actions
from kododo_env.system.text_table import table

PEER = "PettingZoo's rps_v2"
Speed = Callable[[], float]


@dataclass(frozen=True)
class BenchConfig:
    """Print the speed of each game on this machine, in agent-steps per second, and of PettingZoo's
    rps_v2 for comparison.
    """

    players: int = 4
    """Players at a table; rps_v2 has 2."""
    num_envs: Annotated[int, Bound(1, 1_000_000)] = 4096
    """Games in a batch."""
    seconds: Annotated[float, positive(3600)] = 0.3
    """Seconds of each environment in each round."""
    rounds: Annotated[int, Bound(1, 1000)] = 5
    """Number of rounds; the median over the rounds is printed."""


def bench(config: BenchConfig) -> None:
    """Measure all environments and print a table of their speeds.

    Raises:
        ValueError: No game allows this number of players.
    """
    contenders = contenders_of(config)
    for measure in contenders.values():
        measure()  # warm-up, so that imports and caches do not count
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
    """Return functions that measure an environment in agent-steps per second, by its name.

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
    if find_spec("pygame"):  # rps_v2 imports it
        from pettingzoo.classic.rps.rps import parallel_env

        contenders[PEER] = partial(
            parallel_env_speed, parallel_env(), choose_hand_sign, config.seconds
        )
    return contenders


def batch_speed(game: Any, seconds: float) -> float:
    """Return the speed of a batch in agent-steps per second, over whole games.

    Steps, masks and observations count; the choice of actions and resets do not.
    """
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
    """Return the speed of a ParallelEnv in agent-steps per second, over whole episodes.

    The choice of actions counts, ``reset`` does not.
    """
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
    """Return a random legal action for each agent."""
    actions = {}
    for name, observation in observations.items():
        legal = _legal_actions(observation["action_mask"].tobytes())
        actions[name] = legal[int(random() * len(legal))]
    return actions


def choose_hand_sign(observations: dict[str, Any]) -> dict[str, int]:
    """Return a random action of rps_v2 for each agent: rock, paper or scissors."""
    return {name: int(random() * 3) for name in observations}
