"""Kododo, sold as 5211: two to five players lay 2, then 1, then 1 card, all at once."""

from kododo_env.games.kododo.game import KododoGame, KododoView
from kododo_env.games.kododo.rules import Rules

__all__ = ["KododoGame", "KododoView", "Rules"]
