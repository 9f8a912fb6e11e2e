"""Properties of all games of KADO, for any cards and choices."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import kado_v0
from kododo_env.core.deck import NONE
from kododo_env.games.kado import KadoGame, Phase, Rules
from kododo_env.games.kado.actions import moves
from kododo_env.games.kado.invariants import invariants
from kododo_env.games.kado.state import KadoState
from kododo_env.games.kado.tables import tables
from kododo_env.testing import check_batch_game
from tests.helpers import hypothesis_settings, play_random, random_actions

# Two gifts and three ribbons, a tableau of four cards; twice the same card now and then.
SMALL: Any = {
    "deck": (((1, 2, 2), (1, 3), (2, 2)), ((1, 1), (2, 3), (1, 2, 3))),
    "num_rows": 2,
    "num_columns": 2,
}
LINE: Any = {
    "deck": (((1, 2, 3, 4, 5, 6),), ((1, 2, 3, 4, 5, 6),)),
    "num_rows": 1,
    "num_columns": 3,
}
ALL_RULES = [
    *(Rules(num_players=players) for players in (2, 3, 4)),
    Rules(num_players=2, **SMALL, discards=0),
    Rules(num_players=2, **LINE),
    Rules(num_players=3, **LINE),
]


def short_name(rules: Rules) -> str:
    return f"{rules.num_players}-{rules.num_cards}-cards"


ANY_RULES = st.sampled_from(ALL_RULES)
SEEDS = st.integers(0, 2**32 - 1)


def daring(game: KadoGame, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Random legal actions in which challengers are right much more often."""
    actions = random_actions(game, rng)
    seat = game.challenger
    guessing = game.legal_action_mask()[:, seat, game.moves.guess] & (
        rng.random(game.num_envs) < 0.4
    )
    ribbons = game.rules.num_ribbons
    kind = game.held[:, game.dealer].astype(np.int64) // game.rules.num_values
    gift, ribbon = np.divmod(kind, ribbons)
    mistake = rng.integers(0, 3, game.num_envs)
    gift = np.where(mistake == 1, 0, gift)
    ribbon = np.where(mistake == 2, 0, ribbon)
    actions[guessing, seat] = (game.moves.guess + gift * ribbons + ribbon)[guessing]
    return actions


def play(game: KadoGame, rng: np.random.Generator, steps: int) -> None:
    for _ in range(steps):
        if not game.terminated.all():
            game.step(daring(game, rng))


def new_game(rules: Rules, decks: npt.NDArray[np.uint8]) -> KadoGame:
    game = KadoGame(len(decks), rules, seed=0)
    game.reset(decks=decks)
    return game


def state_of(game: KadoGame) -> KadoState:
    """The state is a copy, independent of the game."""
    return KadoState.blank(game.rules, game.num_envs).like(game.state())


def types_seen(game: KadoGame, player: int) -> npt.NDArray[np.int64]:
    """Count the cards of each type that a player has seen, (N, types)."""
    return game.view(player).pieces["seen"].reshape(game.num_envs, -1).astype(np.int64)


# --- cards by their ids ---------------------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES, ids=short_name)
def test_the_tables_tell_gift_ribbon_and_value_of_cards_and_of_nothing_else(rules: Rules) -> None:
    part_tables = tables(rules)[:3]
    assert {(table.shape, table.dtype) for table in part_tables} == {((256,), np.dtype(np.uint8))}
    for card, parts in enumerate(np.array(part_tables).T.tolist()):
        is_card = card < rules.num_card_types
        assert parts == (list(rules.parts(card)) if is_card else [NONE, NONE, 0])


# --- what any batch game promises -----------------------------------------------------


@pytest.mark.parametrize("rules", ALL_RULES[3:], ids=short_name)
def test_the_game_keeps_its_promises_under_other_rules(rules: Rules) -> None:
    """The real rules are checked by the tests of all games; with few turns seats differ."""
    check_batch_game(kado_v0.batch_game, rules=rules, places=5, fair_seats=False)


# --- legal actions --------------------------------------------------------------------


@hypothesis_settings(25)
@given(ANY_RULES, SEEDS)
def test_a_batch_of_one_never_waits(rules: Rules, seed: int) -> None:
    game = KadoGame(1, rules, seed)
    rng = np.random.default_rng(seed)
    while not game.terminated[0]:
        assert game.deciding().any()
        game.step(daring(game, rng))


# --- symmetry -------------------------------------------------------------------------


@hypothesis_settings(8)
@given(st.sampled_from(ALL_RULES[:3]), SEEDS, st.integers(1, 4))
def test_gifts_and_ribbons_moved_on_together_give_the_same_game(
    rules: Rules, seed: int, by: int
) -> None:
    decks = KadoGame(1, rules).sample_decks(3, np.random.default_rng(seed))
    parts = np.array([rules.parts(card) for card in range(rules.num_card_types)])
    moved_card = np.array(
        [rules.card((gift + by) % 5, (ribbon + by) % 5, value) for gift, ribbon, value in parts]
    )
    game = new_game(rules, decks)
    moved = new_game(rules, moved_card[decks].astype(np.uint8))
    guesses = game.actions.where("guess")
    rng = np.random.default_rng(seed)
    names = np.arange(game.num_actions)
    names[guesses] = np.roll(names[guesses].reshape(5, 5), (-by, -by), (0, 1)).ravel()
    while not game.terminated.all():
        if game.phase_step == rng.integers(2):
            assert_moved(game, moved, by)
        actions = daring(game, rng)
        game.step(actions)
        moved.step(names[actions])
        assert (game.rewards == moved.rewards).all()
    assert (game.outcome() == moved.outcome()).all()


def assert_moved(game: KadoGame, moved: KadoGame, by: int) -> None:
    """All pieces of all observations are equal up to a shift of gifts and ribbons."""
    for piece in game.layout.pieces:
        axes = [1 + axis for axis, name in enumerate(piece.axes) if name in ("gift", "ribbon")]
        for player in range(game.num_players):
            original = game.view(player).pieces[piece.name]
            rotated = moved.view(player).pieces[piece.name]
            assert (np.roll(original, [by] * len(axes), axes) == rotated).all(), piece.name


def test_a_deck_that_is_not_even_has_no_symmetry() -> None:
    deck = [list(ribbons) for ribbons in Rules().deck]
    deck[0][0] = (1, 3, 4)
    rules = Rules(deck=tuple(map(tuple, deck)))
    layout = KadoGame(1, rules).layout
    assert layout.symmetry is None
    assert layout.tied_axes == KadoGame(1, Rules()).layout.tied_axes


# --- determinised copies --------------------------------------------------------------


def chi_square(counts: Counter[Any], samples: int) -> float:
    expected = samples / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts.values())


def loose_bound(freedom: int) -> float:
    """Return a bound of chi-square: five standard deviations above its mean."""
    return freedom + 5 * np.sqrt(2 * freedom)


def possible_cards(game: KadoGame, player: int) -> set[int]:
    """Compute plainly the possible dealer's cards for a player who has not seen it."""
    visible = types_seen(game, player)[0]
    candidates = set()
    for card in game.rules.cards.tolist():
        gift, ribbon, _ = game.rules.parts(card)
        out = game.ruled_out_gifts[0, gift] or game.ruled_out_ribbons[0, ribbon]
        if not visible[card] and not out:
            candidates.add(card)
    return candidates


def after_a_wrong_guess() -> KadoGame:
    """Return a game of four in its second turn, after a wrong first challenge."""
    for seed in range(100):
        game = KadoGame(1, Rules(num_players=4), seed=seed)
        play_random(game, np.random.default_rng(seed), 3 + 3 + 3)
        if game.turn == 1 and game.phase == 1 and game.ruled_out_gifts.any():
            return game
    raise AssertionError("no wrong guess in a hundred games")


def test_the_dealers_card_is_uniform_among_the_unseen_cards_that_are_not_ruled_out() -> None:
    game = after_a_wrong_guess()
    samples = 20_000
    for player in (0, 2, 3):
        possible = possible_cards(game, player)
        assert 20 < len(possible) < 61
        copies = game.determinize(player, np.random.default_rng(player), samples)
        counts = Counter(copies.held[:, game.dealer].tolist())
        assert counts.keys() == possible
        assert chi_square(counts, samples) < loose_bound(len(counts) - 1)


def test_the_other_cards_are_uniform_given_the_dealers_card() -> None:
    """Cards excluded for the dealer are more likely elsewhere, with the right frequency."""
    game = after_a_wrong_guess()
    samples = 30_000
    player = 0
    copies = game.determinize(player, np.random.default_rng(1), samples)
    visible = types_seen(game, player)[0]
    unseen = {card for card in game.rules.cards.tolist() if not visible[card]}
    possible = possible_cards(game, player)
    places = len(unseen) - 1
    for seat in {0, 1, 2, 3} - {game.dealer}:
        counts = Counter(copies.held[:, seat].tolist())
        assert counts.keys() == unseen
        for card in unseen:
            # The dealer has a possible card with probability 1 / this number.
            elsewhere = 1 - (1 / len(possible) if card in possible else 0)
            share = elsewhere / places
            error = counts[card] / samples - share
            assert abs(error) < 5 * np.sqrt(share * (1 - share) / samples)


def test_for_the_dealer_only_the_pile_is_hidden() -> None:
    game = after_a_wrong_guess()
    copies = game.determinize(game.dealer, np.random.default_rng(1), 50)
    assert (copies.held == game.held).all()
    pile = copies.state()["_deck"][-1 - int(game.draw_pile_sizes[0]) : -1]
    assert len({tuple(column) for column in pile.T.tolist()}) == 50


def test_in_the_duel_a_card_put_aside_is_hidden_from_the_other_and_kept_by_the_dealer() -> None:
    game = KadoGame(1, Rules(num_players=2), seed=1)
    game.step([[game.moves.discard, game.no_op]])
    aside = int(game.state()["_deck"][0, 0])
    play_random(game, np.random.default_rng(1), 6)
    assert (game.determinize(0, np.random.default_rng(1), 99).state()["_deck"][0] == aside).all()
    first_cards = game.determinize(1, np.random.default_rng(1), 999).state()["_deck"][0]
    assert len(set(first_cards.tolist())) > 40


# --- a state alone --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("field", "wrong", "message"),
    [
        ("turn", 13, "turn must be 0 to 12"),
        ("phase_step", 2, "phase_step must be 0 to 1 in this phase"),
        ("open", False, "_open must be the cells for the next card"),
        ("sums", 9, "_sums must add up the rows of _tableau"),
        ("deck", 0, "_deck must hold the cards of the game"),
        ("public", True, "_public must be the dealer and a challenger, or nobody"),
        ("viewers", 0, "_viewers must be who has seen the cards of this turn"),
        ("scores", 99, "_scores must be the points of tableaus and perfects"),
    ],
)
def test_the_first_fault_of_a_state_alone_is_named(field: str, wrong: int, message: str) -> None:
    game = KadoGame(8, seed=1)
    play(game, np.random.default_rng(1), 4 + 2)  # the second turn: cards are before all players
    assert (game.turn, game.phase) == (1, Phase.CHALLENGE)
    state = state_of(game)
    assert all(np.all(holds) for _, holds in invariants(state, game.rules, tables(game.rules)))
    if isinstance(getattr(state, field), int):
        setattr(state, field, wrong)
    else:
        getattr(state, field)[...] = wrong
    checks = invariants(state, game.rules, tables(game.rules))
    assert next(must for must, holds in checks if not np.all(holds)) == message


def test_an_action_that_is_no_guess_hits_nothing() -> None:
    rules = Rules()
    lookup = tables.__wrapped__(rules)
    first = moves(rules)
    guess = np.arange(first.no_op + 1)
    guess = (first.guess <= guess) & (guess < first.place)
    assert (lookup.hits[:, guess] > 0).all()
    assert not lookup.hits[:, ~guess].any()
    assert (lookup.hits.dtype, lookup.guessed.shape[1]) == (np.dtype(np.uint8), first.no_op + 1)
