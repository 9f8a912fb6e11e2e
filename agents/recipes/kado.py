"""KADO's recipe, the same for all numbers of players.

Its heuristic is far ahead of any policy learned from nothing, and only a network that is tied over
seats, rows and columns can see what it sees. A game is won by many small decisions and much luck:
self-play in steps as large as Kododo's undoes by noise what it learns. It is slow: with three
players a bot of 60 million agent-steps is stronger than one of 30 million, and with four 90
million are a little better than 60; a network of the mean of three of those is as strong as the
best of them. With two players more than 24 million bring nothing. A dealer who foresees the
challengers' guesses wins by what they keep: the magnet and the entropy keep guesses mixed.
"""

from __future__ import annotations

from agents.recipes.recipe import Recipe

ALL = Recipe(
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
RECIPES = {2: ALL, 3: ALL, 4: ALL}
SHIPPED_STEPS = {2: 24_000_000, 3: 60_000_000, 4: 90_000_000}
