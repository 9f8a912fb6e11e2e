"""What follows from Combi-Combo's rules alone and is looked up in play."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.rows import read_only
from kododo_env.games.combi_combo.observation import known_rows, schedules
from kododo_env.games.combi_combo.rules import Rules


class Tables(NamedTuple):
    """Look-up tables of some rules.

    Attributes:
        known: Where each number of an observation stands, (P, F); see ``known_rows``.
        schedule: What the turn alone tells, (turns + 1, turns + 1, 1); see ``schedules``.
    """

    known: npt.NDArray[np.intp]
    schedule: npt.NDArray[Any]


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
    return Tables(read_only(known_rows(rules)), read_only(schedules(rules))[:, :, None])
