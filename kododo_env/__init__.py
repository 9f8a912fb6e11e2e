"""Card games in which everybody reveals at once, for reinforcement learning.

Importing this makes the games known to Gymnasium:
``gymnasium.make("kododo_env:kododo/Kododo-v0", num_players=4)``.
"""

from __future__ import annotations

from kododo_env.gymnasium_ids import register_all

__version__ = "0.1.0"

register_all()
