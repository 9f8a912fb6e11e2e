"""The recipes of Kododo: imitation of the heuristic, then pure self-play.

Training does not use scripted opponents: gains against opponents met in training did not carry over
to held-out opponents, and the policies could be exploited (docs/evidence/ablations.md). With two
players the magnet keeps the policy near the average of its past. In a small game this brings it
several times nearer to the equilibrium (docs/evidence/exact.md).
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
# learned_share makes updates cheaper; policies became as strong in the same time.
FIVE_PLAYERS = replace(BASE, learned_share=0.5)
RECIPES = {2: TWO_PLAYERS, 3: BASE, 4: BASE, 5: FIVE_PLAYERS}
# More steps make stronger policies, with diminishing returns.
SHIPPED_STEPS = {2: 300_000_000, 3: 400_000_000, 4: 400_000_000, 5: 96_000_000}
# Only with two players is a network that imitates the mean of the seeds stronger than each seed.
MEAN_STEPS = {2: 12_000_000}
