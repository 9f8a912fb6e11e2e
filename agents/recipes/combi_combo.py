"""The recipe of Combi-Combo, the same for four and five players.

Outcomes are mostly luck: the value function explains a fifth of their variance. Therefore training
needs many games. Imitation converges early and gets a small share of them.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

RECIPE = Recipe(
    n_epochs=1,
    learning_rate=3e-4,
    final_learning_rate=1e-5,
    muon=30.0,
    gae_lambda=0.9,
    width=192,
    expert="heuristic",
)
RECIPES = {4: RECIPE, 5: RECIPE}
SHIPPED_STEPS = {4: 20_000_000, 5: 20_000_000}
