"""KADO as a batch game: the deal, and one turn of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.batch_game import BatchGame, from_own_seat
from kododo_env.core.deck import NONE
from kododo_env.core.rows import column
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
from kododo_env.games.kado.scoring import open_cells, score_columns, score_rows
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import tables
from kododo_env.rendering.words import TellsInWords

Array = npt.NDArray[Any]


class Choice(NamedTuple):
    """What is to be decided now, and by whom; whoever has no option has the no-op.

    Attributes:
        seats: The S players who may have something to decide.
        first: Number of the first action of their block.
        options: Which actions of the block are legal, shape (S, block, N).
    """

    seats: slice
    first: int
    options: npt.NDArray[np.bool_]


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
    _words = words
    _state: KadoState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._tables, self.moves = tables(rules), moves(rules)
        self.no_op = self.moves.no_op
        layout, actions = observation_layout(rules), action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

    # --- starting ---------------------------------------------------------------------

    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        self._state.deck[:-1] = decks[0]
        self._state.open = self._open_cells()
        self._begin_turn()

    def _begin_turn(self) -> None:
        state, size = self._state, self.rules.num_cards
        state.phase, state.phase_step = Phase.DEALING, 0
        state.turn_start = state.drawn.copy()
        state.held[:] = state.aside[:] = size
        state.public[:] = state.not_gift[:] = state.not_ribbon[:] = False
        if not self._over:
            self._show(self.dealer, state.drawn, self._games)

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
        return np.arange(self.num_envs)

    def _cards_at(self, places: Array) -> npt.NDArray[np.uint8]:
        """The cards in places of the deck, (..., N); NONE for the place behind the last."""
        deck = self._state.deck
        return deck.take(flat_index(deck, places, self._games))

    # --- who may do what ----------------------------------------------------------------

    def _choice(self) -> Choice:
        state, rules, moves = self._state, self.rules, self.moves
        if self._over:
            return Choice(slice(0), 0, np.zeros((0, 1, self.num_envs), np.bool_))
        if state.phase == Phase.PLACING:
            several = np.add.reduce(state.open, axis=1, dtype=np.int16) > 1
            return Choice(slice(None), moves.place, state.open & several[:, None])
        dealer = self.dealer
        if state.phase == Phase.DEALING:
            options = np.empty((1, rules.num_players + 1, self.num_envs), np.bool_)
            seats = from_own_seat(rules.num_players)[dealer]
            np.equal(state.held[seats], rules.num_cards, out=options[0, :-1])
            options[0, -1] = state.aside == rules.num_cards if rules.max_discards else False
            return Choice(slice(dealer, dealer + 1), moves.give, options)
        seat, block = self.challenger, moves.place - moves.pass_
        options = np.broadcast_to(~state.public[dealer], (1, block, self.num_envs))
        return Choice(slice(seat, seat + 1), moves.pass_, options)

    def _mask(self) -> npt.NDArray[np.bool_]:
        seats, first, options = self._choice()
        mask = np.zeros((self.num_players, self.num_actions, self.num_envs), np.bool_)
        mask[seats, first : first + options.shape[1]] = options
        mask[:, self.no_op] = True
        mask[seats, self.no_op] = ~options.any(axis=1)
        return mask

    # --- a turn -------------------------------------------------------------------------

    def _advance(self, chosen: Array) -> None:
        self._play(chosen)
        while not self._over and not self._choice().options.any():
            self._play(np.full_like(chosen, self.no_op))

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
                self._show(self.dealer, state.drawn, self._games)
        elif state.phase == Phase.CHALLENGE:
            self._challenge((self.dealer + state.phase_step) % self.num_players, chosen)
            if state.phase_step == self.num_players - 1:
                self._show(column(self.num_players, np.intp), state.held, self._games)
                state.phase, state.phase_step = Phase.PLACING, 0
        else:
            self._place(chosen)
            state.turn += 1
            self._begin_turn()

    def _give(self, move: Array) -> None:
        """The dealer gives the card offered to a seat, counted from their own, or puts it aside.

        With at most one card put aside, each of these steps takes one card in every game.
        """
        state, given = self._state, move < self.num_players
        here = (
            column(self.num_players, np.intp) == (self.dealer + move) % self.num_players
        ) & given
        state.held = np.where(here, state.drawn, state.held)
        state.aside = np.where(given, state.aside, state.drawn)
        state.drawn = state.drawn + 1

    def _give_last(self) -> None:
        """The dealer looks at one more card and gives it to whoever has none."""
        state = self._state
        lacking = state.held == self.rules.num_cards
        games = np.flatnonzero(lacking.any(axis=0))  # without discard in the duel: none
        self._show(self.dealer, state.drawn[games], games)
        state.held = np.where(lacking, state.drawn, state.held)
        state.drawn[games] += 1

    def _challenge(self, seat: int, chosen: Array) -> None:
        """One player passes or guesses gift and ribbon of the dealer's card."""
        state, rules, tables = self._state, self.rules, self._tables
        guess = chosen[seat] - self.moves.guess
        guessing = (guess >= 0) & (chosen[seat] != self.no_op)
        gift, ribbon = np.divmod(guess, rules.num_ribbons)
        kept = self._cards_at(state.held[self.dealer])
        right_gift = guessing & (tables.gift.take(kept) == gift)
        right_ribbon = guessing & (tables.ribbon.take(kept) == ribbon)
        won = right_gift | right_ribbon
        failed = guessing & ~won
        state.not_gift |= (gift == column(rules.num_gifts)) & failed
        state.not_ribbon |= (ribbon == column(rules.num_ribbons)) & failed
        games = np.flatnonzero(won)
        if games.size:
            self._swap(seat, games)
            self._win_perfect(seat, right_gift & right_ribbon)

    def _swap(self, seat: int, games: npt.NDArray[np.intp]) -> None:
        """Dealer and challenger show their cards to everybody and swap them."""
        state, pair = self._state, np.array([[seat], [self.dealer]])
        for shown in (seat, self.dealer):
            self._show(column(self.num_players, np.intp), state.held[shown, games], games)
        state.held[pair, games] = state.held[pair[::-1], games]
        state.public[pair, games] = True

    def _win_perfect(self, seat: int, perfect: npt.NDArray[np.bool_]) -> None:
        """Gift and ribbon were right: the next card, unseen, and its points."""
        state, points = self._state, perfect * self.rules.perfect_points
        state.perfects[seat] += perfect
        state.scores[seat] += points
        state.rewards[seat] += points
        state.drawn = state.drawn + (perfect & (state.drawn < self.rules.num_cards))

    def _place(self, chosen: Array) -> None:
        """Everybody places a card; who has a single cell to choose from chose the no-op."""
        state, tables = self._state, self._tables
        players, games = column(self.num_players, np.intp), self._games
        cell = chosen - self.moves.place
        forced = chosen == self.no_op
        if forced.any():
            cell = np.where(forced, state.open.argmax(axis=1), cell)
        card = self._cards_at(state.held)
        row, column_of = np.divmod(cell, self.rules.board_columns)
        gift, ribbon, value = (each.take(card) for each in tables[:3])
        points, counts = state.row_points.reshape(-1), state.column_ribbons.reshape(-1)
        best = state.column_best.reshape(-1)
        state.tableau.reshape(-1)[flat_index(state.tableau, players, cell, games)] = card
        points[flat_index(state.row_points, players, row, gift, games)] += value
        counts[flat_index(state.column_ribbons, players, column_of, ribbon, games)] += 1
        here = flat_index(state.column_best, players, column_of, games)
        best[here] = np.maximum(best.take(here), value)
        state.open = self._open_cells()
        for seat in range(self.num_players):
            self._show(players, state.held[seat], games)
        self._score()

    def _open_cells(self) -> npt.NDArray[np.bool_]:
        """Where each player's next card may go, (P, cells, N)."""
        filled = self._state.tableau != NONE
        return open_cells(filled.reshape(self._board)).reshape(filled.shape)

    @property
    def _board(self) -> tuple[int, ...]:
        """The shape of what lies on the boards by row and column."""
        return self.num_players, self.rules.board_rows, self.rules.board_columns, self.num_envs

    def _score(self) -> None:
        """Count the points of the tableaus as they stand; the rewards are what came new."""
        state, rules = self._state, self.rules
        scores = score_rows(state.row_points)
        scores += score_columns(state.column_ribbons, state.column_best, rules.num_rows)
        scores += state.perfects * np.int16(rules.perfect_points)
        state.rewards += scores - state.scores
        state.scores = scores
        state.terminated[:] = state.turn == rules.num_turns - 1

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self)

    def _standing(self) -> tuple[Array, ...]:
        return (self._state.scores,)

    def _show(self, viewers: int | Array, places: Array, games: Array) -> None:
        """Let players see cards: broadcast seats, places in the deck and games.

        One card for each viewer and game at a time.
        """
        state = self._state
        known, seen = state.known.reshape(-1), state.seen.reshape(-1)
        card = state.deck.take(flat_index(state.deck, places, games)).astype(np.intp)
        sight = flat_index(state.known, viewers, places, games)
        count = flat_index(state.seen, viewers, card, games)
        seen[count] += ~known.take(sight)
        known[sight] = True

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
        return self._shown(self._cards_at(self._state.held).view(np.int8))

    def held_as_seen_by(self, player: int) -> npt.NDArray[np.int8]:
        """The same, -1 also where the player has not seen the card; shape (N, P)."""
        player = self._seat(player)
        seen = np.roll(self._sees_held()[player], player, axis=0)
        cards = np.where(seen, self._cards_at(self._state.held), np.uint8(NONE))
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
        return self._shown(self._state.not_gift)

    @property
    def ruled_out_ribbons(self) -> npt.NDArray[np.bool_]:
        """Ribbons that the dealer's card has not, by this turn's wrong guesses; shape (N, B)."""
        return self._shown(self._state.not_ribbon)

    @property
    def swapped(self) -> npt.NDArray[np.bool_]:
        """Whether a challenge of this turn was won, shape (N,)."""
        return self._shown(self._state.public[self.dealer])

    @property
    def dealt_as(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn each player has, from 1, 0 if none; shape (N, P)."""
        return self._shown(self._order_of(self._state.held))

    @property
    def put_aside(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn the dealer has put aside, from 1, 0 if none; shape (N,)."""
        return self._shown(self._order_of(self._state.aside))

    @property
    def perfects(self) -> npt.NDArray[np.uint8]:
        """Perfects so far, shape (N, P)."""
        return self._shown(self._state.perfects)

    @property
    def draw_pile_sizes(self) -> npt.NDArray[np.intp]:
        """Cards in the draw pile, the one that the dealer looks at included; shape (N,)."""
        return self._shown(self.rules.num_cards - self._state.drawn)

    def _order_of(self, places: Array) -> npt.NDArray[np.uint8]:
        """Which card of this turn lies in places of the deck, from 1; 0 for no place."""
        order = (places - self._state.turn_start + 1).astype(np.uint8)
        return order * (places < self.rules.num_cards)

    def _sees_held(self) -> npt.NDArray[np.bool_]:
        """Whether each player has seen the cards before the players, the own first: (P, P, N).

        What ``known`` says of these cards, put together from why they have been seen: looked
        up there, an observation takes 1.1 to 1.2 times as long.
        """
        state, seats = self._state, from_own_seat(self.num_players)
        seen = state.public.take(seats, axis=0)
        seen[self.dealer] = True
        if state.phase == Phase.PLACING:
            seen[:, 0] = True
        return seen

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
        place = place * size + step
    flat: npt.NDArray[np.intp] = place
    return flat
