"""KADO's recipe, the same for all numbers of players.

Its games are long and few of their steps are decisions: smaller updates, more of them. Its
heuristic is far ahead of what is learned from nothing, and only a network that is tied over
seats, rows and columns can see what it sees; at three times this rate Muon learns it worse.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

ALL = Recipe(
    num_envs=128,
    batch_size=1024,
    n_epochs=2,
    learning_rate=1e-5,
    final_learning_rate=1e-6,
    muon=10.0,
    ent_coef=0.003,
    final_ent_coef=0.001,
    gae_lambda=0.9,
    width=256,
    depth=2,
    one_hot=8,
    tied=True,
    expert="heuristic",
    imitation_share=0.9,
    imitation_temperature=0.3,
    temperature=0.0,
)
RECIPES = {2: ALL, 3: ALL, 4: ALL}
SHIPPED_STEPS = {2: 3_000_000, 3: 4_000_000, 4: 4_000_000}
STRANGER = {"steps": 3_000_000, "gae_lambda": 0.9, "num_envs": 128, "batch_size": 1024}
