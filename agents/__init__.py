"""Who plays: scripted, searching and learned agents; self-play, the arena, export."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from agents.registry import baselines, load, make_agent

__all__ = ["baselines", "load", "make_agent"]


def __getattr__(name: str) -> Any:
    # Not at once: a script is to answer Ctrl-C in a line before numpy is imported.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from agents import registry

    return getattr(registry, name)
