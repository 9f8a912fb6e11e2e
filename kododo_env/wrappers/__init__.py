"""Other people's interfaces over any batch game. Nothing here knows which game it is.

``vec`` needs stable-baselines3, so it is imported from its own module only.
"""

from __future__ import annotations

from kododo_env.wrappers.aec import AECGame
from kododo_env.wrappers.parallel import ParallelGame
from kododo_env.wrappers.single import SingleSeatEnv
from kododo_env.wrappers.vector import BatchVectorEnv

__all__ = ["AECGame", "BatchVectorEnv", "ParallelGame", "SingleSeatEnv"]
