"""Search over what a player cannot see."""

from __future__ import annotations

from kododo_env.system.extras import needs

needs("kododo_env.search", "play", "scipy")
