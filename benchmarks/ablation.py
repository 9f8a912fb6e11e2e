"""Measure the effect of each change of a recipe: ``make ablation`` writes docs/ablation.json.

Every row of every table is trained with three seeds, for the same number of steps, on one thread.
The command resumes where it was stopped and skips rows that were measured with the same settings.
It takes hours. A row that is ``taught_by`` another row imitates the policy of that row with the
same seed. ``docs/update_tables.py`` makes the tables of ``docs/evidence/ablations.md``.
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
from benchmarks.result_rows import check_names, is_same_training, new_row
from kododo_env.agent_registry import policy_tables, without_searches
from kododo_env.checks.bounds import Bound, Games, Steps, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.held_out import VALIDATION, held_out, population
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import write_text

FILE = Path(__file__).with_name("ablation_rows.json")
TABLES: dict[str, dict[str, Any]] = json.loads(FILE.read_text())
STEPS: dict[str, int] = {name: table["steps"] for name, table in TABLES.items()}
RESPONSE_STEPS: dict[str, int] = {
    name: table.get("response_steps", CHOICE_RESPONSE["steps"]) for name, table in TABLES.items()
}
ROWS: dict[str, dict[str, dict[str, Any]]] = {name: table["rows"] for name, table in TABLES.items()}
"""The changed settings of each row, by table and name of the row."""
TAUGHT_BY = "taught_by"
"""The change that names the row whose policy is imitated."""
VALIDATION_SHARE = 4
"""Each validation opponent gets 1 / VALIDATION_SHARE of the games; only their mean is reported."""

# Neither the seed of train.py nor that of the selection of shipped policies.
DEALS = 1003


@dataclass(frozen=True)
class AblationConfig:
    """Train recipes with changes, and measure the policies against held-out opponents."""

    tables: tuple[str, ...] = tuple(ROWS)
    """The tables to measure, such as kododo-4p; results of other tables stay in the file."""
    steps: Steps | None = None
    """Agent-steps of each training run; by default those of its table."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """Number of seeds of each row."""
    games: Games = 4_000
    """Games against each opponent."""
    response_steps: Steps | None = None
    """Agent-steps of the best response; by default those of its table."""
    runs: Path = Path("runs/ablation")
    """The folder of the training runs, which are kept."""
    json: Path = Path(__file__).parents[1] / "docs" / "ablation.json"
    """The file to write after each training run."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_names("table", self.tables, ROWS)


def ablation(config: AblationConfig) -> None:
    """Train and measure the rows that the file lacks.

    Raises:
        ValueError: The file holds a table that was measured with other settings.
    """
    results = json.loads(config.json.read_text()) if config.json.exists() else {}
    for table in config.tables:
        results[table] = _table_results(config, table, results.get(table, {}))
    for seed in range(config.seeds):
        for table in config.tables:
            for row in results[table]["rows"]:
                if row["what"] in ROWS[table] and len(row["seeds"]) == seed:
                    print(f"\n== {table}, {row['what']}, seed {seed}", flush=True)
                    row["seeds"].append(_measured(config, table, row["what"], seed))
                    write_text(config.json, json.dumps(results, indent=1) + "\n")


def _table_results(config: AblationConfig, table: str, previous: dict[str, Any]) -> dict[str, Any]:
    """Return the previous results of a table, with empty rows for the rest.

    A row keeps its results if its changes and its recipe are unchanged. Rows that are no longer in
    ``ROWS`` stay as well.
    """
    settings = {
        "steps": config.steps or STEPS[table],
        "games": config.games,
        "response_steps": config.response_steps or RESPONSE_STEPS[table],
    }
    if previous and not settings.items() <= previous.items():
        raise ValueError(
            f"{config.json} holds {table} measured with other settings; move the file away"
        )
    previous_rows = {row["what"]: row for row in previous.get("rows", ())}
    rows = []
    for name, changes in ROWS[table].items():
        row = new_row(name, changes, _run(config, table, changes).settings)
        before = previous_rows.pop(name, None)
        rows.append(before if before and is_same_training(before, row) else row)
    return {**settings, "rows": [*rows, *previous_rows.values()]}


def _game_and_players(table: str) -> tuple[str, int]:
    """Read a table's name, such as ``kododo-4p`` or ``kododo-4p, three minutes``."""
    return policy_tables()[table.split(",")[0]]


def _run(
    config: AblationConfig, table: str, changes: dict[str, Any], **options: Any
) -> TrainConfig:
    options |= {"steps": config.steps or STEPS[table], "games": config.games}
    options |= {name: setting for name, setting in changes.items() if name != TAUGHT_BY}
    return default_config(*_game_and_players(table), **{"evaluations": 1, "threads": 1, **options})


def _folder(config: AblationConfig, table: str, row: str, seed: int) -> Path:
    return config.runs / re.sub("[^a-z0-9]+", "-", f"{table} {row}") / f"seed-{seed}"


def _teacher(config: AblationConfig, table: str, row: str, seed: int) -> str:
    """Return the path of the policy that a row produced.

    Raises:
        ValueError: The file does not exist.
    """
    file = _folder(config, table, row, seed) / POLICY
    if not file.exists():
        raise ValueError(
            f"the teacher {file} does not exist: remove {row!r} from {config.json} to train it "
            "again"
        )
    return str(file)


def _measured(config: AblationConfig, table: str, row: str, seed: int) -> dict[str, float]:
    """Train once; return the results by column head, those of held-out opponents first."""
    changes = ROWS[table][row]
    folder = _folder(config, table, row, seed)
    options: dict[str, Any] = {"seed": seed, "run_dir": folder}
    if TAUGHT_BY in changes:
        options["expert"] = _teacher(config, table, changes[TAUGHT_BY], seed)
    shutil.rmtree(folder, ignore_errors=True)  # left by a training that was stopped
    run = _run(config, table, changes, **options)
    start = time.process_time()
    train(run)
    minutes = (time.process_time() - start) / 60
    policy = OnnxAgent(folder / POLICY)
    names = without_searches(held_out(*_game_and_players(table)))
    held_out_results = against(policy, task_of(run), config.games, DEALS, names)
    validation = without_searches(population(*_game_and_players(table), VALIDATION))
    games = max(run.players, config.games // VALIDATION_SHARE)
    shares = against(policy, task_of(run), games, DEALS, validation)
    response_steps = config.response_steps or RESPONSE_STEPS[table]
    gain = response_gain(policy, response_steps, config.games)
    trained_results = json.loads((folder / "results.json").read_text())
    return {
        **{f"v {name}": result.share.mean for name, result in held_out_results.items()},
        f"a best response of {response_steps:,} steps gains": gain,
        "v validation opponents": fmean(result.share.mean for result in shares.values()),
        **{
            f"v {name}": trained_results[name]["share"]["mean"]
            for name in reversed(trained_results)
        },
        "minutes of a core": minutes,
    }


if __name__ == "__main__":
    run_cli(AblationConfig, ablation)
