"""KADO as a batch game: the state, and one turn of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame, from_own_seat
from kododo_env.core.deck import shuffled_rows
from kododo_env.core.state import Invariant
from kododo_env.games.kado.invariants import invariants
from kododo_env.games.kado.observation import (
    Phase,
    action_layout,
    moves,
    observation_layout,
)
from kododo_env.games.kado.rules import Rules, gift_name, ribbon_name
from kododo_env.games.kado.scoring import open_cells, score_columns, score_rows

Array = npt.NDArray[Any]
EMPTY = 255  # no card; shown as -1


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


class KadoGame(BatchGame):
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
        turn: 0, 1, ..., the same in all games.
        phase: Dealing, challenge or placing.
        phase_step: How many steps of this phase have been played.
    """

    name = "kado"
    version = 0
    rules: Rules
    turn: int
    phase: Phase
    phase_step: int
    # Cards not yet placed are kept as places in the deck, D standing for no place: _drawn is
    # the next one to be drawn, _turn_start what that was when the turn began, _held the card
    # before each player, _aside the one put aside. _known says whether each player has seen
    # the card in a place, and _seen counts those by type; _public whose card of this turn
    # has been shown to everybody in a swap.
    _arrays: ClassVar[tuple[str, ...]] = (
        "_deck", "_drawn", "_turn_start", "_held", "_aside", "_known", "_seen", "_public",
        "_not_gift", "_not_ribbon", "_tableau", "_open", "_row_points", "_column_ribbons",
        "_column_best", "_perfects",
    )  # fmt: skip
    _schedule: ClassVar[tuple[str, ...]] = ("turn", "phase", "phase_step")
    _caches: ClassVar[tuple[str, ...]] = (*BatchGame._caches, "_written")

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self.moves = moves(rules)
        self.no_op = self.moves.no_op
        self._deck_size = rules.num_cards  # as a place in the deck: that of no card
        self._seats = from_own_seat(rules.num_players)
        self._players = np.arange(rules.num_players)[:, None]
        self._each_gift = np.arange(rules.num_gifts, dtype=np.uint8)[:, None]
        self._each_ribbon = np.arange(rules.num_ribbons, dtype=np.uint8)[:, None]
        # By card id; the place for EMPTY holds no gift, no ribbon and the value 0.
        self._gift_of, self._ribbon_of, self._value_of = card_tables(rules)
        self._written: Array | None = None  # whose tableaus the scratch holds, by their _open
        layout, actions = observation_layout(rules), action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

    # --- starting ---------------------------------------------------------------------

    def _start(self, decks: npt.NDArray[np.uint8]) -> None:
        rules, num, players = self.rules, self.num_envs, self.num_players
        self._deck = np.concatenate([decks[0], np.full((1, num), EMPTY, np.uint8)])
        self._drawn = np.zeros(num, np.intp)
        self._known = np.zeros((players, rules.num_cards + 1, num), np.bool_)
        self._seen = np.zeros((players, rules.num_card_types, num), np.uint8)
        rows, columns = rules.board_rows, rules.board_columns
        self._tableau = np.full((players, rows * columns, num), EMPTY, np.uint8)
        self._row_points = np.zeros((players, rows, rules.num_gifts, num), np.uint8)
        self._column_ribbons = np.zeros((players, columns, rules.num_ribbons, num), np.uint8)
        self._column_best = np.zeros((players, columns, num), np.uint8)
        self._open = self._open_cells()
        self._perfects = np.zeros((players, num), np.uint8)
        self.turn = 0
        self._begin_turn()

    def _begin_turn(self) -> None:
        rules, num = self.rules, self.num_envs
        self.phase, self.phase_step = Phase.DEALING, 0
        self._held = np.full((self.num_players, num), self._deck_size)
        self._turn_start = self._drawn.copy()
        self._aside = np.full(num, self._deck_size)
        self._public = np.zeros((self.num_players, num), np.bool_)
        self._not_gift = np.zeros((rules.num_gifts, num), np.bool_)
        self._not_ribbon = np.zeros((rules.num_ribbons, num), np.bool_)
        if not self._over:
            self._show(self.dealer, self._drawn, self._games)

    # --- where the batch stands ---------------------------------------------------------

    @property
    def dealer(self) -> int:
        """Who deals this turn, the same in all games."""
        return self.turn % self.num_players

    @property
    def challenger(self) -> int:
        """Whose challenge it is in the phase of challenges."""
        return (self.dealer + 1 + self.phase_step) % self.num_players

    @property
    def _over(self) -> bool:
        return self.turn == self.rules.num_turns

    @property
    def _games(self) -> npt.NDArray[np.intp]:
        return np.arange(self.num_envs)

    def _cards_at(self, places: Array) -> npt.NDArray[np.uint8]:
        """The cards in places of the deck, (..., N); EMPTY for the place behind the last."""
        return self._deck.take(flat_index(self._deck, places, self._games))

    # --- who may do what ----------------------------------------------------------------

    def _choice(self) -> Choice:
        dealer, challenger = self.dealer, self.challenger
        if self._over:
            return Choice(slice(0), 0, np.zeros((0, 1, self.num_envs), np.bool_))
        if self.phase == Phase.DEALING:
            options = np.empty((1, self.num_players + 1, self.num_envs), np.bool_)
            np.equal(self._held[self._seats[dealer]], self._deck_size, out=options[0, :-1])
            options[0, -1] = self.rules.max_discards > 0
            options[0, -1] &= self._aside == self._deck_size
            return Choice(slice(dealer, dealer + 1), self.moves.give, options)
        if self.phase == Phase.CHALLENGE:
            block = self.moves.place - self.moves.pass_
            options = np.broadcast_to(~self._public[dealer], (1, block, self.num_envs))
            return Choice(slice(challenger, challenger + 1), self.moves.pass_, options)
        several = np.add.reduce(self._open, axis=1, dtype=np.int16) > 1
        return Choice(slice(None), self.moves.place, self._open & several[:, None])

    def _mask(self) -> npt.NDArray[np.bool_]:
        seats, first, options = self._choice()
        mask = np.zeros((self.num_players, self.num_actions, self.num_envs), np.bool_)
        mask[seats, first : first + options.shape[1]] = options
        mask[:, self.no_op] = True
        mask[seats, self.no_op] = ~options.any(axis=1)
        return mask

    def _legal(self, chosen: Array) -> npt.NDArray[np.bool_]:
        seats, first, options = self._choice()
        wanted = chosen[seats] - first
        known = np.minimum(np.maximum(wanted, 0), options.shape[1] - 1)
        picked = options[np.arange(len(options))[:, None], known, self._games] & (known == wanted)
        legal: npt.NDArray[np.bool_] = chosen == self.no_op
        legal[seats] = np.where(options.any(axis=1), picked, legal[seats])
        return legal

    # --- a turn -------------------------------------------------------------------------

    def _advance(self, chosen: Array) -> None:
        self._play(chosen)
        while not self._over and not self._choice().options.any():
            self._play(np.full_like(chosen, self.no_op))

    def _play(self, chosen: Array) -> None:
        """Play one step of the phase, and go on to the next one."""
        self.phase_step += 1
        if self.phase == Phase.DEALING:
            self._give(chosen[self.dealer])
            if self.phase_step == self.num_players - 1 + self.rules.max_discards:
                self._give_last()
                self.phase, self.phase_step = Phase.CHALLENGE, 0
            else:
                self._show(self.dealer, self._drawn, self._games)
        elif self.phase == Phase.CHALLENGE:
            self._challenge((self.dealer + self.phase_step) % self.num_players, chosen)
            if self.phase_step == self.num_players - 1:
                self._show(self._players, self._held, self._games)
                self.phase, self.phase_step = Phase.PLACING, 0
        else:
            self._place(chosen)
            self.turn += 1
            self._begin_turn()

    def _give(self, move: Array) -> None:
        """The dealer gives the card he looks at to a seat, counted from his own, or puts it aside.

        With at most one card put aside, each of these steps takes one card in every game.
        """
        given = move < self.num_players
        here = (self._players == (self.dealer + move) % self.num_players) & given
        self._held = np.where(here, self._drawn, self._held)
        self._aside = np.where(given, self._aside, self._drawn)
        self._drawn = self._drawn + 1

    def _give_last(self) -> None:
        """The dealer looks at one more card and gives it to whoever has none."""
        lacking = self._held == self._deck_size
        games = np.flatnonzero(lacking.any(axis=0))  # without discard in the duel: none
        self._show(self.dealer, self._drawn[games], games)
        self._held = np.where(lacking, self._drawn, self._held)
        self._drawn[games] += 1

    def _challenge(self, seat: int, chosen: Array) -> None:
        """One player passes or guesses gift and ribbon of the dealer's card."""
        rules, dealer = self.rules, self.dealer
        guess = chosen[seat] - self.moves.guess
        guessing = (guess >= 0) & (chosen[seat] != self.no_op)
        gift, ribbon = np.divmod(guess, rules.num_ribbons)
        kept = self._cards_at(self._held[dealer])
        right_gift = guessing & (self._gift_of.take(kept) == gift)
        right_ribbon = guessing & (self._ribbon_of.take(kept) == ribbon)
        won = right_gift | right_ribbon
        failed = guessing & ~won
        self._not_gift |= (gift == self._each_gift) & failed
        self._not_ribbon |= (ribbon == self._each_ribbon) & failed
        games = np.flatnonzero(won)
        if games.size:
            self._swap(seat, games)
            self._win_perfect(seat, right_gift & right_ribbon)

    def _swap(self, seat: int, games: npt.NDArray[np.intp]) -> None:
        """Dealer and challenger show their cards to everybody and swap them."""
        for shown in (seat, self.dealer):
            self._show(self._players, self._held[shown, games], games)
        pair = np.array([[seat], [self.dealer]])
        self._held[pair, games] = self._held[pair[::-1], games]
        self._public[pair, games] = True

    def _win_perfect(self, seat: int, perfect: npt.NDArray[np.bool_]) -> None:
        """Gift and ribbon were right: the next card, unseen, and its points."""
        points = perfect * self.rules.perfect_points
        self._perfects[seat] += perfect
        self._scores[seat] += points
        self._rewards[seat] += points
        self._drawn = self._drawn + (perfect & (self._drawn < self._deck_size))

    def _place(self, chosen: Array) -> None:
        """Everybody places his card; who has a single cell to choose from chose the no-op."""
        rules, players, games = self.rules, self._players, self._games
        cell = chosen - self.moves.place
        forced = chosen == self.no_op
        if forced.any():
            cell = np.where(forced, self._open.argmax(axis=1), cell)
        card = self._cards_at(self._held)
        row, column = np.divmod(cell, rules.board_columns)
        gift, ribbon = self._gift_of.take(card), self._ribbon_of.take(card)
        value = self._value_of.take(card)
        points, counts = self._row_points.reshape(-1), self._column_ribbons.reshape(-1)
        best = self._column_best.reshape(-1)
        self._tableau.reshape(-1)[flat_index(self._tableau, players, cell, games)] = card
        points[flat_index(self._row_points, players, row, gift, games)] += value
        counts[flat_index(self._column_ribbons, players, column, ribbon, games)] += 1
        here = flat_index(self._column_best, players, column, games)
        best[here] = np.maximum(best.take(here), value)
        self._open = self._open_cells()
        for seat in range(self.num_players):
            self._show(players, self._held[seat], games)
        self._score()

    def _open_cells(self) -> npt.NDArray[np.bool_]:
        """Where each player's next card may go, (P, cells, N)."""
        shape = (self.num_players, self.rules.board_rows, self.rules.board_columns, self.num_envs)
        return open_cells((self._tableau != EMPTY).reshape(shape)).reshape(self._tableau.shape)

    def _score(self) -> None:
        """Count the points of the tableaus as they stand; the rewards are what came new."""
        rules = self.rules
        scores = score_rows(self._row_points)
        scores += score_columns(self._column_ribbons, self._column_best, rules.num_rows)
        scores += self._perfects * np.int16(rules.perfect_points)
        self._rewards += scores - self._scores
        self._scores = scores
        self._terminated[:] = self.turn == rules.num_turns - 1

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self)

    def _standing(self) -> tuple[Array, ...]:
        return (self._scores,)

    def _show(self, viewers: int | Array, places: Array, games: Array) -> None:
        """Let players see cards: broadcast seats, places in the deck and games.

        One card for each viewer and game at a time.
        """
        known, seen = self._known.reshape(-1), self._seen.reshape(-1)
        card = self._deck.take(flat_index(self._deck, places, games))
        sight = flat_index(self._known, viewers, places, games)
        count = flat_index(self._seen, viewers, card, games)
        seen[count] += ~known.take(sight)
        known[sight] = True

    # --- what there is to see -----------------------------------------------------------

    @property
    def tableaus(self) -> npt.NDArray[np.int8]:
        """Card ids on the board, -1 where none lies; shape (N, P, rows, columns)."""
        shape = (self.num_players, self.rules.board_rows, self.rules.board_columns, self.num_envs)
        return self._shown(self._tableau.reshape(shape).view(np.int8))

    @property
    def open_cells(self) -> npt.NDArray[np.bool_]:
        """Where each player's next card may go; shape (N, P, rows, columns)."""
        shape = (self.num_players, self.rules.board_rows, self.rules.board_columns, self.num_envs)
        return self._shown(self._open.reshape(shape))

    @property
    def held(self) -> npt.NDArray[np.int8]:
        """The card before each player this turn, -1 if none; shape (N, P)."""
        return self._shown(self._cards_at(self._held).view(np.int8))

    def held_as_seen_by(self, player: int) -> npt.NDArray[np.int8]:
        """The same, -1 also where the player has not seen the card; shape (N, P)."""
        player = self._seat(player)
        seen = np.roll(self._held_seen()[player], player, axis=0)
        return self._shown(seen.view(np.int8))

    @property
    def offered(self) -> npt.NDArray[np.int8]:
        """The card that the dealer looks at and has to give, -1 if none; shape (N,)."""
        dealing = self.phase == Phase.DEALING and not self._over
        card = self._cards_at(self._drawn) if dealing else np.full(self.num_envs, EMPTY, np.uint8)
        return self._shown(card.view(np.int8))

    @property
    def ruled_out_gifts(self) -> npt.NDArray[np.bool_]:
        """Gifts that the dealer's card has not, by this turn's wrong guesses; shape (N, G)."""
        return self._shown(self._not_gift)

    @property
    def ruled_out_ribbons(self) -> npt.NDArray[np.bool_]:
        """Ribbons that the dealer's card has not, by this turn's wrong guesses; shape (N, B)."""
        return self._shown(self._not_ribbon)

    @property
    def swapped(self) -> npt.NDArray[np.bool_]:
        """Whether a challenge of this turn was won, shape (N,)."""
        return self._shown(self._public[self.dealer])

    @property
    def dealt_as(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn each player has, from 1, 0 if none; shape (N, P)."""
        return self._shown(self._order_of(self._held))

    @property
    def put_aside(self) -> npt.NDArray[np.uint8]:
        """Which card of the turn the dealer has put aside, from 1, 0 if none; shape (N,)."""
        return self._shown(self._order_of(self._aside))

    @property
    def perfects(self) -> npt.NDArray[np.uint8]:
        """Perfects so far, shape (N, P)."""
        return self._shown(self._perfects)

    @property
    def draw_pile_sizes(self) -> npt.NDArray[np.intp]:
        """Cards in the draw pile, the one that the dealer looks at included; shape (N,)."""
        return self._shown(self._deck_size - self._drawn)

    def _order_of(self, places: Array) -> npt.NDArray[np.uint8]:
        """Which card of this turn lies in places of the deck, from 1; 0 for no place."""
        order = (places - self._turn_start + 1).astype(np.uint8)
        return order * (places < self._deck_size)

    def _held_seen(self) -> npt.NDArray[np.uint8]:
        """The cards before the players as far as each one has seen them, his own first: (P, P, N).

        What ``_known`` says of these cards, put together from why they have been seen.
        """
        seen = self._public.take(self._seats, axis=0)
        seen[self.dealer] = True
        if self.phase == Phase.PLACING:
            seen[:, 0] = True
        return np.where(seen, self._cards_at(self._held).take(self._seats, axis=0), np.uint8(EMPTY))

    def _write_observation(self, into: dict[str, Array]) -> None:
        # The largest part changes only when cards are placed, and then _open is a new array.
        if self._written is not self._open:
            self._write_tableaus(into)
            self._written = self._open
        self._write_turn(into)
        self._write_cards(into)
        into["seen"][:] = self._seen.reshape(into["seen"].shape)

    def _write_tableaus(self, into: dict[str, Array]) -> None:
        seats, shape = self._seats, into["open"].shape
        into["row_points"][:] = self._row_points.take(seats, axis=0)
        into["column_ribbons"][:] = self._column_ribbons.take(seats, axis=0)
        into["column_best"][:] = self._column_best.take(seats, axis=0)
        into["filled"][:] = (self._tableau != EMPTY).take(seats, axis=0).reshape(shape)
        into["open"][:] = self._open.take(seats, axis=0).reshape(shape)
        # As wide as the observation: a whole tableau of one gift may be worth more than a row.
        own_gifts = np.add.reduce(self._row_points, axis=1, dtype=self.layout.dtype)
        into["own_gifts"][:] = own_gifts
        into["own_ribbons"][:] = np.add.reduce(self._column_ribbons, axis=1, dtype=np.uint8)

    def _write_turn(self, into: dict[str, Array]) -> None:
        running = not self._over
        into["scores"][:] = self._scores.take(self._seats, axis=0)
        into["perfects"][:] = self._perfects.take(self._seats, axis=0)
        into["turns_left"][:] = self.rules.num_turns - self.turn
        into["phase"][:] = ((np.arange(len(Phase)) == self.phase) & running)[:, None]
        into["dealer"][:] = ((self._seats == self.dealer) & running)[:, :, None]
        challenge = self.phase == Phase.CHALLENGE
        into["challenger"][:] = ((self._seats == self.challenger) & challenge)[:, :, None]
        into["dealt_as"][:] = self._order_of(self._held).take(self._seats, axis=0)
        into["put_aside"][:] = self._order_of(self._aside)
        into["not_gift"][:] = self._not_gift
        into["not_ribbon"][:] = self._not_ribbon

    def _write_cards(self, into: dict[str, Array]) -> None:
        """The cards of this turn, as far as each player has seen them."""
        cards = self._held_seen()
        into["card_gift"][:] = self._gift_of.take(cards)[:, :, None] == self._each_gift
        into["card_ribbon"][:] = self._ribbon_of.take(cards)[:, :, None] == self._each_ribbon
        into["card_value"][:] = self._value_of.take(cards)
        offered, dealer = self.offered.view(np.uint8), self.dealer
        for name in ("offered_gift", "offered_ribbon", "offered_value"):
            into[name][:] = 0
        into["offered_gift"][dealer] = self._gift_of[offered] == self._each_gift
        into["offered_ribbon"][dealer] = self._ribbon_of[offered] == self._each_ribbon
        into["offered_value"][dealer] = self._value_of[offered]

    # --- what a player cannot know --------------------------------------------------------

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        """Deal anew the places of the deck whose cards the player has not seen.

        All orders of the unseen cards in these places are equally likely as long as they
        respect the wrong guesses of this turn. These say something about one place only,
        the dealer's card's: whichever of the possible cards lies there, the others can lie
        in equally many orders. So that card is drawn first, each possible one with the same
        chance, and then the others in any order: every order has the same chance.
        """
        hidden = ~self._known[player, :-1]
        others = np.nonzero(self._known[:, :-1] & hidden)  # who has seen what he has not
        self._count_seen(others, -1)
        free = hidden.copy()
        # Sorted first, so that what is dealt follows from the knowledge and the rng alone.
        self._refill(free, lambda cards: np.sort(cards, axis=1))
        if self._not_gift.any():
            self._deal_kept(free, rng)
        self._refill(free, lambda cards: shuffled_rows(cards, rng))
        self._count_seen(others, 1)

    def _refill(
        self, free: npt.NDArray[np.bool_], reorder: Callable[[Array], npt.NDArray[np.uint8]]
    ) -> None:
        """Put the cards of the free places (D, N) back in another order.

        Args:
            free: Which places.
            reorder: Reorders rows (N, D); those of the free places keep the order in which
                they come, wherever in their row that leaves them.
        """
        cards = self._deck[:-1].T.copy()
        ordered = reorder(np.where(free.T, cards, np.uint8(EMPTY)))
        cards[free.T] = ordered[ordered != EMPTY]
        self._deck[:-1] = cards.T

    def _deal_kept(self, free: npt.NDArray[np.bool_], rng: np.random.Generator) -> None:
        """Draw the dealer's card, where it is free, among the possible ones; not free then."""
        place = self._held[self.dealer]
        games = np.flatnonzero(free[place, self._games])
        place, deck = place[games], self._deck[:-1, games]
        gift, ribbon = self._gift_of[deck].astype(np.intp), self._ribbon_of[deck].astype(np.intp)
        ruled_out = np.take_along_axis(self._not_gift[:, games], gift, axis=0)
        ruled_out |= np.take_along_axis(self._not_ribbon[:, games], ribbon, axis=0)
        drawn = random_legal_actions((free[:, games] & ~ruled_out).T, rng)
        self._deck[drawn, games] = self._deck[place, games]
        self._deck[place, games] = deck[drawn, np.arange(len(games))]
        free[place, games] = False

    def _count_seen(self, sights: tuple[Array, ...], step: int) -> None:
        """Add so much to the counts of seen cards for (viewer, place, game)s."""
        viewer, place, game = sights
        counts = self._seen.view(np.int8)
        np.add.at(counts, (viewer, self._deck[place, game], game), step)

    # --- in words and pictures ------------------------------------------------------------

    def _describe(self, action: int) -> str:
        where, rules = self.moves, self.rules
        if action < where.discard:  # giving comes first, by the number of seats
            to = f"give the card to the player {action} to the left"
            return to if action else "keep the card"
        if where.guess <= action < where.place:
            gift, ribbon = divmod(action - where.guess, rules.num_ribbons)
            return f"guess {gift_name(gift)} with a {ribbon_name(ribbon)} ribbon"
        if where.place <= action < where.no_op:
            row, column = divmod(action - where.place, rules.board_columns)
            return f"place the card in row {row}, column {column} of the board"
        words = {where.discard: "put the card aside", where.pass_: "pass"}
        return words.get(action, "nothing to decide")

    def _text(self, index: int, player: int | None) -> str:
        from kododo_env.games.kado import render

        return render.text(self, index, player)

    def _svg(self, index: int, player: int | None) -> str:
        from kododo_env.games.kado import render

        return render.svg(self, index, player)


def card_tables(rules: Rules) -> tuple[npt.NDArray[np.uint8], ...]:
    """Gift, ribbon and value by card id, each of shape (256,).

    The id EMPTY has the value 0 and, for gift and ribbon, the number EMPTY, which is none.
    """
    ids = np.arange(EMPTY + 1)
    kind, value = np.divmod(ids, rules.num_values)
    gift, ribbon = np.divmod(kind, rules.num_ribbons)
    real = ids < rules.num_card_types
    tables = (np.where(real, gift, EMPTY), np.where(real, ribbon, EMPTY), (value + 1) * real)
    return tuple(table.astype(np.uint8) for table in tables)


def flat_index(array: Array, *index: int | Array) -> npt.NDArray[np.intp]:
    """Where elements lie in the flattened array; several times faster than many indices.

    Args:
        array: C-contiguous; only its shape is used.
        *index: One for each axis; they are broadcast.
    """
    place = np.asarray(index[0], np.intp)
    for size, step in zip(array.shape[1:], index[1:], strict=True):
        place = place * size + np.asarray(step, np.intp)
    return place
