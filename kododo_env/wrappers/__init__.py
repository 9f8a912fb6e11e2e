"""Interfaces of other libraries for any batch game, without code for a particular game.

``sb3`` needs stable-baselines3, so it is imported from its own module only.
"""

from kododo_env.system.extras import needs

needs("kododo_env.wrappers", "", "gymnasium", "pettingzoo")

from kododo_env.wrappers.aec import AECGame  # noqa: E402
from kododo_env.wrappers.gymnasium_vector import BatchVectorEnv  # noqa: E402
from kododo_env.wrappers.opponent_pool import OpponentPool  # noqa: E402
from kododo_env.wrappers.parallel import ParallelGame  # noqa: E402
from kododo_env.wrappers.single import SingleSeatEnv  # noqa: E402

__all__ = ["AECGame", "BatchVectorEnv", "OpponentPool", "ParallelGame", "SingleSeatEnv"]
