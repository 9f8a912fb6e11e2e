"""The configuration of RLlib."""

from __future__ import annotations

import logging

from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.ray_engine.learner import SelfPlayLearner
from agents.ray_engine.module import GameModule
from agents.ray_engine.runner import BatchEnvRunner
from agents.training.training_config import Task
from kododo_env.wrappers.spaces import ObservationFormat, action_space

RESTARTS = 1000  # maximum of a runner; RLlib's default
PROBED = 1.0  # seconds to wait for an answer of each runner before an update


def configuration(task: Task, workers: int, learners: int, bfloat16: bool = False) -> PPOConfig:
    """Return RLlib's configuration for a task.

    Args:
        task: The task to learn.
        workers: The number of environment runners.
        learners: The number of processes that share a minibatch. With 1, this process learns.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """
    logging.getLogger("ray.rllib").setLevel(logging.CRITICAL)  # RLlib logs a page for each restart
    recipe = task.recipe
    game = task.batch_game(1, 0)
    options = {"task": task, "bfloat16": bfloat16}
    spec = RLModuleSpec(module_class=GameModule, model_config=options)
    config = PPOConfig().framework("torch").rl_module(rl_module_spec=spec)
    config.environment(
        env_config=options,
        observation_space=ObservationFormat(game).box,
        action_space=action_space(game),
    )
    config.env_runners(
        env_runner_cls=BatchEnvRunner,
        num_env_runners=workers,
        num_cpus_per_env_runner=1,
        validate_env_runners_after_construction=True,
    )
    # Runners wait while the learners learn, so both can use the same cores.
    config.learners(num_learners=learners if learners > 1 else 0, num_cpus_per_learner=0)
    config.fault_tolerance(
        restart_failed_env_runners=True,
        max_num_env_runner_restarts=RESTARTS,
        delay_between_env_runner_restarts_s=0,
        env_runner_health_probe_timeout_s=PROBED,
    )
    config.training(
        learner_class=SelfPlayLearner,
        grad_clip=recipe.max_grad_norm,
        grad_clip_by="global_norm",
        num_epochs=recipe.n_epochs,
        minibatch_size=recipe.batch_size,
    )
    return config
