"""stable-baselines3: sb3-contrib's MaskablePPO on a batch of games.

    pip install '.[play,export,sb3]'
    python docs/examples/sb3_maskable_ppo.py

One seat of every game learns among random players. At the end it is a policy file, sb3.onnx, whose
share of the victory among random players is told beside that of the model before it learned.
Without VecMonitor no reward is logged.
"""

from __future__ import annotations

import sys

from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export
from kododo_env.wrappers.sb3 import BatchVecEnv

PLAYERS, GAMES, STEPS, UPDATES = 4, 256, 18, 12  # a game of Kododo has 18 steps
OUT = sys.argv[1] if len(sys.argv) > 1 else "sb3.onnx"


def main() -> None:
    """Train for some updates, measure and export."""
    game = kododo_v0.batch_game(GAMES, num_players=PLAYERS)
    envs = VecMonitor(BatchVecEnv(game, reward="win", opponents="random", normalize=True))
    model = MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=STEPS,
        batch_size=GAMES * STEPS // 8,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        seed=0,
    )

    def choose(numbers, mask):
        """The likeliest actions."""
        return model.predict(numbers, action_masks=mask, deterministic=True)[0]

    before = share(choose, "kododo", PLAYERS, normalize=True)
    model.learn(UPDATES * STEPS * GAMES)
    export(model, game, OUT)
    after = Match(kododo_env.load(OUT), "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


if __name__ == "__main__":
    main()
