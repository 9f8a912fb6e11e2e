"""KADO as a batch game: dealing, challenges and placing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Intp, Uint8
from kododo_env.arrays.rows import blocks, column
from kododo_env.core.capabilities import StepSkipping
from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant
from kododo_env.games.kado.actions import action_layout, moves
from kododo_env.games.kado.cards import add_up, cards_at, flat_index, where_seen
from kododo_env.games.kado.determinization import deal_again
from kododo_env.games.kado.display import KadoDisplay
from kododo_env.games.kado.invariants import invariants
from kododo_env.games.kado.observation import (
    knowledge,
    observation_constants,
    observation_layout,
    stage,
)
from kododo_env.games.kado.rules import Rules
from kododo_env.games.kado.scoring import on_board, open_cells, score
from kododo_env.games.kado.state import KadoState, Phase
from kododo_env.games.kado.tables import MISSED, PERFECT, tables
from kododo_env.layouts.observation import Knowledge


class KadoGame(KadoDisplay, StepSkipping):
    """A batch of KADO games.

    Cards are taken from the front of a deck, in the order in which the dealer looks at them; for a
    perfect the player wins the next card of the deck.

    All games of a batch are in the same phase. ``step`` skips steps in which no player of any
    running game has a choice. In a batch of one these are the remaining challenges after a swap,
    and the placing of the first and of the last card.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for three players.
        seed: Seed of the batch's generator.
    """

    name = "kado"
    version = 0
    _state_type = KadoState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._tables = tables(rules)
        self._constants = observation_constants(rules)
        self.moves = moves(rules)
        self.no_op = self.moves.no_op
        layout = observation_layout(rules)
        actions = action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

    # --- starting ---------------------------------------------------------------------

    def _start(self, decks: Uint8) -> None:
        self._state.deck[:-1] = decks[0]
        self._state.open = self._open_cells(slice(None))
        self._begin_turn()

    def _begin_turn(self) -> None:
        state = self._state
        state.phase = Phase.DEALING
        state.phase_step = 0
        state.turn_start = state.drawn.copy()
        state.held.fill(self.rules.num_cards)
        state.public.fill(False)
        state.ruled_out.fill(False)
        if not state.is_over(self.rules):
            self._offer()

    # --- legal actions -----------------------------------------------------------------

    def _idle(self) -> Bool:
        """Whether the challenger (N,), or each placing player (P, N), has nothing to decide.

        The dealer always has a choice.
        """
        state = self._state
        idle: Bool = state.public[self.dealer]
        if state.phase == Phase.PLACING:
            idle = np.add.reduce(state.open, axis=1, dtype=np.int16) <= 1
        return idle

    def _mask(self) -> Bool:
        state = self._state
        moves = self.moves
        dealer = self.dealer
        mask = np.zeros((self.num_players, self.num_actions, self.num_envs), np.bool_)
        mask[:, self.no_op] = True
        if state.is_over(self.rules):
            return mask
        if state.phase == Phase.DEALING:
            needs_card = state.held == self.rules.num_cards
            seats = self._tables.holders[dealer, : self.num_players + self.rules.max_discards]
            needs_card.take(seats, axis=0, out=mask[dealer, : len(seats)], mode="clip")
            mask[dealer, self.no_op] = False
        elif state.phase == Phase.CHALLENGE:
            seat = self.challenger
            mask[seat, self.no_op] = idle = self._idle()
            mask[seat, moves.pass_ : moves.place] = ~idle
        else:
            mask[:, self.no_op] = idle = self._idle()
            np.greater(state.open, idle[:, None], out=mask[:, moves.place : self.no_op])
        return mask

    def deciding(self) -> Bool:
        """Return which players have something to decide, so that the no-op is illegal, (N, P)."""
        return np.asarray(~self.legal_action_mask()[:, :, self.no_op])

    # --- a turn -------------------------------------------------------------------------

    def _advance(self, chosen: Array) -> None:
        self._play(chosen)
        while self._state.phase != Phase.DEALING and self._idle().all():
            self._play(np.full_like(chosen, self.no_op))

    def _play(self, chosen: Array) -> None:
        """Play one step of the phase, and go to the next phase after the last one."""
        state = self._state
        last = state.phase_step + 1 == self.rules.phase_steps[state.phase]
        if state.phase == Phase.DEALING:
            self._give(chosen[self.dealer])
            if last:
                self._give_last()
            else:
                self._offer()
        elif state.phase == Phase.CHALLENGE:
            self._challenge(self.challenger, chosen[self.challenger])
            if last:
                self._look_at_own()
        else:
            for games in blocks(self.num_envs):
                self._place(chosen[:, games], games)
            self._end_turn()
            return
        if last:
            state.phase = Phase(state.phase + 1)
            state.phase_step = 0
        else:
            state.phase_step += 1

    def _end_turn(self) -> None:
        state = self._state
        state.turn += 1
        state.terminated[:] = state.is_over(self.rules)
        self._begin_turn()

    @property
    def steps_passed(self) -> int:
        """The number of skipped steps, in which no player had a choice; see ``StepSkipping``."""
        state = self._state
        phases = self.rules.phase_steps
        total_steps = state.turn * sum(phases) + sum(phases[: state.phase]) + state.phase_step
        return int(total_steps) - state.steps_played

    # --- dealing ------------------------------------------------------------------------

    def _offer(self) -> None:
        """Show the top card to the dealer."""
        self._show(1 << self.dealer, self._state.drawn, self._state.games)

    def _give(self, move: Array) -> None:
        """Give the offered card to a seat, counted from the dealer, or put it aside.

        Since at most one card is put aside, every step deals one card in each game.
        """
        state = self._state
        holder = self._tables.holders[self.dealer].take(move)
        state.held.reshape(-1)[flat_index(state.held, holder, state.games)] = state.drawn
        state.drawn += 1

    def _give_last(self) -> None:
        """Show one more card to the dealer and give it to the player who has none."""
        state = self._state
        # One player in each game, or none in a duel without discards.
        seats, games = (state.held[:-1] == self.rules.num_cards).nonzero()
        places = state.drawn[games]
        self._show(1 << self.dealer, places, games)
        state.held[seats, games] = places
        state.drawn[games] += 1

    # --- challenge ----------------------------------------------------------------------

    def _challenge(self, seat: int, move: Array) -> None:
        """Let one player pass, or guess gift and ribbon of the dealer's card."""
        state = self._state
        tables = self._tables
        dealer_cards = cards_at(state, state.held[self.dealer], state.games).astype(np.intp)
        hits = tables.hits.take(flat_index(tables.hits, dealer_cards, move))
        state.ruled_out |= tables.guessed.take(move, axis=1) & (hits == MISSED)
        games = (hits > MISSED).nonzero()[0]
        if games.size:
            self._swap(seat, games)
            self._win_perfect(seat, hits == PERFECT)

    def _swap(self, seat: int, games: Intp) -> None:
        """Reveal the cards of dealer and challenger, and swap them."""
        state = self._state
        pair = np.array([[seat], [self.dealer]])
        places = state.held[pair, games]
        self._show(self._everybody, places, games)
        state.held[pair, games] = places[::-1]
        state.public[pair, games] = True

    def _win_perfect(self, seat: int, perfect: Bool) -> None:
        """Give the next card, unseen, and points for a guess with gift and ribbon right."""
        state = self._state
        points = perfect * self.rules.perfect_points
        state.perfects[seat] += perfect
        state.scores[seat] += points
        state.rewards[seat] += points
        state.drawn += perfect & (state.drawn < self.rules.num_cards)

    # --- placing ------------------------------------------------------------------------

    def _look_at_own(self) -> None:
        """Show each player the card in front of them."""
        self._show(1 << column(self.num_players), self._state.held[:-1], self._state.games)

    def _place(self, chosen: Array, part: slice) -> None:
        """Place a card of each player; players with a single possible cell chose the no-op.

        Args:
            chosen: Actions of some of the games.
            part: The slice of these games.
        """
        state = self._state
        games = self._state.games[part]
        cell = chosen - self.moves.place
        forced = chosen == self.no_op
        if forced.any():
            cell = np.where(forced, state.open[..., part].argmax(axis=1), cell)
        held = state.held[:-1, part]
        card = cards_at(state, held, games)
        players = column(self.num_players, np.intp)
        state.tableau.reshape(-1)[flat_index(state.tableau, players, cell, games)] = card
        add_up(state, self._tables, cell, card, games)
        state.open[..., part] = self._open_cells(part)
        self._show(self._everybody, held, games)
        self._score(part)

    def _open_cells(self, part: slice) -> Bool:
        """Return the cells for each player's next card, (P, cells, M)."""
        state = self._state
        filled = on_board(state.tableau[..., part], self.rules) != NONE
        return open_cells(filled).reshape(state.open[..., part].shape)

    def _score(self, part: slice) -> None:
        """Score the current tableaus; the rewards are the new points."""
        state = self._state
        scores = score(state.sums[..., part], self.rules)
        # In numpy 1 a product with a scalar keeps the array's dtype, which may overflow.
        points = self.rules.perfect_points
        scores += np.multiply(state.perfects[:, part], points, dtype=np.int16)
        state.rewards[:, part] += scores - state.scores[:, part]
        state.scores[:, part] = scores

    # --- knowledge ------------------------------------------------------------------

    @property
    def _everybody(self) -> int:
        """The bit mask of all players."""
        return (1 << self.num_players) - 1

    def _show(self, viewers: int | Array, places: Array, games: Intp) -> None:
        """Show the cards at different places of the deck to players, given as a bit mask."""
        where = where_seen(self._state, self.rules, self._tables, places, games)
        self._state.viewers.reshape(-1)[where] |= viewers

    def _knowledge(self) -> Knowledge:
        schedule = self._constants.schedule
        return knowledge(self._state, self.rules, self._tables, schedule, self.layout.dtype)

    def _rows(self, knowledge: Knowledge) -> Intp:
        return self._constants.rows[self._state.dealer][stage(self._state, self.rules)]

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self._state, self.rules, self._tables)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        deal_again(self._state, self.rules, self._tables, player, rng)
