"""Card games in which everybody reveals at once, for reinforcement learning.

Importing this makes the games known to Gymnasium:
``gymnasium.make("kododo_env:kododo/Kododo-v0", num_players=4)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kododo_env.gymnasium_ids import register_all

if TYPE_CHECKING:
    from kododo_env.agent_registry import load, make_agent

__version__ = "0.1.0"
__all__ = ["__version__", "load", "make_agent"]

register_all()


def __getattr__(name: str) -> Any:
    # Not at once: a script is to answer Ctrl-C in a line before numpy is imported.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from kododo_env import agent_registry

    return getattr(agent_registry, name)
