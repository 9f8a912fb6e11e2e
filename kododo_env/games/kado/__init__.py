"""KADO: a dealer gives presents face down, the others guess which one was kept."""

from kododo_env.games.kado.game import KadoGame
from kododo_env.games.kado.observation import Moves, Phase
from kododo_env.games.kado.rules import Rules

__all__ = ["KadoGame", "Moves", "Phase", "Rules"]
