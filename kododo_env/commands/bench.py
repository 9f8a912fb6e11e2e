"""How fast a machine plays, beside PettingZoo's smallest game: what ``kododo bench`` prints.

Random legal play; the contenders take turns, so that whatever else the machine does hits them
alike, and time is that of the process. An agent-step is one player's step, so a step of N games
of P players counts N * P of them.
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
    """At a table; rps_v2 has 2."""
    num_envs: Annotated[int, Bound(1, 1_000_000)] = 4096
    """Games in a batch."""
    seconds: Annotated[float, positive(3600)] = 0.3
    """Of each contender in each round."""
    rounds: Annotated[int, Bound(1, 1000)] = 5
    """The median of this many is printed."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)


def bench(config: BenchConfig) -> None:
    """Measure, and print the table."""
    contenders = contenders_of(config)
    for measure in contenders.values():
        measure()  # the first time what is imported and built once is not counted
    rounds = [
        {name: measure() for name, measure in contenders.items()} for _ in range(config.rounds)
    ]
    speeds = {name: median(each[name] for each in rounds) for name in contenders}
    rows: list[tuple[str, ...]] = [("random legal play, one process", "agent-steps/s", "x rps_v2")]
    for name, speed in speeds.items():
        ratio = f"{speed / speeds[PEER]:.1f}" if PEER in speeds else "-"
        rows.append((name, f"{speed:,.0f}", ratio))
    print(table(rows), flush=True)
    if PEER not in speeds:
        print(f"{PEER} is not here: pip install 'pettingzoo[classic]'")


def contenders_of(config: BenchConfig) -> dict[str, Speed]:
    """What is measured: for each a function that plays for a while and gives agent-steps a second.

    Raises:
        ValueError: No game is played with this many players.
    """
    found: dict[str, Speed] = {}
    for game in registry.DOORS:
        door = registry.door(game)
        if config.players in door.PLAYERS:
            batch = door.batch_game(config.num_envs, seed=0, num_players=config.players)
            env = door.parallel_env(num_players=config.players)
            found[f"{game}, {config.num_envs:,} games at once"] = partial(
                batch_speed, batch, config.seconds
            )
            found[f"{game}, one parallel_env"] = partial(
                parallel_env_speed, env, choose_legal, config.seconds
            )
    if not found:
        raise ValueError(f"no game is played with {config.players} players")
    if find_spec("pygame"):  # it draws with it
        from pettingzoo.classic.rps.rps import parallel_env

        found[PEER] = partial(parallel_env_speed, parallel_env(), choose_hand_sign, config.seconds)
    return found


def batch_speed(game: Any, seconds: float) -> float:
    """Step, mask and observation of whole games; what is chosen is not counted."""
    played, spent, rng = 0, 0.0, np.random.default_rng(0)
    while spent < seconds:
        game.reset()
        mask = game.legal_action_mask()
        while not game.terminated.all():
            actions = random_legal_actions(mask, rng)
            begun = process_time()
            game.step(actions)
            mask = game.legal_action_mask()
            game.observe()
            spent += process_time() - begun
            played += actions.size
    return played / spent


def parallel_env_speed(
    env: Any, choose: Callable[[dict[str, Any]], dict[str, int]], seconds: float
) -> float:
    """Whole episodes of a ParallelEnv, choosing included, ``reset`` not."""
    played, spent = 0, 0.0
    while spent < seconds:
        observations, _ = env.reset()
        begun = process_time()
        while env.agents:
            played += len(env.agents)
            observations = env.step(choose(observations))[0]
        spent += process_time() - begun
    return played / spent


@cache
def _legal_actions(mask: bytes) -> list[int]:
    """The legal actions of a mask; there are few different masks, so this costs a look-up."""
    return [int(action) for action in np.flatnonzero(np.frombuffer(mask, np.int8))]


def choose_legal(observations: dict[str, Any]) -> dict[str, int]:
    """A legal action for each agent."""
    actions = {}
    for name, seen in observations.items():
        legal = _legal_actions(seen["action_mask"].tobytes())
        actions[name] = legal[int(random() * len(legal))]
    return actions


def choose_hand_sign(observations: dict[str, Any]) -> dict[str, int]:
    """Rock, paper or scissors for each agent."""
    return {name: int(random() * 3) for name in observations}
