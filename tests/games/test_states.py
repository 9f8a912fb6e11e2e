"""``load_state`` accepts every reachable state, and rejects invalid ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core import BatchGame
from kododo_env.core.capabilities import UndoSupport
from tests.game_tables import GAMES, TABLES
from tests.helpers import assert_same_state, differences, play_random, random_actions

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((game, {"num_players": players}) for game, players in TABLES),
    ("kododo", {"num_players": 3, "variant": "long", "target_score": 20}),
    ("kado", {"num_players": 4, "discards": 1, "num_rows": 2, "num_columns": 2}),
)
per_kind = pytest.mark.parametrize(
    ("game", "rules"), KINDS, ids=[f"{game}-{'-'.join(map(str, r.values()))}" for game, r in KINDS]
)
per_game = pytest.mark.parametrize("game", GAMES)
STEPS = 60


def course(game: str, rules: dict[str, Any], num_envs: int = 3) -> Iterator[BatchGame]:
    """Yield a batch after each step; finished games are dealt again, at first from given decks."""
    batch = registry.batch_game(game, num_envs, 1, **rules)
    rng = np.random.default_rng(2)
    batch.reset(decks=batch.sample_decks(num_envs, rng))
    for _ in range(STEPS):
        yield batch
        batch.step(random_actions(batch, rng))
        if batch.terminated.any():
            yield batch
            batch.restart_finished()


def elsewhere(game: BatchGame) -> BatchGame:
    """Return a batch of the same rules and size in another state."""
    second_batch = game.fresh(game.num_envs, 9)
    second_batch.step(random_actions(second_batch, np.random.default_rng(3)))
    return second_batch


def with_copies(game: BatchGame, player: int) -> Iterator[BatchGame]:
    """Yield the batch, a determinization, and both after undoing steps."""
    rng = np.random.default_rng(4)
    for position in (game, game.determinize(player, rng, 1)):
        yield position
        while isinstance(position, UndoSupport) and position.undoable_steps:
            position, _ = position.before_last_step(rng)
            yield position


@per_kind
def test_every_state_that_occurs_can_be_loaded(game: str, rules: dict[str, Any]) -> None:
    for step, batch in enumerate(course(game, rules)):
        for position in with_copies(batch, step % batch.num_players):
            loaded = elsewhere(position)
            loaded.load_state(position.state())
            assert_same_state(loaded, position)
            assert np.array_equal(loaded.observe(), position.observe())


@per_kind
def test_all_but_rewards_is_kept_in_whole_numbers_and_truths(
    game: str, rules: dict[str, Any]
) -> None:
    for batch in course(game, rules):
        for name, value in batch.state().items():
            if isinstance(value, np.ndarray) and name != "_rewards":
                assert value.dtype.kind in "biu", name


@per_game
def test_the_first_deal_follows_from_the_seed_that_a_batch_is_made_with(game: str) -> None:
    first, second, differently_seeded = (registry.batch_game(game, 3, seed) for seed in (1, 1, 2))
    assert_same_state(first, second)
    assert differences(first.state(), differently_seeded.state()) != []
    second.reset(seed=1)
    assert_same_state(first, second)


def test_a_long_game_that_its_last_deal_has_ended_can_be_loaded() -> None:
    """In this position nobody has reached the target."""
    rules = {"num_players": 2, "variant": "long", "target_score": 1000}
    batch = registry.batch_game("kododo", 2, 1, **rules)
    last = batch.rules.max_deals - 1
    batch.load_state({**batch.state(), "_deals": np.array([last, last - 1], np.int16)})
    play_random(batch, np.random.default_rng(0), batch.rules.num_rounds * batch.rules.num_turns)
    assert batch.terminated.tolist() == [True, False]
    loaded = elsewhere(batch)
    loaded.load_state(batch.state())
    assert_same_state(loaded, batch)
    with pytest.raises(ValueError, match=f"_deals must be 0 to {last}"):
        loaded.load_state({**batch.state(), "_deals": np.array([0, last + 1], np.int16)})


def with_entry(name: str, change: Callable[[Any], Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda state: {**state, name: change(state[name])}


def with_first_number(number: float) -> Callable[[np.ndarray], np.ndarray]:
    """Return a change that replaces the first number of an array."""
    return lambda array: (
        np.concatenate([[number], array.ravel()[1:]]).reshape(array.shape).astype(array.dtype)
    )


@per_game
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda state: [*state.items()], "not a state of {game}.*dict"),
        (lambda state: {**state, 3: 4, ("a",): 5}, "not a state of {game}: .*entries"),
        (with_entry("_deck", with_first_number(200)), "not a state of {game}: _deck must hold "),
        (with_entry("_deck", lambda deck: deck.astype(float)), "_deck must be uint8, not float64"),
        (with_entry("_deck", lambda deck: deck.tolist()), "_deck must be an array, not "),
        (with_entry("_deck", lambda deck: deck[:, :1]), "_deck must have shape"),
        (
            with_entry("_rewards", with_first_number(np.nan)),
            "not a state of {game}: _rewards must be points",
        ),
        (with_entry("_scores", with_first_number(-999)), "not a state of {game}: _scores must "),
        (with_entry("_terminated", np.logical_not), "not a state of {game}: _"),
        (with_entry("_just", np.logical_not), "_just must be False where _terminated is"),
        (with_entry("turn", lambda turn: 99), "not a state of {game}: turn must be 0 to "),
        (with_entry("turn", lambda turn: 1.0), "turn must be an integer, not 1.0"),
        (with_entry("steps_played", lambda steps: -1), "steps_played must be at least 0, not -1"),
        (
            with_entry("rng", lambda rng: {**rng, "state": 1}),
            "rng must be a state of numpy's PCG64",
        ),
        (with_entry("rng", lambda rng: None), "rng must be a state of numpy's PCG64, not None"),
    ],
)
def test_a_state_is_refused_with_a_word_on_what_is_wrong(
    game: str, change: Callable[[dict[str, Any]], Any], message: str
) -> None:
    """Regression: floats, card 200 and turn 99 were accepted."""
    batch = registry.batch_game(game, 2, seed=1)
    batch.step(random_actions(batch, np.random.default_rng(0)))
    before = batch.state()
    with pytest.raises(ValueError, match=message.format(game=game)) as caught:
        batch.load_state(change(batch.state()))
    assert "\n" not in str(caught.value)
    assert differences(before, batch.state()) == []


def test_a_phase_that_is_none_is_refused() -> None:
    batch = registry.batch_game("kado", 2, seed=1)
    with pytest.raises(ValueError, match="phase must be a Phase, not 7"):
        batch.load_state({**batch.state(), "phase": 7})
