"""What holds in every game of KADO, whatever the cards and the choices."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kododo_env.games.kado import KadoGame, Phase, Rules
from kododo_env.games.kado.invariants import invariants
from kododo_env.games.kado.tables import tables

# Two gifts and three ribbons, a tableau of four cards; twice the same card now and then.
SMALL: Any = {
    "deck": (((1, 2, 2), (1, 3), (2, 2)), ((1, 1), (2, 3), (1, 2, 3))),
    "num_rows": 2,
    "num_columns": 2,
}
LINE: Any = {
    "deck": (((1, 2, 3, 4, 5, 6),), ((1, 2, 3, 4, 5, 6),)),
    "num_rows": 1,
    "num_columns": 3,
}
ALL_RULES = [
    *(Rules(num_players=players) for players in (2, 3, 4)),
    Rules(num_players=2, **SMALL, discards=0),
    Rules(num_players=2, **LINE),
    Rules(num_players=3, **LINE),
]


def short_name(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.num_cards}-cards"


ANY_RULES = st.sampled_from(ALL_RULES)
SEEDS = st.integers(0, 2**32 - 1)


def test_what_does_not_hold_in_a_state_alone_is_named(field: str, wrong: int, said: str) -> None:
    game = KadoGame(8, seed=1)
    play(game, np.random.default_rng(1), 4 + 2)  # the second turn: cards are before all players
    assert (game.turn, game.phase) == (1, Phase.CHALLENGE)
    state = state_of(game)
    assert all(np.all(holds) for _, holds in invariants(state, game.rules, tables(game.rules)))
    if isinstance(getattr(state, field), int):
        setattr(state, field, wrong)
    else:
        getattr(state, field)[...] = wrong
    found = invariants(state, game.rules, tables(game.rules))
    assert next(must for must, holds in found if not np.all(holds)) == said
