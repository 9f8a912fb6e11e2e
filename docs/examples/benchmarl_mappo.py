"""BenchMARL: MAPPO, whose critic sees all that the players know together.

    pip install '.[play,export]' benchmarl
    python docs/examples/benchmarl_mappo.py

A task of your own is a TaskClass. This one extends PettingZoo's by the source of the games. One
network learns in all seats. At the end it is a policy file, benchmarl.onnx, whose share of the
victory among random players is told beside that of the network before it learned.
"""

from __future__ import annotations

from tempfile import TemporaryDirectory

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

PLAYERS, GAMES, STEPS, UPDATES = 4, 64, 18, 10  # a game of Kododo has 18 steps


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
        """The steps of a game."""
        return STEPS

    @staticmethod
    def env_name():
        """The name in logs."""
        return "kododo"


def settings() -> ExperimentConfig:
    """Some updates; each plays every game once."""
    config = ExperimentConfig.get_from_yaml()
    config.max_n_iters, config.max_n_frames = UPDATES, None
    config.gamma, config.lr = 1.0, 1e-3
    config.on_policy_n_envs_per_worker = GAMES
    config.on_policy_collected_frames_per_batch = GAMES * STEPS
    config.on_policy_n_minibatch_iters, config.on_policy_minibatch_size = 4, 64
    config.evaluation, config.loggers, config.create_json = False, [], False
    return config


def main() -> None:
    """Train, measure and export."""
    algorithm = MappoConfig.get_from_yaml()
    algorithm.share_param_critic = False  # a value for each player: what one wins, others lose
    algorithm.entropy_coef = 0.01
    config = settings()
    with TemporaryDirectory() as config.save_folder:
        experiment = Experiment(
            task=KododoTask("kododo", {"num_players": PLAYERS, "reward": "win", "normalize": True}),
            algorithm_config=algorithm,
            model_config=MlpConfig.get_from_yaml(),
            critic_model_config=MlpConfig.get_from_yaml(),
            seed=0,
            config=config,
        )

        def choose(numbers, mask):
            """The likeliest actions."""
            with torch.no_grad():
                logits = network(experiment)(torch.from_numpy(numbers))
            return logits.masked_fill(~torch.from_numpy(mask), -torch.inf).argmax(dim=1)

        before = share(choose, "kododo", PLAYERS, normalize=True)
        experiment.run()
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    export(network(experiment), game, "benchmarl.onnx", normalize=True)
    learned = kododo_env.load("benchmarl.onnx")
    after = Match(learned, "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


def network(experiment: Experiment) -> torch.nn.Module:
    """The network of all seats, from one player's observation to logits."""
    return experiment.group_policies["player"].module[0].mlp.get_stateful_net()


if __name__ == "__main__":
    main()
