"""Arbitrary objects as actions, indices, seeds and decks, for games and wrappers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from kododo_env.core.agent import RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.wrappers.aec import AECGame
from kododo_env.wrappers.parallel import ParallelGame
from kododo_env.wrappers.sb3 import BatchVecEnv
from kododo_env.wrappers.single import SingleSeatEnv
from tests.fuzz.odd_values import STRANGE, WHOLE, value_of
from tests.fuzz.promises import ACCEPTED, REFUSED, FaultFound, refuses
from tests.fuzz.random_play import play_out, position, random_position
from tests.helpers import differences, random_actions

ARRAYS = (
    "legal", "legal.tolist()", "legal.astype(float)", "legal.astype(bool)", "legal.astype('O')",
    "legal[0]", "legal.T", "legal[None]", "legal + 1", "legal - 1", "legal * 0 - 1", "legal * 0",
    "legal.astype(np.uint64)", "legal.astype(np.int8)", "legal.astype(str)", "legal * 0 + 2**62",
    "tuple(map(tuple, np.atleast_2d(legal)))", "iter(legal)",
    "legal.astype('m8[s]')", "legal + 256", "legal.astype(np.uint64) + 2**63", "legal[:0]",
    "put(legal, {odd})", "put(legal, {odd})", "put(legal, {odd})", "put(legal, {whole})",
    "{odd}",
)  # fmt: skip
MAPPINGS = (
    "legal", "put(legal, {odd})", "put(legal, {odd})", "put(legal, {whole})", "put(legal, {whole})",
    "dict(list(legal.items())[1:])", "{**legal, 'player_9': 0}", "{**legal, 3: 0}",
    "list(legal.values())", "list(legal)", "{**legal, nested: 0}", "{odd}",
)  # fmt: skip
SINGLES = ("legal", "np.int64(legal)", "np.array(legal)", "Index(legal)", "legal + 1", "legal - 1",
           "float(legal)", "{odd}", "{odd}", "{odd}", "{whole}", "{whole}")  # fmt: skip
DECKS = ("deck", "deck.tolist()", "deck[::-1]", "deck.astype(float)", "deck + 1", "deck[..., :-1]",
         "deck.astype(np.uint64) + 256", "deck.astype('O')", "deck * 0", "put(deck, {odd})",
         "{odd}", "put(deck, {whole})", "deck[:, None]", "-deck")  # fmt: skip
ANY = ("{odd}", "{whole}")

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
    "game.text(v)": (INDEX, "index"),
    "game.text(0, v)": (ONLOOKER, "player"),
    "game.svg(v)": (INDEX, "index"),
    "game.svg(0, v)": (ONLOOKER, "player"),
    "game.describe_action(v)": (ACTION, "action"),
    "game.describe_choice(v, 0)": (ACTION, "action"),
    "game.describe_choice(0, v)": (PLAYER, "player"),
    "game.describe_choice(0, 0, v)": (INDEX, "index"),
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


def values_for(call: str) -> Sequence[str]:
    """Return expressions of values for a call."""
    name = call.split(".")[0]
    if "deck" in call:
        return ANY if "sample" in call else DECKS
    if ".step" not in call:
        return ANY
    return (
        MAPPINGS
        if "parallel" in name
        else ARRAYS
        if name in ("game", "vec", "vec_two")
        else SINGLES
    )


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


def refusal(call: str, env: Any, value: Any) -> str:
    """Return the error message of a call, or an empty string if it accepts the value.

    Raises:
        FaultFound: A valid value is rejected, an invalid value is accepted, or a rejected value
            changes something.
    """
    good, _ = CALLS[call]
    fine = good and good(env, value)
    before = remembered(env)
    names = {call.split(".")[0]: env, "game": env, "v": value, "rng": rng}
    message = refuses(lambda: value_of(call, SingleSeatEnv=SingleSeatEnv, **names))
    if message and fine:
        raise FaultFound("something good is refused", f"{call}: {message}")
    if message and (changed := differences(before, remembered(env))):
        raise FaultFound(f"refused, but {call} has changed something", str(changed))
    if not message and fine is False:
        raise FaultFound(f"accepted by {call}", ascii(value)[:200])
    return message


# --- the cases --------------------------------------------------------------------------------


def generate(rng: Random) -> dict[str, Any]:
    """Return a position, a call and its argument."""
    call = rng.choice(
        [*CALLS, *(call_name for call_name in CALLS if values_for(call_name) is not ANY)]
    )
    values = values_for(call)
    odd = rng.choice(STRANGE)
    whole = rng.choice(WHOLE)
    if values is ARRAYS and "Index" in odd:  # numpy does not convert these
        odd = "None"
    text = rng.choice(values).replace("{odd}", f"({odd})").replace("{whole}", f"({whole})")
    return {**random_position(rng), "call": call, "value": text}


def check(case: dict[str, Any], base: Path) -> str:
    """Check that a value is rejected without a change, or is valid and the game continues."""
    call = case["call"]
    seed = case["seed"]
    game = position(case)
    env = env_for(call, game, seed)
    for _ in range(min(case["steps"], 3) if ".step" in call and env is not game else 0):
        env.step(names_for(env)["legal"])
    try:
        value = value_of(case["value"], **names_for(env))
    except (*NO_VALUE, np.exceptions.DTypePromotionError):
        return "no case"  # there is no such value in this position
    if CALLS[call][0] is good_size and is_whole(value, ENOUGH, ANY_SIZE):
        return "no case"
    if refusal(call, env, value):
        return REFUSED
    play_out(getattr(env, "game", env), seed)
    return ACCEPTED


NO_VALUE = (TypeError, ValueError, OverflowError, IndexError, AttributeError)
