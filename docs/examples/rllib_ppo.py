"""RLlib: its own PPO on a batch of games, with masks, for users with their own configuration.

    pip install '.[ray]'
    python docs/examples/rllib_ppo.py

One seat of every game learns among random players. At the end it is a policy file, rllib.onnx,
whose share of the victory among random players is told beside that of the network before.
"""

from __future__ import annotations

import sys

import gymnasium
import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

import kododo_env
from kododo_env import kododo_v0
from kododo_env.arena.match import Match
from kododo_env.arena.shares import share
from kododo_env.export import export

PLAYERS, GAMES, STEPS, UPDATES = 4, 256, 18, 20  # a game of Kododo has 18 steps
OUT = sys.argv[1] if len(sys.argv) > 1 else "rllib.onnx"
TABLE = {
    "num_players": PLAYERS, "opponents": "random", "reward": "win",
    "normalize": True, "action_mask": "rllib",
}  # fmt: skip


class Exported(torch.nn.Module):
    """RLlib's module as one from observations to logits and values."""

    def __init__(self, learner) -> None:
        super().__init__()
        (found,) = learner.learner_group.foreach_learner(lambda each: each.module)
        self.module = found.get()["default_policy"]

    def forward(self, observation):
        """The logits, without the mask, and the values."""
        seen = {"obs": observation}
        logits = self.module.pi(self.module.encoder(seen)["encoder_out"]["actor"])
        return logits, self.module.compute_values(seen)


def main() -> None:
    """Train for some updates, measure and export."""
    config = (
        PPOConfig()
        .environment("kododo_env:kododo/Kododo-v0", env_config=TABLE)
        .env_runners(
            num_env_runners=0,
            num_envs_per_env_runner=GAMES,
            gym_env_vectorize_mode=gymnasium.VectorizeMode.VECTOR_ENTRY_POINT,
        )
        .rl_module(rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule,
            model_config=DefaultModelConfig(fcnet_hiddens=[128, 128], fcnet_activation="relu"),
        ))
        .training(
            train_batch_size_per_learner=GAMES * STEPS, minibatch_size=GAMES * STEPS // 8,
            num_epochs=4, lr=1e-3, gamma=1.0, lambda_=0.9, entropy_coeff=0.0, clip_param=0.2,
            use_kl_loss=False,
        )
        .debugging(seed=0)
    )  # fmt: skip
    ray.init("local")  # by itself RLlib takes any cluster that was here
    learner = config.build_algo()
    network = Exported(learner)

    def choose(numbers, mask):
        """The likeliest actions."""
        with torch.no_grad():
            logits, _ = network(torch.from_numpy(numbers))
        return logits.masked_fill(~torch.from_numpy(mask), -1e9).argmax(dim=1)

    before = share(choose, "kododo", PLAYERS, normalize=True)
    for update in range(1, UPDATES + 1):
        learned = learner.train()["learners"]["default_policy"]
        print(f"update {update}: entropy {learned['entropy']:.3f}", flush=True)
    game = kododo_v0.batch_game(1, num_players=PLAYERS)
    export(network, game, OUT, normalize=True)
    learner.stop()
    after = Match(kododo_env.load(OUT), "random", "kododo", PLAYERS, games=2000).play().share
    print(f"share among random players: {before.mean:.3f} before, {after.mean:.3f} after")


if __name__ == "__main__":
    main()
