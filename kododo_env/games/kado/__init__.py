"""KADO: a dealer gives presents face down, and the others guess which one the dealer kept."""

from kododo_env.games.kado.actions import Moves
from kododo_env.games.kado.game import KadoGame
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.state import Phase

__all__ = ["KadoGame", "Moves", "Phase", "Rules"]
