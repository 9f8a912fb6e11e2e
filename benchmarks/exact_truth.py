"""Measure how near self-play and CFR+ come to the equilibrium of a small game.

``make truth`` solves the game with OpenSpiel's CFR+, and trains every row for the same number of
steps on one thread. It writes docs/exact.json and resumes where it was stopped.
``docs/update_tables.py`` and ``docs/make_images.py`` make the table and the picture of
``docs/evidence/exact.md``.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
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
from benchmarks.gambit import efg, set_numbers
from benchmarks.result_rows import check_names, is_same_training, new_row
from kododo_env import registry
from kododo_env.checks.bounds import Bound, Steps, check_settings
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import first_of_best
from kododo_env.games.kododo.rules import Rules
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.search.exact import Strategy, UniformAgent, exact, exact_of, strategy
from kododo_env.search.game_tree import GameTree
from kododo_env.system.extras import needs
from kododo_env.system.files import write_text

needs("benchmarks/exact_truth.py", "open-spiel", "pyspiel")

import pyspiel  # noqa: E402

GAME = "kododo"
RULES = asdict(Rules.mixed())
TEMPERATURES = (1.0, 0.5, 0.25)
MARGINS = (0.05, 0.01)  # weights of the margin in a reward: the recipe's, and the best row's
NETWORK = {"width": 64, "depth": 2}  # for a game of 1,584 information sets
SELF_PLAY: dict[str, Any] = {"expert": ""}
LONGER = {**SELF_PLAY, "n_epochs": 3, "batch_size": 1024}
ROWS: dict[str, dict[str, Any]] = {
    "recipe": {},
    "self-play only": SELF_PLAY,
    "self-play only, 3 epochs, batches of 1,024": LONGER,
    "the same, no magnet": {**LONGER, "magnet": 0.0},
    "the same, magnet .5, entropy .5 to .02": {**LONGER, "magnet": 0.5, "ent_coef": 0.5},
    "the same, magnet 1, entropy .1 to .005, margin .01 (best)": {
        **LONGER,
        "magnet": 1.0,
        "final_ent_coef": 0.005,
        "margin_weight": MARGINS[1],
    },
    "the same, Adam only": {
        **LONGER,
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
"""The changed settings of the recipe, by row; all rows have a small network."""


@dataclass(frozen=True)
class TruthConfig:
    """Train on a small game, and measure what a best response gains during training."""

    steps: Steps = 4_800_000
    """Agent-steps of each training run."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """Number of seeds of each row."""
    evaluations: Annotated[int, Bound(1, 10_000)] = 24
    """Number of measurements of each training run."""
    iterations: Annotated[int, Bound(1, 1_000_000)] = 200
    """Iterations of CFR+."""
    rows: tuple[str, ...] = tuple(ROWS)
    """The names of the rows to train."""
    json: Path = Path(__file__).parents[1] / "docs" / "exact.json"
    """The file to write after each training run; results that it contains are not measured
    again."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)
        check_names("row", self.rows, ROWS)


def truth(config: TruthConfig) -> None:
    """Solve the game, train the rows that the file lacks, and print a line for each.

    Raises:
        ValueError: The file holds results of other settings.
    """
    tree = GameTree(registry.batch_game(GAME, 1, 0, **RULES))
    results = _initial_results(config, tree)
    for seed in range(config.seeds):
        for row in results["rows"]:
            if len(row["seeds"]) == seed and row["what"] in config.rows:
                curve = _learned(config, row["changes"], seed)
                row["seeds"].append({"seed": seed, "curve": curve})
                write_text(config.json, json.dumps(results, indent=1) + "\n")
                print(f"\n{row['what']}, seed {seed}: {curve[-1]}", flush=True)


def _initial_results(config: TruthConfig, tree: GameTree) -> dict[str, Any]:
    """Read the file, or solve the game if there is none; add empty rows."""
    settings = {
        "game": GAME,
        "rules": json.loads(json.dumps(RULES)),
        "steps": config.steps,
        "evaluations": config.evaluations,
        "iterations": config.iterations,
    }
    if config.json.exists():
        results: dict[str, Any] = json.loads(config.json.read_text())
    else:
        results = {
            **settings,
            "deals": len(tree.probabilities),
            "information_sets": tree.information_sets,
            "uniform": exact(tree, UniformAgent()).nash_conv,
            **solved(tree, config.iterations),
            "rows": [],
        }
    previous_rows = {row["what"]: row for row in results["rows"]}
    rows = {
        name: new_row(name, ROWS[name], train_config(config, ROWS[name], 0).settings)
        for name in config.rows
    }
    same_rows = all(
        is_same_training(previous_rows.get(name, row), row) for name, row in rows.items()
    )
    if not (settings.items() <= results.items() and same_rows):
        raise ValueError(f"{config.json} holds results of other settings; move the file away")
    results["rows"] += [row for name, row in rows.items() if name not in previous_rows]
    return results


# --- CFR+ -----------------------------------------------------------------------------------


def solved(tree: GameTree, iterations: int) -> dict[str, Any]:
    """Return NashConv of CFR+'s average policy after 1, 2, 4, ... iterations.

    ``likeliest`` is NashConv of the last policy if it always plays its likeliest actions.
    """
    game = pyspiel.load_efg_game(efg(tree))
    solver = pyspiel.CFRPlusSolver(game)
    curve = []
    start = time.process_time()
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration & (iteration - 1) and iteration != iterations:
            continue
        seconds = time.process_time() - start
        policy = strategies_of(tree, solver.average_policy())
        nash_conv = exact_of(tree, policy).nash_conv
        curve.append({"iteration": iteration, "seconds": seconds, "nash_conv": nash_conv})
        start = time.process_time() - seconds  # measuring does not count as the solver's time
    likeliest = [
        [np.eye(step.shape[1])[first_of_best(step)] for step in strategy] for strategy in policy
    ]
    return {
        "cfr": curve,
        "likeliest": exact_of(tree, likeliest).nash_conv,
        "rewarded": [solved_for(tree, weight, iterations) for weight in MARGINS],
    }


def solved_for(tree: GameTree, margin_weight: float, iterations: int) -> dict[str, float]:
    """Return NashConv, in win shares, of CFR+'s average policy for a recipe's reward."""
    game = rewarded(tree, Recipe(margin_weight=margin_weight))
    solver = pyspiel.CFRPlusSolver(pyspiel.load_efg_game(efg(game)))
    for _ in range(iterations):
        solver.evaluate_and_update_policy()
    nash_conv = exact_of(tree, strategies_of(tree, solver.average_policy())).nash_conv
    return {"margin_weight": margin_weight, "nash_conv": nash_conv}


def rewarded(tree: GameTree, recipe: Recipe) -> GameTree:
    """Return the same game with the reward of a recipe in place of the win shares."""
    game = copy(tree)
    game.steps = []
    total = np.zeros((len(tree.probabilities), tree.num_players))
    reward = recipe.reward_function()
    for step in tree.steps:
        after = step.games.take(step.before)
        after.step(step.actions)
        total = total[step.before] + reward(after)
        game.steps.append(replace(step, shares=np.where(step.over[:, None], total, 0.0)))
        total = total[~step.over]
    return game


def strategies_of(tree: GameTree, policy: Any) -> list[Strategy]:
    """Return the strategies of an OpenSpiel policy for a game that was loaded from ``efg``.

    OpenSpiel numbers the actions of a player in order of appearance, which is the order of the
    tree.
    """
    strategies = []
    for player in range(tree.num_players):
        player_strategy = []
        for step, numbers in enumerate(set_numbers(tree, player)):
            table = tree.steps[step].legal[player].astype(np.float64)
            for row in np.flatnonzero(table.sum(axis=1) > 1):
                information_set = f"{player}-{player}-{numbers[row]}-{step}:{row}"
                probabilities = policy.action_probabilities(information_set)
                table[row, list(probabilities)] = list(probabilities.values())
            player_strategy.append(table)
        strategies.append(player_strategy)
    return strategies


# --- self-play ------------------------------------------------------------------------------


class MeasuredTrainer(Trainer):
    """A training run that is measured exactly.

    Measuring does not count as training time.

    Attributes:
        tree: The game.
        past: The strategies by seat at each measurement.
        start: The processor time at which the training began.
    """

    def __init__(self, config: TrainConfig, folder: Path) -> None:
        super().__init__(config, Checkpoint(task_of(config)), folder)
        self.tree = GameTree(registry.batch_game(GAME, 1, 0, **RULES))
        self.past: list[list[Strategy]] = []
        self.start = time.process_time()

    def _measure(self, point: dict[str, Any]) -> None:
        seconds = time.process_time() - self.start
        tree = self.tree
        agent = NetworkAgent(self.learner.network)
        seats = range(tree.num_players)
        self.past.append([strategy(tree, agent, seat) for seat in seats])
        nash_conv = {
            str(temperature): exact(tree, agent, temperature).nash_conv
            for temperature in TEMPERATURES
        }
        later_half = self.past[len(self.past) // 2 :]
        mean = [
            mixture(tree, [strategies[seat] for strategies in later_half], seat) for seat in seats
        ]
        nash_conv["mean"] = exact_of(tree, mean).nash_conv
        measurement = {"seconds": seconds, "steps": point["steps"], "nash_conv": nash_conv}
        self.progress.curve.append({**measurement, "shares": {}})
        self.start = time.process_time() - seconds


def train_config(config: TruthConfig, changes: dict[str, Any], seed: int) -> TrainConfig:
    """Return the training configuration of a row."""
    rules = tuple(
        f"{name}={json.dumps(rule)}" for name, rule in RULES.items() if name != "num_players"
    )
    options = {"steps": config.steps, "evaluations": config.evaluations, "threads": 1, "seed": seed}
    return default_config(
        GAME, RULES["num_players"], rules=rules, bfloat16=False, **{**options, **NETWORK, **changes}
    )


def _learned(config: TruthConfig, changes: dict[str, Any], seed: int) -> list[dict[str, Any]]:
    """Train once and return the learning curve."""
    with TemporaryDirectory() as folder:
        trainer = MeasuredTrainer(train_config(config, changes, seed), Path(folder))
        trainer.run()
        if trainer.stopped:
            raise trainer.stopped
    return [
        {name: point[name] for name in ("seconds", "steps", "nash_conv")}
        for point in trainer.progress.curve
    ]


def mixture(tree: GameTree, strategies: Sequence[Strategy], player: int) -> Strategy:
    """Return the strategy of a player who draws one of several strategies before each game.

    Args:
        tree: The game.
        strategies: Strategies of this player, drawn uniformly.
        player: The player.

    Returns:
        The equivalent strategy: in each information set the mean of the action probabilities,
        weighted by the probability that a strategy reaches the set. If no strategy reaches it, all
        legal actions are equally likely.
    """
    total = [np.zeros(step.legal[player].shape) for step in tree.steps]
    for component in strategies:
        reach = np.ones(
            len(tree.probabilities)
        )  # the player's own contribution to the reach probability
        for step, probabilities, summed in zip(tree.steps, component, total, strict=True):
            summed += reach[step.first[player], None] * probabilities
            action_probabilities = probabilities[
                step.sets[player][step.before], step.actions[:, player]
            ]
            reach = (reach[step.before] * action_probabilities)[~step.over]
    mean_strategy: Strategy = []
    for step, summed in zip(tree.steps, total, strict=True):
        legal = step.legal[player]
        weights = np.where(summed.sum(axis=1, keepdims=True) > 0, summed, legal)
        mean_strategy.append(weights / weights.sum(axis=1, keepdims=True))
    return mean_strategy


if __name__ == "__main__":
    run_cli(TruthConfig, truth)
