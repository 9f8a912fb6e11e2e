"""Time single games through PettingZoo and Gymnasium, and games of those libraries.

Episodes of random legal play are recorded beforehand and replayed. The agent-steps of all seats
count, including those of the learner's opponents. Times are CPU times of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.speed.figures import PLAYERS, Bench, Sample, SkippedBench
from kododo_env import registry

AGENT_STEPS = 2000
"""The minimum number of agent-steps in a sample."""
Episode = list[Any]
"""The argument of each step, from ``reset`` to the end."""


def benches() -> Iterator[Bench]:
    """Yield a benchmark for each interface and game, and for a game of another library."""
    for kind, (make_env, peer_name, make_peer, interface) in KINDS.items():
        peer_path = f"one-game/{kind}/{peer_name}"
        for game in registry.ENVIRONMENT_MODULES:
            sample = partial(sampled, partial(make_env, game), interface)
            yield Bench(f"one-game/{kind}/{game}", sample, beside=peer_path)
        yield Bench(peer_path, partial(sampled, make_peer, interface))


class Parallel:
    """PettingZoo's ParallelEnv."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """Play an episode; return its actions and its number of agent-steps."""
        episode = []
        agent_steps = 0
        observations, _ = env.reset(seed=seed)
        while env.agents:
            agent_steps += len(env.agents)
            actions = {
                name: chosen(env.action_space(name), observation, rng)
                for name, observation in observations.items()
            }
            episode.append(actions)
            observations = env.step(actions)[0]
        return episode, agent_steps

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """Replay an episode after ``reset``; return whether it ended with the last action."""
        for actions in episode:
            env.step(actions)
        return not env.agents


class AecBench:
    """PettingZoo's AECEnv."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """Play an episode; see ``Parallel.record``."""
        episode = []
        env.reset(seed=seed)
        for name in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            episode.append(None if over else chosen(env.action_space(name), observation, rng))
            env.step(episode[-1])
        return episode, len(episode) - episode.count(None)

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """Replay an episode; see ``Parallel.replay``."""
        for action in episode:
            env.last()
            env.step(action)
        return not env.agents


class Gymnasium:
    """Gymnasium's Env."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """Play an episode; see ``Parallel.record``."""
        episode = []
        over = False
        _, info = env.reset(seed=seed)
        while not over:
            episode.append(chosen(env.action_space, info, rng))
            _, _, terminated, truncated, info = env.step(episode[-1])
            over = terminated or truncated
        game = getattr(env.unwrapped, "game", None)
        return episode, game.steps_played * game.num_players if game else len(episode)

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """Replay an episode; see ``Parallel.replay``."""
        over = False
        for action in episode:
            _, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
        return over


def chosen(space: Any, observation: Any, rng: np.random.Generator) -> int:
    """Draw a legal action; without an action mask all actions are legal."""
    if isinstance(observation, dict) and "action_mask" in observation:
        return int(rng.choice(np.flatnonzero(observation["action_mask"])))
    return int(rng.integers(space.n))


def sampled(make: Callable[[], Any], interface: Any) -> Sample:
    """Return a sampler of agent-steps/s of an environment, with and without ``reset``."""
    env = make()
    rng = np.random.default_rng(0)
    agent_steps = 0
    episodes: list[Episode] = []
    while agent_steps < AGENT_STEPS:
        episode, steps = interface.record(env, None if episodes else 0, rng)
        episodes.append(episode)
        agent_steps += steps

    def sample() -> dict[str, float]:
        dealing = 0.0
        start = process_time()
        for index, episode in enumerate(episodes):
            deal_start = process_time()
            env.reset(seed=None if index else 0)  # the first seed determines the later ones
            dealing += process_time() - deal_start
            if not interface.replay(env, episode):
                raise RuntimeError(f"{env} did not end at the recorded step")
        seconds = process_time() - start
        return {"played": agent_steps / (seconds - dealing), "with reset": agent_steps / seconds}

    return sample


# --- measured environments --------------------------------------------------------------------


def parallel_env(game: str) -> Any:
    """Make a ParallelEnv of this package."""
    return registry.environment_module(game).parallel_env(num_players=PLAYERS)


def aec_env(game: str) -> Any:
    """Make an AECEnv of this package."""
    return registry.environment_module(game).env(num_players=PLAYERS)


def gymnasium_env(game: str) -> Any:
    """Make a Gymnasium Env of this package."""
    import gymnasium

    name = registry.environment_module(game).GYMNASIUM_ID
    return gymnasium.make(f"kododo_env:{name}", num_players=PLAYERS)


def rock_paper_scissors(kind: str) -> Any:
    """Make PettingZoo's smallest game, for two players."""
    try:
        from pettingzoo.classic import rps_v2
    except ImportError as missing:
        raise SkippedBench(f"pip install 'pettingzoo[classic]' ({missing})") from missing
    return getattr(rps_v2, kind)()


def blackjack() -> Any:
    """Make Gymnasium's card game."""
    import gymnasium

    return gymnasium.make("Blackjack-v1")


KINDS: dict[str, tuple[Callable[[str], Any], str, Callable[[], Any], Any]] = {
    "parallel_env": (
        parallel_env, "rps_v2", partial(rock_paper_scissors, "parallel_env"), Parallel
    ),
    "env": (aec_env, "rps_v2", partial(rock_paper_scissors, "env"), AecBench),
    "gymnasium": (gymnasium_env, "Blackjack-v1", blackjack, Gymnasium),
}  # fmt: skip
"""By interface: the maker of our environments, the peer's name, its maker, how both are played."""
