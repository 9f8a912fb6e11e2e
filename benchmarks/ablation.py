"""What each change of a recipe is worth: every row is trained with three seeds.

``make ablation`` trains every row of every table for as many steps on one thread, seed by seed, and
goes on where it was stopped: what was measured with the same settings is not done again. It
takes hours. ``docs/update_tables.py`` makes the tables of ``docs/evidence/ablations.md`` from it.
A row that is ``taught_by`` another row imitates the policy which that row gave with the same seed.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Annotated, Any

from agents.commands.train import train
from agents.release.strength import CHOICE_RESPONSE, response_gain
from agents.training.duels import against
from agents.training.run_folder import POLICY
from agents.training.training_config import TrainConfig, default_config, task_of
from benchmarks.same_way import check_known, row_of, same
from kododo_env.agent_registry import (
    VALIDATION,
    held_out,
    policy_tables,
    population,
    without_searches,
)
from kododo_env.commands.cli import run_cli
from kododo_env.core.bounds import Bound, Games, Steps, check_settings
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import write_text

FILE = Path(__file__).with_name("ablation_rows.json")
TABLES: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
STEPS: dict[str, int] = {name: table["steps"] for name, table in TABLES.items()}
RESPONSE_STEPS: dict[str, int] = {
    name: table.get("response_steps", CHOICE_RESPONSE["steps"]) for name, table in TABLES.items()
}
ROWS: dict[str, dict[str, dict[str, Any]]] = {name: table["rows"] for name, table in TABLES.items()}
"""What is changed, by its name, for each table."""
TAUGHT_BY = "taught_by"
"""Of a row's changes: the row whose policy is imitated."""
VALIDATION_SHARE = 4
"""Each validation opponent is played in this share of the games; only their mean is reported."""

# Others than those of train.py and of choosing what ships, which meets its worst stranger on them.
DEALS = 1003


@dataclass(frozen=True)
class AblationConfig:
    """Train recipes with changes, and write how each fares against whom it never met."""

    tables: tuple[str, ...] = tuple(ROWS)
    """Which tables, such as kododo-4p; what the file has of the others stays."""
    steps: Steps | None = None
    """Agent-steps for which each row is trained; if not given those of its table."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """How many times each."""
    games: Games = 4_000
    """Games against each opponent."""
    response_steps: Steps | None = None
    """Agent-steps of the best response; if not given those of its table."""
    runs: Path = Path("runs/ablation")
    """The folder of the trainings, which stay there."""
    json: Path = Path(__file__).parents[1] / "docs" / "ablation.json"
    """The file that is written after each training."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_known("table", self.tables, ROWS)


def ablation(config: AblationConfig) -> None:
    """Train and measure what the file does not have yet.

    Raises:
        ValueError: The file holds a table that was measured in another way.
    """
    found = json.loads(config.json.read_text()) if config.json.exists() else {}
    for table in config.tables:
        found[table] = _begun(config, table, found.get(table, {}))
    for seed in range(config.seeds):
        for table in config.tables:
            for row in found[table]["rows"]:
                if row["what"] in ROWS[table] and len(row["seeds"]) == seed:
                    print(f"\n== {table}, {row['what']}, seed {seed}", flush=True)
                    row["seeds"].append(_measured(config, table, row["what"], seed))
                    write_text(config.json, json.dumps(found, indent=1) + "\n")


def _begun(config: AblationConfig, table: str, found: dict[str, Any]) -> dict[str, Any]:
    """What the file has of a table, and the beginning of the rest.

    A row stays if its changes and its recipe are as they were. One that is not in ``ROWS`` any
    more stays as well.
    """
    about = {
        "steps": config.steps or STEPS[table],
        "games": config.games,
        "response_steps": config.response_steps or RESPONSE_STEPS[table],
    }
    if found and not about.items() <= found.items():
        raise ValueError(f"{config.json} has {table} measured in another way: move it away")
    done, rows = {row["what"]: row for row in found.get("rows", ())}, []
    for what, changes in ROWS[table].items():
        row = row_of(what, changes, _run(config, table, changes).settings)
        before = done.pop(what, None)
        rows.append(before if before and same(before, row) else row)
    return {**about, "rows": [*rows, *done.values()]}


def _game_and_players(table: str) -> tuple[str, int]:
    """Of a table's name, such as ``kododo-4p`` or ``kododo-4p, three minutes``."""
    return policy_tables()[table.split(",")[0]]


def _run(config: AblationConfig, table: str, changes: dict[str, Any], **how: Any) -> TrainConfig:
    how |= {"steps": config.steps or STEPS[table], "games": config.games}
    how |= {name: value for name, value in changes.items() if name != TAUGHT_BY}
    return default_config(*_game_and_players(table), **{"evaluations": 1, "threads": 1, **how})


def _folder(config: AblationConfig, table: str, what: str, seed: int) -> Path:
    return config.runs / re.sub("[^a-z0-9]+", "-", f"{table} {what}") / f"seed-{seed}"


def _teacher(config: AblationConfig, table: str, what: str, seed: int) -> str:
    """The policy that a row gave.

    Raises:
        ValueError: It is not there.
    """
    file = _folder(config, table, what, seed) / POLICY
    if not file.exists():
        raise ValueError(
            f"{file} teaches, but is not there: take {what!r} out of {config.json}, and it is "
            "trained again"
        )
    return str(file)


def _measured(config: AblationConfig, table: str, what: str, seed: int) -> dict[str, float]:
    """What one training gives, by the heads of the page's columns: those held out first."""
    changes, folder = ROWS[table][what], _folder(config, table, what, seed)
    how: dict[str, Any] = {"seed": seed, "run_dir": folder}
    if TAUGHT_BY in changes:
        how["expert"] = _teacher(config, table, changes[TAUGHT_BY], seed)
    shutil.rmtree(folder, ignore_errors=True)  # of a training that was stopped
    run = _run(config, table, changes, **how)
    begun = time.process_time()
    train(run)
    minutes = (time.process_time() - begun) / 60
    policy = OnnxAgent(folder / POLICY)
    names = without_searches(held_out(*_game_and_players(table)))
    unmet = against(policy, task_of(run), config.games, DEALS, names)
    validation = without_searches(population(*_game_and_players(table), VALIDATION))
    games = max(run.players, config.games // VALIDATION_SHARE)
    shares = against(policy, task_of(run), games, DEALS, validation)
    response_steps = config.response_steps or RESPONSE_STEPS[table]
    gain = response_gain(policy, response_steps, config.games)
    known = json.loads((folder / "results.json").read_text())
    return {
        **{f"v {name} (held out)": each.share.mean for name, each in unmet.items()},
        f"a best response of {response_steps:,} steps gains": gain,
        "v validation opponents": fmean(result.share.mean for result in shares.values()),
        **{f"v {name}": known[name]["share"]["mean"] for name in reversed(known)},
        "minutes of a core": minutes,
    }


if __name__ == "__main__":
    run_cli(AblationConfig, ablation)
