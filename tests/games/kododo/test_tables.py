"""Kododo's look-up tables, made anew: those that games share were made before a change."""

from __future__ import annotations

import copy
import pickle
from itertools import chain, combinations

import numpy as np
import pytest

from kododo_env.core.deck import NONE
from kododo_env.games.kododo.rules import Rules
from kododo_env.games.kododo.scoring import score_round
from kododo_env.games.kododo.tables import Tables, tables

ALL_RULES = [
    Rules(num_players=4),
    Rules(
        num_players=2, num_colours=3, copies=(2, 1, 3), hand_size=3, plays=(2, 1), removed_cards=0
    ),
]
KODODO = 1  # the value of a Kododo card


def made_anew(rules: Rules) -> Tables:
    fresh: Tables = tables.__wrapped__(rules)
    return fresh


@pytest.mark.parametrize("rules", ALL_RULES)
def test_an_action_is_legal_if_it_lays_as_many_cards_as_it_must_and_they_are_there(
    rules: Rules,
) -> None:
    found, slots = made_anew(rules), range(rules.hand_size)
    actions = [(slot,) for slot in slots] + list(combinations(slots, 2))
    assert found.slots == tuple(actions)
    assert found.ends.T.tolist() == [[each[0], each[-1]] for each in actions]
    for plays in range(3):
        for held in range(rules.hand_size + 1):
            legal = [len(each) == plays and max(each) < held for each in actions]
            assert found.legal[plays][held].tolist() == [False, *legal, False]


@pytest.mark.parametrize("rules", ALL_RULES)
def test_what_a_card_adds_to_the_counts(rules: Rules) -> None:
    found, colours = made_anew(rules), rules.num_colours
    assert found.counts.shape == (NONE + 1, 2 * colours + 1 + rules.num_card_types)
    for card, row in enumerate(found.counts.tolist()):
        expected = [0] * len(row)
        if card < rules.num_card_types:
            colour, value = card // rules.num_values, card % rules.num_values + 1
            expected[colour] = 1
            expected[colours] = int(value == KODODO)
            expected[colours + 1 + colour] = value
            expected[2 * colours + 1 + card] = 1
        assert row == expected


@pytest.mark.parametrize("rules", ALL_RULES)
def test_what_laying_and_drawing_a_card_adds_to_all_counts(rules: Rules) -> None:
    found, players, laid = made_anew(rules), rules.num_players, rules.num_counts
    effects = found.effects.reshape(2, players, NONE + 1, players + 1, -1)
    for player in range(players):
        for card, counts in enumerate(found.counts.astype(int)):
            laying, drawing = effects[:, player, card]
            own = np.concatenate([counts[:laid], -counts[laid:]])
            together = np.concatenate([counts[:laid], counts[laid:]])
            together[rules.num_colours + 1 : laid] = 0  # points are not added up
            assert laying[[player, -1]].tolist() == [own.tolist(), together.tolist()]
            assert drawing[player].tolist() == [0] * laid + counts[laid:].tolist()
            assert np.count_nonzero(np.delete(laying, [player, players], axis=0)) == 0
            assert np.count_nonzero(np.delete(drawing, player, axis=0)) == 0
    assert found.movers[2][..., 0].tolist() == [
        [256 * (who + first) for who in range(players)] for first in (0, 0, players, players)
    ]


@pytest.mark.parametrize("rules", ALL_RULES)
def test_the_outcome_of_a_round_is_looked_up_as_it_is_scored(rules: Rules) -> None:
    outcomes, rng = made_anew(rules).outcomes, np.random.default_rng(0)
    assert outcomes is not None
    laid = rng.integers(0, 6, (rules.num_players, rules.num_counts, 3000), np.uint8)
    total = rng.integers(0, rules.limit + 3, (rules.num_colours + 1, 3000), np.uint8)
    which = outcomes.weights.dot(np.minimum(total, outcomes.most))
    gains = outcomes.gains[outcomes.scoring[which]].astype(int)
    found = np.einsum("pkn,nkx->xpn", laid, gains)
    assert (found == score_round(laid, total, rules.kododo_number, rules.limit)).all()


@pytest.mark.parametrize("rules", ALL_RULES)
def test_one_game_moves_cards_as_few_games_do(rules: Rules) -> None:
    found = made_anew(rules)
    effects = found.effects.reshape(2, rules.num_players, 256, -1)
    before = [100] * effects.shape[-1]
    for player, seat in enumerate(found.seats):
        for moving, effect in zip((seat.laying, seat.drawing), effects[:, player], strict=True):
            for card in (*range(rules.num_card_types), NONE):
                after = int.from_bytes(bytes(before), "little") + moving[card]
                assert list(after.to_bytes(len(before), "little")) == list(before + effect[card])
        hand = player * rules.hand_size
        assert [[slot - hand for slot in each] for each in seat.slots] == list(
            map(list, found.slots)
        )
        assert seat.table == player * rules.round_cards


def test_too_many_outcomes_are_not_looked_up() -> None:
    assert made_anew(Rules(num_players=4, limit_offset=20)).outcomes is None


def test_a_copy_of_the_tables_is_the_tables() -> None:
    found = tables(ALL_RULES[0])
    assert copy.deepcopy(found) is pickle.loads(pickle.dumps(found)) is found


@pytest.mark.parametrize("rules", ALL_RULES)
def test_the_most_that_may_be_played_is_the_limit_and_the_kododo_number(rules: Rules) -> None:
    wanted = [[rules.limit]] * rules.num_colours + [[rules.kododo_number]]
    assert made_anew(rules).most.tolist() == wanted


@pytest.mark.parametrize("rules", ALL_RULES)
def test_what_games_share_cannot_be_written(rules: Rules) -> None:
    found = made_anew(rules)
    several = [*found.legal, *found.places, found.movers, (found.outcomes or ())[:-1]]
    arrays = [found.ends, found.most, found.counts, found.effects, *chain.from_iterable(several)]
    assert not any(array.flags.writeable for array in arrays)
