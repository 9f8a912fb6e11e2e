"""RLlib: its own PPO by self-play, with masks, for users who bring their own configuration.

    python docs/examples/rllib_ppo.py

One policy plays all seats. RLlib's masking module wants float32 under the key
``observations``, and RLlib tries every environment by actions that it samples without masks.
"""

from __future__ import annotations

from gymnasium.spaces import Dict
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from kododo_env import kododo_v0

UPDATES = 2


class Kododo(ParallelPettingZooEnv):
    """The ParallelEnv as RLlib wants it."""

    def __init__(self, config: dict) -> None:
        super().__init__(kododo_v0.parallel_env(
            **config, normalize=True, action_mask="observation", illegal_action="random",
        ))  # fmt: skip
        spaces = {seat: Dict(renamed(space)) for seat, space in self.observation_space.items()}
        self.observation_space = self.observation_spaces = Dict(spaces)
        self.action_spaces = self.action_space

    def reset(self, **given):
        seen, infos = super().reset(**given)
        return {seat: renamed(each) for seat, each in seen.items()}, infos

    def step(self, actions):
        seen, *others = super().step(actions)
        return {seat: renamed(each) for seat, each in seen.items()}, *others


def renamed(seen):
    """An observation or its space, with RLlib's names."""
    return {"observations": seen["observation"], "action_mask": seen["action_mask"]}


def main() -> None:
    """Train for some updates."""
    config = (
        PPOConfig()
        .environment(Kododo, env_config={"num_players": 4, "reward": "win"})
        .multi_agent(policies={"all"}, policy_mapping_fn=lambda seat, episode, **_: "all")
        .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        .env_runners(num_env_runners=0)
        .training(train_batch_size_per_learner=512, minibatch_size=128, num_epochs=2)
    )
    learner = config.build_algo()
    for update in range(1, UPDATES + 1):
        learned = learner.train()["learners"]["all"]
        print(f"update {update}: entropy {learned['entropy']:.3f}", flush=True)
    learner.stop()


if __name__ == "__main__":
    main()
