"""How speeds compare on one core: ``make ratios`` writes docs/speed.json.

Ratios, since they differ less from machine to machine than speeds do. It takes some minutes;
``docs/update_tables.py`` makes the table of ``docs/speed.md`` from what is written.
"""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import numpy as np
from bench_core import Recording, kilobytes_per_game, mask_and_observation, mask_and_rows
from bench_parallel_env import PLAYERS, SECONDS, rps_parallel_env

from kododo_env import registry
from kododo_env.commands.bench import choose_hand_sign, choose_legal, parallel_env_speed
from kododo_env.system.files import write_text

SPEEDS = Path(__file__).parents[1] / "docs" / "speed.json"
MANY, MOST, ROUNDS = 4096, 65536, 5


def together(game: str) -> str:
    """Many games at once against one alone; step, mask and observation."""
    one, many = (Recording(registry.batch_game(game, num, seed=0)) for num in (1, MANY))
    ratio = many.speed(mask_and_observation(many.game)) / one.speed(mask_and_observation(one.game))
    return f"{ratio:.0f} ×"


def rows(game: str) -> str:
    """The time with observations as contiguous rows against the core's own order."""
    many = Recording(registry.batch_game(game, MANY, seed=0))
    own = many.speed(mask_and_observation(many.game))
    return f"{own / many.speed(mask_and_rows(np.uint8)(many.game)):.1f} ×"


def parallel_env(game: str) -> str:
    """One ParallelEnv against PettingZoo's smallest; they take turns."""
    env, peer = registry.door(game).parallel_env(num_players=PLAYERS), rps_parallel_env()
    speeds = [
        parallel_env_speed(env, choose_legal, SECONDS)
        / parallel_env_speed(peer, choose_hand_sign, SECONDS)
        for _ in range(ROUNDS)
    ]
    return f"{median(speeds):.1f} ×"


def memory(game: str) -> str:
    """What a game takes among many."""
    return f"{kilobytes_per_game(game, MOST)[0]:.1f} KB"


ROWS = {
    f"{MANY:,} games at once against one alone: step, mask and observation": together,
    "the same with observations as contiguous rows: time against the core's own order": rows,
    f"one `parallel_env` of {PLAYERS} players against PettingZoo's `rps_v2`": parallel_env,
    f"memory of a game among {MOST:,}, observation, mask and deck included": memory,
}


def main() -> None:
    games = list(registry.DOORS)
    found = {what: {game: measure(game) for game in games} for what, measure in ROWS.items()}
    write_text(
        SPEEDS, json.dumps({"games": games, "rows": found}, indent=1, ensure_ascii=False) + "\n"
    )


if __name__ == "__main__":
    main()
