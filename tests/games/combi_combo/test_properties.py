"""Properties of all games of Combi-Combo, for any cards and choices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import combi_combo_v0
from kododo_env.arrays.dtypes import Intp, Uint8
from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.games.combi_combo.invariants import invariants
from kododo_env.games.combi_combo.state import CombiComboState
from kododo_env.testing import check_batch_game
from tests.helpers import hypothesis_settings, play_random, random_actions

SMALL = Rules(num_colours=3, copies=(1, 2, 2, 3), opening_hand=1, num_turns=4)
ALL_RULES = [
    Rules(num_players=4),
    Rules(num_players=5),
    SMALL,
    Rules(num_players=5, num_colours=2, copies=(2, 1, 4, 3), opening_hand=2, num_turns=2),
]


def short_name(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.num_cards}-cards"


ANY_RULES = st.sampled_from(ALL_RULES)
SEEDS = st.integers(0, 2**32 - 1)
TURNS = st.integers(0, 8)


def played(rules: Rules, seed: int, turns: int, num: int) -> CombiComboGame:
    """Return games after some random turns, or at their end."""
    game = CombiComboGame(num, rules, seed)
    play_random(game, np.random.default_rng(seed), turns)
    return game


def new_game(rules: Rules, decks: Uint8) -> CombiComboGame:
    game = CombiComboGame(len(decks), rules, seed=0)
    game.reset(decks=decks)
    return game


@pytest.mark.parametrize("rules", ALL_RULES, ids=short_name)
def test_the_game_keeps_its_promises(rules: Rules) -> None:
    """Under the real rules everything but the seats is checked by the tests of all games."""
    check_batch_game(
        combi_combo_v0.batch_game,
        rules=rules,
        reseat=lambda _, decks, order: reseated(decks, order, rules),
        places=5,
        only=["seats"] if rules in ALL_RULES[:2] else [],
    )


def reseated(decks: Uint8, order: Intp, rules: Rules) -> Uint8:
    """Return decks that deal the cards of seat order[s] to seat s."""
    moved = decks.copy()
    dealt = rules.num_players * rules.pile_size
    piles = decks[:, :dealt].reshape(len(decks), rules.num_players, -1)
    moved[:, :dealt] = piles[:, order].reshape(len(decks), -1)
    return moved


# --- a state alone --------------------------------------------------------------------


def state_of(game: CombiComboGame) -> CombiComboState:
    """The state is a copy, independent of the game."""
    return CombiComboState.blank(game.rules, game.num_envs).like(game.state())


@pytest.mark.parametrize(
    ("turns", "field", "wrong", "message"),
    [
        (3, "turn", 9, "turn must be 0 to 8"),
        (3, "terminated", True, "_terminated must be True after the last turn only"),
        (3, "passes", 24, "_passes must hold cards of the game"),
        (3, "passed", 0, "_passed must count _passes"),
        (3, "deck", 0, "_deck must hold the cards of the game"),
        (3, "hands", 1, "_hands must follow from _deck and _passes"),
        (3, "face_up", 1, "_face_up must count the cards of _deck"),
        (3, "scores", 1, "_scores must be 0 before the end"),
        (8, "deck", 24, "_deck must hold cards of the game"),
        (8, "hands", 1, "_hands must hold 12 cards each"),
        (8, "face_up", 1, "_hands and _face_up must be all cards of the game"),
        (8, "scores", 99, "_scores must be the points of _hands"),
    ],
)
def test_the_first_fault_of_a_state_alone_is_named(
    turns: int, field: str, wrong: int, message: str
) -> None:
    game = played(Rules(), 1, turns, num=3)
    state = state_of(game)
    if field == "turn":
        state.turn = wrong
    else:
        getattr(state, field)[...] = wrong
    checks = invariants(state, game.rules)
    assert next(must for must, holds in checks if not np.all(holds)) == message


# --- symmetry -------------------------------------------------------------------------


@hypothesis_settings(20)
@given(ANY_RULES, SEEDS)
def test_colours_renamed_nothing_else_changes(rules: Rules, seed: int) -> None:
    """The symmetry that the layout declares."""
    names = np.random.default_rng(seed).permutation(rules.num_colours)
    types = (4 * names[:, None] + np.arange(4)).ravel()  # the new name of each type
    decks = CombiComboGame(1, rules).sample_decks(2, np.random.default_rng(seed))
    game = new_game(rules, decks)
    renamed = new_game(rules, types[decks].astype(np.uint8))
    rng = np.random.default_rng(seed)
    while True:
        before, after = (game.layout.views(batch.observe()) for batch in (game, renamed))
        for piece in game.layout.pieces:
            expected = before[piece.name]
            if "colour" in piece.axes:
                expected = np.empty_like(expected)
                expected[:, :, names] = before[piece.name]
            assert (after[piece.name] == expected).all(), piece.name
        if game.terminated.all():
            break
        actions = random_actions(game, rng)
        game.step(actions)
        renamed.step(types[actions])
    assert (renamed.scores == game.scores).all()
    assert (renamed.outcome() == game.outcome()).all()


def test_no_more_cards_are_left_to_draw_than_there_are_turns_after_the_first() -> None:
    for rules in ALL_RULES:
        layout = CombiComboGame(1, rules).layout
        assert layout.piece("draw_pile").maximum == rules.num_turns - 1
