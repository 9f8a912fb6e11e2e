"""Batch games as games of OpenSpiel, and OpenSpiel's policies and bots as agents.

See ``docs/evidence/open_spiel.md``.
"""

from kododo_env.system.extras import needs

needs("kododo_env.wrappers.open_spiel", "open-spiel", "pyspiel", "open_spiel")

from kododo_env.wrappers.open_spiel.agent import SpielAgent  # noqa: E402
from kododo_env.wrappers.open_spiel.game import SpielGame, load_game  # noqa: E402
from kododo_env.wrappers.open_spiel.resampler import resampler  # noqa: E402

__all__ = ["SpielAgent", "SpielGame", "load_game", "resampler"]
