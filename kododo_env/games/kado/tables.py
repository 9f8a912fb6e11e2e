"""Tables that follow from KADO's rules alone and are looked up in play."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kododo_env.core.arrays import Array, Bool, Intp, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.observation import from_own_seat
from kododo_env.core.rows import column, read_only
from kododo_env.games.kado.actions import moves
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import parted

MISSED = 1
PERFECT = 4
"""The result of a guess, see ``Tables.hits``; between them one of both is right."""


class Tables(NamedTuple):
    """Parts of the cards by their id, each of shape (256,), and the places of sums and cards."""

    gift: Uint8  # NONE, which is no gift, where there is no card
    ribbon: Uint8  # likewise
    value: Uint8  # from 1; 0 where there is no card
    parts: Uint8  # gift (one-hot), ribbon (one-hot) and value, (G + B + 1, 256)
    first: Intp  # where in the order of ``Rules.cards`` the first card of a type is
    kinds: Intp  # where in this order another type begins
    # By the dealer's card and the action, (256, A): 0 if it is no guess, then missed, the gift
    # alone, the ribbon alone, both.
    hits: Uint8
    guessed: Bool  # gift and ribbon of an action (one-hot), (G + B, A); nothing if it is no guess
    holders: Intp  # before whom a dealer lays a card by an action, P for aside; (P, P + 1)
    sums_of_cell: Intp  # where sums of a cell begin: in its row, in its column twice; (3, cells)
    sums_of_card: Intp  # which of them count a card, (3, 256)
    gains: Uint8  # how much a card adds to these sums, (3, 256)
    minimum: Uint8  # how large they are at least with it, (3, 256)


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
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
    return Tables(*map(read_only, arrays))


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
