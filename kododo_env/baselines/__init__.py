"""Scripted players, in one module for each game, which has the game's name."""
