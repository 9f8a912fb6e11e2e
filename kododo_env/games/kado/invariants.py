"""The invariants of the states of KADO."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.arrays.dtypes import Uint8
from kododo_env.arrays.rows import column
from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant, count_types
from kododo_env.games.kado.cards import cards_at, viewers_by_place
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import on_board, open_cells, parted, score, within_frame
from kododo_env.games.kado.state import KadoState, Phase
from kododo_env.games.kado.tables import KadoTables


def invariants(state: KadoState, rules: Rules, tables: KadoTables) -> Iterator[Invariant]:
    """Yield the invariants in order; the check of each assumes that the earlier ones hold."""
    yield from _schedule(state, rules)
    yield from _tableaus(state, rules, tables)
    yield from _places(state, rules)
    yield from _challenges(state, tables)
    yield from _knowledge(state, rules, tables)
    yield from _points(state, rules)


def _schedule(state: KadoState, rules: Rules) -> Iterator[Invariant]:
    steps = rules.phase_steps[state.phase]
    over = state.is_over(rules)
    yield f"turn must be 0 to {rules.num_turns}", state.turn <= rules.num_turns
    yield f"phase_step must be 0 to {steps - 1} in this phase", state.phase_step < steps
    waits = state.phase == Phase.DEALING and state.phase_step == 0
    yield "phase must be dealing and phase_step 0 when all is over", waits or not over
    yield "_terminated must be True after the last turn only", state.terminated == over


def _tableaus(state: KadoState, rules: Rules, tables: KadoTables) -> Iterator[Invariant]:
    tableau = on_board(state.tableau, rules)
    filled = tableau != NONE
    yield "_tableau must hold cards of the game", ~filled | (tableau < rules.num_card_types)
    yield f"_tableau must hold {state.turn} cards each", filled.sum(axis=(1, 2)) == state.turn
    yield "_tableau must fit into a frame of the final size", within_frame(filled)
    may_go = open_cells(filled)
    yield "_open must be the cells for the next card", on_board(state.open, rules) == may_go
    yield "_tableau must leave an open cell", may_go.any(axis=(1, 2)) | state.is_over(rules)
    gift, ribbon, value = (part.take(tableau) for part in tables[:3])
    gifts = column(rules.num_gifts)
    ribbons = column(rules.num_ribbons)
    by_gift = np.where(gift[:, :, :, None] == gifts, value[:, :, :, None], 0)
    row_points, column_ribbons, column_best = parted(state.sums, rules)
    yield "_sums must add up the rows of _tableau", row_points == by_gift.sum(axis=2)
    by_ribbon = (ribbon[:, :, :, None] == ribbons).sum(axis=1)
    yield "_sums must count the cards in columns of _tableau", column_ribbons == by_ribbon
    yield "_sums must have the highest values of columns", column_best == value.max(axis=1)


def _places(state: KadoState, rules: Rules) -> Iterator[Invariant]:
    """The places in the deck of the cards of this turn."""
    drawn = state.drawn
    start = state.turn_start
    size = rules.num_cards
    over = state.is_over(rules)
    cards = np.sort(rules.cards)[:, None]
    yield "_deck must hold the cards of the game", np.sort(state.deck[:-1], axis=0) == cards
    yield "_deck must end with an empty place", state.deck[-1] == NONE
    dealt = state.turn * rules.num_players
    max_drawn = state.turn * rules.cards_of_turn
    yield (
        "_turn_start must be possible after the turns played",
        (start >= dealt) & (start <= min(size, max_drawn)),
    )
    held = state.held
    somewhere = held != size
    dealt_by_now = np.minimum(drawn, start + rules.num_players + rules.max_discards)
    inside = (held >= start) & (held < dealt_by_now)
    yield "_held must be cards dealt in this turn", inside | ~somewhere
    ordered = np.sort(held, axis=0)
    twice = (ordered[1:] == ordered[:-1]) & (ordered[1:] != size)
    yield "_held must be different cards", ~twice
    count = somewhere.sum(axis=0)
    yield (
        "_held must have no card aside unless the rules allow discards",
        (~somewhere[-1] | (rules.max_discards > 0)),
    )
    if state.phase == Phase.DEALING:
        yield f"{state.phase_step} cards must have been dealt", count == state.phase_step
        yield "_drawn must count the cards dealt", (drawn == start + count) | over
        yield "_drawn must be _turn_start when all is over", (drawn == start) | (not over)
    else:
        won = drawn - start - count  # a perfect's card
        yield "_held must have a card for each player", somewhere[:-1]
        yield "_drawn must count the cards dealt", (won >= 0) & (won <= state.public.any(axis=0))
    yield "_drawn must be 0 to the size of the deck", (drawn >= 0) & (drawn <= size)


def _challenges(state: KadoState, tables: KadoTables) -> Iterator[Invariant]:
    dealer = state.dealer
    public = state.public
    swapped = public.sum(axis=0)
    yield (
        "_public must be the dealer and a challenger, or nobody",
        (swapped == 0) | ((swapped == 2) & public[dealer]),
    )
    if state.phase == Phase.DEALING:
        yield "_public must be False while cards are dealt", ~public
        yield "_ruled_out must be False while cards are dealt", ~state.ruled_out
        return
    dealer_cards = cards_at(state, state.held[dealer], state.games)
    parts = tables.parts[:-1].take(dealer_cards, axis=1)
    wrong = parts.astype(np.bool_) & state.ruled_out
    yield "_ruled_out must not include the dealer's card", ~wrong | public[dealer]


def _knowledge(state: KadoState, rules: Rules, tables: KadoTables) -> Iterator[Invariant]:
    """Which players have seen which places of the deck."""
    types = rules.num_card_types
    viewers = viewers_by_place(state, rules, tables)
    everybody = (1 << rules.num_players) - 1
    yield "_viewers must be bit masks of players", viewers <= everybody
    this_turn = column(len(viewers), np.intp) >= state.turn_start
    right = viewers == _viewers_this_turn(state, rules)
    yield "_viewers must be who has seen the cards of this turn", ~this_turn | right
    common = (viewers == everybody) & ~this_turn
    common = count_types(np.where(common, state.deck[:-1], NONE), types)
    placed = count_types(state.tableau, types).sum(axis=0)
    yield "_tableau must hold cards that everybody has seen", placed <= common


def _viewers_this_turn(state: KadoState, rules: Rules) -> Uint8:
    """Return the bit mask of players who have seen each place of the deck in this turn, (D, N)."""
    dealer = 1 << state.dealer
    everybody = (1 << rules.num_players) - 1
    place = column(rules.num_cards, np.intp)
    viewer_bits: Uint8 = dealer * (place == state.held[-1]).view(np.uint8)
    for owner, held in enumerate(state.held[:-1]):
        viewers = np.where(state.public[owner], everybody, dealer)
        if state.phase == Phase.PLACING:
            viewers |= 1 << owner
        viewer_bits |= (viewers * (place == held)).astype(np.uint8)
    if state.phase == Phase.DEALING and not state.is_over(rules):
        viewer_bits |= dealer * (place == state.drawn).view(np.uint8)
    return viewer_bits


def _points(state: KadoState, rules: Rules) -> Iterator[Invariant]:
    perfects = state.perfects.astype(np.intp)
    won = perfects.sum(axis=0)
    yield "_perfects must be at most one in each turn", won <= state.turn + state.public.any(axis=0)
    points = score(state.sums, rules) + perfects * rules.perfect_points
    yield "_scores must be the points of tableaus and perfects", state.scores == points
