"""One ParallelEnv of each game, random legal play, beside PettingZoo's rock-paper-scissors.

Counted are ``step`` and the choosing of actions, not ``reset``. The environments take turns,
so that whatever else the machine does hits them alike, and time is that of the process (with
OMP_NUM_THREADS=1: of one core).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import random, seed
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from pettingzoo.classic.rps.rps import parallel_env as rps_parallel_env

from kododo_env import registry

PLAYERS = 4
ROUNDS = 5
SECONDS = 0.5
"""Of each environment in each round."""


@cache
def legal_actions(mask: bytes) -> list[int]:
    """The legal actions of a mask; there are few different masks, so this costs a look-up."""
    return [int(action) for action in np.flatnonzero(np.frombuffer(mask, np.int8))]


def choose_legal(observations: dict[str, Any]) -> dict[str, int]:
    actions = {}
    for name, seen in observations.items():
        legal = legal_actions(seen["action_mask"].tobytes())
        actions[name] = legal[int(random() * len(legal))]
    return actions


def choose_hand_sign(observations: dict[str, Any]) -> dict[str, int]:
    return {name: int(random() * 3) for name in observations}


def agent_steps_per_second(env: Any, choose: Callable[[dict[str, Any]], dict[str, int]]) -> float:
    played, spent = 0, 0.0
    while spent < SECONDS:
        observations, _ = env.reset()
        begun = process_time()
        while env.agents:
            played += len(env.agents)
            observations = env.step(choose(observations))[0]
        spent += process_time() - begun
    return played / spent


def main() -> None:
    seed(0)
    contenders: dict[str, tuple[Any, Any]] = {
        f"{game}, {PLAYERS} players": (
            registry.door(game).parallel_env(num_players=PLAYERS),
            choose_legal,
        )
        for game in registry.DOORS
    }
    peer = "PettingZoo's rps_v2, 2 players"
    contenders[peer] = (rps_parallel_env(), choose_hand_sign)
    speeds: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(ROUNDS):
        for name, (env, choose) in contenders.items():
            speeds[name].append(agent_steps_per_second(env, choose))
    print(f"one ParallelEnv, random legal play, agent-steps/s, median (best) of {ROUNDS} rounds")
    for name, measured in speeds.items():
        ratio = median(measured) / median(speeds[peer])
        print(f"{name:31} {median(measured):9,.0f} ({max(measured):9,.0f})  {ratio:4.2f} x rps_v2")


if __name__ == "__main__":
    main()
