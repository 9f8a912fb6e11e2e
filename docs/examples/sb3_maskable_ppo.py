"""stable-baselines3: sb3-contrib's MaskablePPO on a batch of games.

    python docs/examples/sb3_maskable_ppo.py

One seat of every game learns among heuristics. Without VecMonitor no reward is logged.
"""

from __future__ import annotations

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from kododo_env import kododo_v0
from kododo_env.wrappers.sb3 import BatchVecEnv

PLAYERS, GAMES, STEPS, UPDATES = 4, 64, 18, 3  # a game of Kododo has 18 steps


def main() -> None:
    """Train for some updates, and play a step with the trained policy."""
    game = kododo_v0.batch_game(GAMES, num_players=PLAYERS)
    envs = VecMonitor(BatchVecEnv(game, reward="win", opponents="heuristic", normalize=True))
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=STEPS,
        batch_size=GAMES * STEPS // 4,
        gamma=1.0,
        seed=0,
        verbose=1,
    )
    model.learn(UPDATES * STEPS * GAMES)
    observations = envs.reset()
    actions, _ = model.predict(observations, action_masks=envs.env_method("action_masks"))
    envs.step(actions)


if __name__ == "__main__":
    main()
