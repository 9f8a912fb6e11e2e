"""What cannot be played is refused with a ValueError that says why; what can be, plays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from kododo_env.games.kododo import KododoGame, Rules
from tests.helpers import differences, play_random

# --- rules ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_players": 1}, "2 to 5 players, not 1"),
        ({"num_players": 6}, "2 to 5 players, not 6"),
        ({"variant": "short"}, "'standard' or 'long', not 'short'"),
        ({"variant": ""}, "'standard' or 'long', not ''"),
        ({"variant": None}, "'standard' or 'long', not None"),
        ({"variant": ["long"]}, "'standard' or 'long', not \\['long'\\]"),
        ({"copies": (251,)}, "each of copies must be 0 to 250, not 251"),
        ({"copies": ()}, r"copies must .*, not \(\)"),
        ({"copies": (0, 0)}, r"copies must .*, not \(0, 0\)"),
        ({"copies": (5, -1, 5)}, "each of copies must be 0 to 250, not -1"),
        ({"copies": (60,)}, "at most .* 250 cards, not 5 and 300"),
        ({"copies": (1,) * 30}, "at most 120 types of cards .*, not 150"),
        ({"num_colours": 1, "copies": (1,) * 120}, "255 at most, not 4 times 120"),
        ({"plays": (3, 1)}, "each of plays must be 1 to 2, not 3"),
        ({"plays": (2, 0, 1)}, "each of plays must be 1 to 2, not 0"),
        ({"plays": ()}, r"one turn at least; plays cannot be \(\)"),
        ({"hand_size": 3}, "hand of 3 .* the 4 cards .* hand_size must be at least 4"),
        ({"kododo_offset": -4}, "Kododo number must be at least 1 .*, not 0"),
        ({"limit_offset": -3}, "limit at least 2, not 6 and 1"),
        ({"removed_cards": 81}, "100 cards do not reach for 81 removed and 20 dealt"),
        ({"removed_cards": 1}, "draw pile of 79 cards .* 16 are drawn; remove 15 more cards"),
        ({"copies": (5, 6, 5, 2, 1)}, "draw pile of 75 .* remove 11 more cards"),
        ({"hand_size": 6}, "draw pile of 76 .* remove 12 more cards"),
        ({"num_players": 3, "removed_cards": 10}, "draw pile of 75 .* remove 3 more cards"),
    ],
)
def test_rules_that_cannot_be_played_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        Rules(**changes)
    assert "\n" not in str(caught.value)


# --- tiny variants --------------------------------------------------------------------

TINY = [
    Rules(num_players=2, num_colours=3, copies=(2, 1, 1), removed_cards=2, hand_size=5),
    Rules(num_players=2, num_colours=9, copies=(1,), hand_size=2, plays=(1, 1), removed_cards=1),
    Rules(num_players=3, num_colours=2, copies=(3, 3), hand_size=4, plays=(2, 2), removed_cards=0),
    Rules(num_players=2, num_colours=1, copies=(9,), hand_size=1, plays=(1,), removed_cards=1),
    Rules(num_players=5, num_colours=26, copies=(1, 2, 1), hand_size=4, removed_cards=4),
    Rules(num_players=2, num_colours=1, copies=(1,) * 120, plays=(1, 1), removed_cards=2),
]  # fmt: skip


@pytest.mark.parametrize("variant", ["standard", "long"])
@pytest.mark.parametrize("rules", TINY, ids=repr)
def test_tiny_variants_play_through(rules: Rules, variant: str) -> None:
    rules = replace(rules, variant=variant, target_score=3)
    game = KododoGame(20, rules, seed=1)
    rng = np.random.default_rng(2)
    game.reset(decks=game.sample_decks(20, rng))
    total, steps = np.zeros((20, rules.num_players)), 0
    while not game.terminated.all() and steps < 300:
        assert (game.observe() <= game.layout.maxima).all()
        points = values_by_seat(game)
        play_random(game, rng, steps=1)
        if game.turn:
            assert (game.view(0).pieces["table_points"].sum(axis=2) >= points).all()
        total += game.rewards
        steps += 1
    assert (game.scores == total).all()
    np.testing.assert_allclose(game.outcome().sum(axis=1), 1)
    if variant == "standard":
        assert steps == rules.num_rounds * rules.num_turns


def values_by_seat(game: KododoGame) -> npt.NDArray[np.int64]:
    """The values on the table added up; (N, P)."""
    table = game.table.astype(int)
    return np.where(table >= 0, table % game.rules.num_values + 1, 0).sum(axis=2)


def test_large_values_add_up() -> None:
    rules = Rules(num_players=2, num_colours=1, copies=(1,) * 120, plays=(2,), removed_cards=2)
    game = KododoGame(1, rules)
    game.reset(decks=rules.cards[::-1][None])
    game.step([[14, 14]])
    assert game.last_table.tolist() == [[[118, 119], [113, 114]]]
    # Two blue cards each: four, below the limit of 5.
    assert game.scores.tolist() == [[120 + 119, 115 + 114]]


def test_the_offsets_of_the_rules_are_used() -> None:
    rules = Rules(num_players=3, kododo_offset=4, limit_offset=1)
    assert (rules.kododo_number, rules.limit) == (7, 4)


# --- a batch --------------------------------------------------------------------------


@pytest.mark.parametrize("num_envs", [0, -1, 2.0, "3", None, True])
def test_a_batch_needs_a_whole_number_of_games(num_envs: Any) -> None:
    with pytest.raises(ValueError, match=r"num_envs must be (1 or more|a whole number), not"):
        KododoGame(num_envs)


@pytest.mark.parametrize("player", [-1, 4, 99])
def test_a_view_needs_a_player_who_is_there(player: int) -> None:
    with pytest.raises(ValueError, match=f"player must be 0 to 3, not {player}"):
        KododoGame(1).view(player)


def test_determinize_needs_a_player_who_is_there_and_samples() -> None:
    game = KododoGame(1)
    with pytest.raises(ValueError, match="samples must be 1 or more, not 0"):
        game.view(0).determinize(np.random.default_rng(), 0)
    with pytest.raises(ValueError, match="player must be 0 to 3, not 4"):
        game.determinize(4, np.random.default_rng(), 1)


def test_describe_action_names_the_slots() -> None:
    game = KododoGame(1)
    assert "slot 3" in game.describe_action(3)
    assert "slots 1 and 4" in game.describe_action(11)


@pytest.mark.parametrize("shape", [(1, 4, 80), (3, 80), (2, 4, 81), (2, 4)])
def test_observe_into_the_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    game = KododoGame(2)
    with pytest.raises(ValueError, match="out must be an array of the shape"):
        game.observe(out=np.zeros(shape, np.uint8))


# --- decks ----------------------------------------------------------------------------


def good_decks() -> npt.NDArray[np.int64]:
    return np.stack([np.random.default_rng(seed).permutation(Rules().cards) for seed in (1, 2)])


def replaced(old: int, new: int) -> Callable[[Any], Any]:
    """In the second deck, one card less of one kind and one more of another."""

    def change(decks: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        decks = decks.astype(int)
        decks[1, (decks[1] == old).argmax()] = new
        return decks

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda decks: decks[:1], r"must have the shape \(2, 100\), not \(1, 100\)"),
        (lambda decks: decks[:, :99], r"must have the shape \(2, 100\), not \(2, 99\)"),
        (lambda decks: decks[0], r"must have the shape \(2, 100\), not \(100,\)"),
        (lambda decks: decks.T, r"must have the shape \(2, 100\), not \(100, 2\)"),
        (lambda decks: decks[:, None].repeat(3, 1), r"must have the shape \(2, 100\)"),
        (lambda decks: decks[:, None][:, :0], r"must have the shape \(2, 100\)"),
        (lambda decks: decks.astype(float), "must be integers, not float64"),
        (lambda decks: decks > 3, "must be integers, not bool"),
        (lambda decks: decks.astype(str), "must be integers"),
        (lambda _: [[1, 2], [3]], None),
        (replaced(0, 1), "deck 1 is not the deck of kododo: it has 4 of card 0, the game 5"),
        (replaced(29, 4), "deck 1 is not the deck of kododo: it has 2 of card 4, the game 1"),
        (replaced(0, 30), "deck 1 is not the deck of kododo"),
        (replaced(29, -1), "deck 1 is not the deck of kododo: it has 0 of card 29, the game 1"),
        (replaced(29, 256 + 29), "deck 1 is not the deck of kododo"),
    ],
)
def test_decks_that_are_not_the_games_are_refused(
    change: Callable[[Any], Any], message: str | None
) -> None:
    game = KododoGame(2, seed=1)
    play_random(game, np.random.default_rng(2), steps=4)
    before = game.state()
    with pytest.raises(ValueError, match=message):
        game.reset(seed=3, decks=change(good_decks()))
    assert differences(before, game.state()) == []


def test_decks_of_the_long_variant_may_have_several_deals() -> None:
    game = KododoGame(2, Rules(variant="long"))
    game.reset(decks=good_decks())
    game.reset(decks=np.stack([good_decks(), good_decks()], axis=1))
    wrong = np.stack([good_decks(), replaced(0, 1)(good_decks())], axis=1)
    with pytest.raises(ValueError, match="deck 1 is not the deck of kododo"):
        game.reset(decks=wrong)
    with pytest.raises(ValueError, match="must have the shape"):
        game.reset(decks=good_decks()[:, None, None])
    game.reset(decks=good_decks()[:, None].repeat(100, axis=1))
    with pytest.raises(ValueError, match="a game of kododo takes at most 100 deals, not 101"):
        game.reset(decks=good_decks()[:, None].repeat(101, axis=1))


@pytest.mark.parametrize("variant", ["standard", "long"])
def test_sampled_decks_are_accepted(variant: str) -> None:
    game = KododoGame(7, Rules(num_players=5, variant=variant))
    before = game.state()
    decks = game.sample_decks(7, np.random.default_rng(4))
    assert differences(before, game.state()) == []
    assert len({deck.tobytes() for deck in decks.reshape(-1, 100)}) == decks.size // 100
    game.reset(decks=decks)
    assert len(game.sample_decks(3, np.random.default_rng(4))) == 3


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.uint64, list])
def test_decks_may_have_any_integer_type(kind: Any) -> None:
    game = KododoGame(2)
    decks = good_decks()
    game.reset(decks=decks.tolist() if kind is list else decks.astype(kind))
    assert game.hands[1, 0].tolist() == sorted(decks[1, :5].tolist())


# --- actions --------------------------------------------------------------------------


def action_at(game: int, player: int, action: int) -> npt.NDArray[np.int64]:
    actions = np.full((2, 4), 5)
    actions[game, player] = action
    return actions


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (action_at(0, 0, 0)[:1], r"actions of kododo must have the shape \(2, 4\)"),
        (action_at(0, 0, 0)[:, :3], r"must have the shape \(2, 4\)"),
        (action_at(0, 0, 0).ravel(), r"must have the shape \(2, 4\)"),
        (np.full((2, 4, 1), 5), r"must have the shape \(2, 4\)"),
        (5, r"must have the shape \(2, 4\)"),
        (np.full((2, 4), 5.0), "must be integers, not float64"),
        (np.full((2, 4), True), "must be integers, not bool"),
        (np.full((2, 4), "5"), "must be integers"),
        (np.full((2, 4), None), "must be integers"),
        ([[5, 5, 5, 5], [5, 5, 5]], None),
        (action_at(1, 2, -1), "game 1, player 2, action -1 .*no such action"),
        (action_at(1, 3, 15), "game 1, player 3, action 15 .*no such action"),
        (action_at(0, 1, 255).astype(np.uint8), "game 0, player 1, action 255 .*no such action"),
        (action_at(0, 1, 127).astype(np.int8), "game 0, player 1, action 127 .*no such action"),
        (action_at(0, 1, 2**63 - 1), f"game 0, player 1, action {2**63 - 1} .*no such action"),
        (action_at(1, 0, 4), r"game 1, player 0, action 4 .*slot 4.*legal now: 5, 6, 7"),
    ],
)
def test_wrong_actions_are_refused_and_change_nothing(actions: Any, message: str | None) -> None:
    game = KododoGame(2, seed=1)
    before = game.state()
    with pytest.raises(ValueError, match=message) as caught:
        game.step(actions)
    assert "\n" not in str(caught.value)
    assert differences(before, game.state()) == []


def test_a_pair_is_illegal_where_one_card_is_laid() -> None:
    game = KododoGame(2, seed=1)
    game.step(np.full((2, 4), 5))
    actions = np.zeros((2, 4), int)
    actions[1, 2] = 9
    with pytest.raises(ValueError, match=r"game 1, player 2, action 9 .*slots 1 and 2"):
        game.step(actions)


def test_an_empty_slot_is_illegal() -> None:
    game = KododoGame(1, seed=1)
    play_random(game, np.random.default_rng(2), steps=16)
    assert game.hands[0, 0, 3] == -1
    with pytest.raises(ValueError, match=r"game 0, player 0, action 3 .*legal now: 0, 1, 2$"):
        game.step([[3, 0, 0, 0]])


def test_a_state_of_something_else_is_refused_and_changes_nothing() -> None:
    game = KododoGame(2, seed=1)
    before = game.state()
    for other in (KododoGame(3), KododoGame(2, Rules(num_players=5))):
        with pytest.raises(ValueError, match="state"):
            game.load_state(other.state())
    with pytest.raises(ValueError, match="not a state of kododo"):
        game.load_state({"turn": 0})
    assert differences(before, game.state()) == []
