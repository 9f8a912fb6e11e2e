"""A turn of one game, card by card: the same as ``turn.py`` does for any number of games.

Four cards move in a turn then, and a call of numpy takes as long as moving one of them like this.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.state import Counts, KododoState
from kododo_env.games.kododo.tables import Tables

Array = npt.NDArray[Any]


def lay_and_draw(state: KododoState, rules: Rules, tables: Tables, chosen: Array) -> None:
    """As ``turn.lay_and_draw``; arrays are read as rows of bytes, one number after the other."""
    arrays = state.hands, state.table, state.deck, state.counts
    hands, table, deck, counts = (array.data.cast("B") for array in arrays)
    top, draws = rules.drawn(state.round_index, state.turn), rules.draws(state.round_index)
    kododos, points, types = rules.num_colours, rules.num_colours + 1, rules.num_counts
    together = rules.num_players * rules.num_counted  # the last row of ``Counts``
    num_values, laid_before = rules.num_values, rules.laid_before[state.turn]
    for player, action in enumerate(chosen[:, 0].tolist()):
        own, hand = player * rules.num_counted, player * rules.hand_size
        place = player * rules.round_cards + laid_before
        for slot in tables.slots[action]:
            card = table[place] = hands[hand + slot]
            colour, value = divmod(card, num_values)
            counts[own + colour] += 1
            counts[together + colour] += 1
            counts[own + points + colour] += value + 1
            counts[own + types + card] -= 1
            counts[together + types + card] += 1
            if value + 1 == KODODO_VALUE:
                counts[own + kododos] += 1
                counts[together + kododos] += 1
            hands[hand + slot] = NONE
            if draws:
                card = hands[hand + slot] = deck[top]
                counts[own + types + card] += 1
            place, top = place + 1, top + 1
    state.hands.sort(axis=1)


def score(counts: Counts, rules: Rules) -> tuple[Array, Array]:
    """As ``turn.score``."""
    *colours, kododos = counts.total[:, 0].tolist()
    if kododos == rules.kododo_number:
        return counts.kododos, counts.kododos
    alone = [n for n in colours if 0 < n < rules.limit and colours.count(n) == 1]
    if not alone:
        nothing = np.zeros_like(counts.kododos)
        return nothing, nothing
    colour = colours.index(max(alone))
    return counts.points[:, colour], counts.colours[:, colour]
