"""Combi-Combo's recipe, the same for four and five players."""

from __future__ import annotations

from agents.recipes.recipe import Recipe

BOTH = Recipe(
    learning_rate=1e-4,
    final_learning_rate=1e-5,
    muon=30.0,
    gae_lambda=0.9,
    width=192,
    expert="heuristic",
    imitation_share=0.4,
)
RECIPES = {4: BOTH, 5: BOTH}
SHIPPED_STEPS = {4: 2_500_000, 5: 2_500_000}
