"""Combi-Combo as a batch game: dealing, turns and scoring."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Intp, Uint8
from kododo_env.arrays.rows import blocks, column
from kododo_env.core.capabilities import JointDeals
from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant
from kododo_env.core.view import View
from kododo_env.games.combi_combo.determinization import deal_again
from kododo_env.games.combi_combo.display import CombiComboDisplay
from kododo_env.games.combi_combo.invariants import invariants
from kododo_env.games.combi_combo.observation import (
    action_layout,
    knowledge,
    observation_constants,
    observation_layout,
)
from kododo_env.games.combi_combo.rules import Rules
from kododo_env.games.combi_combo.scoring import ONE, TWO, by_colour, held, score_hands
from kododo_env.games.combi_combo.state import CombiComboState
from kododo_env.layouts.observation import Knowledge


class CombiComboView(View):
    """A player's view of Combi-Combo, which also has the turn as an integer."""

    _game: CombiComboGame

    @property
    def turn(self) -> int:
        """The index of the turn, from 0."""
        self._current()
        return self._game.turn


class CombiComboGame(CombiComboDisplay, JointDeals):
    """A batch of Combi-Combo games.

    Player i's draw pile is ``deck[12i : 12i + 12]``, drawn from the front; its first four cards
    are the opening hand. With four players ``deck[48:60]`` is the central pile, in the order of
    turning up. At the start of each turn a card is turned up and every player draws, so that all
    hold five cards when they choose.

    Args:
        num_envs: N, at least 1.
        rules: The rules; by default those for four players.
        seed: Seed of the batch's generator.
    """

    name = "combi_combo"
    version = 0
    no_op = 0
    _state_type = CombiComboState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        self._constants = observation_constants(rules)
        self._previous = (np.arange(rules.num_players) - 1) % rules.num_players
        layout = observation_layout(rules)
        actions = action_layout(rules)
        super().__init__(num_envs, rules, layout, actions, rules.cards, seed)

    # --- starting ---------------------------------------------------------------------

    @property
    def dealt_together(self) -> tuple[int, ...]:
        """For each place of the deck a group: cards drawn or turned up between the same choices."""
        rules = self.rules
        later = [1] * (rules.num_turns - 1)
        piles = [rules.opening_hand + 1, *later] * self.num_players
        central = [rules.face_up_first + 1, *later] if rules.central_pile else []
        sizes = [*piles, *central]
        return tuple(group for group, size in enumerate(sizes) for _ in range(size))

    def _start(self, decks: Uint8) -> None:
        self._state.deck = decks[0]
        for games in blocks(self.num_envs):
            for place in range(self.rules.opening_hand):
                self._draw(place, games)
            for place in range(self.rules.face_up_first):
                self._turn_up(place, games)
            self._begin_turn(games)

    def _begin_turn(self, games: slice) -> None:
        self._draw(self.rules.opening_hand + self._state.turn, games)
        if self.rules.central_pile:
            self._turn_up(self.rules.face_up_first + self._state.turn, games)

    def _draw(self, place: int, games: slice) -> None:
        """Draw the card at a place of each player's pile."""
        state = self._state
        size = self.rules.pile_size
        hands = state.hands[..., games]
        hands += self._by_type(state.deck[place : self.num_players * size : size, games])

    def _turn_up(self, place: int, games: slice) -> None:
        """Turn up the card at a place of the central pile."""
        state = self._state
        piles = self.num_players * self.rules.pile_size
        face_up = state.face_up[:, games]
        face_up += self._by_type(state.deck[piles + place, games])

    def _by_type(self, cards: Uint8) -> Uint8:
        """One-hot encode cards (..., N) by type: (..., C * 4, N)."""
        one_hot: Bool = cards[..., None, :] == column(self.rules.num_card_types)
        return one_hot.view(np.uint8)

    # --- playing ----------------------------------------------------------------------

    def _mask(self) -> Bool:
        return self._state.hands > 0

    def _advance(self, chosen: Array) -> None:
        state = self._state
        cards = state.passes[state.turn]
        cards[:] = chosen
        state.turn += 1
        going_on = state.turn < self.rules.num_turns
        for games in blocks(self.num_envs):
            self._pass_on(cards[:, games], games)
            if going_on:
                self._begin_turn(games)
        if not going_on:
            self._end()

    def _pass_on(self, cards: Uint8, games: slice) -> None:
        """Pass a card of each player, (P, N), to the left: from seat i to seat i + 1."""
        hands = self._state.hands[..., games]
        passed = self._state.passed[..., games]
        cards_by_type = self._by_type(cards)
        passed += cards_by_type
        hands -= cards_by_type
        hands += cards_by_type.take(self._previous, axis=0)

    def _end(self) -> None:
        points = score_hands(by_colour(self._state.hands, self.rules), self.rules)
        self._state.rewards[:] = points
        self._state.scores += points
        self._state.terminated[:] = True

    def _invariants(self) -> Iterator[Invariant]:
        return invariants(self._state, self.rules)

    def _standing(self) -> tuple[Array, ...]:
        hands = by_colour(self._state.hands, self.rules)
        return score_hands(hands, self.rules), held(hands, ONE), held(hands, TWO)

    # --- observations -----------------------------------------------------------------

    def _view(self, player: int) -> CombiComboView:
        return CombiComboView(self, player)

    def _knowledge(self) -> Knowledge:
        return knowledge(self._state, self.rules, self._constants.schedule)

    def _rows(self, knowledge: Knowledge) -> Intp:
        return self._constants.rows

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        state = self._state
        if state.terminated.all():
            self._forget(player)
        else:
            deal_again(state, self.rules, player, rng)
        passes = state.passes[: state.turn, :, None] == column(self.rules.num_card_types)
        np.add.reduce(passes.view(np.uint8), axis=0, out=state.passed)

    def _forget(self, player: int) -> None:
        """Forget how finished games came about, which is all that is still hidden in them."""
        self._state.deck[:] = NONE
        neighbours = (player, (player - 1) % self.num_players)
        distant_seats = [seat for seat in range(self.num_players) if seat not in neighbours]
        self._state.passes[:, distant_seats] = NONE
