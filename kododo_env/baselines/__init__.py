"""Scripted players: for each game a module of its name."""
