"""How near self-play comes to the equilibrium of a game small enough to be solved, beside CFR+.

``make truth`` trains every row for as many steps on one thread, solves the game by OpenSpiel's
CFR+, and goes on where it was stopped. ``docs/update_tables.py`` and ``docs/make_images.py`` make
the table and the picture of ``docs/evidence/exact.md`` from what is written.
"""

from __future__ import annotations

import json
import time
from copy import copy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import numpy as np

from agents.recipes.recipe import Recipe
from agents.training.checkpoint import Checkpoint
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig, default_config, task_of
from benchmarks.same_way import check_known, row_of, same
from kododo_env import registry
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import first_of_best
from kododo_env.core.bounds import Bound, Steps, check_settings
from kododo_env.games.kododo.rules import Rules
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.search.exact import Strategy, Uniform, exact, exact_of, mixture, strategy
from kododo_env.search.gambit import efg, set_numbers
from kododo_env.search.game_tree import GameTree
from kododo_env.system.extras import needs
from kododo_env.system.files import write_text

needs("benchmarks/exact_truth.py", "open-spiel", "pyspiel")

import pyspiel  # noqa: E402

GAME, RULES = "kododo", asdict(Rules.mixed())
TEMPERATURES = (1.0, 0.5, 0.25)
MARGINS = (0.05, 0.01)  # weights of the margin in a reward: the recipe's, and the best row's
NETWORK = {"width": 64, "depth": 2}  # of a game of 1,584 information sets
ALONE: dict[str, Any] = {"expert": ""}
MORE = {**ALONE, "n_epochs": 3, "batch_size": 1024}
ROWS: dict[str, dict[str, Any]] = {
    "recipe": {},
    "self-play only": ALONE,
    "self-play only, 3 epochs, batches of 1,024": MORE,
    "the same, no magnet": {**MORE, "magnet": 0.0},
    "the same, magnet .5, entropy .5 to .02": {**MORE, "magnet": 0.5, "ent_coef": 0.5},
    "the same, magnet 1, entropy .1 to .005, margin .01 (best)": {
        **MORE,
        "magnet": 1.0,
        "final_ent_coef": 0.005,
        "margin_weight": MARGINS[1],
    },
    "the same, Adam only": {
        **MORE,
        "muon": 0.0,
        "learning_rate": 1e-3,
        "final_learning_rate": 5e-5,
    },
    "recipe, half of the updates against heuristic and follow": {
        "n_epochs": 3,
        "magnet": 0.0,
        "opponents": ("heuristic", "follow"),
        "ent_coef": 0.03,
    },
}
"""What is changed in the recipe, by its name; the network is small in all."""


@dataclass(frozen=True)
class TruthConfig:
    """Train on a small game, and write how much a best response gains as learning goes on."""

    steps: Steps = 4_800_000
    """Agent-steps for which each is trained."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """How many times each."""
    evaluations: Annotated[int, Bound(1, 10_000)] = 24
    """How often each is measured while it learns."""
    iterations: Annotated[int, Bound(1, 1_000_000)] = 200
    """Iterations of CFR+."""
    rows: tuple[str, ...] = tuple(ROWS)
    """Which of them, by name."""
    json: Path = Path(__file__).parents[1] / "docs" / "exact.json"
    """The file that is written after each training; what it has already is not done again."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_known("row", self.rows, ROWS)


def truth(config: TruthConfig) -> None:
    """Solve the game and train what the file does not have yet; print a line for each.

    Raises:
        ValueError: The file holds something else.
    """
    tree = GameTree(registry.batch_game(GAME, 1, 0, **RULES))
    found = _begun(config, tree)
    for seed in range(config.seeds):
        for row in found["rows"]:
            if len(row["seeds"]) == seed and row["what"] in config.rows:
                curve = _learned(config, row["changes"], seed)
                row["seeds"].append({"seed": seed, "curve": curve})
                write_text(config.json, json.dumps(found, indent=1) + "\n")
                print(f"\n{row['what']}, seed {seed}: {curve[-1]}", flush=True)


def _begun(config: TruthConfig, tree: GameTree) -> dict[str, Any]:
    """What the file has, or the beginning of one: the game, and how it is solved."""
    about = {
        "game": GAME,
        "rules": json.loads(json.dumps(RULES)),
        "steps": config.steps,
        "evaluations": config.evaluations,
        "iterations": config.iterations,
    }
    if config.json.exists():
        found: dict[str, Any] = json.loads(config.json.read_text())
    else:
        found = {
            **about,
            "deals": len(tree.chances),
            "information_sets": tree.information_sets,
            "uniform": exact(tree, Uniform()).nash_conv,
            **solved(tree, config.iterations),
            "rows": [],
        }
    known = {row["what"]: row for row in found["rows"]}
    wanted = {
        name: row_of(name, ROWS[name], settings(config, ROWS[name], 0).settings)
        for name in config.rows
    }
    gone_on_with = all(same(known.get(name, row), row) for name, row in wanted.items())
    if not (about.items() <= found.items() and gone_on_with):
        raise ValueError(f"{config.json} holds something else: move it away")
    found["rows"] += [row for name, row in wanted.items() if name not in known]
    return found


# --- CFR+ -----------------------------------------------------------------------------------


def solved(tree: GameTree, iterations: int) -> dict[str, Any]:
    """NashConv of CFR+'s average policy after 1, 2, 4, ... iterations; and of its likeliest."""
    game = pyspiel.load_efg_game(efg(tree))
    solver, curve, begun = pyspiel.CFRPlusSolver(game), [], time.process_time()
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration & (iteration - 1) and iteration != iterations:
            continue
        seconds = time.process_time() - begun
        policy = strategies_of(tree, solver.average_policy())
        gained = exact_of(tree, policy).nash_conv
        curve.append({"iteration": iteration, "seconds": seconds, "nash_conv": gained})
        begun = time.process_time() - seconds  # what is measured here costs the solver nothing
    likeliest = [[np.eye(each.shape[1])[first_of_best(each)] for each in own] for own in policy]
    return {
        "cfr": curve,
        "likeliest": exact_of(tree, likeliest).nash_conv,
        "rewarded": [solved_for(tree, weight, iterations) for weight in MARGINS],
    }


def solved_for(tree: GameTree, margin_weight: float, iterations: int) -> dict[str, float]:
    """NashConv, in shares of the victory, of CFR+'s average policy for a recipe's reward."""
    game = rewarded(tree, Recipe(margin_weight=margin_weight))
    solver = pyspiel.CFRPlusSolver(pyspiel.load_efg_game(efg(game)))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    gained = exact_of(tree, strategies_of(tree, solver.average_policy())).nash_conv
    return {"margin_weight": margin_weight, "nash_conv": gained}


def rewarded(tree: GameTree, recipe: Recipe) -> GameTree:
    """The same game, with what a recipe rewards in place of the shares of the victory."""
    game, before = copy(tree), np.zeros((len(tree.chances), tree.num_players))
    game.steps = []
    reward = recipe.reward_function()
    for step in tree.steps:
        after = step.games.take(step.before)
        after.step(step.actions)
        gained = before[step.before] + reward(after)
        game.steps.append(replace(step, shares=np.where(step.over[:, None], gained, 0.0)))
        before = gained[~step.over]
    return game


def strategies_of(tree: GameTree, policy: Any) -> list[Strategy]:
    """What a policy of OpenSpiel does in a game that was loaded from ``efg``.

    OpenSpiel numbers a player's actions as they come, and they come in order here.
    """
    found = []
    for player in range(tree.num_players):
        own = []
        for step, numbers in enumerate(set_numbers(tree, player)):
            chances = tree.steps[step].legal[player].astype(np.float64)
            for one in np.flatnonzero(chances.sum(axis=1) > 1):
                said = policy.action_probabilities(f"{player}-{player}-{numbers[one]}-{step}:{one}")
                chances[one, list(said)] = list(said.values())
            own.append(chances)
        found.append(own)
    return found


# --- self-play ------------------------------------------------------------------------------


class MeasuredTrainer(Trainer):
    """A training run that is measured exactly; what that takes is not counted.

    Attributes:
        tree: The game.
        past: The strategies, seat by seat, each time that they were measured.
        begun: When the processor's time began.
    """

    def __init__(self, asked: TrainConfig, folder: Path) -> None:
        super().__init__(asked, Checkpoint(task_of(asked)), folder)
        self.tree = GameTree(registry.batch_game(GAME, 1, 0, **RULES))
        self.past: list[list[Strategy]] = []
        self.begun = time.process_time()

    def _measure(self, point: dict[str, Any]) -> None:
        seconds, tree = time.process_time() - self.begun, self.tree
        agent, seats = NetworkAgent(self.learner.network), range(self.tree.num_players)
        self.past.append([strategy(tree, agent, seat) for seat in seats])
        gained = {str(each): exact(tree, agent, each).nash_conv for each in TEMPERATURES}
        later = self.past[len(self.past) // 2 :]
        mean = [mixture(tree, [each[seat] for each in later], seat) for seat in seats]
        gained["mean"] = exact_of(tree, mean).nash_conv
        found = {"seconds": seconds, "steps": point["steps"], "nash_conv": gained}
        self.progress.curve.append({**found, "shares": {}})
        self.begun = time.process_time() - seconds


def settings(config: TruthConfig, changes: dict[str, Any], seed: int) -> TrainConfig:
    """What a row is trained by."""
    rules = tuple(
        f"{name}={json.dumps(each)}" for name, each in RULES.items() if name != "num_players"
    )
    given = {"steps": config.steps, "evaluations": config.evaluations, "threads": 1, "seed": seed}
    return default_config(
        GAME, RULES["num_players"], rules=rules, bfloat16=False, **{**given, **NETWORK, **changes}
    )


def _learned(config: TruthConfig, changes: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """The curve of one training."""
    asked = settings(config, changes, seed)
    with TemporaryDirectory() as folder:
        trainer = MeasuredTrainer(asked, Path(folder))
        trainer.run()
        if trainer.stopped:
            raise trainer.stopped
    return [
        {name: point[name] for name in ("seconds", "steps", "nash_conv")}
        for point in trainer.progress.curve
    ]


if __name__ == "__main__":
    run_cli(TruthConfig, truth)
