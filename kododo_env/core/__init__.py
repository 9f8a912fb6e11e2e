"""The base of all games: the batch game class, decks, layouts of observations and actions."""

from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.rewards import REWARDS, reward_function
from kododo_env.core.view import View
from kododo_env.layouts.actions import ActionLayout, ActionPiece, SlotPiece
from kododo_env.layouts.observation import ObservationLayout, Piece

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
