"""A turn of Kododo: all players lay cards simultaneously, and draw as many cards.

``one_game.py`` has the same functions for a single game.
"""

from __future__ import annotations

import numpy as np

from kododo_env.core.arrays import Array, Bool, Uint8
from kododo_env.core.deck import NONE
from kododo_env.core.rows import blocks, column
from kododo_env.games.kododo.hands import in_order, with_card, without_slot
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import score_round
from kododo_env.games.kododo.state import Counts, KododoState
from kododo_env.games.kododo.tables import KododoTables


def lay_and_draw(state: KododoState, rules: Rules, tables: KododoTables, chosen: Array) -> None:
    """Lay the cards of the legal actions ``chosen``, (P, N), and draw as many cards, in place."""
    plays = rules.plays[state.turn]
    place = rules.laid_before[state.turn]
    for games in blocks(chosen.shape[1]):
        counts = Counts.of(state.counts[..., games], rules)
        hands = state.hands[..., games]
        slots = tables.ends[:plays].take(chosen[:, games], axis=1)
        for play in reversed(range(plays)):  # the last slot first: no other slot moves
            card, hands = without_slot(hands, slots[play])
            state.table[:, place + play, games] = card
            _count_laid(card, counts, rules)
        together = counts.laid[:, : len(counts.total)]
        np.add.reduce(together, axis=0, dtype=np.uint8, out=counts.total)
        for card in next_cards(state, rules, games):
            hands = with_card(hands, card)
            counts.held += _by_type(card, rules)
        state.hands[:, : hands.shape[1], games] = hands
        state.hands[:, hands.shape[1] :, games] = NONE


def next_cards(state: KododoState, rules: Rules, games: slice) -> Uint8:
    """Return the next cards of the draw pile: (plays, P, N); (0, P, N) in the last round."""
    draws = rules.plays[state.turn] if rules.draws(state.round_index) else 0
    start = rules.drawn(state.round_index, state.turn)
    drawn = state.deck[start : start + rules.num_players * draws, games]
    return drawn.reshape(rules.num_players, draws, drawn.shape[-1]).swapaxes(0, 1)


def _count_laid(card: Uint8, counts: Counts, rules: Rules) -> None:
    """Update the counts for a card that each player has laid, (P, N)."""
    colour = card // rules.num_values
    value = card - colour * rules.num_values + 1
    of_colour = (colour[:, None] == column(rules.num_colours)).view(np.uint8)
    of_type = _by_type(card, rules)
    counts.colours += of_colour
    counts.kododos += value == KODODO_VALUE
    counts.points += of_colour * value[:, None]
    counts.held -= of_type
    counts.revealed += np.add.reduce(of_type, axis=0, dtype=np.uint8)


def _by_type(card: Uint8, rules: Rules) -> Uint8:
    """One-hot encode a card of each player, (P, N), by type: (P, T, N)."""
    one_hot: Bool = card[:, None] == column(rules.num_card_types)
    return one_hot.view(np.uint8)


def score(state: KododoState, rules: Rules) -> tuple[Array, Array]:
    """Return the points and cards that each player wins in the round, each (P, N)."""
    counts = Counts.of(state.counts, rules)
    return score_round(counts.laid, counts.total, rules.kododo_number, rules.limit)


def sort_hands(state: KododoState, rules: Rules) -> None:
    """Sort the hands, empty slots last, and count their cards by type, in place."""
    state.hands = in_order(state.hands)
    held = Counts.of(state.counts, rules).held
    held[:] = 0
    for slot in range(rules.hand_size):
        held += _by_type(state.hands[:, slot], rules)
