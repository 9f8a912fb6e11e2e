"""One ParallelEnv of each game, random legal play, beside PettingZoo's rock-paper-scissors.

Counted are ``step`` and the choosing of actions, not ``reset``. The environments take turns,
so that whatever else the machine does hits them alike, and time is that of the process (with
OMP_NUM_THREADS=1: of one core).
"""

from __future__ import annotations

from random import seed
from statistics import median
from typing import Any

from pettingzoo.classic.rps.rps import parallel_env as rps_parallel_env

from kododo_env import registry
from kododo_env.commands.bench import choose_hand_sign, choose_legal, parallel_env_speed

PLAYERS = 4
ROUNDS = 5
SECONDS = 0.5
"""Of each environment in each round."""


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
            speeds[name].append(parallel_env_speed(env, choose, SECONDS))
    print(f"one ParallelEnv, random legal play, agent-steps/s, median (best) of {ROUNDS} rounds")
    for name, measured in speeds.items():
        ratio = median(measured) / median(speeds[peer])
        print(f"{name:31} {median(measured):9,.0f} ({max(measured):9,.0f})  {ratio:4.2f} x rps_v2")


if __name__ == "__main__":
    main()
