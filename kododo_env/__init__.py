"""Card games in which everybody reveals at once, for reinforcement learning."""

__version__ = "0.1.0"
