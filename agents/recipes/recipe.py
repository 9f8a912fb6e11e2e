"""The settings of a training run: a recipe for each game, and one for training from scratch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Annotated, Any, cast

import numpy as np

from agents.options import Use
from kododo_env.agent_registry import search_parts
from kododo_env.bots.names import is_bot
from kododo_env.bots.python_code import is_code, load_code
from kododo_env.checks.bounds import MOST_STEPS, Bound, check_settings, positive, real
from kododo_env.checks.numbers import quote
from kododo_env.checks.options import check_choice, check_switch
from kododo_env.core import rewards
from kododo_env.core.rewards import REWARDS, Reward, RewardName
from kododo_env.policy.policy_schema import NETWORK

MIXED: RewardName = "margin+win"
FIXED = Use(fixed=True)
LAST_RATE = 0.01  # imitation ends at this share of its initial learning rate
MIN_TEMPERATURE = 0.001  # of imitation; lower ones overflow float32
MIN_TIED_WIDTH = 8  # embeddings are a quarter as wide; ONNX drops 1 x 1 matrices


@dataclass(frozen=True)
class Recipe:
    """Settings of PPO self-play; the defaults train any game from scratch.

    Names are those of stable-baselines3 where it has the setting.

    Raises:
        ValueError: A setting is invalid, or out of its field's bounds.
    """

    num_envs: Annotated[int, Bound(1, 1_000_000), FIXED] = 512
    """Games played in parallel in each update, from start to end; every seat learns."""
    batch_size: Annotated[int, Bound(1, 10_000_000)] = 4096
    """Decisions in a minibatch."""
    n_epochs: Annotated[int, Bound(1, 1000)] = 3
    """Passes over the decisions of an update."""
    learning_rate: Annotated[float, positive(1)] = 1e-3
    """Initial learning rate of self-play; it falls linearly."""
    final_learning_rate: Annotated[float, real(0, 1)] = 1e-4
    """Learning rate at the end of self-play."""
    muon: Annotated[float, real(0, 1000), FIXED] = 0.0
    """Learning rate of Muon, for matrices of hidden layers, relative to Adam's; 0 = no Muon."""
    ent_coef: Annotated[float, real(0, 10)] = 0.02
    """Initial weight of the entropy bonus in self-play; it falls linearly."""
    final_ent_coef: Annotated[float, real(0, 10)] = 0.005
    """Weight of the entropy bonus at the end of self-play."""
    magnet: Annotated[float, real(0, 10), FIXED] = 0.0
    """Weight of the penalty on the policy's divergence from the average of its past; 0 = none."""
    magnet_updates: Annotated[float, real(1, 1_000_000), Use(needs="magnet")] = 20.0
    """Time constant of that average, in updates."""
    clip_range: Annotated[float, positive(10)] = 0.2
    """PPO's clipping parameter."""
    gamma: Annotated[float, real(0, 1)] = 1.0
    """Discount for each decision."""
    gae_lambda: Annotated[float, real(0, 1)] = 0.7
    """Lambda of generalised advantage estimation."""
    learned_share: Annotated[float, positive(1)] = 1.0
    """Share of an update's decisions to learn from: those with the largest absolute advantages."""
    vf_coef: Annotated[float, real(0, 1000)] = 0.5
    """Weight of the value's loss."""
    max_grad_norm: Annotated[float, positive(1_000_000)] = 0.5
    """Maximum norm of the gradient, which is clipped to it."""
    reward: Annotated[str, FIXED] = MIXED
    """The reward: margin+win, score, margin, win, or your own function, as module:function or
    file.py:function, which gets a batch of games and returns an array (N, P). Its code is run."""
    margin_weight: Annotated[float, real(-1000, 1000), Use(needs="reward", value=MIXED)] = (
        rewards.MARGIN_WEIGHT
    )
    """Weight of the margin of points, which is rewarded at every score, relative to the win at the
    end."""
    network: Annotated[str, FIXED] = ""
    """Your own network class, as module:Class or file.py:Class, whose code is run; see
    docs/training.md. "" = GameNetwork."""
    width: Annotated[int, NETWORK["width"], FIXED] = 256
    """Width of the hidden layers."""
    depth: Annotated[int, NETWORK["depth"], FIXED] = 3
    """Number of hidden layers."""
    one_hot: Annotated[int, NETWORK["one_hot"], FIXED] = 8
    """Encode small numbers of the observation up to this maximum also one-hot; 0 = none."""
    tied: Annotated[bool, FIXED] = False
    """Share weights among entries that the game declares interchangeable, such as seats."""
    init: Annotated[str, FIXED] = ""
    """The policy whose network self-play starts from, without imitation: the name of a shipped
    policy, or a policy file. "" = new weights."""
    expert: Annotated[str, FIXED] = ""
    """The agent to imitate before self-play: a scripted player, a bot such as bot.py:Class, or the
    name or file of a policy, whose temperature is ignored. If several policies are given, separated
    by commas, their mean is imitated. "" = no imitation."""
    imitation_steps: Annotated[int, Bound(0, MOST_STEPS), Use(fixed=True, needs="expert")] = (
        1_000_000
    )
    """Minimum agent-steps of imitation; a shorter training consists of imitation only."""
    imitation_share: Annotated[float, real(0, 1), Use(fixed=True, needs="expert")] = 0.1
    """Share of the training spent on imitation, if longer than --imitation-steps."""
    imitation_learning_rate: Annotated[float, positive(1), Use(needs="expert")] = 2e-3
    """Initial learning rate of imitation; it falls linearly to a hundredth."""
    imitation_temperature: Annotated[float, real(0, 1000), Use(needs="expert")] = 0.3
    """Temperature of the expert's action values, in points, or of a policy's probabilities.
    0 = only the chosen action."""
    opponents: Annotated[tuple[str, ...], Use(needs="opponents_share")] = ()
    """Opponents in a share of the updates: scripted players, policy files, or bots such as
    bot.py:Class, whose code is run. An opponent that is named twice plays twice as often."""
    opponents_share: Annotated[float, real(0, 1), Use(needs="opponents")] = 0.5
    """Share of the updates that are played against the opponents."""
    temperature: Annotated[float, real(0, 100)] = 0.25
    """Playing temperature of the trained policy; 0 = always the likeliest action."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "opponents", tuple(self.opponents))  # JSON has lists
        check_settings(self, flags=True)
        check_switch(self.tied, "tied")
        if self.tied and self.width < MIN_TIED_WIDTH:
            raise ValueError(
                f"width must be at least {MIN_TIED_WIDTH} with --tied, got {self.width}"
            )
        names = (self.init, self.expert, *self.opponents, self.reward, self.network)
        if not all(isinstance(name, str) for name in names):
            raise ValueError("init, expert, opponents, reward and network must be names")
        if not (self.reward in REWARDS or is_code(self.reward)):
            raise ValueError(
                f"--reward takes {', '.join(REWARDS)}, module:function or file.py:function, got "
                f"{quote(self.reward)}"
            )
        if self.network and not is_code(self.network):
            raise ValueError(
                f"--network takes module:Class or file.py:Class, got {quote(self.network)}"
            )
        if self.expert and not self.experts:
            raise ValueError(f"expert must name a player, or be empty, got {quote(self.expert)}")
        if 0 < self.imitation_temperature < MIN_TEMPERATURE:
            raise ValueError(
                f"imitation_temperature must be 0, or {MIN_TEMPERATURE} or more, got "
                f"{self.imitation_temperature}"
            )

    @property
    def experts(self) -> list[str]:
        """The names of the experts."""
        return [name for name in self.expert.split(",") if name]

    @property
    def imitates(self) -> bool:
        """Whether the training starts with imitation."""
        lasts = self.imitation_steps > 0 or self.imitation_share > 0
        return bool(self.expert) and not self.init and lasts

    def imitation_rate(self, remaining: float) -> float:
        """Return the learning rate of imitation for its remaining share, from 1 to 0."""
        return self.imitation_learning_rate * (LAST_RATE + (1 - LAST_RATE) * remaining)

    def self_play_rates(self, remaining: float) -> tuple[float, float]:
        """Return learning rate and entropy weight for the remaining share of self-play, from 1 to
        0.
        """
        elapsed = 1 - remaining
        rate = self.learning_rate + elapsed * (self.final_learning_rate - self.learning_rate)
        return rate, self.ent_coef + elapsed * (self.final_ent_coef - self.ent_coef)

    @property
    def code(self) -> dict[str, tuple[str, ...]]:
        """The names of the user's own code, by setting."""
        players = {"expert": tuple(self.experts), "opponents": self.opponents}
        named = {
            setting: tuple(name for name in names if is_bot(search_parts(name)[1]))
            for setting, names in players.items()
        }
        for setting in ("reward", "network"):
            name = getattr(self, setting)
            named[setting] = (name,) if is_code(name) else ()
        return {setting: names for setting, names in named.items() if names}

    def reward_function(self) -> Reward:
        """Return the reward as a function from a batch of games to float32 (N, P).

        A user's own code is imported, which runs it.

        Raises:
            ValueError: The code does not exist or fails. The returned function also raises it, if
                the code returns an invalid reward.
        """
        if self.reward == MIXED:
            return partial(rewards.margin_and_win, margin_weight=self.margin_weight)
        if is_code(self.reward):
            reward = rewards.reward_function(load_code(self.reward, "--reward"))
            return lambda game: reward(game).astype(np.float32, copy=False)
        return REWARDS[cast("RewardName", self.reward)]

    def opponent_of(self, update: int) -> str | None:
        """Return the name of the opponent in an update; None for self-play."""
        if not self.opponents:
            return None
        before, after = (int(n * self.opponents_share + 1e-9) for n in (update, update + 1))
        return self.opponents[before % len(self.opponents)] if after > before else None


GAME = "game"
SCRATCH = "scratch"


def recipe_for(game: str, num_players: int, name: str = GAME) -> Recipe:
    """Return the recipe for a game and a number of players.

    Args:
        game: The game's name. Its recipes are in ``agents/recipes/<game>.py``, if this file exists.
        num_players: P.
        name: "game" for the game's own recipe; "scratch" for self-play without imitation or
            opponents.

    Raises:
        ValueError: The recipe is unknown.
    """
    check_choice(name, "--recipe", (GAME, SCRATCH))
    recipes: Mapping[int, Recipe] = getattr(_module(game), "RECIPES", {})
    return recipes.get(num_players, Recipe()) if name == GAME else Recipe()


def shipped_steps(game: str, num_players: int) -> int:
    """Return the agent-steps of the shipped policy's training."""
    return int(_module(game).SHIPPED_STEPS[num_players])


def mean_steps(game: str, num_players: int) -> int | None:
    """Return the agent-steps of the network that imitates the mean of all seeds; None for no
    network.

    Such a network is trained only for games in which it was stronger than each seed.
    """
    steps: dict[int, int] = getattr(_module(game), "MEAN_STEPS", {})
    return steps.get(num_players)


def _module(game: str) -> Any:
    name = f"agents.recipes.{game}"
    return import_module(name) if game.isidentifier() and find_spec(name) else None
