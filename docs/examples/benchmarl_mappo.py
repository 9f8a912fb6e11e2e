"""BenchMARL: MAPPO with GameNetwork by self-play, on a batch of games as one EnvBase.

    pip install '.[play,export]' benchmarl
    python docs/examples/benchmarl_mappo.py

One GameNetwork learns in all seats; the critic gets the observations of all players. At the end the
network is exported to a policy file, benchmarl.onnx, and its win shares are printed.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from tempfile import TemporaryDirectory

import torch
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.common import TaskClass
from benchmarl.experiment import Callback, Experiment, ExperimentConfig
from benchmarl.models.common import Model, ModelConfig
from benchmarl.models.mlp import MlpConfig
from tensordict import TensorDict
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.head_to_head import Match
from kododo_env.core.agent import Agent
from kododo_env.core.rewards import reward_function
from kododo_env.export import export
from kododo_env.networks import GameNetwork, NetworkAgent

PLAYERS = 4
GAMES = 256
STEPS = 18  # of a game of Kododo
MINIBATCHES = 8
EPOCHS = 3


class GameEnv(EnvBase):
    """A batch of games, in which the players of every game are one group of agents."""

    def __init__(self, games: int, seed: int | None) -> None:
        super().__init__(batch_size=[games])
        self.game = kododo_v0.batch_game(games, num_players=PLAYERS, seed=seed)
        self.reward_of = reward_function("margin+win")
        actions = self.game.actions.size
        shape = (games, PLAYERS)
        parts = {
            "observation": Unbounded((*shape, self.game.layout.size), dtype=torch.uint8),
            "action_mask": Binary(actions, (*shape, actions), dtype=torch.bool),
        }
        action = {"action": Categorical(actions, shape)}
        reward = {"reward": Unbounded((*shape, 1))}
        self.observation_spec, self.action_spec, self.reward_spec = (
            Composite(player=Composite(entries, shape=shape), shape=[games])
            for entries in (parts, action, reward)
        )
        self.observation_spec["state"] = Unbounded((games, PLAYERS * self.game.layout.size))
        self.maxima = torch.from_numpy(self.game.layout.maxima).float()

    def _set_seed(self, seed: int | None) -> None:
        self.game.reset(seed)

    def _reset(self, tensordict: TensorDict | None, **_) -> TensorDict:
        if tensordict is not None and "_reset" in tensordict:
            self.game.restart_finished()
        else:
            self.game.reset()
        return self.positions()

    def _step(self, tensordict: TensorDict) -> TensorDict:
        self.game.step(tensordict["player", "action"].numpy())
        over = torch.tensor(self.game.just_terminated)
        positions = self.positions().update({"terminated": over, "done": over.clone()})
        positions["player", "reward"] = torch.tensor(self.reward_of(self.game)).unsqueeze(-1)
        return positions

    def positions(self) -> TensorDict:
        """Return the observations of all players, and their legal actions."""
        observation = torch.tensor(self.game.observe())
        mask = torch.tensor(self.game.legal_action_mask())
        players = {"observation": observation, "action_mask": mask}
        state = (observation / self.maxima).flatten(1)
        return TensorDict(
            {"player": TensorDict(players, observation.shape[:2]), "state": state}, self.batch_size
        )


class KododoTask(TaskClass):
    """Kododo as a task of BenchMARL."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        """Return a function that makes a batch of games."""
        return lambda: GameEnv(num_envs, seed)

    def supports_discrete_actions(self):
        """Return True: all actions are discrete."""
        return True

    def supports_continuous_actions(self):
        """Return False: no action is continuous."""
        return False

    def has_render(self, env):
        """Return False: nothing is drawn during training."""
        return False

    def max_steps(self, env):
        """Return the number of steps of a game."""
        return STEPS

    def group_map(self, env):
        """Return one group of all players, which share a network."""
        return {"player": [f"player_{seat}" for seat in range(PLAYERS)]}

    def observation_spec(self, env):
        """Return the specification of the observation of a player."""
        return players_spec(env, "observation")

    def action_mask_spec(self, env):
        """Return the specification of the legal actions."""
        return players_spec(env, "action_mask")

    def action_spec(self, env):
        """Return the specification of the actions."""
        return env.full_action_spec_unbatched

    def state_spec(self, env):
        """Return the specification of all observations of a game, for the critic."""
        return Composite(state=env.full_observation_spec_unbatched["state"])

    def info_spec(self, env):
        """Return None: there is no info."""

    @staticmethod
    def env_name():
        """Return the name for logs."""
        return "kododo"


def players_spec(env: EnvBase, name: str) -> Composite:
    """Return the specification of one part of what the players of a game see."""
    players = env.full_observation_spec_unbatched["player"]
    return Composite(player=Composite({name: players[name]}, shape=players.shape))


class GameModel(Model):
    """A GameNetwork for all players."""

    def __init__(self, **options) -> None:
        super().__init__(**options)
        game = kododo_v0.batch_game(1, num_players=PLAYERS)
        self.network = GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)

    def _forward(self, tensordict: TensorDict) -> TensorDict:
        observation = tensordict[self.in_key]
        logits, _ = self.network(observation.flatten(0, -2))
        return tensordict.set(self.out_key, logits.view(*observation.shape[:-1], -1))


class Logits(torch.nn.Module):
    """A policy without its value; the value comes from the critic."""

    def __init__(self, network: GameNetwork) -> None:
        super().__init__()
        self.network = network

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return logits (B, A) of observations (B, F)."""
        return self.network(observation)[0]


@dataclass
class GameModelConfig(ModelConfig):
    """The configuration of GameModel, without settings."""

    @staticmethod
    def associated_class():
        """Return the class of the model."""
        return GameModel


class Progress(Callback):
    """A callback that lowers the learning rate to a tenth and reports the agent after updates."""

    def __init__(self, experiment: Experiment, report: Callable[[Agent], None]) -> None:
        super().__init__()
        self.experiment = experiment
        self.report = report
        self.agent = NetworkAgent(network(experiment))
        self.schedules = [
            torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.1, experiment.config.max_n_iters)
            for optimizer in experiment.optimizers["player"].values()
        ]

    def on_train_end(self, training_td: TensorDict, group: str) -> None:
        """Update the learning rate and report the agent."""
        for schedule in self.schedules:
            schedule.step()
        self.report(self.agent)


def new_experiment(steps: int, seed: int, folder: str) -> Experiment:
    """Return an experiment of ``steps`` agent-steps; in each update every game is played once."""
    config = ExperimentConfig.get_from_yaml()
    config.max_n_frames = None
    config.max_n_iters = max(1, steps // (GAMES * STEPS * PLAYERS))
    config.gamma = 1.0
    config.lr = 1e-3
    config.clip_grad_val = 0.5
    config.on_policy_n_envs_per_worker = GAMES
    config.on_policy_collected_frames_per_batch = GAMES * STEPS
    config.on_policy_n_minibatch_iters = EPOCHS
    config.on_policy_minibatch_size = GAMES * STEPS // MINIBATCHES
    config.evaluation = False
    config.loggers = []
    config.create_json = False
    config.save_folder = folder
    algorithm = MappoConfig.get_from_yaml()
    algorithm.entropy_coef = 0.03
    algorithm.lmbda = 0.7
    algorithm.share_param_critic = False  # a value for each player, because players compete
    critic = MlpConfig.get_from_yaml()
    critic.activation_class = torch.nn.ReLU
    experiment = Experiment(
        task=KododoTask("kododo", {}),
        algorithm_config=algorithm,
        model_config=GameModelConfig(),
        critic_model_config=critic,
        seed=seed,
        config=config,
    )
    loss = experiment.losses["player"]
    loss.normalize_advantage = True
    return experiment


def network(experiment: Experiment) -> GameNetwork:
    """Return the network that plays in all seats."""
    return experiment.group_policies["player"].module[0].network


def train(
    steps: int = 800_000, seed: int = 0, report: Callable[[Agent], None] = lambda agent: None
) -> GameNetwork:
    """Train by self-play for ``steps`` agent-steps; ``report`` gets the agent after each update."""
    torch.set_num_threads(1)
    with TemporaryDirectory() as folder:
        experiment = new_experiment(steps, seed, folder)
        # It is not an argument of Experiment, which would pickle it.
        experiment.callbacks.append(Progress(experiment, report))
        experiment.run()
    return network(experiment)


def main() -> None:
    """Train, write the policy file, and print its win shares."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=800_000, help="agent-steps of all seats")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--games", type=int, default=4000, help="games of each match at the end")
    parser.add_argument("--out", default="benchmarl.onnx")
    options = parser.parse_args()
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    torch.manual_seed(options.seed)
    untrained = GameNetwork(game.layout, game.actions, width=256, depth=3, one_hot=8)
    before = share(NetworkAgent(untrained), "random", options.games)
    export(Logits(train(options.steps, options.seed)), game, options.out)
    bot = kododo_env.load(options.out)
    after = share(bot, "random", options.games)
    print(f"share among three random: {before:.3f} before, {after:.3f} after")
    print(f"share among three heuristic: {share(bot, 'heuristic', options.games):.3f}")


def share(agent: Agent, opponent: str, games: int) -> float:
    """Return the win share of one agent against three copies of an opponent."""
    return Match(agent, opponent, "kododo", PLAYERS, games).play().share.mean


if __name__ == "__main__":
    main()
