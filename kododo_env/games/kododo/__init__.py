"""Kododo, sold as 5211: in a round two to five players lay 2, 1 and 1 cards at once."""

from kododo_env.games.kododo.game import KododoGame, KododoView
from kododo_env.games.kododo.rules import Rules

__all__ = ["KododoGame", "KododoView", "Rules"]
