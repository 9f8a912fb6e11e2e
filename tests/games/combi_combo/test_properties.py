"""What holds in every game of Combi-Combo, whatever the cards and the choices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import combi_combo_v0
from kododo_env.core.arrays import Int64, Intp, Uint8
from kododo_env.games.combi_combo import CombiComboGame, Rules
from kododo_env.testing import check_batch_game
from tests.helpers import few, play_random, random_actions

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


class Position(NamedTuple):
    """Where a game stands: which rules, from which seed, after how many random turns."""

    rules: Rules
    seed: int
    turns: int

    def decks(self, num: int = 1) -> Uint8:
        cards = CombiComboGame(1, self.rules, seed=0)
        return cards.sample_decks(num, np.random.default_rng(self.seed))

    def game(self, num: int = 1) -> CombiComboGame:
        """A batch that stands there; its decks were injected."""
        game = new_game(self.rules, self.decks(num))
        play_random(game, np.random.default_rng(self.seed), self.turns)
        return game


@st.composite
def positions(draw: st.DrawFn) -> Position:
    rules = draw(ANY_RULES)
    return Position(rules, draw(SEEDS), draw(st.integers(0, rules.num_turns)))


def new_game(rules: Rules, decks: Uint8) -> CombiComboGame:
    game = CombiComboGame(len(decks), rules, seed=0)
    game.reset(decks=decks)
    return game


@pytest.mark.parametrize("rules", ALL_RULES, ids=short_name)
def test_the_game_keeps_its_promises(rules: Rules) -> None:
    """Under the real rules all but the seats is checked with every other game's."""
    check_batch_game(
        combi_combo_v0.batch_game,
        rules=rules,
        reseat=lambda _, decks, order: reseated(decks, order, rules),
        places=5,
        only=["seats"] if rules in ALL_RULES[:2] else [],
    )


def reseated(decks: Uint8, order: Intp, rules: Rules) -> Uint8:
    """Decks that deal to seat s what the old ones dealt to seat order[s]."""
    moved, dealt = decks.copy(), rules.num_players * rules.pile_size
    piles = decks[:, :dealt].reshape(len(decks), rules.num_players, -1)
    moved[:, :dealt] = piles[:, order].reshape(len(decks), -1)
    return moved


@few(30)
@given(positions())
def test_cards_are_conserved(position: Position) -> None:
    rules, decks, game = position.rules, position.decks(5), position.game(5)
    piles = decks[:, : rules.num_players * rules.pile_size].reshape(5, rules.num_players, -1)
    undrawn = piles[:, :, rules.pile_size - game.draw_pile_size :].reshape(5, -1)
    covered = decks[:, rules.num_cards - rules.central_pile + int(game.face_up[0].sum()) :]
    for index in range(5):
        cards = np.bincount(undrawn[index], minlength=rules.num_card_types)
        cards += np.bincount(covered[index], minlength=rules.num_card_types)
        cards += game.hands[index].sum(axis=0, dtype=np.int64) + game.face_up[index]
        assert (cards == np.bincount(rules.cards)).all()


@few(25)
@given(positions())
def test_the_mask_is_exactly_the_cards_in_hand(position: Position) -> None:
    game = position.game(3)
    mask = game.legal_action_mask()
    if game.terminated.all():
        assert (mask == (np.arange(game.num_actions) == game.no_op)).all()
        return
    assert (mask == (game.hands > 0)).all()


@few(20)
@given(ANY_RULES, SEEDS)
def test_colours_renamed_nothing_else_changes(rules: Rules, seed: int) -> None:
    """The symmetry that the layout declares."""
    names = np.random.default_rng(seed).permutation(rules.num_colours)
    types = (4 * names[:, None] + np.arange(4)).ravel()  # the new name of each type
    decks = Position(rules, seed, 0).decks(2)
    game, renamed = new_game(rules, decks), new_game(rules, types[decks].astype(np.uint8))
    rng = np.random.default_rng(seed)
    while True:
        before, after = (game.layout.views(each.observe()) for each in (game, renamed))
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


@few(40)
@given(positions(), SEEDS)
def test_nobodys_hidden_cards_change_anothers_observation(position: Position, seed: int) -> None:
    """Deal all cards again but those that a player sees by the end of these turns."""
    rules, rng = position.rules, np.random.default_rng(seed)
    observer, turns = seed % rules.num_players, min(position.turns, rules.num_turns - 1)
    decks, choices = position.decks(), np.random.default_rng(position.seed)
    game, passed, looked = new_game(rules, decks), [], []
    for _ in range(turns):
        looked.append(look(game, observer))
        passed.append(random_actions(game, choices))
        game.step(passed[-1])
    looked.append(look(game, observer))

    # Hidden are the others' cards that nobody has passed yet, and all piles.
    used = np.zeros(rules.num_cards, np.bool_)
    used[rules.pile_size * observer :][: rules.opening_hand + turns + 1] = True
    central = rules.num_cards - rules.central_pile
    used[central : central + int(game.face_up[0].sum())] = True
    for places in places_of_passed(decks[0], passed, rules):
        used[places] = True
    changed = decks.copy()
    changed[0, ~used] = rng.permutation(decks[0, ~used])
    other = new_game(rules, changed)
    for turn, actions in enumerate(passed):
        assert look(other, observer) == looked[turn]
        other.step(actions)
    assert look(other, observer) == looked[-1]


def look(game: CombiComboGame, player: int) -> tuple[bytes, ...]:
    """All that a player is shown, as bytes."""
    view = game.view(player)
    words = game.text(0, player), game.svg(0, player)
    shown = (view.observation, view.legal_action_mask)
    return (*(part.tobytes() for part in shown), *(part.encode() for part in words))


def places_of_passed(deck: Uint8, passed: list[Int64], rules: Rules) -> list[int]:
    """Where in the deck the cards were that anybody has passed."""
    players, size = range(rules.num_players), rules.pile_size
    held = [list(range(size * p, size * p + rules.opening_hand)) for p in players]
    found: list[int] = []
    for turn, cards in enumerate(passed):
        moving = []
        for player in players:
            held[player].append(size * player + rules.opening_hand + turn)
            place = next(place for place in held[player] if deck[place] == cards[0, player])
            held[player].remove(place)
            moving.append(place)
        for player in players:
            held[player].append(moving[player - 1])
        found += moving
    return found
