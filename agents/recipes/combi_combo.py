"""Combi-Combo's recipe, the same for four and five players.

An outcome is nearly all luck, of which the value explains a fifth: it takes many games, and the
imitation, which is soon as good as it gets, a small share of them.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

BOTH = Recipe(
    n_epochs=1,
    learning_rate=3e-4,
    final_learning_rate=1e-5,
    muon=30.0,
    gae_lambda=0.9,
    width=192,
    expert="heuristic",
)
RECIPES = {4: BOTH, 5: BOTH}
SHIPPED_STEPS = {4: 20_000_000, 5: 20_000_000}
