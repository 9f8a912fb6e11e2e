"""The rules of every game: what their numbers are, how large they may be, and that games fit.

That games under any rules are played right is shown beside each game's referee; here is what
holds of all of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, fields, replace
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kododo_env import registry
from kododo_env.core import BatchGame
from kododo_env.core.bounds import bounds_of
from tests.doors import GAMES
from tests.games.rules_strategies import AT_THE_BOUNDS, SEEDS, STRATEGIES, rules_of, short_name
from tests.helpers import assert_same_state, few, random_actions

each_game = pytest.mark.parametrize("game", GAMES)
EACH_BOUND = [
    (game, name, (int(bound.lowest), bound.highest))
    for game in GAMES
    for name, bound in bounds_of(import_module(f"kododo_env.games.{game}.rules").Rules).items()
]
ALL_AT_THE_BOUNDS = [(game, rules) for game in GAMES for rules in AT_THE_BOUNDS[game]]


def batch(game: str, rules: Any = None, num_envs: int = 2) -> BatchGame:
    made: BatchGame = type(registry.batch_game(game, 1))(num_envs, rules, 0)  # type: ignore[call-arg, arg-type]
    return made


def refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 250


# --- whole numbers --------------------------------------------------------------------


def numbers_of(rules: Any) -> dict[str, Any]:
    """The fields that hold whole numbers, tuples of them too."""
    named = {each.name: getattr(rules, each.name) for each in fields(rules)}
    return {name: value for name, value in named.items() if not isinstance(value, str)}


def as_numpy(value: Any) -> Any:
    return tuple(map(as_numpy, value)) if isinstance(value, tuple) else np.int64(value)


def kinds(value: Any) -> set[type]:
    """The types of the numbers in tuples in tuples."""
    return set().union(*map(kinds, value)) if isinstance(value, tuple) else {type(value)}


@each_game
def test_numpys_numbers_in_rules_become_pythons(game: str) -> None:
    """They made the export of a policy fail, whose rules are written as JSON."""
    rules = batch(game).rules
    given = {name: as_numpy(value) for name, value in numbers_of(rules).items()}
    same = replace(rules, **given)
    assert same == rules
    assert hash(same) == hash(rules)
    assert repr(same) == repr(rules)
    assert json.dumps(asdict(same)) == json.dumps(asdict(rules))
    for name, value in numbers_of(same).items():
        assert kinds(value) == {int}, name


@each_game
def test_rules_are_frozen_compared_by_their_numbers_and_take_lists_for_tuples(game: str) -> None:
    rules = batch(game).rules
    given = {name: as_lists(value) for name, value in numbers_of(rules).items()}
    same = replace(rules, **given)
    assert same == rules
    assert hash(same) == hash(rules)
    other = next(p for p in registry.door(game).PLAYERS if p != rules.num_players)
    assert rules != registry.batch_game(game, 1, num_players=other).rules
    with pytest.raises(FrozenInstanceError):
        rules.num_players = 3


def as_lists(value: Any) -> Any:
    return [*map(as_lists, value)] if isinstance(value, tuple) else value


@each_game
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
    """The first number of tuples in tuples replaced."""
    return (inner_replaced(value[0], bad), *value[1:]) if isinstance(value, tuple) else bad


# --- bounds ---------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "name", "bounds"), EACH_BOUND)
def test_just_beyond_its_bounds_a_number_is_refused(
    game: str, name: str, bounds: tuple[int, int]
) -> None:
    low, high = bounds
    for rules in AT_THE_BOUNDS[game]:
        for wrong in (low - 1, high + 1, 300 + high, 10**6, -(10**6), 10**30):
            said = f"{name} must be {low} to {high}, not {wrong}"
            refused(lambda rules=rules, wrong=wrong: replace(rules, **{name: wrong}), said)


@pytest.mark.parametrize(("game", "name", "bounds"), EACH_BOUND)
def test_a_number_may_be_as_small_and_as_large_as_is_said(
    game: str, name: str, bounds: tuple[int, int]
) -> None:
    played = {getattr(rules, name) for rules in AT_THE_BOUNDS[game]}
    assert {min(played), max(played)} == set(bounds)


@each_game
def test_every_field_has_bounds_and_the_docstring_says_them(game: str) -> None:
    rules = import_module(f"kododo_env.games.{game}.rules").Rules
    told, bounds = " ".join(rules.__doc__.split()), bounds_of(rules)
    for name, bound in bounds.items():
        text = told.split(f" {name}:")[1].split(": ")[0]
        assert str(bound.highest) in text or bound.lowest == -bound.highest, name
    others = {each.name for each in fields(rules)} - bounds.keys()
    assert others <= {"num_players", "variant", "copies", "plays", "fours_points", "deck"}


# --- games under any rules ------------------------------------------------------------


def check_a_game(game: str, rules: Any, seed: int, most_steps: int = 60) -> None:
    """Play at random; everything that is shown stays within what is declared."""
    played, rng = batch(game, rules), np.random.default_rng(seed)
    dtypes = {name: each.dtype for name, each in arrays(played).items()}
    total = np.zeros((2, played.num_players), np.int64)
    rows = np.empty((2, played.num_players, played.layout.size), np.int64)
    for _ in range(most_steps):
        observation = played.observe()
        assert observation.dtype == played.layout.dtype
        assert (observation <= played.layout.maxima).all()
        assert np.array_equal(played.observe(out=rows), observation)
        assert played.outcome().sum(axis=1) == pytest.approx(1)
        if played.terminated.all():
            break
        assert played.legal_action_mask().any(axis=2).all()
        played.step(random_actions(played, rng))
        total += played.rewards.astype(np.int64)
        assert np.array_equal(total, played.scores)
    assert {name: each.dtype for name, each in arrays(played).items()} == dtypes
    check_what_a_player_sees(played, int(rng.integers(played.num_players)), rng)


def arrays(game: BatchGame) -> dict[str, Any]:
    return {name: each for name, each in game.state().items() if isinstance(each, np.ndarray)}


def check_what_a_player_sees(played: BatchGame, player: int, rng: np.random.Generator) -> None:
    """A copy dealt again, the words and the picture of it, and the state put back."""
    dealt = played.determinize(player, rng, 2)
    assert np.array_equal(dealt.observe()[::2, player], played.observe()[:, player])
    assert dealt.text(3, player) == played.text(1, player)
    assert played.svg(1, player).startswith("<svg")
    other = played.fresh(2, 1)
    other.load_state(played.state())
    assert_same_state(other, played)


@pytest.mark.parametrize(
    ("game", "rules"), ALL_AT_THE_BOUNDS, ids=[f"{g}-{short_name(r)}" for g, r in ALL_AT_THE_BOUNDS]
)
def test_games_at_the_bounds_fit(game: str, rules: Any) -> None:
    check_a_game(game, rules, seed=1, most_steps=130)


@each_game
def test_games_under_any_rules_fit(game: str) -> None:
    @few(12)
    @given(rules_of(game), SEEDS)
    def check(rules: Any, seed: int) -> None:
        check_a_game(game, rules, seed)

    check()


@each_game
def test_any_rules_are_the_same_after_a_file(game: str) -> None:
    @few(30)
    @given(rules_of(game))
    def check(rules: Any) -> None:
        same = type(rules)(**json.loads(json.dumps(asdict(rules))))
        assert same == rules
        assert hash(same) == hash(rules)

    check()


@each_game
def test_any_numbers_make_rules_or_are_refused_in_a_line(game: str) -> None:
    rules = batch(game).rules
    number = st.integers(-300, 300) | st.sampled_from([0, 1, 2**15, 2**31, 2**63, -(2**63), 10**30])

    @few(200)
    @given(st.sampled_from(sorted(numbers_of(rules))), number)
    def check(name: str, value: int) -> None:
        given = getattr(rules, name)
        changed = value if isinstance(given, int) else inner_replaced(given, value)
        try:
            made = replace(rules, **{name: changed})
        except ValueError:
            refused(lambda: replace(rules, **{name: changed}), "must|players|cards")
        else:
            batch(game, made)

    check()


def test_every_game_has_a_strategy_for_its_rules() -> None:
    assert STRATEGIES.keys() == AT_THE_BOUNDS.keys() == set(GAMES)
