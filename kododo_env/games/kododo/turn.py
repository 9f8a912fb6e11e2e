"""A turn of Kododo: all players lay cards simultaneously, and draw as many cards.

``one_game.py`` has the same functions for a single game.
"""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Uint8
from kododo_env.arrays.rows import blocks, column
from kododo_env.core.deck import NONE
from kododo_env.games.kododo.hands import in_order, with_card, without_slot
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import score_round
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import KododoTables


def lay_and_draw(state: KododoState, rules: Rules, tables: KododoTables, chosen: Array) -> None:
    """Lay the cards of the legal actions ``chosen``, (P, N), and draw as many cards, in place."""
    plays = rules.plays[state.turn]
    place = rules.laid_before[state.turn]
    by_type = rules.count_fields.by_type
    for games in blocks(chosen.shape[1]):
        counts = state.counts[..., games]
        hands = state.hands[..., games]
        slots = tables.ends[:plays].take(chosen[:, games], axis=1)
        for play in reversed(range(plays)):  # the last slot first: no other slot moves
            card, hands = without_slot(hands, slots[play])
            state.table[:, place + play, games] = card
            count_laid(counts, card, rules)
        for card in next_cards(state, rules, games):
            hands = with_card(hands, card)
            counts[:-1, by_type] += _by_type(card, rules)
        state.hands[:, : hands.shape[1], games] = hands
        state.hands[:, hands.shape[1] :, games] = NONE


def next_cards(state: KododoState, rules: Rules, games: slice) -> Uint8:
    """Return the next cards of the draw pile: (plays, P, N); (0, P, N) in the last round."""
    draws = rules.plays[state.turn] if rules.draws(state.round_index) else 0
    start = rules.drawn(state.round_index, state.turn)
    drawn = state.deck[start : start + rules.num_players * draws, games]
    return drawn.reshape(rules.num_players, draws, drawn.shape[-1]).swapaxes(0, 1)


def count_laid(counts: Uint8, card: Uint8, rules: Rules) -> None:
    """Count a card that each player lays from the hand, (P, N), in place; see ``CountFields``."""
    fields = rules.count_fields
    players = counts[:-1]
    everybody = counts[-1]
    colour = card // rules.num_values
    value = card - colour * rules.num_values + 1
    of_colour = (colour[:, None] == column(rules.num_colours)).view(np.uint8)
    of_type = _by_type(card, rules)
    players[:, fields.laid_by_colour] += of_colour
    players[:, fields.kododos] += (value == KODODO_VALUE)[:, None]
    players[:, fields.points] += of_colour * value[:, None]
    players[:, fields.by_type] -= of_type
    everybody[fields.by_type] += np.add.reduce(of_type, axis=0, dtype=np.uint8)
    laid = players[:, : fields.kododos.stop]
    np.add.reduce(laid, axis=0, dtype=np.uint8, out=everybody[: fields.kododos.stop])


def _by_type(card: Uint8, rules: Rules) -> Uint8:
    """One-hot encode a card of each player, (P, N), by type: (P, T, N)."""
    one_hot: Bool = card[:, None] == column(rules.num_card_types)
    return one_hot.view(np.uint8)


def score(state: KododoState, rules: Rules) -> tuple[Array, Array]:
    """Return the points and cards that each player wins in the round, each (P, N)."""
    fields = rules.count_fields
    laid = state.counts[:-1, fields.laid]
    together = state.counts[-1, : fields.kododos.stop]
    return score_round(laid, together, rules.kododo_number, rules.limit)


def sort_hands(state: KododoState, rules: Rules) -> None:
    """Sort the hands, empty slots last, and count their cards by type, in place."""
    state.hands = in_order(state.hands)
    held = state.counts[:-1, rules.count_fields.by_type]
    held.fill(0)
    for slot in range(rules.hand_size):
        held += _by_type(state.hands[:, slot], rules)
