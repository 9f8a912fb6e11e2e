"""Very short trainings with odd settings."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

from agents.commands.train import train
from agents.recipes.recipe import Recipe
from agents.training.training_config import TrainConfig
from tests.fuzz.command_lines import flags
from tests.fuzz.promises import ACCEPTED, FaultFound
from tests.fuzz.scripts import check_end, contents, run
from tests.game_tables import TABLES

SMALL = (
    "--num-envs", "4", "--batch-size", "64", "--width", "8", "--depth", "1", "--games", "8",
    "--evaluations", "1", "--threads", "1", "--steps", "1", "--run-dir", "new", "--opponents",
)  # fmt: skip
NUMBERS = (
    "0", "1e-300", "1e-30", "1e-9", "0.001", "0.1", "0.25", "0.5", "0.9", "1", "1.0", "2", "3",
    "5", "7", "10", "20", "64", "100", "1000", "1e4", "1e9", "1e15", "1e30", "1e37", "1e100",
    "1e300", "1.7e308",
)  # fmt: skip


def generate(rng: Random) -> dict[str, Any]:
    """Return a game, and one or two settings."""
    game, players = rng.choice(TABLES)
    args = ["--game", game, "--players", str(players), *SMALL]
    number_fields = [field for field in flags(Recipe) if field.type.split()[0] in ("int", "float")]
    for field in rng.sample(number_fields, rng.choice((1, 1, 2))):
        args += [f"--{field.name.replace('_', '-')}", rng.choice(NUMBERS)]
    if rng.random() < 0.2:
        args += ["--expert", ""]
    return {"args": args}


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a training is rejected, finishes, or ends with an error of one line."""
    before = contents()
    done = run(TrainConfig, train, case["args"])
    if done.code == 2 and done.out:  # the training had started, so its files stay
        done_line = done.err.strip().splitlines()[-1:]
        if not done_line or "error: " not in done_line[0] or "Traceback" in done.err:
            raise FaultFound("a training ended without a word", done.err[-300:])
        if "illegal action" in done_line[0]:
            raise FaultFound("a training ended with an illegal action", done_line[0])
        return "ended with an error"
    refused = check_end(done, before)
    if refused:
        return refused
    if not Path("new", "policy.onnx").exists():
        raise FaultFound("a training came to its end without a policy")
    return ACCEPTED
