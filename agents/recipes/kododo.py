"""Kododo's recipes: imitation of the heuristic, then pure self-play.

Scripted opponents in training taught the bots to their test: gains against opponents that they had
met were worth nothing against held-out opponents, and could be exploited
(docs/evidence/ablations.md). With two players the policy is held near the average of its past,
which in a small game brings it several times nearer to the equilibrium (docs/evidence/exact.md).
"""

from __future__ import annotations

from dataclasses import replace

from agents.recipes.recipe import Recipe

BASE = Recipe(
    n_epochs=1,
    learning_rate=1e-4,
    final_learning_rate=1e-5,
    muon=30.0,
    ent_coef=0.1,
    final_ent_coef=0.05,
    expert="heuristic",
)
TWO_PLAYERS = replace(BASE, final_ent_coef=0.02, magnet=0.2, imitation_temperature=0.0)
# This makes updates cheaper; bots became as strong in the same time.
FIVE_PLAYERS = replace(BASE, learned_share=0.5)
RECIPES = {2: TWO_PLAYERS, 3: BASE, 4: BASE, 5: FIVE_PLAYERS}
# More steps make stronger policies, by less each time.
SHIPPED_STEPS = {2: 300_000_000, 3: 400_000_000, 4: 400_000_000, 5: 96_000_000}
# With two players the network of the mean is stronger than the others; with more it is not.
MEAN_STEPS = {2: 12_000_000}
