"""The recipe of KADO, the same for all numbers of players.

The heuristic is far stronger than any policy trained from scratch, and only a network whose weights
are tied over seats, rows and columns can represent it. Games consist of many small decisions and
much luck: at Kododo's learning rates, noise destroys what self-play learns. Training is slow: with
three players 60 million agent-steps are better than 30 million, and with four players 90 million
are slightly better than 60 million. A network that imitates the mean of three such policies is as
strong as the best of them. With two players more than 24 million do not help. A dealer can exploit
predictable guesses, so the magnet and the entropy bonus keep guesses mixed.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

RECIPE = Recipe(
    n_epochs=1,
    learning_rate=1e-4,
    final_learning_rate=1e-5,
    muon=10.0,
    ent_coef=0.02,
    final_ent_coef=0.01,
    magnet=0.2,
    gae_lambda=0.95,
    margin_weight=0.1,
    width=256,
    depth=2,
    one_hot=8,
    tied=True,
    expert="heuristic",
    imitation_steps=2_000_000,
    imitation_share=0.3,
)
RECIPES = {2: RECIPE, 3: RECIPE, 4: RECIPE}
SHIPPED_STEPS = {2: 24_000_000, 3: 60_000_000, 4: 90_000_000}
