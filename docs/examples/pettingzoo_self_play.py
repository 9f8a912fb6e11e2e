"""Self-play in a PettingZoo ParallelEnv: one linear policy in all seats, REINFORCE in numpy.

    python docs/examples/pettingzoo_self_play.py

At the end one learner plays against three random players. The mean of its return, the win share
minus 1/4, has a standard error of .01.
"""

from __future__ import annotations

import numpy as np

from kododo_env import kododo_v0

UPDATES = 40
GAMES = 30  # of an update
STEP_SIZE = 0.3
EVALUATION_GAMES = 2000


def main() -> None:
    """Learn from 1,200 games of self-play; then play 2,000 games against random players."""
    rng = np.random.default_rng(0)
    env = kododo_v0.parallel_env(num_players=4, reward="win", normalize=True)
    agent = env.possible_agents[0]
    size = env.observation_space(agent)["observation"].shape[0]
    weights = np.zeros((size, env.action_space(agent).n))
    env.reset(seed=0)
    for update in range(1, UPDATES + 1):
        weights += STEP_SIZE * sum(gradient(env, weights, rng) for _ in range(GAMES)) / GAMES
        if update % 5 == 0:
            print(f"update {update}: largest weight {np.abs(weights).max():.2f}", flush=True)
    random_player = np.zeros_like(weights)
    players = [weights, random_player, random_player, random_player]
    learner_returns = []
    for _ in range(EVALUATION_GAMES):
        _, returns = play(env, players, rng)
        learner_returns.append(returns[0])
    print(f"mean return {np.mean(learner_returns):+.3f} of one learner among three random players")


def gradient(env, weights, rng):
    """Return the gradient of the sum of all players' returns, estimated from one game."""
    steps, returns = play(env, [weights] * env.max_num_agents, rng)
    total = np.zeros_like(weights)
    for seat, observation, probabilities, action in steps:
        logit_gradient = -probabilities
        logit_gradient[action] += 1
        total += returns[seat] * np.outer(observation, logit_gradient)
    return total


def play(env, players, rng):
    """Play a game.

    Returns:
        The choices (seat, observation, probabilities, action), and the return of each seat.
    """
    observations, _ = env.reset()
    steps = []
    returns = np.zeros(len(players))
    while env.agents:
        actions = {}
        for seat, agent in enumerate(env.agents):
            observation = observations[agent]["observation"]
            mask = observations[agent]["action_mask"]
            probabilities = np.where(mask, np.exp(observation @ players[seat]), 0)
            probabilities /= probabilities.sum()
            action = int(rng.choice(len(probabilities), p=probabilities))
            actions[agent] = action
            steps.append((seat, observation, probabilities, action))
        observations, rewards, *_ = env.step(actions)
        returns += list(rewards.values())
    return steps, returns


if __name__ == "__main__":
    main()
