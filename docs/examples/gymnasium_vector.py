"""A batch of games in a Gymnasium VectorEnv, with Gymnasium's wrappers: REINFORCE in numpy.

    python docs/examples/gymnasium_vector.py

One seat of every game learns; players who choose at random have the others. At the end the
learner plays one game through ``gymnasium.make``.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import RecordEpisodeStatistics

GAME = "kododo_env:kododo/Kododo-v0"
UPDATES, GAMES, STEP_SIZE = 20, 256, 6.0


def main() -> None:
    """Learn from some thousand games."""
    rng = np.random.default_rng(0)
    options = {"num_players": 4, "reward": "win", "normalize": True}
    envs = gymnasium.make_vec(GAME, num_envs=GAMES, autoreset_mode="SameStep", **options)
    envs = RecordEpisodeStatistics(envs)
    spaces, actions = envs.single_observation_space, envs.single_action_space.n
    weights = np.zeros((spaces["observation"].shape[0], actions))
    observations, _ = envs.reset(seed=0)
    for update in range(1, UPDATES + 1):
        change, won, observations = learn_from_games(envs, weights, observations, rng)
        weights += STEP_SIZE * change
        if update % 5 == 0:
            print(f"update {update}: mean return {won:+.3f}", flush=True)
    env = gymnasium.make(GAME, opponents="heuristic", **options)
    observation, _ = env.reset(seed=0)
    gained, over = 0.0, False
    while not over:
        action, _ = choose(weights, {name: each[None] for name, each in observation.items()}, rng)
        observation, reward, over, _, _ = env.step(action[0])
        gained += reward
    print(f"one game among heuristics: return {gained:+.2f}")


def learn_from_games(envs, weights, observations, rng):
    """Play every game to its end; return the gradient, the mean return, the next observations."""
    likelier, returns = [], np.full(envs.num_envs, np.nan)
    while np.isnan(returns).any():
        seen = observations["observation"]
        action, chances = choose(weights, observations, rng)
        likelier.append((seen, np.eye(chances.shape[1])[action] - chances))
        observations, _, over, _, infos = envs.step(action)
        if over.any():
            returns[over] = infos["episode"]["r"][over]
    gains = (returns - returns.mean())[:, None]
    change = sum(seen.T @ (gains * toward) for seen, toward in likelier) / envs.num_envs
    return change, returns.mean(), observations


def choose(weights, observations, rng):
    """A legal action for each game, (N,), and the chances of all, (N, A)."""
    chances = np.exp(observations["observation"] @ weights) * observations["action_mask"]
    chances /= chances.sum(axis=1, keepdims=True)
    return (chances.cumsum(axis=1) > rng.random((len(chances), 1))).argmax(axis=1), chances


if __name__ == "__main__":
    main()
