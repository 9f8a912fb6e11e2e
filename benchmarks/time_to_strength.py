"""Seconds until a bot reaches a strength: the recipe, and beside it sb3-contrib's MaskablePPO.

``make time-to-strength`` trains both for as many minutes on the same games, seed by seed, and keeps
the policy as it is at evenly spread moments. These play only when the training is over, which
costs it nothing. What the file has already is not trained again. From it ``docs/update_tables.py``
makes the table of ``docs/training.md``, and ``docs/make_images.py`` the picture.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback

from agents.training.checkpoint import Checkpoint
from agents.training.duels import against
from agents.training.memory import game_length
from agents.training.trainer import Trainer
from agents.training.training_config import TrainConfig, default_config, task_of
from benchmarks.same_way import alike, as_json
from kododo_env.commands.cli import run_cli
from kododo_env.core.agent import Agent
from kododo_env.core.bounds import Bound, Games, Minutes, Processes, check_settings
from kododo_env.core.view import View
from kododo_env.networks.network_agent import NetworkAgent
from kododo_env.system.files import write_text
from kododo_env.wrappers.sb3 import BatchVecEnv

GAME, PLAYERS = "kododo", 4
TARGETS = {"heuristic": (0.27, 0.29, 0.30), "forecaster": (0.30, 0.33, 0.35)}
"""Win shares of one learner among copies of another: of whom the recipe imitates, and of one whom
nobody has met. Parity is .25. The second's are those that the policy that ships and its shorter
trainings have where they have the first's."""
DEALS = 2003  # others than those of train.py, and of choosing and measuring what ships


@dataclass(frozen=True)
class StrengthConfig:
    """Train both learners, and write when they were how strong."""

    minutes: Minutes = 2.0
    """How long each training takes; what its policies play afterwards is not counted."""
    seeds: Annotated[int, Bound(1, 1000)] = 3
    """How many trainings of each learner."""
    threads: Processes = 1
    """Threads of the processor for acting and learning."""
    snapshots: Annotated[int, Bound(1, 10_000)] = 10
    """At how many moments of a training its policy is kept, to play afterwards."""
    games: Games = 2_000
    """Games of each of these policies against each opponent."""
    json: Path = Path(__file__).parents[1] / "docs" / "time_to_strength.json"
    """The file that is written after each training."""

    def __post_init__(self) -> None:
        check_settings(self, flags=True)


class Snapshot(NamedTuple):
    """A policy as it was at a moment of its training.

    Attributes:
        seconds: Since the training began.
        processor: Seconds of the processor, of all threads together.
        steps: Agent-steps.
        agent: The agent that plays as the bot would have played.
    """

    seconds: float
    processor: float
    steps: int
    agent: Agent


def time_to_strength(config: StrengthConfig) -> None:
    """Train and measure what the file does not have yet; print a line for each training.

    Raises:
        ValueError: The file holds what was measured in another way.
    """
    found = _begun(config)
    for seed in range(config.seeds):
        for name, learn in LEARNERS.items():
            done = found["learners"][name]
            if any(one["seed"] == seed for one in done):
                continue
            curve = [_measured(config, each) for each in learn(asked(config, seed))]
            done.append({"seed": seed, "curve": curve, "reached": reached(curve)})
            write_text(config.json, json.dumps(found, indent=1) + "\n")
            print(f"\n{name}, seed {seed}: {curve[-1]}", flush=True)


def _begun(config: StrengthConfig) -> dict[str, Any]:
    """What the file has, or the beginning of one."""
    about = {
        "policy": f"{GAME}-{PLAYERS}p",
        **{name: getattr(config, name) for name in ("minutes", "threads", "snapshots", "games")},
        "targets": {name: list(shares) for name, shares in TARGETS.items()},
    }
    recipe = as_json(asdict(asked(config, 0).settings))
    if not config.json.exists():
        return {**about, "recipe": recipe, "learners": {name: [] for name in LEARNERS}}
    found: dict[str, Any] = json.loads(config.json.read_text())
    if not (about.items() <= found.items() and alike(found.get("recipe", {}), recipe)):
        raise ValueError(f"{config.json} was measured in another way: move it away")
    return found


def asked(config: StrengthConfig, seed: int) -> TrainConfig:
    """The training of a seed, by the game's recipe."""
    given = {"minutes": config.minutes, "threads": config.threads, "seed": seed}
    return default_config(GAME, PLAYERS, evaluations=config.snapshots, **given)


def _measured(config: StrengthConfig, kept: Snapshot) -> dict[str, Any]:
    """How a policy fares, on the same deals as all others."""
    task = task_of(asked(config, 0))
    duels = against(kept.agent, task, config.games, DEALS, list(TARGETS))
    shares = {name: each.share.mean for name, each in duels.items()}
    return {**kept._asdict(), "agent": kept.agent.name, "shares": shares}


def reached(curve: list[dict[str, Any]]) -> dict[str, list[float | None]]:
    """Seconds until each of the targets is reached for the first time; None: it is not.

    Between two moments the share is taken to change evenly.
    """
    return {
        name: [
            _reached([(p["seconds"], p["shares"][name]) for p in curve], each) for each in shares
        ]
        for name, shares in TARGETS.items()
    }


def _reached(points: list[tuple[float, float]], target: float) -> float | None:
    for (before, less), (after, more) in pairwise([(0.0, 0.0), *points]):
        if more >= target:
            return before + (after - before) * (target - less) / (more - less)
    return None


# --- the recipe -----------------------------------------------------------------------------


class SnapshotTrainer(Trainer):
    """A training run that keeps its policy wherever it would be measured.

    Attributes:
        kept: What was kept.
        begun: When the processor's time began.
    """

    kept: list[Snapshot]
    begun: float

    def run(self) -> None:
        """Learn until the budget is spent, which runs from here on."""
        self.kept, self.begun, self.budget = [], time.process_time(), self.config.budget()
        super().run()

    def _measure(self, point: dict[str, Any]) -> None:
        network = deepcopy(self.learner.network)
        agent = NetworkAgent(network, self.task.recipe.temperature, "train.py")
        spent = time.process_time() - self.begun
        self.kept.append(Snapshot(point["seconds"], spent, point["steps"], agent))


def by_recipe(config: TrainConfig) -> list[Snapshot]:
    """As ``train.py`` does it."""
    with TemporaryDirectory() as folder:
        trainer = SnapshotTrainer(config, Checkpoint(task_of(config)), Path(folder))
        trainer.run()
        if trainer.stopped:
            raise trainer.stopped
    return trainer.kept


# --- sb3-contrib's own ----------------------------------------------------------------------


class PlainAgent:
    """The likeliest action of one of stable-baselines3's policies.

    Args:
        policy: It sees observations divided by the layout's maxima.
        maxima: These, (F,).
    """

    name = "MaskablePPO"

    def __init__(self, policy: Any, maxima: npt.NDArray[Any]) -> None:
        self.policy, self.maxima = policy, maxima.astype(np.float32)

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose actions, (N,)."""
        rows, masks = view.observation / self.maxima, np.array(view.legal_action_mask)
        chosen, _ = self.policy.predict(rows, action_masks=masks, deterministic=True)
        return np.asarray(chosen)


class Keeper(BaseCallback):
    """Keeps the weights at evenly spread moments, and ends the learning when its time is over.

    Args:
        config: Which tells the minutes and how many moments.

    Attributes:
        kept: Seconds, those of the processor, agent-steps and weights.
    """

    def __init__(self, config: TrainConfig) -> None:
        super().__init__()
        self.kept: list[tuple[float, float, int, dict[str, torch.Tensor]]] = []
        self.config, self.due = config, 0

    def _on_training_start(self) -> None:
        self.budget, self.begun = self.config.budget(), time.process_time()

    def _on_rollout_start(self) -> None:
        seconds, spent = self.budget.seconds, time.process_time() - self.begun
        left = self.budget.remaining(self.num_timesteps, seconds)
        due = int((1 - left) * self.config.evaluations)
        if due > self.due:
            weights = deepcopy(self.model.policy.state_dict())
            self.kept.append((seconds, spent, self.num_timesteps, weights))
        self.due = due

    def _on_step(self) -> bool:
        return self.due < self.config.evaluations


def by_maskable_ppo(config: TrainConfig) -> Iterator[Snapshot]:
    """MaskablePPO as it comes, as in the README, with the recipe's games, reward and layers.

    One policy plays all snapshots: each has its turn before the next is asked for.
    """
    torch.set_num_threads(config.threads)
    task = task_of(config)
    recipe, game = task.recipe, task.batch_game(task.recipe.num_envs, task.seed)
    env = BatchVecEnv(game, recipe.reward_function(), observation_dtype="float32", normalize=True)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=game_length(game).steps,
        batch_size=2048,
        gamma=1.0,
        seed=config.seed,
        device="cpu",
        policy_kwargs={"net_arch": [recipe.width] * recipe.depth, "activation_fn": torch.nn.ReLU},
    )
    keeper = Keeper(config)
    model.learn(FOR_EVER, keeper)
    agent = PlainAgent(model.policy, game.layout.maxima)
    for *when, weights in keeper.kept:
        model.policy.load_state_dict(weights)
        yield Snapshot(*when, agent)


FOR_EVER = 10**12  # agent-steps: the clock ends it
LEARNERS: dict[str, Callable[[TrainConfig], Iterable[Snapshot]]] = {
    "train.py": by_recipe,
    "MaskablePPO": by_maskable_ppo,
}


if __name__ == "__main__":
    run_cli(StrengthConfig, time_to_strength)
