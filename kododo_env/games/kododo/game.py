"""Kododo as a batch game: dealing and scoring; ``turn.py`` implements a turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int8, Intp, Uint8
from kododo_env.arrays.rows import games_last
from kododo_env.checks.numbers import whole_number
from kododo_env.core.capabilities import (
    JointDeals,
    PreviousPosition,
    RoundPlay,
    UndoSupport,
)
from kododo_env.core.deck import NONE, shuffled_decks
from kododo_env.core.state import Invariant
from kododo_env.core.view import View
from kododo_env.games.kododo import one_game, turn
from kododo_env.games.kododo.determinization import deal_again
from kododo_env.games.kododo.display import KododoDisplay
from kododo_env.games.kododo.invariants import invariants
from kododo_env.games.kododo.observation import action_layout, knowledge, observation_layout
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import tables
from kododo_env.games.kododo.turn import sort_hands
from kododo_env.games.kododo.undo import take_back
from kododo_env.layouts.observation import Knowledge

LONG_DEALS = 12  # the number of deals per game in sample_decks of the long variant


class KododoView(View):
    """A player's view of Kododo, which also has the card ids of hand and table."""

    _game: KododoGame

    @property
    def hand(self) -> Int8:
        """The player's card ids sorted by slot, -1 for empty slots; shape (N, hand_size)."""
        return self._cached_copy("hand", lambda: self._game.hands[:, self.player])

    @property
    def table(self) -> Int8:
        """The card ids laid by each player this round, in order, then -1; shape (N, P, 4)."""
        return self._cached_copy("table", lambda: self._game.table)

    @property
    def last_table(self) -> Int8:
        """``table`` at the end of the previous round; -1 in the first round."""
        return self._cached_copy("last_table", lambda: self._game.last_table)

    @property
    def turn(self) -> int:
        """The index of the turn in the round, from 0."""
        self._current()
        return self._game.turn


class KododoGame(KododoDisplay, JointDeals, RoundPlay, UndoSupport):
    """A batch of Kododo games.

    A deck is dealt from the front: player i gets ``deck[5i : 5i + 5]``. Then in each turn the
    players draw in seat order, each as many cards as they laid. The cards that are removed unseen
    are the last cards of the deck.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for four players.
        seed: Seed of the batch's generator.
    """

    name = "kododo"
    version = 0
    no_op = 0
    _state_type = KododoState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._tables = tables(rules)
        layout = observation_layout(rules)
        actions = action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed, rules.max_deals)

    # --- starting ---------------------------------------------------------------------

    def sample_decks(self, num: int, rng: np.random.Generator) -> Uint8:
        """Return shuffled decks for ``reset``: (num, D), in the long variant (num, K, D).

        K deals are enough for almost all games; after that the batch's generator shuffles.
        """
        if self.rules.variant == "standard":
            return super().sample_decks(num, rng)
        num = whole_number(num, "num", 1)
        decks = shuffled_decks(self.cards, num * LONG_DEALS, rng)
        return decks.reshape(num, LONG_DEALS, -1)

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """For each place of the deck a group: a hand, a player's draws of a turn, removed cards."""
        rules = self.rules
        players = range(self.num_players)
        draws = [n for _ in range(rules.num_rounds - 1) for n in rules.plays for _ in players]
        sizes = [*(rules.hand_size for _ in players), *draws, rules.removed]
        return tuple(group for group, size in enumerate(sizes) for _ in range(size))

    def _start(self, decks: Uint8) -> None:
        self._state.later_decks = decks[1:]
        self._deal(decks[0])

    def _deal(self, deck: Uint8) -> None:
        """Start a deal from shuffled decks (D, N), at the first turn of all games."""
        state = self._state
        state.turn = state.round_index = 0
        state.deck = deck
        state.hands = deck[: self.rules.drawn(0, 0)].reshape(state.hands.shape)
        sort_hands(state, self.rules)
        state.counts[-1, self.rules.count_fields.by_type].fill(0)  # no revealed cards

    def restart_finished(self) -> Bool:
        """Deal finished games again: at the end, and in the long variant also between deals."""
        state = self._state
        finished = state.terminated.copy()
        if finished.all() or not (state.turn == 0 and state.round_index == 0):
            return super().restart_finished()
        if finished.any():
            games = np.flatnonzero(finished)
            fresh = self.fresh(len(games), int(self.rng.integers(1 << 63)))._state
            fresh.later_decks = state.later_decks[..., games]
            fresh.next_later_deck[:] = len(state.later_decks)  # no later decks for the new games
            state.replace_games(games, fresh.arrays())
            self._clock += 1
        return finished

    # --- playing ----------------------------------------------------------------------

    @property
    def round_steps(self) -> int:
        """The number of steps until the current round is scored."""
        return self.rules.num_turns - self._state.turn

    def _mask(self) -> Bool:
        state = self._state
        rules = self.rules
        held = rules.held(state.round_index, state.turn)
        return self._tables.legal[rules.plays[state.turn]][held]

    def _advance(self, chosen: Array) -> None:
        state = self._state
        rules = self.rules
        module = one_game if self.num_envs == 1 else turn
        module.lay_and_draw(state, rules, self._tables, chosen)
        state.turn += 1
        if state.turn == rules.num_turns:
            self._end_round(*module.score(state, rules))

    # --- the end of a round, of a deal, of the game -----------------------------------

    def _end_round(self, points: Array, cards: Array) -> None:
        """Add the points and cards of the round, each (P, N), and start the next round."""
        state = self._state
        last_round = not self.rules.draws(state.round_index)
        state.rewards[:] = points
        state.scores += points
        state.pile_sizes += cards
        state.last_table = state.table.copy()
        state.table.fill(NONE)
        state.counts[:, self.rules.count_fields.laid].fill(0)
        if last_round:  # discard the remaining cards
            state.hands.fill(NONE)
            state.counts[:-1, self.rules.count_fields.by_type].fill(0)
        state.turn = 0
        state.round_index += 1
        self._end_game(last_round)

    def _end_game(self, last_round: bool) -> None:
        """Mark finished games; in the long variant, deal the others again."""
        state = self._state
        rules = self.rules
        if not (last_round or (rules.variant == "long" and np.count_nonzero(state.deals))):
            return
        reached = state.scores.max(axis=0) >= rules.target_score
        # The target is checked after each deal, and from the second deal on after each round.
        state.terminated = reached & (last_round | (state.deals > 0))
        if last_round:
            state.terminated |= state.deals + 1 >= rules.max_deals
        if last_round and not state.terminated.all():
            with state.unchanged(state.terminated):
                state.deals += 1
                state.pile_sizes[:] = 0
                self._deal(self._next_deck())

    def _next_deck(self) -> Uint8:
        """Return the decks of the next deal, (D, N): given decks first, then shuffled ones."""
        state = self._state
        deck = games_last(shuffled_decks(self.cards, self.num_envs, self.rng))
        games = np.flatnonzero(state.next_later_deck < len(state.later_decks))
        deck[:, games] = state.later_decks[state.next_later_deck[games], :, games].T
        state.next_later_deck += 1
        return deck

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self._state, self.rules)

    def _standing(self) -> tuple[Array, ...]:
        return self._state.scores, self._state.pile_sizes

    # --- observations -----------------------------------------------------------------

    def _view(self, player: int) -> KododoView:
        return KododoView(self, player)

    def _knowledge(self) -> Knowledge:
        constants = self._tables.constants
        return knowledge(self._state, self.rules, constants.targets, constants.schedule)

    def _rows(self, knowledge: Knowledge) -> Intp:
        return self._tables.constants.rows

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        deal_again(self._state, self.rules, player, rng)

    @property
    def undoable_steps(self) -> int:
        """The number of turns already played in this round."""
        return self._state.turn

    def before_last_step(self, rng: np.random.Generator) -> PreviousPosition:
        """Return the position before the last turn of this round; see ``UndoSupport``."""
        if self._state.turn == 0:
            raise ValueError(
                "kododo cannot undo a step at the start of a round: undoable_steps is 0"
            )
        before = self.clone()
        candidates = take_back(before._state, self.rules, self._tables, rng)
        return PreviousPosition(before, candidates.transpose(2, 0, 1))
