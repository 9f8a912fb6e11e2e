"""Matches and tournaments, ratings and their intervals."""

from __future__ import annotations

from kododo_env.system.extras import needs

needs("kododo_env.arena", "play", "tabulate", "tqdm")
