"""The invariants of the states of Combi-Combo."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.core.deck import NONE
from kododo_env.core.state import Invariant, count_types
from kododo_env.games.combi_combo.rules import Rules
from kododo_env.games.combi_combo.scoring import by_colour, score_hands
from kododo_env.games.combi_combo.state import CombiComboState


def invariants(state: CombiComboState, rules: Rules) -> Iterator[Invariant]:
    """Yield the invariants in order; the check of each assumes that the earlier ones hold."""
    over = state.turn == rules.num_turns
    yield f"turn must be 0 to {rules.num_turns}", state.turn <= rules.num_turns
    yield "_terminated must be True after the last turn only", state.terminated == over
    yield from _passing(state, rules)
    yield from _at_the_end(state, rules) if over else _on_the_way(state, rules)


def _passing(state: CombiComboState, rules: Rules) -> Iterator[Invariant]:
    passes = state.passes[: state.turn]
    types = rules.num_card_types
    forgotten = state.terminated & (passes == NONE)
    yield "_passes must hold cards of the game", (passes < types) | forgotten
    counted = count_types(passes.swapaxes(0, 1), types)
    yield "_passed must count _passes", state.passed == counted


def _on_the_way(state: CombiComboState, rules: Rules) -> Iterator[Invariant]:
    """A hand is the cards drawn and received, minus the cards passed."""
    deck = state.deck
    types = rules.num_card_types
    dealt = rules.num_players * rules.pile_size
    yield (
        "_deck must hold the cards of the game",
        np.sort(deck, axis=0) == np.sort(rules.cards)[:, None],
    )
    piles = deck[:dealt].reshape(rules.num_players, rules.pile_size, -1)
    hands = count_types(piles[:, : rules.opening_hand + state.turn + 1], types)
    passed = state.passed.astype(np.intp)
    hands += np.roll(passed, 1, axis=0) - passed
    yield "_hands must follow from _deck and _passes", (state.hands == hands) & (hands >= 0)
    turned = deck[dealt:][: rules.face_up_first + state.turn + 1]
    yield "_face_up must count the cards of _deck", state.face_up == count_types(turned, types)
    yield "_scores must be 0 before the end", state.scores == 0


def _at_the_end(state: CombiComboState, rules: Rules) -> Iterator[Invariant]:
    """At the end all hands are public; the history may be forgotten."""
    deck = state.deck
    types = rules.num_card_types
    yield "_deck must hold cards of the game", (deck < types) | (deck == NONE)
    held = state.hands.sum(axis=1, dtype=np.intp)
    yield f"_hands must hold {rules.pile_size} cards each", held == rules.pile_size
    open_cards = state.hands.sum(axis=0, dtype=np.intp) + state.face_up
    whole = count_types(rules.cards[:, None], types)
    yield "_hands and _face_up must be all cards of the game", open_cards == whole
    points = score_hands(by_colour(state.hands, rules), rules)
    yield "_scores must be the points of _hands", state.scores == points
