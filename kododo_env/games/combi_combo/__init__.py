"""Combi-Combo: four or five players pass cards to the left, all at once, and collect sets."""

from kododo_env.games.combi_combo.game import CombiComboGame, CombiComboView
from kododo_env.games.combi_combo.rules import Rules

__all__ = ["CombiComboGame", "CombiComboView", "Rules"]
