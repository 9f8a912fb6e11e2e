"""The core of all games: the contract of a batch game, decks, observation and action layouts."""

from kododo_env.core.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.observation import ObservationLayout, Piece
from kododo_env.core.rewards import REWARDS, reward_function
from kododo_env.core.view import View

__all__ = [
    "REWARDS",
    "ActionLayout",
    "ActionPiece",
    "Agent",
    "BatchGame",
    "ObservationLayout",
    "Piece",
    "RandomAgent",
    "SlotPiece",
    "View",
    "reward_function",
]
