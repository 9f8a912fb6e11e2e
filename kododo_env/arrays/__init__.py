"""Helpers for numpy arrays with the game axis last."""
