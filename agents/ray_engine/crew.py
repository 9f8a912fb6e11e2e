"""The processes of a training run: runners, which play, and learners."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import ray
from ray.exceptions import RayError
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.learner.learner_group import LearnerGroup
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.env_runner_group import EnvRunnerGroup
from ray.rllib.policy.sample_batch import MultiAgentBatch, SampleBatch

from agents.ray_engine.learner import GameModule, SelfPlayLearner
from agents.ray_engine.player import Columns, PartRollout, RolloutPart
from agents.ray_engine.runner import BatchEnvRunner
from agents.training.training_config import Task
from kododo_env.wrappers.spaces import ObservationFormat, action_space

RESTARTS = 1000  # maximum of a runner; RLlib's default
PROBED = 1.0  # seconds to wait for an answer of each runner before an update


class Crew:
    """RLlib's environment runners and learners for a task.

    Args:
        task: The task to learn.
        workers: The number of runners.
        learners: The number of learners; see ``configuration``.
        bfloat16: Whether matrices are multiplied in bfloat16.
    """

    def __init__(self, task: Task, workers: int, learners: int, bfloat16: bool = False) -> None:
        config = configuration(task, workers, learners, bfloat16)
        self.recipe = task.recipe
        self.workers = workers
        self.num_learners = learners
        self.learners = LearnerGroup(config=config)
        self.runners = EnvRunnerGroup(config=config, local_env_runner=False)

    def play(
        self, work: Sequence[RolloutPart], weights: dict[str, npt.NDArray[Any]]
    ) -> list[PartRollout]:
        """Play parts of a rollout; return their results in order.

        A part whose runner was killed is played again by another runner, with the same result.

        Args:
            work: The parts.
            weights: The network's weights, by name.

        Raises:
            ValueError: The network's outputs are not finite.
            ChildProcessError: Runners were killed repeatedly.
        """
        everywhere = ray.put(weights)  # sent once to each machine
        missing = {piece.index: piece for piece in work}
        done = {}
        for _ in range(RESTARTS):
            self.runners.probe_unhealthy_env_runners()  # finds runners that Ray has restarted
            for played in self._round(list(missing.values()), everywhere):
                if isinstance(played, ValueError):
                    raise played
                done[played.index] = played
                del missing[played.index]
            if not missing:
                return [done[piece.index] for piece in work]
        raise ChildProcessError("the runners were killed repeatedly; give each more memory")

    def _round(self, missing: list[RolloutPart], weights: Any) -> list[PartRollout | ValueError]:
        """Play one part on each healthy runner; return the results that arrived."""
        runner_ids = self.runners.healthy_env_runner_ids()[: len(missing)]
        if not runner_ids:
            return []
        return self.runners.foreach_env_runner(
            "sample",
            kwargs=[{"piece": piece, "weights": weights} for piece in missing[: len(runner_ids)]],
            remote_worker_ids=runner_ids,
            local_env_runner=False,
        )

    def learn(
        self, decisions: Columns, seed: int, rate: float, entropy: float = 0.0
    ) -> dict[str, float]:
        """Learn from the decisions of an update; return metrics to log.

        Args:
            decisions: The decisions, by column.
            seed: The seed of the minibatches.
            rate: The learning rate.
            entropy: The weight of the entropy bonus.

        Raises:
            DivergenceError: Gradients, weights or the network's outputs are not finite.
            ChildProcessError: A learner was killed.
        """
        total = len(decisions["returns"])
        recipe = self.recipe
        minibatches = max(1, round(total / recipe.batch_size))
        batch = MultiAgentBatch({DEFAULT_MODULE_ID: SampleBatch(decisions)}, env_steps=total)
        try:
            results = self.learners.update(
                batch=batch,
                timesteps={"seed": seed, "rate": rate, "entropy": entropy},
                num_epochs=recipe.n_epochs,
                minibatch_size=max(1, total // self.num_learners // minibatches),
                num_total_minibatches=recipe.n_epochs * minibatches,
                shuffle_batch_per_epoch=True,
            )
        except RayError as error:
            raise ChildProcessError("a learner was killed") from error
        for result in results:
            if isinstance(result, ValueError):
                raise result
        return {name: float(np.mean([result[name] for result in results])) for name in results[0]}

    def learned(self) -> dict[str, Any]:
        """Return the state of policy and optimiser, which is the same for all learners."""
        return self._of_learners(lambda learner: learner.ppo.learned())[0]

    def go_on(self, learned: dict[str, Any]) -> None:
        """Restore a state that ``learned`` has returned, in all learners."""
        self._of_learners(lambda learner: learner.ppo.go_on(learned))

    def _of_learners(self, function: Any) -> list[Any]:
        results = list(self.learners.foreach_learner(function))
        if not all(result.ok for result in results):
            raise ChildProcessError("a learner was killed")
        return [result.get() for result in results]

    def close(self) -> None:
        """End all processes."""
        self.runners.stop()
        self.learners.shutdown()


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
