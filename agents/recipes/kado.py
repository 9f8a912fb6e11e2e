"""KADO's recipe, the same for all numbers of players.

Its heuristic is far ahead of what is learned from nothing, and only a network that is tied over
seats, rows and columns can see what it sees; at three times this rate Muon learns it worse.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

ALL = Recipe(
    batch_size=2048,
    n_epochs=1,
    learning_rate=3e-4,
    final_learning_rate=3e-5,
    muon=10.0,
    ent_coef=0.015,
    final_ent_coef=0.005,
    gae_lambda=0.9,
    width=256,
    depth=2,
    one_hot=8,
    tied=True,
    expert="heuristic",
    imitation_share=0.15,
)
RECIPES = {2: ALL, 3: ALL, 4: ALL}
SHIPPED_STEPS = {2: 14_000_000, 3: 14_000_000, 4: 14_000_000}
STRANGER = {"steps": 3_000_000, "gae_lambda": 0.9, "num_envs": 128, "batch_size": 1024}
