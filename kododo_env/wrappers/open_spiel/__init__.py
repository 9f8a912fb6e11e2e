"""Batch games as games of OpenSpiel, and OpenSpiel's policies and bots as agents.

See ``docs/evidence/open_spiel.md``.
"""

from kododo_env.system.extras import needs

needs("kododo_env.wrappers.open_spiel", "open-spiel", "pyspiel", "open_spiel")

from kododo_env.wrappers.open_spiel.game import SpielGame, load_game  # noqa: E402
from kododo_env.wrappers.open_spiel.players import SpielAgent, resampler  # noqa: E402

__all__ = ["SpielAgent", "SpielGame", "load_game", "resampler"]
