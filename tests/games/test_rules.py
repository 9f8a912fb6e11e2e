"""The rules of every game: their numbers, their bounds, and games at the bounds.

Whole games are compared with the slow referees, under default and other rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from kododo_env import registry
from kododo_env.checks.bounds import bounds_of
from kododo_env.core import BatchGame
from kododo_env.registry import picture_of
from tests.game_tables import GAMES, TABLES
from tests.games.rules_strategies import AT_THE_BOUNDS, SEEDS, rules_of, short_name
from tests.helpers import assert_same_state, hypothesis_settings

per_game = pytest.mark.parametrize("game", GAMES)
EACH_BOUND = [
    (game, name, (int(bound.lowest), bound.highest))
    for game in GAMES
    for name, bound in bounds_of(import_module(f"kododo_env.games.{game}.rules").Rules).items()
]
ALL_AT_THE_BOUNDS = [(game, rules) for game in GAMES for rules in AT_THE_BOUNDS[game]]


def batch(game: str, rules: Any = None, num_envs: int = 2) -> BatchGame:
    new_batch: BatchGame = type(registry.batch_game(game, 1))(num_envs, rules, 0)  # type: ignore[call-arg, arg-type]
    return new_batch


def refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


# --- whole numbers --------------------------------------------------------------------


def numbers_of(rules: Any) -> dict[str, Any]:
    """Return the fields with integers or tuples of integers."""
    named = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return {name: value for name, value in named.items() if not isinstance(value, str)}


def as_numpy(value: Any) -> Any:
    return tuple(map(as_numpy, value)) if isinstance(value, tuple) else np.int64(value)


def kinds(value: Any) -> set[type]:
    """Return the types of the numbers in nested tuples."""
    return set().union(*map(kinds, value)) if isinstance(value, tuple) else {type(value)}


@per_game
def test_numpys_numbers_in_rules_become_pythons(game: str) -> None:
    """Regression: they broke the export of a policy, which writes the rules as JSON."""
    rules = batch(game).rules
    numbers = {name: as_numpy(value) for name, value in numbers_of(rules).items()}
    equal_rules = replace(rules, **numbers)
    assert equal_rules == rules
    assert hash(equal_rules) == hash(rules)
    assert repr(equal_rules) == repr(rules)
    assert json.dumps(asdict(equal_rules)) == json.dumps(asdict(rules))
    for name, value in numbers_of(equal_rules).items():
        assert kinds(value) == {int}, name


@per_game
def test_every_field_of_the_rules_refuses_what_is_no_whole_number(game: str) -> None:
    rules = batch(game).rules
    for name, value in numbers_of(rules).items():
        single = isinstance(value, int)
        wrong = [True, 1.0, "1", 1j] if single else [5, "abc", None, {1: 2}, iter([1])]
        for bad in (*wrong, 10**5000, -(10**5000)):
            refused(lambda name=name, bad=bad: replace(rules, **{name: bad}), f"{name}|players")
        for bad in () if single else (True, 1.0, np.True_, 10**5000, None):
            nested = inner_replaced(value, bad)
            refused(lambda name=name, nested=nested: replace(rules, **{name: nested}), name)


def inner_replaced(value: Any, bad: object) -> Any:
    """Replace the first number in nested tuples."""
    return (inner_replaced(value[0], bad), *value[1:]) if isinstance(value, tuple) else bad


# --- rules that cannot be played ------------------------------------------------------

REFUSED: dict[str, list[tuple[dict[str, Any], str]]] = {
    "kododo": [
        ({"variant": "short"}, "variant.*'short'"),
        ({"variant": ""}, "variant.*''"),
        ({"variant": None}, "variant.*None"),
        ({"variant": ["long"]}, r"variant.*\['long'\]"),
        ({"copies": (251,)}, "copies must be 0 to 250, not 251"),
        ({"copies": ()}, r"copies.*\(\)"),
        ({"copies": (0, 0)}, r"copies.*\(0, 0\)"),
        ({"copies": (5, -1, 5)}, "copies must be 0 to 250, not -1"),
        ({"copies": (60,)}, "250 cards.*5 and 300"),
        ({"copies": (1,) * 30}, "120 types.*150"),
        ({"num_colours": 1, "copies": (1,) * 120}, "255.*4 times 120"),
        ({"plays": (3, 1)}, "plays must be 1 to 2, not 3"),
        ({"plays": (2, 0, 1)}, "plays must be 1 to 2, not 0"),
        ({"plays": ()}, r"plays.*\(\)"),
        ({"hand_size": 3}, "hand_size must be at least 4.*3"),
        ({"kododo_offset": -4}, "Kododo number.*0"),
        ({"limit_offset": -3}, "limit.*6 and 1"),
        ({"removed_cards": 81}, "100 cards.*81 removed.*20"),
        ({"removed_cards": 1}, "draw pile of 79.*16.*remove 15"),
        ({"copies": (5, 6, 5, 2, 1)}, "draw pile of 75.*remove 11"),
        ({"hand_size": 6}, "draw pile of 76.*remove 12"),
        ({"num_players": 3, "removed_cards": 10}, "draw pile of 75.*remove 3"),
    ],
    "combi_combo": [
        ({"copies": (1, 2, 3)}, r"copies.*values 1 to 4.*\(1, 2, 3\)"),
        ({"copies": (1, 2, 3, -1)}, "copies must be 0 to 250, not -1"),
        ({"copies": (0, 0, 0, 0)}, r"copies.*\(0, 0, 0, 0\)"),
        ({"copies": (1, 2, 3, 4.0)}, "copies.*integer.*4.0"),
        ({"copies": 10}, "copies.*tuple of integers.*10"),
        ({"copies": (20, 20, 20, 20)}, "250 cards.*480"),
        ({"num_turns": 12}, "60 cards.*4 piles of 16.*64"),
        ({"num_players": 5, "opening_hand": 5}, "60 cards.*5 piles of 13"),
        ({"opening_hand": 6}, "4 cards.*8 turns"),
        ({"fours_points": (0, 0, 0, 1)}, "fours_points.*7 entries.*4"),
        ({"fours_points": (0,) * 28}, "fours_points.*27.*28"),
        ({"fours_points": (0,) * 6 + (101,)}, "fours_points must be -100 to 100, not 101"),
    ],
    "kado": [
        ({"num_rows": 1, "num_columns": 1}, "tableau.*1 x 1"),
        ({"num_players": 4, "discards": 1}, "65 cards.*12 turns.*71"),
        ({"num_rows": 5}, "65 cards.*20 turns.*79"),
        ({"deck": ()}, "deck.*same number of ribbons"),
        ({"deck": ((),)}, "deck.*same number of ribbons"),
        ({"deck": (((1,), (2,)), ((3,),))}, "deck.*same number of ribbons"),
        ({"deck": (((),),)}, "deck.*card"),
        ({"deck": (((0, 1),),)}, "values in deck must be 1 to 127, not 0"),
        ({"deck": (((1.5,),),)}, "values in deck must be an integer, not 1.5"),
        ({"deck": 65}, "deck.*gift and ribbon.*65"),
        ({"deck": (1, 2, 3)}, "deck.*gift and ribbon"),
        ({"deck": (((1, 64), (2,)),)}, "127 types.*128"),
        ({"deck": (((1, 128),),)}, "values in deck must be 1 to 127, not 128"),
        ({"deck": (((1,) * 251,),)}, "250 cards.*1 and 251"),
        ({"deck": (((100,) * 50,),)}, "row.*255.*4 times 100"),
    ],
}


@pytest.mark.parametrize(
    ("game", "changes", "message"),
    [(game, *refusal) for game in GAMES for refusal in REFUSED[game]],
)
def test_rules_that_cannot_be_played_are_refused(
    game: str, changes: dict[str, Any], message: str
) -> None:
    module = registry.environment_module(game)
    refused(lambda: module.batch_game(1, **changes), message)
    refused(lambda: module.parallel_env(**changes), message)


# --- bounds ---------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "name", "bounds"), EACH_BOUND)
def test_just_beyond_its_bounds_a_number_is_refused(
    game: str, name: str, bounds: tuple[int, int]
) -> None:
    low, high = bounds
    for rules in AT_THE_BOUNDS[game]:
        for wrong in (low - 1, high + 1, 300 + high, 10**6, -(10**6), 10**30):
            message = f"{name} must be {low} to {high}, not {wrong}"
            refused(lambda rules=rules, wrong=wrong: replace(rules, **{name: wrong}), message)


@pytest.mark.parametrize(("game", "name", "bounds"), EACH_BOUND)
def test_a_number_may_be_as_small_and_as_large_as_is_said(
    game: str, name: str, bounds: tuple[int, int]
) -> None:
    played = {getattr(rules, name) for rules in AT_THE_BOUNDS[game]}
    assert {min(played), max(played)} == set(bounds)


# --- beside the referees --------------------------------------------------------------

COMPARISONS = {game: import_module(f"tests.games.{game}.test_referee").Comparison for game in GAMES}
EXAMPLES = {"kododo": 30, "combi_combo": 30, "kado": 4}
WHOLE = 1000
A_LONG_GAME = 60  # steps; the long variant may go on for a hundred deals
GAMES_PLAYED = {"kododo": 60, "combi_combo": 90, "kado": 45}
WITH_COPIES = (((1, 1), (1, 2)), ((1, 2, 2), (2, 2)))
WHOLE_GAMES: list[tuple[str, dict[str, Any], int]] = [
    *((game, {"num_players": players}, GAMES_PLAYED[game]) for game, players in TABLES),
    *(("kododo", {"num_players": p, "variant": "long"}, 40) for p in (2, 3, 4, 5)),
    ("kado", {"num_players": 2, "num_rows": 1, "num_columns": 2, "deck": WITH_COPIES}, 90),
]


@pytest.mark.parametrize(("game", "rules", "num"), WHOLE_GAMES)
def test_whole_games_go_as_with_the_referee(game: str, rules: dict[str, Any], num: int) -> None:
    rng = np.random.default_rng(rules["num_players"])
    comparison = COMPARISONS[game](registry.batch_game(game, 1, **rules).rules, num, rng)
    players = range(comparison.game.num_players)
    comparison.assert_same(20, players)
    while not comparison.game.terminated.all():
        comparison.play(rng)
        comparison.assert_same(20, players)


def check_a_game(game: str, rules: Any, seed: int, most_steps: int) -> None:
    """Play beside the referee, and check dtypes and declared maxima."""
    rng = np.random.default_rng(seed)
    comparison = COMPARISONS[game](rules, 2, rng)
    played = comparison.game
    dtypes = {name: array.dtype for name, array in arrays(played).items()}
    total = np.zeros((2, played.num_players), np.int64)
    rows = np.empty((2, played.num_players, played.layout.size), np.int64)
    for _ in range(most_steps):
        comparison.assert_same(2, [int(rng.integers(played.num_players))])
        observation = played.observe()
        assert observation.dtype == played.layout.dtype
        assert np.array_equal(played.observe(out=rows), observation)
        assert played.outcome().sum(axis=1) == pytest.approx(1)
        if played.terminated.all():
            break
        assert played.legal_action_mask().any(axis=2).all()
        comparison.play(rng)
        total += played.rewards.astype(np.int64)
        assert np.array_equal(total, played.scores)
    assert {name: array.dtype for name, array in arrays(played).items()} == dtypes
    check_what_a_player_sees(played, int(rng.integers(played.num_players)), rng)


def arrays(game: BatchGame) -> dict[str, Any]:
    return {name: array for name, array in game.state().items() if isinstance(array, np.ndarray)}


def check_what_a_player_sees(played: BatchGame, player: int, rng: np.random.Generator) -> None:
    """Check a determinization, its text and picture, and a restored state."""
    dealt = played.determinize(player, rng, 2)
    assert np.array_equal(dealt.observe()[::2, player], played.observe()[:, player])
    assert picture_of(dealt).text(3, player) == picture_of(played).text(1, player)
    assert picture_of(played).svg(1, player).startswith("<svg")
    loaded = played.fresh(2, 1)
    loaded.load_state(played.state())
    assert_same_state(loaded, played)


@pytest.mark.parametrize(
    ("game", "rules"), ALL_AT_THE_BOUNDS, ids=[f"{g}-{short_name(r)}" for g, r in ALL_AT_THE_BOUNDS]
)
def test_games_at_the_bounds_fit_and_go_as_with_the_referee(game: str, rules: Any) -> None:
    """Regression: KADO's ``own_gifts`` overflowed uint8; a tableau may be worth 10,541 points."""
    check_a_game(game, rules, seed=1, most_steps=130 if game == "kododo" else WHOLE)


@per_game
def test_games_under_any_rules_fit_and_go_as_with_the_referee(game: str) -> None:
    @hypothesis_settings(EXAMPLES[game])
    @given(rules_of(game), SEEDS)
    def check(rules: Any, seed: int) -> None:
        check_a_game(game, rules, seed, A_LONG_GAME if game == "kododo" else WHOLE)

    check()
