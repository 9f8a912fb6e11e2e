"""Error messages of batches and wrappers name the wrong value and what was expected."""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.checks.numbers import quote
from kododo_env.core import BatchGame, RandomAgent
from kododo_env.wrappers import AECGame, BatchVectorEnv, ParallelGame, SingleSeatEnv
from kododo_env.wrappers.opponents import learner_and_opponents, seated

# --- wrappers -------------------------------------------------------------------------


def game(players: int = 4) -> BatchGame:
    return kododo_v0.batch_game(1, players)


def running(env: Any) -> Any:
    env.reset(seed=0)
    return env


class Silent(RandomAgent):
    """Returns no actions."""

    name = "silent"

    def act(self, view: Any, rng: np.random.Generator) -> np.ndarray:
        return super().act(view, rng)[:0]


PAIRS = {"player_0": 5, "player_1": 6, "player_2": 7}
LEGAL = "5, 6, 7, 8, 9, 10, 11, 12, 13, 14"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: learner_and_opponents(None, 5, game()), "opponents.*act.*OpponentPool.*5$"),
        (lambda: learner_and_opponents(None, [RandomAgent()], game()), "3 opponents.*4.*None.*1$"),
        (lambda: seated(5, game(3)), "opponents.*act.*OpponentPool.*seat.*5$"),
        (lambda: seated([None], game(3)), "3 opponents.*1$"),
        (lambda: seated([RandomAgent()] * 3, game(3)), "opponents.*None.*learner"),
        (
            lambda: ParallelGame(game(), render_mode="x"),
            "render_mode 'x'.*None, 'human', 'ansi', 'rgb_array'",
        ),
        (lambda: AECGame(game(), illegal_action="x"), "illegal_action.*raise.*random.*'x'"),
        (lambda: SingleSeatEnv(kododo_v0.batch_game(2)), "one game"),
        *(
            (
                lambda wrapper=wrapper: wrapper(kododo_v0),
                "batch_game.*" + re.escape(quote(kododo_v0)),
            )
            for wrapper in (ParallelGame, AECGame, SingleSeatEnv, BatchVectorEnv)
        ),
        (
            lambda: BatchVectorEnv(game(), render_mode="human"),  # type: ignore[arg-type]
            "render_mode 'human'.*None, 'ansi', 'rgb_array'",
        ),
        (lambda: SingleSeatEnv(game(), seat=4), "seat.*random.*0 to 3.*4$"),
        (
            lambda: running(ParallelGame(game())).reset(options={"deck": 0.5}),
            "deck must be integers.*float64",
        ),
        (
            lambda: ParallelGame(game()).reset(options=5),  # type: ignore[arg-type]
            "options.*dict.*5$",
        ),
        (lambda: running(ParallelGame(game(3))).step(5), "actions.*dict.*5$"),
        (
            lambda: running(ParallelGame(game(3))).step({"player_1": 5}),
            "each of player_0.*got actions of player_1$",
        ),
        (
            lambda: running(ParallelGame(game(3))).step({**PAIRS, "a": 1, "b": 2}),
            "each of player_0.*, a, b$",
        ),
        (
            lambda: running(ParallelGame(game(3))).step({**PAIRS, "player_2": 15}),
            "player_2 must be 0 to 14.*15$",
        ),
        (
            lambda: running(AECGame(game(3))).step(1),
            rf"illegal action.*player_0.* 1 \(.*slot.*1\).*{LEGAL}.*'random'",
        ),
        (
            lambda: running(SingleSeatEnv(game(3), 2, illegal_action="raise")).step(2),
            rf"illegal action.*player 2.* 2 \(.*slot.*2\).*{LEGAL}.*'random'",
        ),
        (
            lambda: running(SingleSeatEnv(game(2), opponents=Silent())).step(5),
            r"agent 'silent'.*1 actions.*\(0,\)",
        ),
        (lambda: running(BatchVectorEnv(game())).step([5, 6]), r"1 integers.*\(2,\)"),
    ],
)
def test_wrappers(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


@pytest.mark.parametrize(
    ("make", "name"), [(ParallelGame, "step"), (AECGame, "step"), (AECGame, "last")]
)
def test_calls_before_the_deal(make: Any, name: str) -> None:
    env = make(game(2))
    arguments = [{}] if name == "step" else []
    with pytest.raises(RuntimeError, match=r"kododo.*reset\(\)"):
        getattr(env, name)(*arguments)


def test_a_single_seat_that_is_not_dealt_or_over() -> None:
    with pytest.raises(RuntimeError, match=r"kododo.*reset\(\)"):
        SingleSeatEnv(game(2)).step(5)


def test_render_without_a_mode() -> None:
    with pytest.warns(UserWarning, match=r"render\(\).*render_mode") as warnings:
        assert running(ParallelGame(game(2))).render() is None
    assert len(warnings) == 1


# --- batches --------------------------------------------------------------------------


def batch(name: str = "kododo", num: int = 3, players: int = 4) -> BatchGame:
    return registry.batch_game(name, num, 0, num_players=players)


def played(actions: dict[tuple[int, int], int]) -> None:
    """Play a step of three games of two players: action 5 except in some places."""
    chosen = np.full((3, 2), 5)
    for place, action in actions.items():
        chosen[place] = action
    batch(players=2).step(chosen)


def loaded(**entries: Any) -> None:
    game_batch = batch(num=1, players=2)
    game_batch.load_state({**game_batch.state(), **entries})


ILLEGAL = "illegal action in kododo: game 1, player 1, action"
SIZE = batch().layout.size


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: played({(1, 1): 3, (2, 0): 1}),
            rf"{ILLEGAL} 3 \(.*slot.*3\).*{LEGAL}",
        ),
        (lambda: played({(1, 1): -1, (2, 0): 1}), rf"{ILLEGAL} -1 \(no such action\).*{LEGAL}"),
        (lambda: played({(1, 1): 15, (2, 0): 1}), rf"{ILLEGAL} 15 \(no such action\).*{LEGAL}"),
        (lambda: batch().sample_decks(0, np.random.default_rng(0)), "num.*at least 1.*0$"),
        *(
            (call, r"rng.*default_rng\(0\).*5$")
            for call in (
                lambda: batch().sample_decks(2, 5),  # type: ignore[arg-type]
                lambda: kododo_v0.batch_game(1, 2, "long").sample_decks(2, 5),  # type: ignore[arg-type]
                lambda: batch().view(0).determinize(5, 1),  # type: ignore[arg-type]
            )
        ),
        (
            lambda: kododo_v0.batch_game(1, 2, "long").sample_decks(0, np.random.default_rng(0)),
            "num.*at least 1.*0$",
        ),
        (
            lambda: batch(num=1).load_state(5),  # type: ignore[arg-type]
            "state of kododo.*dict.*5$",
        ),
        (lambda: loaded(_x=1), "state of kododo.*_x"),
        (lambda: loaded(_scores="x"), "state.*_scores must be an array.*'x'"),
        (lambda: loaded(rng="x"), "rng must be a state of numpy's PCG64.*'x'"),
        (lambda: loaded(_just=np.ones(1, np.bool_)), "state of kododo.*_just.*_terminated"),
        *(
            (
                lambda wrong=wrong: loaded(_rewards=np.array([[0], [wrong]], np.float32)),
                "state of kododo.*_rewards",
            )
            for wrong in (0.5, np.inf, -np.inf, np.nan)
        ),
        *(
            (
                lambda name=name: batch(name).step(np.zeros((3, 5), int)),
                rf"actions of {name}.*shape \(3, 4\).*\(3, 5\)",
            )
            for name in registry.ENVIRONMENT_MODULES
        ),
        *(
            (
                lambda out=out: batch().observe(out=out),
                rf"out.*shape \(3, 4, {SIZE}\).*{re.escape(shape)}$",
            )
            for out, shape in (
                (np.zeros((3, 4, 1)), "(3, 4, 1)"),
                ([1], "[1]"),
                (SimpleNamespace(shape=(3, 4, SIZE)), f"namespace(shape=(3, 4, {SIZE}))"),
            )
        ),
    ],
)
def test_batches(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def test_a_game_of_ones_own_has_cards_that_fit_into_a_byte() -> None:
    """Regression: card 256 silently became card 0."""
    game_batch = batch()
    for wrong in (np.arange(257), np.arange(-1, 3)):
        with pytest.raises(ValueError, match=f"0 to 255.*{wrong[0]} to "):
            BatchGame.__init__(
                game_batch, 3, game_batch.rules, game_batch.layout, game_batch.actions, wrong, None
            )


def test_a_view_says_that_it_is_not_copied_and_that_it_is_of_an_earlier_turn() -> None:
    game_batch = batch(num=1, players=2)
    view = game_batch.view(0)
    for copy_or_pickle in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="copied or pickled"):
            copy_or_pickle(view)
    game_batch.step([[5, 5]])
    with pytest.raises(RuntimeError, match="earlier turn"):
        _ = view.observation


def test_a_batch_shows_its_kind_its_size_and_its_rules() -> None:
    assert repr(batch()) == f"<KododoGame num_envs=3 {batch().rules}>"
