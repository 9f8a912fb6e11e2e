"""Scripted players: for each game a module of its name."""

from __future__ import annotations
