"""Functions of states, tested on states without games."""

from __future__ import annotations

import numpy as np
import pytest

from kododo_env.core.deck import NONE
from kododo_env.core.state import count_types
from kododo_env.games.kododo import Rules, one_game, turn
from kododo_env.games.kododo.invariants import invariants
from kododo_env.games.kododo.state import KododoState
from kododo_env.games.kododo.tables import tables
from kododo_env.games.kododo.undo import take_back
from tests.games.kododo.test_properties import ALL_RULES, short_name

per_rules = pytest.mark.parametrize("rules", ALL_RULES, ids=short_name)


def dealt(rules: Rules, num: int, round_index: int = 0) -> KododoState:
    """Return a state at the beginning of a round, with some revealed cards."""
    state = KododoState.blank(rules, num)
    decks = np.random.default_rng(round_index).permuted([rules.cards] * num, axis=1).T
    state.deck = np.ascontiguousarray(decks)
    state.round_index = round_index
    drawn = rules.drawn(round_index, 0)
    before = drawn - rules.num_players * rules.hand_size
    state.hands = state.deck[before:drawn].reshape(state.hands.shape)
    turn.sort_hands(state, rules)
    revealed(state, rules)[:] = count_types(state.deck[:before], rules.num_card_types)
    return state


def revealed(state: KododoState, rules: Rules) -> np.ndarray:
    """The counts of all cards laid in this deal, by type, (T, N), not copied."""
    return state.counts[-1, rules.count_fields.by_type]


def some_actions(state: KododoState, rules: Rules, rng: np.random.Generator) -> np.ndarray:
    """Return legal actions, (P, N)."""
    held = rules.held(state.round_index, state.turn)
    plays = rules.plays[state.turn]
    legal = np.flatnonzero(tables(rules).legal[plays][held])
    return rng.choice(legal, (rules.num_players, len(state.terminated)))


@per_rules
def test_one_game_moves_and_scores_cards_as_any_number_does(rules: Rules) -> None:
    rng = np.random.default_rng(0)
    game_tables = tables(rules)
    for round_index in (0, 1, rules.num_rounds - 1) * 20:
        single = dealt(rules, 1, round_index)
        any_number = dealt(rules, 1, round_index)
        for single.turn in range(rules.num_turns):
            any_number.turn = single.turn
            chosen = some_actions(single, rules, rng)
            one_game.lay_and_draw(single, rules, game_tables, chosen)
            turn.lay_and_draw(any_number, rules, game_tables, chosen)
            for name, array in any_number.arrays().items():
                assert (getattr(single, name) == array).all(), name
        fields = rules.count_fields
        laid = single.counts[:-1, fields.laid]
        laid[:] = rng.integers(0, 2 + rules.round_cards // 2, laid.shape)
        single.counts[-1, fields.laid] = laid.sum(axis=0)
        ways = one_game.score(single, rules), turn.score(single, rules)
        assert np.array_equal(*ways)


@per_rules
def test_the_first_fault_of_a_state_alone_is_named(rules: Rules) -> None:
    state = dealt(rules, 3)
    assert all(np.all(holds) for _, holds in invariants(state, rules))
    state.hands[0, :, 1] = state.hands[0, ::-1, 1]
    state.hands[0, 0, 1] = NONE
    assert [must for must, holds in invariants(state, rules) if not np.all(holds)][:2] == [
        "_hands must be sorted",
        f"_hands must hold {rules.hand_size} cards each",
    ]


@per_rules
def test_a_turn_is_taken_back_in_a_state_alone(rules: Rules) -> None:
    rng = np.random.default_rng(0)
    game_tables = tables(rules)
    for round_index in (0, rules.num_rounds - 1):
        state = dealt(rules, 50, round_index)
        before = dealt(rules, 50, round_index)
        turn.lay_and_draw(state, rules, game_tables, some_actions(state, rules, rng))
        laid = state.table.copy()
        cards_revealed = revealed(state, rules).copy()
        state.turn = 1
        state.steps_played = 1
        candidates = take_back(state, rules, game_tables, rng)
        assert (state.turn, state.steps_played) == (0, 0)
        assert (state.table == before.table).all()
        assert (revealed(state, rules) == revealed(before, rules)).all()
        turn.lay_and_draw(state, rules, game_tables, candidates.argmax(axis=1))
        assert (np.sort(state.table, axis=1) == np.sort(laid, axis=1)).all()
        assert (revealed(state, rules) == cards_revealed).all()
