"""KADO as a batch game: the deal, and one turn of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import TellsInWords
from kododo_env.core.deck import NONE
from kododo_env.core.rows import ALL, all_true, any_true, blocks, column, numbers
from kododo_env.core.state import Invariant
from kododo_env.games.kado import words
from kododo_env.games.kado.hidden import deal_again
from kododo_env.games.kado.invariants import invariants
from kododo_env.games.kado.observation import (
    Phase,
    action_layout,
    moves,
    observation,
    observation_layout,
)
from kododo_env.games.kado.rules import Rules, gift_name, ribbon_name
from kododo_env.games.kado.scoring import open_cells, parted, score_columns, score_rows
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import MISSED, PERFECT, tables

Array = npt.NDArray[Any]


class KadoGame(BatchGame, TellsInWords):
    """A batch of KADO games.

    Dealing from a given deck: all cards come from the front, in the order in which the
    dealer looks at them; a perfect's card is the next one at that moment.

    All games of a batch are in the same phase. A phase in which nobody in any running game
    has something to decide passes within ``step``: so does, in a batch of one, what is left
    of the challenges after a swap, and the placing of the first and of the last card.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for three players.
        seed: Seed of the batch's generator.

    Attributes:
        moves: Where each kind of action begins.
    """

    name = "kado"
    version = 0
    rules: Rules
    _state_type = KadoState
    _caches = (*BatchGame._caches, "_kept")
    _words = words
    _state: KadoState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._tables, self.moves = tables(rules), moves(rules)
        self._kept: tuple[KadoState, int, Array] | None = None  # of which turn, the boards seen
        self.no_op = self.moves.no_op
        layout, actions = observation_layout(rules), action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

    # --- starting ---------------------------------------------------------------------

    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        self._state.deck[:-1] = decks[0]
        self._state.open = self._open_cells()
        self._begin_turn()

    def _begin_turn(self) -> None:
        state = self._state
        state.phase, state.phase_step = Phase.DEALING, 0
        state.turn_start = state.drawn.copy()
        state.held.fill(self.rules.num_cards)
        state.public.fill(False)
        state.ruled_out.fill(False)
        if not self._over:
            self._show(1 << self.dealer, state.drawn, self._games)

    # --- where the batch stands ---------------------------------------------------------

    @property
    def turn(self) -> int:
        """0, 1, ..., the same in all games."""
        return self._state.turn

    @property
    def phase(self) -> Phase:
        """Dealing, challenge or placing."""
        return self._state.phase

    @property
    def phase_step(self) -> int:
        """How many steps of this phase have been played."""
        return self._state.phase_step

    @property
    def dealer(self) -> int:
        """Who deals this turn, the same in all games."""
        return self._state.turn % self.num_players

    @property
    def challenger(self) -> int:
        """Whose challenge it is in the phase of challenges."""
        return (self.dealer + 1 + self._state.phase_step) % self.num_players

    @property
    def _over(self) -> bool:
        return self._state.turn == self.rules.num_turns

    @property
    def _games(self) -> npt.NDArray[np.intp]:
        return numbers(self.num_envs)

    def _cards_at(self, places: Array, games: slice = ALL) -> npt.NDArray[np.uint8]:
        """The cards in places of the deck, (..., N); NONE for the place behind the last."""
        deck = self._state.deck
        return deck.take(flat_index(deck, places, self._games[games]))

    # --- who may do what ----------------------------------------------------------------

    def _idle(self) -> npt.NDArray[np.bool_]:
        """Who of those whose turn it is has nothing to decide: the challenger (N,), or all (P, N).

        The dealer always has.
        """
        state = self._state
        idle: npt.NDArray[np.bool_] = state.public[self.dealer]
        if state.phase == Phase.PLACING:
            idle = np.add.reduce(state.open, axis=1, dtype=np.int16) <= 1
        return idle

    def _mask(self) -> npt.NDArray[np.bool_]:
        state, moves, dealer = self._state, self.moves, self.dealer
        mask = np.zeros((self.num_players, self.num_actions, self.num_envs), np.bool_)
        mask[:, self.no_op] = True
        if self._over:
            return mask
        if state.phase == Phase.DEALING:
            lacking = state.held == self.rules.num_cards
            seats = self._tables.holders[dealer, : self.num_players + self.rules.max_discards]
            lacking.take(seats, axis=0, out=mask[dealer, : len(seats)], mode="clip")
            mask[dealer, self.no_op] = False
        elif state.phase == Phase.CHALLENGE:
            seat = self.challenger
            mask[seat, self.no_op] = idle = self._idle()
            mask[seat, moves.pass_ : moves.place] = ~idle
        else:
            mask[:, self.no_op] = idle = self._idle()
            np.greater(state.open, idle[:, None], out=mask[:, moves.place : self.no_op])
        return mask

    # --- a turn -------------------------------------------------------------------------

    def _advance(self, chosen: Array) -> None:
        self._play(chosen)
        while self._state.phase != Phase.DEALING and self._all_idle():
            self._play(np.full_like(chosen, self.no_op))

    def _all_idle(self) -> bool:
        return all_true(self._idle())

    def _play(self, chosen: Array) -> None:
        """Play one step of the phase, and go on to the next one."""
        state = self._state
        state.phase_step += 1
        if state.phase == Phase.DEALING:
            self._give(chosen[self.dealer])
            if state.phase_step == self.num_players - 1 + self.rules.max_discards:
                self._give_last()
                state.phase, state.phase_step = Phase.CHALLENGE, 0
            else:
                self._show(1 << self.dealer, state.drawn, self._games)
        elif state.phase == Phase.CHALLENGE:
            seat = (self.dealer + state.phase_step) % self.num_players
            self._challenge(seat, chosen[seat])
            if state.phase_step == self.num_players - 1:
                self._show(1 << column(self.num_players), state.held[:-1], self._games)
                state.phase, state.phase_step = Phase.PLACING, 0
        else:
            for games in blocks(self.num_envs):
                self._place(chosen[:, games], games)
            state.turn += 1
            state.terminated[:] = self._over
            self._begin_turn()

    def _give(self, move: Array) -> None:
        """The dealer gives the card offered to a seat, counted from their own, or puts it aside.

        With at most one card put aside, each of these steps takes one card in every game.
        """
        state = self._state
        holder = self._tables.holders[self.dealer].take(move)
        state.held.reshape(-1)[flat_index(state.held, holder, self._games)] = state.drawn
        state.drawn += 1

    def _give_last(self) -> None:
        """The dealer looks at one more card and gives it to whoever has none."""
        state = self._state
        # One in each game; without discard in the duel: none.
        seats, games = (state.held[:-1] == self.rules.num_cards).nonzero()
        places = state.drawn[games]
        self._show(1 << self.dealer, places, games)
        state.held[seats, games] = places
        state.drawn[games] += 1

    def _challenge(self, seat: int, move: Array) -> None:
        """One player passes or guesses gift and ribbon of the dealer's card."""
        state, tables = self._state, self._tables
        kept = self._cards_at(state.held[self.dealer]).astype(np.intp)
        hits = tables.hits.take(flat_index(tables.hits, kept, move))
        state.ruled_out |= tables.guessed.take(move, axis=1) & (hits == MISSED)
        games = (hits > MISSED).nonzero()[0]
        if games.size:
            self._swap(seat, games)
            self._win_perfect(seat, hits == PERFECT)

    def _swap(self, seat: int, games: npt.NDArray[np.intp]) -> None:
        """Dealer and challenger show their cards to everybody and swap them."""
        state, pair = self._state, np.array([[seat], [self.dealer]])
        places = state.held[pair, games]
        self._show((1 << self.num_players) - 1, places, games)
        state.held[pair, games] = places[::-1]
        state.public[pair, games] = True

    def _win_perfect(self, seat: int, perfect: npt.NDArray[np.bool_]) -> None:
        """Gift and ribbon were right: the next card, unseen, and its points."""
        state, points = self._state, perfect * self.rules.perfect_points
        state.perfects[seat] += perfect
        state.scores[seat] += points
        state.rewards[seat] += points
        state.drawn += perfect & (state.drawn < self.rules.num_cards)

    def _place(self, chosen: Array, part: slice) -> None:
        """Everybody places a card; who has a single cell to choose from chose the no-op.

        Args:
            chosen: Actions of some of the games.
            part: Which ones.
        """
        state, tables = self._state, self._tables
        players, games = column(self.num_players, np.intp), self._games[part]
        cell = chosen - self.moves.place
        forced = chosen == self.no_op
        if any_true(forced):
            cell = np.where(forced, state.open[..., part].argmax(axis=1), cell)
        held = state.held[:-1, part]
        card = self._cards_at(held, part)
        state.tableau.reshape(-1)[flat_index(state.tableau, players, cell, games)] = card
        which = tables.sums_of_cell.take(cell, axis=1) + tables.sums_of_card.take(card, axis=1)
        sums, here = state.sums.reshape(-1), flat_index(state.sums, players, which, games)
        more = sums.take(here) + tables.gains.take(card, axis=1)
        sums[here] = np.maximum(more, tables.least.take(card, axis=1))
        state.open[..., part] = self._open_cells(part)
        self._show((1 << self.num_players) - 1, held, games)
        self._score(part)

    def _open_cells(self, part: slice = ALL) -> npt.NDArray[np.bool_]:
        """Where each player's next card may go, (P, cells, N)."""
        filled = self._state.tableau[..., part] != NONE
        return open_cells(filled.reshape(*self._board[:-1], -1)).reshape(filled.shape)

    @property
    def _board(self) -> tuple[int, ...]:
        """The shape of what lies on the boards by row and column."""
        return self.num_players, self.rules.board_rows, self.rules.board_columns, self.num_envs

    def _score(self, part: slice) -> None:
        """Count the points of the tableaus as they stand; the rewards are what came new."""
        state, rules = self._state, self.rules
        row_points, column_ribbons, column_best = parted(state.sums[..., part], rules)
        scores = score_rows(row_points)
        scores += score_columns(column_ribbons, column_best, rules.num_rows)
        # numpy 1 takes the product with a number in the array's own dtype, which it may not fit.
        scores += np.multiply(state.perfects[:, part], rules.perfect_points, dtype=np.int16)
        state.rewards[:, part] += scores - state.scores[:, part]
        state.scores[:, part] = scores

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self)

    def _standing(self) -> tuple[Array, ...]:
        return (self._state.scores,)

    def _show(self, viewers: int | Array, places: Array, games: Array) -> None:
        """Let players, bit by bit, see the cards in places of the deck; no place comes twice."""
        self._state.seen.reshape(-1)[self._sights(places, games)] |= viewers

    def _sights(self, places: Array, games: Array) -> npt.NDArray[np.intp]:
        """Where in ``seen``, flattened, the cards in places of the deck are."""
        state, tables = self._state, self._tables
        card = state.deck.take(flat_index(state.deck, places, games))
        which = tables.first.take(card)
        if self.rules.max_copies > 1:
            same = state.deck[:, games] == card[..., None, :]
            before = column(len(state.deck), np.intp) < places[..., None, :]
            which += np.add.reduce(same & before, axis=-2, dtype=np.intp)
        return flat_index(state.seen, which, games)

    def _seen_places(self) -> npt.NDArray[np.uint8]:
        """Who has seen the card in each place of the deck, bit by bit, (D, N)."""
        places = column(self.rules.num_cards, np.intp)
        return self._state.seen.take(self._sights(places, self._games))

    # --- what there is to see -----------------------------------------------------------

    @property
    def tableaus(self) -> npt.NDArray[np.int8]:
        """Card ids on the board, -1 where none lies; shape (N, P, rows, columns)."""
        return self._shown(self._state.tableau.reshape(self._board).view(np.int8))

    @property
    def open_cells(self) -> npt.NDArray[np.bool_]:
        """Where each player's next card may go; shape (N, P, rows, columns)."""
        return self._shown(self._state.open.reshape(self._board))

    @property
    def held(self) -> npt.NDArray[np.int8]:
        """The card before each player this turn, -1 if none; shape (N, P)."""
        return self._shown(self._cards_at(self._state.held[:-1]).view(np.int8))

    def held_as_seen_by(self, player: int) -> npt.NDArray[np.int8]:
        """The same, -1 also where the player has not seen the card; shape (N, P)."""
        player = self._seat(player)
        seen = self._state.public | (player == self.dealer)
        if self._state.phase == Phase.PLACING:
            seen[player] = True
        cards = np.where(seen, self._cards_at(self._state.held[:-1]), np.uint8(NONE))
        return self._shown(cards.view(np.int8))

    @property
    def offered(self) -> npt.NDArray[np.int8]:
        """The card that the dealer looks at and has to give, -1 if none; shape (N,)."""
        return self._shown(self._offered().view(np.int8))

    def _offered(self) -> npt.NDArray[np.uint8]:
        if self._state.phase == Phase.DEALING and not self._over:
            return self._cards_at(self._state.drawn)
        return np.full(self.num_envs, NONE, np.uint8)

    @property
    def ruled_out_gifts(self) -> npt.NDArray[np.bool_]:
        """Gifts that the dealer's card has not, by this turn's wrong guesses; shape (N, G)."""
        return self._shown(self._state.ruled_out[: self.rules.num_gifts])

    @property
    def ruled_out_ribbons(self) -> npt.NDArray[np.bool_]:
        """Ribbons that the dealer's card has not, by this turn's wrong guesses; shape (N, B)."""
        return self._shown(self._state.ruled_out[self.rules.num_gifts :])

    @property
    def swapped(self) -> npt.NDArray[np.bool_]:
        """Whether a challenge of this turn was won, shape (N,)."""
        return self._shown(self._state.public[self.dealer])

    @property
    def dealt_as(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn each player has, from 1, 0 if none; shape (N, P)."""
        return self._shown(self._order()[:-1])

    @property
    def put_aside(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn the dealer has put aside, from 1, 0 if none; shape (N,)."""
        return self._shown(self._order()[-1])

    @property
    def perfects(self) -> npt.NDArray[np.uint8]:
        """Perfects so far, shape (N, P)."""
        return self._shown(self._state.perfects)

    @property
    def draw_pile_sizes(self) -> npt.NDArray[np.intp]:
        """Cards in the draw pile, the one that the dealer looks at included; shape (N,)."""
        return self._shown(self.rules.num_cards - self._state.drawn)

    def _order(self) -> npt.NDArray[np.uint8]:
        """Which card of this turn each player has, and the last put aside, from 1; (P + 1, N)."""
        held = self._state.held
        order = held - (self._state.turn_start - 1)
        order *= held < self.rules.num_cards
        return order.astype(np.uint8)

    def _observation(self, out: Array | None = None) -> Array:
        return observation(self, out)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        deal_again(self, player, rng)

    # --- in words and pictures ------------------------------------------------------------

    def _describe(self, action: int) -> str:
        where, rules = self.moves, self.rules
        if action < where.discard:  # giving comes first, by the number of seats
            to = f"give the card to the player {action} to the left"
            return to if action else "keep the card"
        if where.guess <= action < where.place:
            gift, ribbon = divmod(action - where.guess, rules.num_ribbons)
            return f"guess {gift_name(gift)} and {ribbon_name(ribbon)} ribbon"
        if where.place <= action < where.no_op:
            row, column = divmod(action - where.place, rules.board_columns)
            return f"place the card in row {row}, column {column} of the board"
        words = {where.discard: "put the card aside", where.pass_: "pass"}
        return words.get(action, "nothing to decide")

    def _describe_here(self, action: int, player: int, index: int) -> str | None:
        where = self.moves
        if action <= where.discard:
            card = self.rules.card_name(int(self.offered[index]))
            if action == where.discard:
                return f"put {card} aside"
            to = (player + action) % self.num_players
            return f"give {card} to player_{to}" if action else f"keep {card}"
        if where.place <= action < where.no_op:
            card = self.rules.card_name(int(self.held[index, player]))
            return self._describe(action).replace("the card", card, 1)
        return None

    def _text(self, index: int, player: int | None) -> str:
        from kododo_env.games.kado import render

        return render.text(self, index, player)

    def _svg(self, index: int, player: int | None) -> str:
        from kododo_env.games.kado import render

        return render.svg(self, index, player)


def flat_index(array: Array, *index: Any) -> npt.NDArray[np.intp]:
    """Where elements lie in the flattened array, for ``take`` and for a single index.

    With several indices a step takes 1.2 to 1.4 times as long from thousands of games on,
    and 0.9 times as long with few.

    Args:
        array: C-contiguous; only its shape is used.
        *index: One for each axis, of which those before the first array of intp are ints.
    """
    place = index[0]
    for size, step in zip(array.shape[1:], index[1:], strict=True):
        if size > 1:  # else the index is 0: a step of one game takes .9 of the time
            place = place * size + step
    flat: npt.NDArray[np.intp] = place
    return flat
