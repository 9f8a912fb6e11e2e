"""What holds in every state of KADO, whatever has been played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.deck import NONE
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
    rules, players = game.rules, game.num_players
    steps = {
        Phase.DEALING: players - 1 + rules.max_discards,
        Phase.CHALLENGE: players - 1,
        Phase.PLACING: 1,
    }[game.phase]
    yield f"turn must be 0 to {rules.num_turns}", game.turn <= rules.num_turns
    yield f"phase_step must be 0 to {steps - 1} in this phase", game.phase_step < steps
    waits = game.phase == Phase.DEALING and game.phase_step == 0
    yield "phase must be dealing, not begun, when all is over", waits or not game._over
    yield (
        "_terminated must say that all games end with the last turn",
        (game._terminated == game._over),
    )


def _tableaus(game: KadoGame) -> Iterator[Invariant]:
    rules, tableau = game.rules, game._tableau
    filled = tableau != NONE
    yield "_tableau must hold cards of the game", ~filled | (tableau < rules.num_card_types)
    yield f"_tableau must hold {game.turn} cards each", filled.sum(axis=1) == game.turn
    board = (game.num_players, rules.board_rows, rules.board_columns, game.num_envs)
    yield "_tableau must lie within a frame", within_frame(filled.reshape(board))
    open_cells = game._open_cells()
    yield "_open must be the cells next to the cards", game._open == open_cells
    yield "_tableau must leave an open cell", open_cells.any(axis=1) | game._over
    gift, ribbon = (each.take(tableau).reshape(board) for each in (game._gift_of, game._ribbon_of))
    value = game._value_of.take(tableau).reshape(board)
    by_gift = np.where(gift[:, :, :, None] == game._each_gift, value[:, :, :, None], 0)
    yield "_row_points must add up _tableau", game._row_points == by_gift.sum(axis=2)
    by_ribbon = (ribbon[:, :, :, None] == game._each_ribbon).sum(axis=1)
    yield "_column_ribbons must count _tableau", game._column_ribbons == by_ribbon
    yield "_column_best must be the best of _tableau", game._column_best == value.max(axis=1)


def _places(game: KadoGame) -> Iterator[Invariant]:
    """Where in the deck the cards of this turn lie."""
    rules, size, drawn, start = game.rules, game._deck_size, game._drawn, game._turn_start
    cards = np.sort(game.cards)[:, None]
    yield "_deck must hold the cards of the game", np.sort(game._deck[:-1], axis=0) == cards
    yield "_deck must end with no card", game._deck[-1] == NONE
    dealt, most = game.turn * game.num_players, game.turn * (rules.cards_of_turn)
    yield "_turn_start must fit the turns played", (start >= dealt) & (start <= min(size, most))
    held = np.concatenate([game._held, game._aside[None]])
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
    if game.phase == Phase.DEALING:
        yield f"{game.phase_step} cards must have been dealt", count == game.phase_step
        yield "_drawn must count the cards dealt", (drawn == start + count) | game._over
        yield "_drawn must be _turn_start when all is over", (drawn == start) | (not game._over)
    else:
        won = drawn - start - count  # a perfect's card
        yield "_held must be a card for everybody", somewhere[:-1]
        yield "_drawn must count the cards dealt", (won >= 0) & (won <= game._public.any(axis=0))
    yield "_drawn must be 0 to the size of the deck", (drawn >= 0) & (drawn <= size)


def _challenges(game: KadoGame) -> Iterator[Invariant]:
    dealer, public = game.dealer, game._public
    swapped = public.sum(axis=0)
    yield (
        "_public must be the dealer and a challenger, or nobody",
        (swapped == 0) | ((swapped == 2) & public[dealer]),
    )
    if game.phase == Phase.DEALING:
        yield "_public must be nobody while cards are dealt", ~public
        yield "_not_gift must rule out nothing while cards are dealt", ~game._not_gift
        yield "_not_ribbon must rule out nothing while cards are dealt", ~game._not_ribbon
        return
    card = game._cards_at(game._held[dealer])
    for name, which, each in (
        ("_not_gift", game._gift_of, game._each_gift),
        ("_not_ribbon", game._ribbon_of, game._each_ribbon),
    ):
        wrong = (which.take(card) == each) & getattr(game, name)
        yield f"{name} must not rule out the dealer's card", ~wrong | public[dealer]


def _knowledge(game: KadoGame) -> Iterator[Invariant]:
    """Who has seen which places of the deck; of this turn's it follows from what has happened."""
    known, types = game._known, game.rules.num_card_types
    place = np.arange(known.shape[1])[:, None]
    now = place >= game._turn_start
    yield "_known must say who has seen the cards of this turn", ~now | (known == _seen_now(game))
    seen = np.where(known, game._deck, NONE)
    yield "_seen must count what _known says", game._seen == count_types(seen, types)
    common = count_types(np.where(known.all(axis=0) & ~now, game._deck, NONE), types)
    placed = count_types(game._tableau, types).sum(axis=0)
    yield "_tableau must hold cards that everybody has seen", placed <= common


def _seen_now(game: KadoGame) -> npt.NDArray[np.bool_]:
    """Which places of the deck each player has seen in this turn, (P, D + 1, N)."""
    place = np.arange(game._deck_size + 1)[:, None]
    seen = np.zeros(game._known.shape, np.bool_)
    for owner in range(game.num_players):
        here = (place == game._held[owner]) & (place < game._deck_size)
        seen |= here & game._public[owner]
        seen[game.dealer] |= here
        if game.phase == Phase.PLACING:
            seen[owner] |= here
    seen[game.dealer] |= (place == game._aside) & (place < game._deck_size)
    if game.phase == Phase.DEALING and not game._over:
        seen[game.dealer] |= place == game._drawn
    return seen


def _points(game: KadoGame) -> Iterator[Invariant]:
    rules, perfects = game.rules, game._perfects.astype(np.intp)
    won = perfects.sum(axis=0)
    yield "_perfects must be one a turn at most", won <= game.turn + game._public.any(axis=0)
    scores = score_rows(game._row_points)
    scores += score_columns(game._column_ribbons, game._column_best, rules.num_rows)
    yield (
        "_scores must be what tableaus and perfects score",
        (game._scores == scores + perfects * rules.perfect_points),
    )
