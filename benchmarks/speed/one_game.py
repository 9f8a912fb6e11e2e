"""One game through other people's interfaces, beside games of PettingZoo's and Gymnasium's own.

Random legal play of whole episodes, chosen beforehand and played again; counted are agent-steps,
those of all seats, also where others than the learner have them. Time is that of the process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import process_time
from typing import Any

import numpy as np

from benchmarks.speed.figures import PLAYERS, Bench, LeftOut, Sample
from kododo_env import registry

AGENT_STEPS = 2000
"""In a sample, at least."""
Episode = list[Any]
"""What each step is given, from after ``reset`` to the end."""


def benches() -> Iterator[Bench]:
    """For each interface every game, and somebody else's at the end."""
    for kind, (door_of, peer_name, peer, dialect) in KINDS.items():
        other = f"one-game/{kind}/{peer_name}"
        for game in registry.DOORS:
            sample = partial(sampled, partial(door_of, game), dialect)
            yield Bench(f"one-game/{kind}/{game}", sample, beside=other)
        yield Bench(other, partial(sampled, peer, dialect))


class Parallel:
    """PettingZoo's ParallelEnv."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """Play an episode: what was played, and how many agent-steps it had."""
        episode, agent_steps = [], 0
        seen, _ = env.reset(seed=seed)
        while env.agents:
            agent_steps += len(env.agents)
            episode.append({name: chosen(env.action_space(name), seen[name], rng) for name in seen})
            seen = env.step(episode[-1])[0]
        return episode, agent_steps

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """Play it again after ``reset``; whether it ended where it should."""
        for actions in episode:
            env.step(actions)
        return not env.agents


class OneByOne:
    """PettingZoo's AECEnv."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """See Parallel."""
        episode = []
        env.reset(seed=seed)
        for name in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            over = terminated or truncated
            episode.append(None if over else chosen(env.action_space(name), seen, rng))
            env.step(episode[-1])
        return episode, len(episode) - episode.count(None)

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """See Parallel."""
        for action in episode:
            env.last()
            env.step(action)
        return not env.agents


class Gymnasium:
    """Gymnasium's Env."""

    @staticmethod
    def record(env: Any, seed: int | None, rng: np.random.Generator) -> tuple[Episode, int]:
        """See Parallel."""
        episode, over = [], False
        _, info = env.reset(seed=seed)
        while not over:
            seen = {"action_mask": info["action_mask"]} if "action_mask" in info else None
            episode.append(chosen(env.action_space, seen, rng))
            _, _, terminated, truncated, info = env.step(episode[-1])
            over = terminated or truncated
        game = getattr(env.unwrapped, "game", None)
        return episode, game.steps_played * game.num_players if game else len(episode)

    @staticmethod
    def replay(env: Any, episode: Episode) -> bool:
        """See Parallel."""
        over = False
        for action in episode:
            _, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
        return over


def chosen(space: Any, seen: Any, rng: np.random.Generator) -> int:
    """A legal action, any of them if there is no mask."""
    if isinstance(seen, dict) and "action_mask" in seen:
        return int(rng.choice(np.flatnonzero(seen["action_mask"])))
    return int(rng.integers(space.n))


def sampled(make: Callable[[], Any], dialect: Any) -> Sample:
    """Agent-steps/s of an environment, without the deals and with them."""
    env, rng, agent_steps = make(), np.random.default_rng(0), 0
    episodes: list[Episode] = []
    while agent_steps < AGENT_STEPS:
        episode, steps = dialect.record(env, None if episodes else 0, rng)
        episodes.append(episode)
        agent_steps += steps

    def sample() -> dict[str, float]:
        dealing, begun = 0.0, process_time()
        for index, episode in enumerate(episodes):
            deal = process_time()
            env.reset(seed=None if index else 0)  # from the first seed all others follow
            dealing += process_time() - deal
            if not dialect.replay(env, episode):
                raise RuntimeError(f"{env} was not over where it was when it was recorded")
        took = process_time() - begun
        return {"played": agent_steps / (took - dealing), "with reset": agent_steps / took}

    return sample


# --- who is measured --------------------------------------------------------------------------


def parallel_env(game: str) -> Any:
    """Ours."""
    return registry.door(game).parallel_env(num_players=PLAYERS)


def aec_env(game: str) -> Any:
    """Ours."""
    return registry.door(game).env(num_players=PLAYERS)


def gymnasium_env(game: str) -> Any:
    """Ours."""
    import gymnasium

    name = registry.door(game).GYMNASIUM_ID
    return gymnasium.make(f"kododo_env:{name}", num_players=PLAYERS)


def rock_paper_scissors(kind: str) -> Any:
    """PettingZoo's smallest game, of two players."""
    try:
        from pettingzoo.classic import rps_v2
    except ImportError as missing:
        raise LeftOut(f"pip install 'pettingzoo[classic]' ({missing})") from missing
    return getattr(rps_v2, kind)()


def blackjack() -> Any:
    """Gymnasium's card game."""
    import gymnasium

    return gymnasium.make("Blackjack-v1")


KINDS: dict[str, tuple[Callable[[str], Any], str, Callable[[], Any], Any]] = {
    "parallel_env": (
        parallel_env, "rps_v2", partial(rock_paper_scissors, "parallel_env"), Parallel
    ),
    "env": (aec_env, "rps_v2", partial(rock_paper_scissors, "env"), OneByOne),
    "gymnasium": (gymnasium_env, "Blackjack-v1", blackjack, Gymnasium),
}  # fmt: skip
"""By the interface: what makes ours, the other game and what makes it, how it is played."""
