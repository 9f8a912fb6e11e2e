"""What follows from KADO's rules alone and is looked up in play."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
from kododo_env.core.rows import read_only
from kododo_env.core.state import Uint8
from kododo_env.games.kado.observation import known_rows
from kododo_env.games.kado.rules import Rules


class Tables(NamedTuple):
    """Parts of the cards by their id, each of shape (256,), and what stands where.

    Attributes:
        gift: NONE, which is no gift, for what is no card.
        ribbon: Likewise.
        value: From 1; 0 for what is no card.
        known: Where each number of an observation stands, (P, F); see ``known_rows``.
    """

    gift: Uint8
    ribbon: Uint8
    value: Uint8
    known: npt.NDArray[np.intp]


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
    ids = np.arange(NONE + 1)
    kind, value = np.divmod(ids, rules.num_values)
    gift, ribbon = np.divmod(kind, rules.num_ribbons)
    real = ids < rules.num_card_types
    parts = (np.where(real, gift, NONE), np.where(real, ribbon, NONE), (value + 1) * real)
    gifts, ribbons, values = (read_only(part.astype(np.uint8)) for part in parts)
    return Tables(gifts, ribbons, values, read_only(known_rows(rules)))
