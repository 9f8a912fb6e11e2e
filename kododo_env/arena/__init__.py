"""Matches and tournaments, ratings and their intervals."""

from __future__ import annotations
