"""Self-play in a PettingZoo ParallelEnv: one linear policy in all seats, REINFORCE in numpy.

    python docs/examples/pettingzoo_self_play.py

At the end one learner sits down with three players who choose at random. Its return, the share of
the victory minus 1/4, has a standard error of .01.
"""

from __future__ import annotations

import numpy as np

from kododo_env import kododo_v0

UPDATES, GAMES, STEP_SIZE, MEASURED = 40, 30, 0.3, 2000


def main() -> None:
    """Learn from 1,200 games of four learners; play 2,000 against random players."""
    rng = np.random.default_rng(0)
    env = kododo_v0.parallel_env(num_players=4, reward="win", normalize=True)
    agent = env.possible_agents[0]
    size, actions = env.observation_space(agent)["observation"].shape[0], env.action_space(agent).n
    weights = np.zeros((size, actions))
    env.reset(seed=0)
    for update in range(1, UPDATES + 1):
        weights += STEP_SIZE * sum(gradient(env, weights, rng) for _ in range(GAMES)) / GAMES
        if update % 5 == 0:
            print(f"update {update}: largest weight {np.abs(weights).max():.2f}", flush=True)
    won = [play(env, [weights, *[np.zeros_like(weights)] * 3], rng)[1][0] for _ in range(MEASURED)]
    print(f"mean return {np.mean(won):+.3f} of one learner among three random players")


def gradient(env, weights, rng):
    """The gradient of the sum of all players' returns, estimated from one game."""
    steps, returns = play(env, [weights] * env.max_num_agents, rng)
    total = np.zeros_like(weights)
    for seat, seen, chances, action in steps:
        likelier = -chances
        likelier[action] += 1
        total += returns[seat] * np.outer(seen, likelier)
    return total


def play(env, players, rng):
    """A game: each choice (seat, observation, chances, action), and the seats' returns."""
    observations, _ = env.reset()
    steps, returns = [], np.zeros(len(players))
    while env.agents:
        chosen = {}
        for seat, agent in enumerate(env.agents):
            seen, mask = observations[agent]["observation"], observations[agent]["action_mask"]
            chances = np.where(mask, np.exp(seen @ players[seat]), 0)
            chances /= chances.sum()
            chosen[agent] = int(rng.choice(len(chances), p=chances))
            steps.append((seat, seen, chances, chosen[agent]))
        observations, rewards, *_ = env.step(chosen)
        returns += list(rewards.values())
    return steps, returns


if __name__ == "__main__":
    main()
