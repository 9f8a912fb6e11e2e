"""Learning on the VecEnv: agent-steps/s, the environment's share of the time, real decisions.

Two learners on the games of the recipe, every seat of which learns: sb3-contrib's MaskablePPO
with its MlpPolicy, and the self-play PPO that ``train.py`` uses. MaskablePPO has its own
minibatches and epochs, and then the recipe's, with which it learns less from each step and so
is in the environment for more of the time. Ours comes a second time on two threads; all else
has one. Time in the environment is that in ``step`` (dealing anew, rewards and observations
included) and in the masks.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from sb3_contrib import MaskablePPO

from agents.ppo.data_parallel import DataParallel
from agents.ppo.self_play_ppo import SelfPlayPPO
from agents.training.checkpoint import Checkpoint
from agents.training.trainer import Trainer
from agents.training.training_config import Task, TrainConfig, default_config, task_of
from kododo_env import registry
from kododo_env.wrappers.vec import BatchVecEnv

UPDATES = 3
"""Counted, after one that warms up."""
PLAIN_STEPS = 8
"""Of a rollout of MaskablePPO, which takes long with its own minibatches of 64."""


class Stopwatch:
    """Adds up the time spent in a VecEnv.

    Args:
        env: Its ``step_wait`` and ``env_method`` are replaced by timed ones.

    Attributes:
        seconds: So far.
    """

    def __init__(self, env: BatchVecEnv) -> None:
        self.seconds = 0.0
        for name in ("step_wait", "env_method"):
            setattr(env, name, self._timed(getattr(env, name)))

    def _timed(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            begun = perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self.seconds += perf_counter() - begun

        return timed


def maskable_ppo(task: Task, **settings: int) -> MaskablePPO:
    """sb3-contrib's own, on a VecEnv of the task."""
    env = BatchVecEnv(task.batch_game(task.recipe.num_envs, task.seed))
    return MaskablePPO(
        "MlpPolicy", env, n_steps=PLAIN_STEPS, seed=task.seed, device="cpu", **settings
    )


def self_play_ppo(task: Task, config: TrainConfig, folder: str) -> SelfPlayPPO:
    """The one that ``train.py`` uses."""
    return Trainer(config, Checkpoint(task), Path(folder)).model


def measure(name: str, model: MaskablePPO, updates: int = UPDATES) -> None:
    """Learn, and print how fast that was."""
    env = model.get_env()
    assert isinstance(env, BatchVecEnv)
    steps = model.n_steps * model.n_envs
    model.learn(steps)
    inside, begun = Stopwatch(env), perf_counter()
    for _ in range(updates):
        model.learn(steps, reset_num_timesteps=False)
    took = perf_counter() - begun
    print(
        f"  {name:<34}{updates * steps / took:>10,.0f} agent-steps/s, "
        f"{inside.seconds / took:6.2%} of the time in the environment",
        flush=True,
    )


def print_decisions(model: SelfPlayPPO) -> None:
    """Say how much of the last rollout was a real decision, and of what was kept of it."""
    decisions = model.rollout_buffer.packed()
    real = int((decisions["masks"].sum(dim=1) > 1).sum())
    slots, kept = model.n_steps * model.n_envs, len(decisions["actions"])
    print(f"  real decisions: {real / slots:.1%} of all slots, {real / kept:.1%} of what is kept")


def report(game: str) -> None:
    """Print what there is to say of a game."""
    config = default_config(game, threads=1)
    task = task_of(config)
    with TemporaryDirectory() as folder:
        own = self_play_ppo(task, config, folder)  # sets torch's threads for both
        print(f"\n{game}, {task.num_players} players, {task.recipe.num_envs} games")
        recipe = task.recipe
        plain = maskable_ppo(task, batch_size=recipe.batch_size, n_epochs=recipe.n_epochs)
        measure("MaskablePPO as it comes", maskable_ppo(task), updates=1)
        measure("MaskablePPO, recipe's minibatches", plain)
        measure("train.py's SelfPlayPPO", own)
        own.policy.parallel = DataParallel(2)
        measure("the same on two threads", own)
        print_decisions(own)


def main() -> None:
    for game in registry.DOORS:
        report(game)


if __name__ == "__main__":
    main()
