"""What each part of a recipe is for: it is trained without that part, with three seeds.

``make ablation`` trains every row for as many steps on one thread, which takes
an hour, and goes on where it was stopped. ``docs/update_tables.py`` makes the table of
``docs/training.md`` from what is written.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tyro

from agents.commands.train import train
from agents.ppo.budget import Budget
from agents.recipes.recipe import SCRATCH
from agents.training.training_config import DEFAULT_GAME, default_config
from kododo_env.system.files import write_text

ROWS: dict[str, dict[str, Any]] = {
    "the recipe": {},
    "learned from nothing": {"recipe": SCRATCH},
    "no self-play, imitation alone": {"imitation_share": 1.0},
    "no scripted opponents": {"opponents_share": 0.0},
    "Adam alone": {"muon": 0.0},
}
"""What is changed, by its name."""


@dataclass(frozen=True)
class AblationConfig:
    """Train a recipe without its parts, and write how each fares against the baselines."""

    game: str = DEFAULT_GAME
    """Which game."""
    players: int = 4
    """How many players."""
    steps: int = 6_000_000
    """Agent-steps for which each is trained."""
    seeds: int = 3
    """How many times each."""
    games: int = 4_000
    """Games against each baseline."""
    rows: tuple[str, ...] = tuple(ROWS)
    """Which of them, by name."""
    json: Path = Path(__file__).parents[1] / "docs" / "ablation.json"
    """The file that is written after each training; what it has already is not done again."""


def ablation(config: AblationConfig) -> None:
    """Train what the file does not have yet.

    Raises:
        ValueError: The file holds an ablation of something else.
    """
    found = _begun(config)
    for row in found["rows"]:
        for seed in range(len(row["seeds"]), config.seeds):
            print(f"\n== {row['what']}, seed {seed}", flush=True)
            row["seeds"].append({"seed": seed, "shares": _shares(config, ROWS[row["what"]], seed)})
            write_text(config.json, json.dumps(found, indent=1) + "\n")


def _begun(config: AblationConfig) -> dict[str, Any]:
    """What the file has, or the beginning of one."""
    about = {
        "game": config.game,
        "players": config.players,
        "budget": Budget(steps=config.steps).text(),
        "threads": 1,
        "games": config.games,
        "seeds": config.seeds,
    }
    rows = [{"what": name, "changes": ROWS[name], "seeds": []} for name in config.rows]
    if not config.json.exists():
        return {**about, "rows": rows}
    found: dict[str, Any] = json.loads(config.json.read_text())
    changes = [(row["what"], row["changes"]) for row in found["rows"]]
    if {**found, "rows": 0} != {**about, "rows": 0} or changes != [
        (row["what"], row["changes"]) for row in rows
    ]:
        raise ValueError(f"{config.json} holds an ablation of something else: move it away")
    return found


def _shares(config: AblationConfig, changes: dict[str, Any], seed: int) -> dict[str, float]:
    """The win shares of one training against the baselines."""
    with TemporaryDirectory() as folder:
        settings = {
            "steps": config.steps, "games": config.games,
            "evaluations": 1, "threads": 1, "seed": seed, "run_dir": Path(folder, "run"),
        }  # fmt: skip
        train(default_config(config.game, config.players, **{**settings, **changes}))
        results = json.loads(Path(folder, "run", "results.json").read_text())
    return {name: each["share"]["mean"] for name, each in results.items()}


if __name__ == "__main__":
    ablation(tyro.cli(AblationConfig))
