"""What follows from Combi-Combo's rules alone and is looked up in play."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.rows import read_only
from kododo_env.games.combi_combo.observation import known_rows, schedules
from kododo_env.games.combi_combo.rules import Rules

# Below so many games the number of numpy calls counts, above it the bytes: to count cards as one
# would for many takes a seventh longer with one game.
FEW = 8


class Tables(NamedTuple):
    """Look-up tables of some rules.

    Attributes:
        one_hot: By card how many of each type it is, (256, C * 4), none for no card. For few games.
        previous: Whose left neighbour each player is, (P,).
        known: Where each number of an observation stands, (P, F); see ``known_rows``.
        schedule: What the turn alone tells, (turns + 1, turns + 1, 1); see ``schedules``.
    """

    one_hot: npt.NDArray[np.uint8]
    previous: npt.NDArray[np.intp]
    known: npt.NDArray[np.intp]
    schedule: npt.NDArray[Any]


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
    return Tables(
        read_only(np.eye(256, rules.num_card_types, dtype=np.uint8)),
        read_only((np.arange(rules.num_players) - 1) % rules.num_players),
        read_only(known_rows(rules)),
        read_only(schedules(rules))[:, :, None],
    )
