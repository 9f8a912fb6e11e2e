"""What follows from Combi-Combo's rules alone and is looked up in play."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.observation import Rows
from kododo_env.core.rows import column, read_only
from kododo_env.games.combi_combo.observation import known_rows, schedules
from kododo_env.games.combi_combo.rules import VALUES, Rules


class Tables(NamedTuple):
    """Look-up tables of some rules.

    Attributes:
        one_hot: By card how many of each type it is, (256, C * 4), none for no card. For few games.
        by_value: What the types add to the cards by value, (4, C * 4). For few games.
        held: What having them adds to the different cards by colour, and to the different 4s,
            (C + 1, C * 4). For few games.
        previous: Whose left neighbour each player is, (P,).
        known: Where each number of an observation stands; see ``known_rows``.
        schedule: What the turn alone tells, (turns + 1, turns + 1, 1); see ``schedules``.
    """

    one_hot: npt.NDArray[np.uint8]
    by_value: npt.NDArray[np.uint8]
    held: npt.NDArray[np.uint8]
    previous: npt.NDArray[np.intp]
    known: Rows
    schedule: npt.NDArray[Any]


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
    colour, value = np.divmod(np.arange(rules.num_card_types), VALUES)
    by_value, by_colour = value == column(VALUES), colour == column(rules.num_colours)
    return Tables(
        read_only(np.eye(256, rules.num_card_types, dtype=np.uint8)),
        read_only(by_value.astype(np.uint8)),
        read_only(np.vstack([by_colour, by_value[-1]]).astype(np.uint8)),
        read_only((np.arange(rules.num_players) - 1) % rules.num_players),
        known_rows(rules),
        read_only(schedules(rules))[:, :, None],
    )
