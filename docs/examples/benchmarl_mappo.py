"""BenchMARL: MAPPO, whose critic sees all that the players know together.

    python docs/examples/benchmarl_mappo.py

A task of your own is a TaskClass. This one extends PettingZoo's by the source of the games.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from kododo_env import kododo_v0


class KododoTask(PettingZooClass):
    """A game; the configuration is that of the door."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """A function that makes one game."""

        def make():
            games = kododo_v0.parallel_env(**self.config)
            return PettingZooWrapper(games, return_state=True, seed=seed, device=device)

        return make

    def supports_discrete_actions(self):
        """All actions are discrete."""
        return True

    def supports_continuous_actions(self):
        """No action is continuous."""
        return False

    def has_state(self):
        """The critic sees the state."""
        return True

    def has_render(self, env):
        """Nothing is drawn during training."""
        return False

    def max_steps(self, env):
        """The steps of a game of Kododo."""
        return 18

    @staticmethod
    def env_name():
        """The name in logs."""
        return "kododo"


def main() -> None:
    """Train for some updates."""
    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.max_n_frames, config.loggers = 3, None, ["csv"]
    config.gamma, config.lr = 1.0, 3e-4
    config.on_policy_collected_frames_per_batch = 720
    config.on_policy_n_envs_per_worker = 10
    config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 4, 180
    config.evaluation_interval, config.evaluation_episodes, config.render = 720, 2, False
    task = KododoTask("kododo", {"num_players": 4, "reward": "win", "normalize": True})
    with TemporaryDirectory() as config.save_folder:
        experiment = Experiment(
            task=task,
            algorithm_config=MappoConfig.get_from_yaml(),
            model_config=MlpConfig.get_from_yaml(),
            critic_model_config=MlpConfig.get_from_yaml(),
            seed=0,
            config=config,
        )
        experiment.run()
        print(f"{experiment.n_iters_performed} updates of {experiment.total_frames} steps in all")


if __name__ == "__main__":
    main()
