"""Who plays: scripted, searching and learned agents; self-play, the arena, export."""

from agents.registry import baselines, load, make_agent

__all__ = ["baselines", "load", "make_agent"]
