"""A batch of games in a Gymnasium VectorEnv, with Gymnasium's wrappers: REINFORCE in numpy.

    python docs/examples/gymnasium_vector.py

One seat of every game learns; random players have the other seats. At the end the learner plays one
game through ``gymnasium.make``.
"""

from __future__ import annotations

import gymnasium
import numpy as np
from gymnasium.wrappers.vector import RecordEpisodeStatistics

GAME = "kododo_env:kododo/Kododo-v0"
UPDATES = 20
GAMES = 256
STEP_SIZE = 6.0


def main() -> None:
    """Learn from several thousand games."""
    rng = np.random.default_rng(0)
    options = {"num_players": 4, "reward": "win", "normalize": True}
    envs = gymnasium.make_vec(GAME, num_envs=GAMES, autoreset_mode="SameStep", **options)
    envs = RecordEpisodeStatistics(envs)
    size = envs.single_observation_space["observation"].shape[0]
    weights = np.zeros((size, envs.single_action_space.n))
    observations, _ = envs.reset(seed=0)
    for update in range(1, UPDATES + 1):
        gradient, mean_return, observations = learn_from_games(envs, weights, observations, rng)
        weights += STEP_SIZE * gradient
        if update % 5 == 0:
            print(f"update {update}: mean return {mean_return:+.3f}", flush=True)
    env = gymnasium.make(GAME, opponents="heuristic", **options)
    observation, _ = env.reset(seed=0)
    total_reward = 0.0
    terminated = False
    while not terminated:
        batch = {name: array[None] for name, array in observation.items()}
        actions, _ = choose(weights, batch, rng)
        observation, reward, terminated, _, _ = env.step(actions[0])
        total_reward += reward
    print(f"one game among heuristics: return {total_reward:+.2f}")


def learn_from_games(envs, weights, observations, rng):
    """Play every game to its end; return the gradient, mean return and next observations."""
    steps = []
    returns = np.full(envs.num_envs, np.nan)
    while np.isnan(returns).any():
        numbers = observations["observation"]
        actions, probabilities = choose(weights, observations, rng)
        # The gradient of the log-probability of the action with respect to the logits.
        logit_gradients = np.eye(probabilities.shape[1])[actions] - probabilities
        steps.append((numbers, logit_gradients))
        observations, _, terminated, _, infos = envs.step(actions)
        if terminated.any():
            returns[terminated] = infos["episode"]["r"][terminated]
    advantages = (returns - returns.mean())[:, None]
    gradient = sum(numbers.T @ (advantages * logit_gradients) for numbers, logit_gradients in steps)
    return gradient / envs.num_envs, returns.mean(), observations


def choose(weights, observations, rng):
    """Draw a legal action for each game, (N,); return them and all probabilities, (N, A)."""
    probabilities = np.exp(observations["observation"] @ weights) * observations["action_mask"]
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    thresholds = rng.random((len(probabilities), 1))
    actions = (probabilities.cumsum(axis=1) > thresholds).argmax(axis=1)
    return actions, probabilities


if __name__ == "__main__":
    main()
