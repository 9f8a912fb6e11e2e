"""Look-up tables that follow from KADO's rules."""

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
"""Results of a guess, see ``KadoTables.hits``; in between: exactly one of gift and ribbon is
right."""


class KadoTables(NamedTuple):
    """Parts of the cards by id, each of shape (256,), and the indices of sums and cards."""

    gift: Uint8  # NONE for NONE
    ribbon: Uint8  # NONE for NONE
    value: Uint8  # from 1; 0 for NONE
    parts: Uint8  # gift (one-hot), ribbon (one-hot) and value, (G + B + 1, 256)
    first: Intp  # the index in ``Rules.cards`` of the first card of a type
    kinds: Intp  # the indices in ``Rules.cards`` at which another type begins
    # By the dealer's card and the action, (256, A): 0 for actions other than guesses, then
    # missed, only the gift right, only the ribbon right, both right.
    hits: Uint8
    guessed: Bool  # gift and ribbon of a guess (one-hot), (G + B, A); False for other actions
    holders: Intp  # the seat to which an action of a dealer gives a card, P for aside; (P, P + 1)
    sums_of_cell: Intp  # the first sum of a cell's row, and of its column twice; (3, cells)
    sums_of_card: Intp  # the offset of the sums to which a card is added, (3, 256)
    gains: Uint8  # the numbers that a card adds to these sums, (3, 256)
    minimum: Uint8  # the least numbers of these sums with the card, (3, 256)


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
