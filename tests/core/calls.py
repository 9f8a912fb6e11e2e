"""Calls of games and wrappers with any object ``v``, and which objects they should accept."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from typing import Any

import numpy as np

from kododo_env.core.agent import RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import picture_of, words_of
from kododo_env.wrappers.aec import AECGame
from kododo_env.wrappers.parallel import ParallelGame
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.single import SingleSeatEnv
from tests.helpers import differences, random_actions
from tests.refusals import refuses

ANY_SIZE = 10**6000
ENOUGH = 10_000  # games; with more, memory may run out, which is no fault

Good = Callable[[Any, Any], bool]


# --- what should be accepted ------------------------------------------------------------------


def is_whole(value: Any, low: int, high: int) -> bool:
    """Return whether a value is an integer of some library in a range, other than a bool."""
    if isinstance(value, bool) or "bool" in str(getattr(value, "dtype", "")):
        return False
    try:
        return low <= index(value) <= high
    except TypeError:
        return False


def below(size: Callable[[Any], int], *constants: Any) -> Good:
    """Return a test that accepts integers from 0 below a size, and some constants."""
    return lambda game, value: (
        any(value is constant for constant in constants) or is_whole(value, 0, size(game) - 1)
    )


def legal_actions(value: Any, mask: np.ndarray) -> bool:
    """Return whether a value has one legal action for each row of a mask (…, A)."""
    if mask.ndim == 1:
        return is_whole(value, 0, len(mask) - 1) and bool(mask[value])
    if isinstance(value, np.ndarray) and value.dtype.kind not in "iu":
        return False
    try:
        return len(value) == len(mask) and all(map(legal_actions, value, mask))
    except TypeError:
        return False


def masks_of(env: Any) -> Any:
    """Return the current masks (…, A), in the structure of the actions."""
    if isinstance(env, BatchGame):
        return env.legal_action_mask()
    if isinstance(env, ParallelGame):
        return dict(zip(env.possible_agents, env.game.legal_action_mask()[0], strict=True))
    if isinstance(env, AECGame):
        return env.observe(env.agent_selection)["action_mask"].astype(bool)
    return env.action_masks()


def good_choice(env: Any, value: Any) -> bool:
    """Return whether a step should accept a value."""
    masks = masks_of(env)
    if isinstance(masks, dict):
        fits = isinstance(value, dict) and value.keys() == masks.keys()
        return fits and all(legal_actions(value[name], masks[name]) for name in masks)
    return legal_actions(value, masks)


def good_if_replaced(env: Any, value: Any) -> bool:
    """Return whether a step that replaces illegal actions should accept a value."""
    last = env.game.num_actions - 1
    if not isinstance(env, ParallelGame):
        return is_whole(value, 0, last)
    fits = isinstance(value, dict) and value.keys() == masks_of(env).keys()
    return fits and all(is_whole(action, 0, last) for action in value.values())


def good_size(game: Any, value: Any) -> bool:
    """Return whether a value is a valid number of games."""
    return is_whole(value, 1, ENOUGH)


def good_options(env: Any, value: Any) -> bool:
    """Return whether a reset should accept options."""
    return value is None or isinstance(value, dict)


# --- games and wrappers -----------------------------------------------------------------------


def around(kind: Any, **options: Any) -> Callable[[BatchGame, int], Any]:
    """Return a maker of a wrapper around one game of the same rules."""

    def make(game: BatchGame, seed: int) -> Any:
        env = kind(game.fresh(1, seed), **options)
        env.reset(seed=seed)
        return env

    return make


def vec_env(game: BatchGame, seed: int, with_opponents: bool = False) -> BatchVecEnv:
    """Return a vector environment of all seats, or of one seat with opponents."""
    opponents = [
        RandomAgent() if with_opponents and seat else None for seat in range(game.num_players)
    ]
    env = BatchVecEnv(game.fresh(game.num_envs, seed), opponents=opponents)
    env.seed(3)
    env.reset()
    return env


ENVS: dict[str, Callable[[BatchGame, int], Any]] = {
    "game": lambda game, seed: game,
    "parallel": around(ParallelGame),
    "parallel_random": around(ParallelGame, illegal_action="random"),
    "aec": around(AECGame),
    "aec_random": around(AECGame, illegal_action="random"),
    "gym": around(SingleSeatEnv, illegal_action="raise"),
    "gym_random": around(SingleSeatEnv, illegal_action="random"),
    "vec": vec_env,
    "vec_two": lambda game, seed: vec_env(game, seed, with_opponents=True),
}
PLAYER = below(lambda game: game.num_players)
ONLOOKER = below(lambda game: game.num_players, None)
INDEX = below(lambda game: game.num_envs)
ACTION = below(lambda game: game.num_actions)
SEED = below(lambda game: ANY_SIZE, None)
SEAT = below(lambda game: game.num_players, "random", None)
# By the expression of a call with v: whether it should accept v (None: not checked here), and how
# the error message for a single number begins.
CALLS: dict[str, tuple[Good | None, str]] = {
    "game.step(v)": (good_choice, ""),
    "game.view(v).observation": (PLAYER, "player"),
    "game.determinize(v, rng(), 1)": (PLAYER, "player"),
    "game.determinize(0, rng(), v)": (good_size, "samples"),
    "game.view(0).determinize(rng(), v)": (good_size, "samples"),
    "picture_of(game).text(v)": (INDEX, "index"),
    "picture_of(game).text(0, v)": (ONLOOKER, "player"),
    "picture_of(game).svg(v)": (INDEX, "index"),
    "picture_of(game).svg(0, v)": (ONLOOKER, "player"),
    "words_of(game).describe_action(v)": (ACTION, "action"),
    "words_of(game).describe_choice(v, 0)": (ACTION, "action"),
    "words_of(game).describe_choice(0, v)": (PLAYER, "player"),
    "words_of(game).describe_choice(0, 0, v)": (INDEX, "index"),
    "game.fresh(v, 0)": (good_size, "num_envs"),
    "game.sample_decks(v, rng())": (good_size, "num"),
    "game.fresh(1, v)": (SEED, "seed"),
    "game.reset(v)": (SEED, "seed"),
    "game.reset(decks=v)": (None, ""),
    "game.observe(v)": (None, ""),
    "game.take(v)": (None, ""),
    "SingleSeatEnv(game.fresh(1), v)": (SEAT, "seat (if not 'random')"),
    "parallel.step(v)": (good_choice, ""),
    "parallel_random.step(v)": (good_if_replaced, ""),
    "parallel.reset(seed=v)": (SEED, "seed"),
    "parallel.reset(seed=1, options=v)": (good_options, ""),
    "parallel.reset(seed=1, options={'deck': v})": (None, ""),
    "aec.step(v)": (good_choice, "the action of player_0"),
    "aec_random.step(v)": (good_if_replaced, "the action of player_0"),
    "aec.reset(seed=v)": (SEED, "seed"),
    "gym.step(v)": (good_choice, "the action of player 0"),
    "gym_random.step(v)": (good_if_replaced, "the action of player 0"),
    "gym.reset(seed=v)": (SEED, "seed"),
    "gym.reset(seed=1, options=v)": (good_options, ""),
    "gym.reset(seed=1, options={'deck': v})": (None, ""),
    "vec.step(v)": (good_choice, ""),
    "vec_two.step(v)": (good_choice, ""),
    "vec.seed(v)": (SEED, "seed"),
    "vec.get_attr('player', v)": (None, ""),
    "vec.set_attr('note', 1, v)": (None, ""),
    "vec.env_is_wrapped(object, v)": (None, ""),
    "vec.action_masks(v)": (None, ""),
}


def env_for(call: str, game: BatchGame, seed: int) -> Any:
    """Return the batch or wrapper of a call."""
    return ENVS.get(call.split(".")[0], ENVS["game"])(game, seed)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def names_for(env: Any) -> dict[str, Any]:
    """Return the names that expressions of values may use."""
    game: BatchGame = getattr(env, "game", env)
    masks = masks_of(env)
    if isinstance(env, BatchGame):
        legal: Any = random_actions(env, rng())
    elif isinstance(masks, dict):
        legal = {name: int(mask.argmax()) for name, mask in masks.items()}
    else:
        legal = masks.argmax(axis=-1)
    return {"legal": legal, "deck": game.sample_decks(game.num_envs, rng()), "put": replace_last}


def replace_last(original: Any, replacement: Any) -> Any:
    """Return a copy, as lists or a dict, with the last entry replaced."""
    if isinstance(original, dict):
        return {**original, list(original)[-1]: replacement}
    copied = np.asarray(original).tolist()
    inside = copied
    while isinstance(inside[0], list):
        inside = inside[0]
    inside[-1] = replacement
    return copied


def remembered(env: Any) -> dict[str, Any]:
    """Return everything that an error must not change: the states of game and wrapper."""
    game = getattr(env, "game", env)
    if game is env:
        return dict(game.state())
    attributes = {name: repr(attribute) for name, attribute in vars(env).items() if name != "game"}
    choices = getattr(env, "_choices", None)
    generators = [getattr(env, "_rng", None), getattr(choices, "rng", None)]
    states = [generator.bit_generator.state for generator in generators if generator is not None]
    return {**game.state(), **attributes, "generators": str(states)}


NAMES = {"SingleSeatEnv": SingleSeatEnv, "picture_of": picture_of, "words_of": words_of}


def refusal(call: str, env: Any, value: Any) -> str:
    """Return the error message of a call, or an empty string if it accepts the value.

    A valid value must be accepted, an invalid one refused, and what is refused changes nothing.
    """
    good, _ = CALLS[call]
    fine = good and good(env, value)
    before = remembered(env)
    names = {call.split(".")[0]: env, "game": env, "v": value, "rng": rng}
    message = refuses(lambda: eval(call, NAMES | names))
    assert not (message and fine), f"{call} refuses something good: {message}"
    assert message or fine is not False, f"{call} accepts {ascii(value)[:200]}"
    assert not message or differences(before, remembered(env)) == []
    return message
