"""A common interface of all wrappers, so that one test can check a property of each."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core import BatchGame, View
from kododo_env.core.rewards import MARGIN_WEIGHT
from kododo_env.wrappers.spaces import row_of


@dataclass
class SlotLog:
    """The last results of each slot, that is of each learner's seat of a game."""

    observations: list[Any]
    infos: list[dict[str, Any]]
    over: list[bool]
    rewards: list[Any] | None = None


class FirstActionAgent:
    """Plays the first legal action, and records its seats."""

    def __init__(self, name: str = "first") -> None:
        self.name = name
        self.acted_seats: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        assert isinstance(view, View)
        assert isinstance(rng, np.random.Generator)
        assert (view.legal_action_mask.sum(axis=1) > 1).any()
        self.acted_seats.append(view.player)
        return view.legal_action_mask.argmax(axis=1)


class Interface:
    """A wrapper of a game, created as users create it.

    Attributes:
        env: The wrapper.
        seats: The learners' seats.
        views: The games and players that ``pictures`` shows.
        space: The space of one observation.
    """

    num_envs: ClassVar = 1
    one_learner: ClassVar = False
    passes_forced_steps: ClassVar = True
    number: ClassVar[type] = float
    options: ClassVar[dict[str, Any]] = {}
    env: Any
    seats: list[int]
    views: list[tuple[int, int | None]]
    space: gymnasium.Space[Any]

    def __init__(self, game: str = "kododo", players: int = 4, **options: Any) -> None:
        self.limited = bool(options.keys() & {"max_cycles", "max_episode_steps"})
        self._make(game, num_players=players, **self.options | options)

    def ended(self, over: list[bool], cut: list[bool]) -> list[bool]:
        """Return for which slots the episode has ended, and for which it was truncated."""
        assert self.limited or not any(cut)
        return [terminated != truncated for terminated, truncated in zip(over, cut, strict=True)]

    @property
    def game(self) -> BatchGame:
        return self.env.game

    @property
    def first(self) -> int:
        """Return the seat that is called first; a single learner's opponents follow it."""
        return self.seats[0] if self.one_learner else 0

    @classmethod
    def lineup(cls, opponents: list[Any]) -> dict[str, Any]:
        """Return the options that give opponents these seats; None is a learner."""
        if not cls.one_learner:
            return {"opponents": opponents}
        seat = opponents.index(None)
        return {"seat": seat, "opponents": opponents[seat + 1 :] + opponents[:seat]}

    def masks(self, reply: SlotLog) -> np.ndarray:
        """Return the legal actions of each slot, (slots, A)."""
        return np.array([info["action_mask"] for info in reply.infos])

    def pictures(self) -> list[Any]:
        return [self.env.render()]


class Parallel(Interface):
    passes_forced_steps = False
    module = "parallel_env"

    def _make(self, game: str, **options: Any) -> None:
        self.env = getattr(registry.environment_module(game), self.module)(**options)
        self.seats = self.env.seats
        self.views = [(0, None)]
        self.space = self.env.observation_space(self.env.possible_agents[0])

    def reset(self, seed: int | None = None, **options: Any) -> SlotLog:
        observations, infos = self.env.reset(seed=seed, options=options)
        return SlotLog([*observations.values()], [*infos.values()], [False] * len(observations))

    def step(self, actions: Any) -> SlotLog:
        results = self.env.step(dict(zip(self.env.possible_agents, actions, strict=True)))
        assert all(list(by_agent) == self.env.possible_agents for by_agent in results)
        observations, rewards, over, cut, infos = ([*by_agent.values()] for by_agent in results)
        return SlotLog(observations, infos, self.ended(over, cut), rewards)


class AEC(Parallel):
    passes_forced_steps = True
    module = "env"

    def reset(self, seed: int | None = None, **options: Any) -> SlotLog:
        self.env.reset(seed=seed, options=options)
        return self._reply()

    def step(self, actions: Any) -> SlotLog:
        env = self.env
        for slot in np.flatnonzero(self.game.deciding()[0, self.seats]):
            assert not env.agents or env.agent_selection == env.possible_agents[slot]
            env.step(actions[slot])
        return self._reply()

    def _reply(self) -> SlotLog:
        env = self.env
        names = self.env.possible_agents
        over, cut = (
            [flags[name] for name in names] for flags in (env.terminations, env.truncations)
        )
        return SlotLog(
            [env.observe(name) for name in names],
            [env.infos[name] for name in names],
            self.ended(over, cut),
            [env.rewards[name] for name in names],
        )


class Single(Interface):
    one_learner = True

    def _make(self, game: str, **options: Any) -> None:
        id = f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"
        self.env = gymnasium.make(id, **options).unwrapped
        self.seats = [self.env.seat]
        self.views = [(0, self.env.seat)]
        self.space = self.env.observation_space

    def reset(self, seed: int | None = None, **options: Any) -> SlotLog:
        observation, info = self.env.reset(seed=seed, options=options)
        return SlotLog([observation], [info], [False])

    def step(self, actions: Any) -> SlotLog:
        (action,) = actions
        observation, reward, over, cut, info = self.env.step(action)
        return SlotLog([observation], [info], self.ended([over], [cut]), [reward])


class Vector(Interface):
    num_envs = 3
    one_learner = True
    number = np.float64

    def _make(self, game: str, **options: Any) -> None:
        id = f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"
        self.env = gymnasium.make_vec(id, num_envs=self.num_envs, **options)
        self.seats = [int(self.env.seats[0])]
        self.views = [(index, self.seats[0]) for index in range(self.num_envs)]
        self.space = self.env.single_observation_space

    def reset(self, seed: int | None = None, **options: Any) -> SlotLog:
        if "deck" in options:
            options["deck"] = [options["deck"]] * self.num_envs
        observations, info = self.env.reset(seed=seed, options=options)
        return SlotLog(self._rows(observations), self._infos(info), [False] * self.num_envs)

    def step(self, actions: Any) -> SlotLog:
        observations, rewards, over, cut, info = self.env.step(actions)
        rows = self._rows(observations)
        ended = self.ended(over.tolist(), cut.tolist())
        if "final_obs" in info:  # other results belong to the next game
            assert info["_final_obs"].tolist() == info["_final_info"].tolist() == ended
            rows = [*info["final_obs"]]
            info = info["final_info"]
        return SlotLog(rows, self._infos(info), ended, [*rewards])

    def _rows(self, observations: Any) -> list[Any]:
        return [row_of(observations, index) for index in range(self.num_envs)]

    def _infos(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        names = [name for name in info if not name.startswith("_")]
        return [
            {name: info[name][index] for name in names if info[f"_{name}"][index]}
            for index in range(self.num_envs)
        ]

    def pictures(self) -> list[Any]:
        return [*self.env.render()]


class SameStep(Vector):
    options: ClassVar = {"autoreset_mode": "SameStep"}


class Disabled(Vector):
    options: ClassVar = {"autoreset_mode": "Disabled"}


class SB3(Interface):
    num_envs = 3
    passes_forced_steps = False
    number = np.float32

    def _make(self, game: str, num_players: int, **options: Any) -> None:
        pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
        from kododo_env.wrappers.sb3 import BatchVecEnv

        parameters = signature(BatchVecEnv).parameters
        rules = {name: options.pop(name) for name in [*options] if name not in parameters}
        batch = registry.batch_game(game, self.num_envs, num_players=num_players, **rules)
        self.env = BatchVecEnv(batch, **options)
        self.seats = self.env.seats
        self.space = self.env.observation_space
        self.views = [(index, seat) for index in range(self.num_envs) for seat in self.seats]

    def reset(self, seed: int | None = None, deck: Any = None) -> SlotLog:
        if seed is not None:  # stable-baselines3 draws a seed for None
            self.env.seed(seed)
        observations = self.env.reset()
        if deck is not None:
            self.game.reset(decks=[deck] * self.num_envs)
            observations = self.env._observations()
        return SlotLog(self._rows(observations), self.env.reset_infos, [False] * self.env.num_envs)

    def step(self, actions: Any) -> SlotLog:
        observations, rewards, over, infos = self.env.step(actions)
        rows = [
            info.pop("terminal_observation") if ended else row
            for row, info, ended in zip(self._rows(observations), infos, over, strict=True)
        ]
        return SlotLog(rows, infos, over.tolist(), [*rewards])

    def _rows(self, observations: Any) -> list[Any]:
        return [row_of(observations, slot) for slot in range(self.env.num_envs)]

    def masks(self, reply: SlotLog) -> np.ndarray:
        return self.env.action_masks()

    def pictures(self) -> list[Any]:
        return self.env.get_images()


def printed(code: str, *options: str) -> str:
    """Return the output of a new Python process with these options."""
    command = [sys.executable, *options, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def play(table: Interface, rng: np.random.Generator, *seeds: int | None) -> list[SlotLog]:
    """Play a random episode, with illegal actions, for each seed; returns all results."""
    replies = []
    for seed in seeds:
        replies.append(table.reset(seed))
        while not all(replies[-1].over):
            actions = rng.integers(table.game.num_actions, size=len(replies[-1].observations))
            replies.append(table.step(actions.tolist()))
    return replies


def earned(reward: str, scores: np.ndarray, wins: Any = 0.0) -> np.ndarray:
    """Return the sum of each player's rewards, shape (..., P).

    Args:
        reward: The name of the reward.
        scores: The scores, float, shape (..., P).
        wins: The win shares less those of equals, if the game is over.
    """
    margins = scores - (scores.sum(axis=-1, keepdims=True) - scores) / (scores.shape[-1] - 1)
    returns = {
        "score": scores,
        "margin": margins,
        "win": np.zeros_like(scores) + wins,
        "margin+win": MARGIN_WEIGHT * margins + wins,
    }
    return returns[reward]


KINDS: tuple[Any, ...] = (Parallel, AEC, Single, Vector, SB3)
EVERY_MODE = (*KINDS, SameStep, Disabled)
