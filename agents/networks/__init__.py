"""The networks, and how they see a position."""

from __future__ import annotations
