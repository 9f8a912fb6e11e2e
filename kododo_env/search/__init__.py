"""Search over what a player cannot see."""

from __future__ import annotations
