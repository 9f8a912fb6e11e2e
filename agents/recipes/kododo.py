"""Kododo's recipes."""

from __future__ import annotations

from dataclasses import replace

from agents.recipes.recipe import Recipe

BASE = Recipe(
    learning_rate=1e-4,
    final_learning_rate=1e-5,
    muon=30.0,
    expert="heuristic",
    opponents=("heuristic", "heuristic", "follow"),
)
# With half of the updates against scripted players two players' bot was .01 to .02 weaker against
# the heuristic and against follow, but could be exploited less; with followers in half of these
# it was .03 better against the heuristic and .04 worse against follow; taught what the choices
# are worth it was no better.
TWO = replace(
    BASE,
    ent_coef=0.03,
    final_ent_coef=0.015,
    imitation_temperature=0.0,
    opponents=("heuristic", "follow", "follow"),
    opponents_share=0.65,
)
# With more players one pass over twice as many decisions costs the same time as three and is as
# good against the heuristics; it leaves less to one of them among bots. With four so does meeting
# scripted players less often.
FIVE = replace(BASE, n_epochs=1, sort_opponents=True, imitation_share=0.1)
FOUR = replace(FIVE, opponents_share=0.25)
RECIPES = {2: TWO, 3: BASE, 4: FOUR, 5: FIVE}
SHIPPED_STEPS = {2: 9_000_000, 3: 6_000_000, 4: 28_000_000, 5: 12_000_000}
