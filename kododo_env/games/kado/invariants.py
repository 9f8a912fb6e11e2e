"""What holds in every state of KADO, whatever has been played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
from kododo_env.core.rows import column
from kododo_env.core.state import Invariant, count_types
from kododo_env.games.kado.observation import Phase
from kododo_env.games.kado.scoring import score_columns, score_rows, within_frame

if TYPE_CHECKING:
    from kododo_env.games.kado.game import KadoGame

Array = npt.NDArray[Any]


def invariants(game: KadoGame) -> Iterator[Invariant]:
    """Each may rely on those before it."""
    yield from _schedule(game)
    yield from _tableaus(game)
    yield from _places(game)
    yield from _challenges(game)
    yield from _knowledge(game)
    yield from _points(game)


def _schedule(game: KadoGame) -> Iterator[Invariant]:
    rules, state, players = game.rules, game._state, game.num_players
    steps = {
        Phase.DEALING: players - 1 + rules.max_discards,
        Phase.CHALLENGE: players - 1,
        Phase.PLACING: 1,
    }[state.phase]
    yield f"turn must be 0 to {rules.num_turns}", state.turn <= rules.num_turns
    yield f"phase_step must be 0 to {steps - 1} in this phase", state.phase_step < steps
    waits = state.phase == Phase.DEALING and state.phase_step == 0
    yield "phase must be dealing, not begun, when all is over", waits or not game._over
    yield (
        "_terminated must say that all games end with the last turn",
        (state.terminated == game._over),
    )


def _tableaus(game: KadoGame) -> Iterator[Invariant]:
    rules, state = game.rules, game._state
    tableau, tables = state.tableau, game._tables
    filled = tableau != NONE
    yield "_tableau must hold cards of the game", ~filled | (tableau < rules.num_card_types)
    yield f"_tableau must hold {state.turn} cards each", filled.sum(axis=1) == state.turn
    yield "_tableau must lie within a frame", within_frame(filled.reshape(game._board))
    open_cells = game._open_cells()
    yield "_open must be the cells next to the cards", state.open == open_cells
    yield "_tableau must leave an open cell", open_cells.any(axis=1) | game._over
    gift, ribbon, value = (each.take(tableau).reshape(game._board) for each in tables[:3])
    gifts, ribbons = column(rules.num_gifts), column(rules.num_ribbons)
    by_gift = np.where(gift[:, :, :, None] == gifts, value[:, :, :, None], 0)
    yield "_row_points must add up _tableau", state.row_points == by_gift.sum(axis=2)
    by_ribbon = (ribbon[:, :, :, None] == ribbons).sum(axis=1)
    yield "_column_ribbons must count _tableau", state.column_ribbons == by_ribbon
    yield "_column_best must be the best of _tableau", state.column_best == value.max(axis=1)


def _places(game: KadoGame) -> Iterator[Invariant]:
    """Where in the deck the cards of this turn lie."""
    rules, state, size = game.rules, game._state, game.rules.num_cards
    drawn, start = state.drawn, state.turn_start
    cards = np.sort(game.cards)[:, None]
    yield "_deck must hold the cards of the game", np.sort(state.deck[:-1], axis=0) == cards
    yield "_deck must end with no card", state.deck[-1] == NONE
    dealt, most = state.turn * game.num_players, state.turn * rules.cards_of_turn
    yield "_turn_start must fit the turns played", (start >= dealt) & (start <= min(size, most))
    held = np.concatenate([state.held, state.aside[None]])
    somewhere = held != size
    dealt_by_now = np.minimum(drawn, start + game.num_players + rules.max_discards)
    inside = (held >= start) & (held < dealt_by_now)
    yield "_held and _aside must be cards of this turn", inside | ~somewhere
    ordered = np.sort(held, axis=0)
    twice = (ordered[1:] == ordered[:-1]) & (ordered[1:] != size)
    yield "_held and _aside must be different cards", ~twice
    count = somewhere.sum(axis=0)
    yield (
        "_aside must be empty where nothing may be put aside",
        (~somewhere[-1] | (rules.max_discards > 0)),
    )
    if state.phase == Phase.DEALING:
        yield f"{state.phase_step} cards must have been dealt", count == state.phase_step
        yield "_drawn must count the cards dealt", (drawn == start + count) | game._over
        yield "_drawn must be _turn_start when all is over", (drawn == start) | (not game._over)
    else:
        won = drawn - start - count  # a perfect's card
        yield "_held must be a card for everybody", somewhere[:-1]
        yield "_drawn must count the cards dealt", (won >= 0) & (won <= state.public.any(axis=0))
    yield "_drawn must be 0 to the size of the deck", (drawn >= 0) & (drawn <= size)


def _challenges(game: KadoGame) -> Iterator[Invariant]:
    state, tables = game._state, game._tables
    dealer, public = game.dealer, state.public
    swapped = public.sum(axis=0)
    yield (
        "_public must be the dealer and a challenger, or nobody",
        (swapped == 0) | ((swapped == 2) & public[dealer]),
    )
    if state.phase == Phase.DEALING:
        yield "_public must be nobody while cards are dealt", ~public
        yield "_not_gift must rule out nothing while cards are dealt", ~state.not_gift
        yield "_not_ribbon must rule out nothing while cards are dealt", ~state.not_ribbon
        return
    card = game._cards_at(state.held[dealer])
    for name, which, ruled_out in (
        ("_not_gift", tables.gift, state.not_gift),
        ("_not_ribbon", tables.ribbon, state.not_ribbon),
    ):
        wrong = (which.take(card) == column(len(ruled_out))) & ruled_out
        yield f"{name} must not rule out the dealer's card", ~wrong | public[dealer]


def _knowledge(game: KadoGame) -> Iterator[Invariant]:
    """Who has seen which places of the deck; of this turn's it follows from what has happened."""
    state = game._state
    known, types = state.known, game.rules.num_card_types
    place = np.arange(known.shape[1])[:, None]
    now = place >= state.turn_start
    yield "_known must say who has seen the cards of this turn", ~now | (known == _seen_now(game))
    seen = np.where(known, state.deck, NONE)
    yield "_seen must count what _known says", state.seen == count_types(seen, types)
    common = count_types(np.where(known.all(axis=0) & ~now, state.deck, NONE), types)
    placed = count_types(state.tableau, types).sum(axis=0)
    yield "_tableau must hold cards that everybody has seen", placed <= common


def _seen_now(game: KadoGame) -> npt.NDArray[np.bool_]:
    """Which places of the deck each player has seen in this turn, (P, D + 1, N)."""
    state, size = game._state, game.rules.num_cards
    place = np.arange(size + 1)[:, None]
    seen = np.zeros(state.known.shape, np.bool_)
    for owner in range(game.num_players):
        here = (place == state.held[owner]) & (place < size)
        seen |= here & state.public[owner]
        seen[game.dealer] |= here
        if state.phase == Phase.PLACING:
            seen[owner] |= here
    seen[game.dealer] |= (place == state.aside) & (place < size)
    if state.phase == Phase.DEALING and not game._over:
        seen[game.dealer] |= place == state.drawn
    return seen


def _points(game: KadoGame) -> Iterator[Invariant]:
    rules, state = game.rules, game._state
    perfects = state.perfects.astype(np.intp)
    won = perfects.sum(axis=0)
    yield "_perfects must be one a turn at most", won <= state.turn + state.public.any(axis=0)
    scores = score_rows(state.row_points)
    scores += score_columns(state.column_ribbons, state.column_best, rules.num_rows)
    yield (
        "_scores must be what tableaus and perfects score",
        (state.scores == scores + perfects * rules.perfect_points),
    )
