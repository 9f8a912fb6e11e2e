"""Time many parallel games through the interfaces that learners use, replaying one deal.

The decisions of the learners are chosen beforehand, and only these are counted. With one learner in
each game, the other seats play at random. Times are CPU times of the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.speed.figures import PLAYERS, Bench, Sample
from kododo_env import registry
from kododo_env.core.agent import random_legal_actions

GAMES = 1024
FORMATS: dict[str, dict[str, Any]] = {
    "as they are": {},
    "float32, normalised": {"observation_dtype": "float32", "normalize": True},
}
"""The options of the environment by format of observations."""


class OneLearner:
    """Gymnasium's vector environment with one learning seat in each game."""

    def __init__(self, game: str, **options: Any) -> None:
        import gymnasium

        name = registry.environment_module(game).GYMNASIUM_ID
        self.env: Any = gymnasium.make_vec(
            f"kododo_env:{name}", GAMES, num_players=PLAYERS, **options
        )

    def deal(self) -> Any:
        """Deal the same cards every time; return the legal actions."""
        return self.env.reset(seed=0)[1]["action_mask"]

    def play(self, actions: Any) -> tuple[Any, bool]:
        """Step; return the legal actions, and whether all games are over."""
        _, _, over, _, info = self.env.step(actions)
        return info["action_mask"], over.all()


class AllSeats:
    """Stable-baselines3's VecEnv with all seats of all games."""

    def __init__(self, game: str, **options: Any) -> None:
        from kododo_env.wrappers.sb3 import BatchVecEnv

        self.env = BatchVecEnv(
            registry.environment_module(game).batch_game(GAMES, num_players=PLAYERS), **options
        )

    def deal(self) -> Any:
        """Deal the same cards every time; see ``OneLearner.deal``."""
        self.env.seed(0)
        self.env.reset()
        return self.env.action_masks()

    def play(self, actions: Any) -> tuple[Any, bool]:
        """Step; see ``OneLearner.play``."""
        over = self.env.step(actions)[2]
        return self.env.action_masks(), over.all()


ENVIRONMENT_MODULES = {"make_vec": OneLearner, "BatchVecEnv": AllSeats}


def benches() -> Iterator[Bench]:
    """Yield a benchmark for each interface, game and format of observations."""
    for module, kind in ENVIRONMENT_MODULES.items():
        for game in registry.ENVIRONMENT_MODULES:
            for form, options in FORMATS.items():
                make = partial(sampled, partial(kind, game, **options))
                yield Bench(f"interfaces/{module}/{game}/{form}", make)


def sampled(make: Any) -> Sample:
    """Return a sampler of decisions/s of one deal, without the time of dealing."""
    env = make()
    rng = np.random.default_rng(0)
    mask = env.deal()
    steps: list[Any] = []
    over = False
    while not over:
        steps.append(random_legal_actions(np.asarray(mask, np.bool_), rng))
        mask, over = env.play(steps[-1])
    decisions = sum(map(len, steps))

    def sample() -> dict[str, float]:
        env.deal()
        start = process_time()
        for actions in steps:
            env.play(actions)
        return {"decisions": decisions / (process_time() - start)}

    return sample
