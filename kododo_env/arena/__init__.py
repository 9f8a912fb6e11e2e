"""Matches, comparisons and tournaments of agents, ratings, and 95 % intervals."""

from kododo_env.system.extras import needs

needs("kododo_env.arena", "play", "tabulate", "tqdm")

from kododo_env.arena.head_to_head import compare as compare  # noqa: E402
