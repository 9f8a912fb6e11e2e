"""Look-up tables that follow from KADO's rules."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Intp, Uint8
from kododo_env.arrays.rows import column, read_only
from kododo_env.core.deck import NONE
from kododo_env.games.kado.actions import moves
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import parted
from kododo_env.layouts.observation import from_own_seat

MISSED = 1
PERFECT = 4
"""The worst and the best result of a guess, see ``KadoTables.hits``."""


class KadoTables(NamedTuple):
    """Look-up tables for one set of rules; card ids are 0 to 255."""

    gift: Uint8  # the gift by card id, NONE for NONE, (256,)
    ribbon: Uint8  # the ribbon by card id, NONE for NONE, (256,)
    value: Uint8  # the value by card id, from 1; 0 for NONE, (256,)
    parts: Uint8  # gift (one-hot), ribbon (one-hot) and value, (G + B + 1, 256)
    first: Intp  # the index in ``Rules.cards`` of the first card with this id, (256,)
    kinds: Intp  # the indices in ``Rules.cards`` of the first card of each type
    # The result of an action by the dealer's card, (256, A): 0 if it is not a guess, 1 if gift and
    # ribbon are wrong, 2 if only the gift is right, 3 if only the ribbon is right, 4 if both are.
    hits: Uint8
    guessed: Bool  # gift and ribbon of a guess (one-hot), (G + B, A); False for other actions
    holders: Intp  # the seat to which each action of a dealer gives a card, P if aside, (P, P + 1)
    # A card changes three sums, by gift, by ribbon and the highest value; see ``scoring.parted``.
    sums_of_cell: Intp  # the index of the first of these sums for a cell, (3, cells)
    sums_of_card: Intp  # the offset from that index for a card, (3, 256)
    gains: Uint8  # the number that a card adds to each of the three sums, (3, 256)
    minimum: Uint8  # the minimum of each of the three sums with the card, (3, 256)


@cache
def tables(rules: Rules) -> KadoTables:
    """Return the tables of these rules, shared by all games."""
    ids = np.arange(NONE + 1)
    cards = np.sort(rules.cards)
    zeros = np.zeros(NONE + 1, np.uint8)
    kind, value = np.divmod(ids, rules.num_values)
    gift, ribbon = np.divmod(kind, rules.num_ribbons)
    real = ids < rules.num_card_types
    parts = (np.where(real, gift, NONE), np.where(real, ribbon, NONE), (value + 1) * real)
    gift, ribbon, value = (part.astype(np.uint8) for part in parts)
    facts = np.vstack([gift == column(rules.num_gifts), ribbon == column(rules.num_ribbons)])
    aside = np.full((rules.num_players, 1), rules.num_players)
    arrays: tuple[Array, ...] = (
        gift, ribbon, value, np.vstack([facts, value]),
        np.searchsorted(cards, ids), np.unique(cards, return_index=True)[1],
        *_guesses(rules, facts), np.hstack([from_own_seat(rules.num_players), aside]),
        _sums_of_cell(rules), np.vstack([gift, ribbon, zeros]).astype(np.intp),
        np.vstack([value, real, zeros]).astype(np.uint8), np.vstack([zeros, zeros, value]),
    )  # fmt: skip
    return KadoTables(*map(read_only, arrays))


def _guesses(rules: Rules, facts: Bool) -> tuple[Uint8, Bool]:
    """``hits`` and ``guessed`` of the tables; ``facts`` are the gift and ribbon of each card."""
    first = moves(rules)
    gifts = rules.num_gifts
    guessed = np.zeros((rules.num_parts, first.no_op + 1), np.bool_)
    gift, ribbon = np.divmod(np.arange(first.place - first.guess), rules.num_ribbons)
    guessed[:gifts, first.guess : first.place] = gift == column(gifts)
    guessed[gifts:, first.guess : first.place] = ribbon == column(rules.num_ribbons)
    right_gift, right_ribbon = (
        facts[part].T.astype(np.uint8) @ guessed[part]
        for part in (slice(gifts), slice(gifts, None))
    )
    return guessed.any(axis=0) + right_gift + 2 * right_ribbon, guessed


def _sums_of_cell(rules: Rules) -> Intp:
    """``sums_of_cell`` of the tables."""
    points, ribbons, best = parted(np.arange(rules.num_sums)[None], rules)
    row, column_of = np.divmod(np.arange(rules.num_cells), rules.board_columns)
    return np.vstack([points[0, row, 0], ribbons[0, column_of, 0], best[0, column_of]])
