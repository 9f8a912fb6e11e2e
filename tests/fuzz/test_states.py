"""Damaged states: ``load_state`` rejects each in one line, or the batch is a valid game."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from kododo_env import registry
from kododo_env.core.batch_game import BatchGame
from tests.fuzz.damage import SHARE
from tests.fuzz.test_files import fuzzed
from tests.game_tables import TABLES
from tests.helpers import differences, play_random
from tests.refusals import refuses

NUMBERS = st.sampled_from((0, 1, -1, 2, 5, 99, 127, 200, 254, 255, -128, 30_000, -32_768))
DTYPES = st.sampled_from(("float64", "float32", "int64", "int8", "uint8", "bool", "object", "S4"))
EDITS = st.lists(
    st.tuples(
        st.sampled_from(("number", "near", "swap", "fill", "reverse", "shape", "dtype", "list")),
        SHARE,
        SHARE,
        NUMBERS,
        DTYPES,
    ),
    min_size=1,
    max_size=3,
)


def edited(entry: Any, kind: str, share: float, number: int, dtype: str) -> Any:
    """Return a damaged copy of an entry of a state."""
    if not isinstance(entry, np.ndarray):
        return number
    place = int(share * entry.size)
    copy = entry.copy()
    match kind:
        case "number":
            copy.flat[place] = np.array(number).astype(entry.dtype)
        case "near":
            copy.flat[place] = np.array(int(entry.flat[place]) + 1).astype(entry.dtype)
        case "swap":
            places = [place, int(share * 97 % 1 * entry.size)]
            copy.flat[places] = copy.flat[places[::-1]]
        case "fill":
            copy[...] = np.array(number).astype(entry.dtype)
        case "reverse":
            copy = copy[::-1]
        case "shape":
            copy = copy[..., :-1]
        case "dtype":
            copy = copy.astype(dtype)
        case _:
            return copy.tolist()
    return copy


def position(table: tuple[str, int], num_envs: int, seed: int, steps: int) -> BatchGame:
    """Return a batch after some random steps."""
    name, players = table
    game = registry.batch_game(name, num_envs, seed, num_players=players)
    play_random(game, np.random.default_rng(seed), steps)
    return game


@fuzzed(
    table=st.sampled_from(TABLES),
    num_envs=st.integers(1, 3),
    seed=st.integers(0, 2**32 - 1),
    steps=st.integers(0, 24),
    later_steps=st.integers(0, 12),
    edits=EDITS,
)
def test_a_damaged_state_is_rejected_or_a_valid_game(
    table: tuple[str, int], num_envs: int, seed: int, steps: int, later_steps: int, edits: list[Any]
) -> None:
    state = dict(position(table, num_envs, seed, steps).state())
    names = sorted(set(state) - {"rng"})
    for kind, name_share, share, number, dtype in edits:
        name = names[int(name_share * len(names))]
        if not isinstance(state[name], np.ndarray | int) or not np.size(state[name]):
            continue
        state[name] = edited(state[name], kind, share, number, dtype)
    game = position(table, num_envs, seed, later_steps)
    before = game.state()
    if refuses(lambda: game.load_state(state)):
        assert not differences(before, game.state())
        return
    points = game.scores.astype(np.float64)
    rng = np.random.default_rng(seed)
    with np.errstate(all="raise", under="ignore"):
        while not game.terminated.all():
            assert game.legal_action_mask().any(axis=2).all()
            game.observe()
            play_random(game, rng, 1)
            points += game.rewards
            assert np.array_equal(points, game.scores)
