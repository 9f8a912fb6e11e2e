"""Any object as an action, an index, a seed, a deck, for the games and for all their wrappers."""

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
from tests.fuzz.expected import ACCEPTED, REFUSED, Wrong, refuses
from tests.fuzz.odd import STRANGE, WHOLE, value_of
from tests.fuzz.playing import play_out, position, random_position
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
ENOUGH = 10_000  # more games than this may be too many for the memory, which is no fault

Good = Callable[[Any, Any], bool]


# --- what should be taken ---------------------------------------------------------------------


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether a value is a whole number of some library in a range, a truth value not being one."""
    if isinstance(value, bool) or "bool" in str(getattr(value, "dtype", "")):
        return False
    try:
        return low <= index(value) <= high
    except TypeError:
        return False


def below(size: Callable[[Any], int], *also: Any) -> Good:
    """Whole numbers from 0 below the size of something, and what else is taken."""
    return lambda game, value: (
        any(value is each for each in also) or is_whole(value, 0, size(game) - 1)
    )


def legal_actions(value: Any, mask: np.ndarray) -> bool:
    """Whether these are one legal action for each row of a mask (…, A)."""
    if mask.ndim == 1:
        return is_whole(value, 0, len(mask) - 1) and bool(mask[value])
    if isinstance(value, np.ndarray) and value.dtype.kind not in "iu":
        return False
    try:
        return len(value) == len(mask) and all(map(legal_actions, value, mask))
    except TypeError:
        return False


def masks_of(env: Any) -> Any:
    """The legal actions of now as masks (…, A), in the form in which actions are asked for."""
    if isinstance(env, BatchGame):
        return env.legal_action_mask()
    if isinstance(env, ParallelGame):
        return dict(zip(env.possible_agents, env.game.legal_action_mask()[0], strict=True))
    if isinstance(env, AECGame):
        return env.observe(env.agent_selection)["action_mask"].astype(bool)
    return env.action_masks()


def good_choice(env: Any, value: Any) -> bool:
    """Whether a step should take it."""
    masks = masks_of(env)
    if isinstance(masks, dict):
        fits = isinstance(value, dict) and value.keys() == masks.keys()
        return fits and all(legal_actions(value[name], masks[name]) for name in masks)
    return legal_actions(value, masks)


def good_if_replaced(env: Any, value: Any) -> bool:
    """Whether a step should take it that plays a legal action instead of any other."""
    last = env.game.num_actions - 1
    if not isinstance(env, ParallelGame):
        return is_whole(value, 0, last)
    fits = isinstance(value, dict) and value.keys() == masks_of(env).keys()
    return fits and all(is_whole(each, 0, last) for each in value.values())


def good_size(game: Any, value: Any) -> bool:
    """Whether there may be this many games."""
    return is_whole(value, 1, ENOUGH)


def good_options(env: Any, value: Any) -> bool:
    """Whether a reset should take it."""
    return value is None or isinstance(value, dict)


# --- what takes it ----------------------------------------------------------------------------


def around(kind: Any, **options: Any) -> Callable[[BatchGame, int], Any]:
    """A wrapper around one game of the same rules."""

    def made(game: BatchGame, seed: int) -> Any:
        env = kind(game.fresh(1, seed), **options)
        env.reset(seed=seed)
        return env

    return made


def vec_env(game: BatchGame, seed: int, others: bool = False) -> BatchVecEnv:
    """All seats of a batch, or one with opponents in the others."""
    opponents = [RandomAgent() if others and seat else None for seat in range(game.num_players)]
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
    "vec_two": lambda game, seed: vec_env(game, seed, others=True),
}
PLAYER = below(lambda game: game.num_players)
ONLOOKER = below(lambda game: game.num_players, None)
INDEX = below(lambda game: game.num_envs)
ACTION = below(lambda game: game.num_actions)
SEED = below(lambda game: ANY_SIZE, None)
SEAT = below(lambda game: game.num_players, "random", None)
# By the expression of a call with v: whether it should take v (None where this is not told here),
# and how a message begins that refuses a single number.
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
    """The batch or wrapper that is called."""
    return ENVS.get(call.split(".")[0], ENVS["game"])(game, seed)


def values_for(call: str) -> Sequence[str]:
    """Expressions of what a call is given."""
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
    """The names in expressions of values."""
    game: BatchGame = getattr(env, "game", env)
    masks = masks_of(env)
    if isinstance(env, BatchGame):
        legal: Any = random_actions(env, rng())
    elif isinstance(masks, dict):
        legal = {name: int(mask.argmax()) for name, mask in masks.items()}
    else:
        legal = masks.argmax(axis=-1)
    return {"legal": legal, "deck": game.sample_decks(game.num_envs, rng()), "put": put}


def put(into: Any, value: Any) -> Any:
    """A copy, as lists or a dictionary, with another value in one place."""
    if isinstance(into, dict):
        return {**into, list(into)[-1]: value}
    copied = np.asarray(into).tolist()
    inside = copied
    while isinstance(inside[0], list):
        inside = inside[0]
    inside[-1] = value
    return copied


def remembered(env: Any) -> dict[str, Any]:
    """All that a refusal leaves as it was: the game's state, and what a wrapper has beside it."""
    game = getattr(env, "game", env)
    if game is env:
        return dict(game.state())
    kept = {name: repr(value) for name, value in vars(env).items() if name != "game"}
    choices = getattr(env, "_choices", None)
    generators = [getattr(env, "_rng", None), getattr(choices, "rng", None)]
    states = [each.bit_generator.state for each in generators if each is not None]
    return {**game.state(), **kept, "generators": str(states)}


def refusal(call: str, env: Any, value: Any) -> str:
    """Call it: what is said if the value is refused, otherwise nothing.

    Raises:
        Wrong: It is good and refused, or the other way round, or a refusal changes something.
    """
    good, _ = CALLS[call]
    fine, before = good and good(env, value), remembered(env)
    names = {call.split(".")[0]: env, "game": env, "v": value, "rng": rng}
    said = refuses(lambda: value_of(call, SingleSeatEnv=SingleSeatEnv, **names))
    if said and fine:
        raise Wrong("something good is refused", f"{call}: {said}")
    if said and (changed := differences(before, remembered(env))):
        raise Wrong(f"refused, but {call} has changed something", str(changed))
    if not said and fine is False:
        raise Wrong(f"accepted by {call}", ascii(value)[:200])
    return said


# --- the cases --------------------------------------------------------------------------------


def generate(rng: Random) -> dict[str, Any]:
    """A position, a call, and what it is given."""
    call = rng.choice([*CALLS, *(each for each in CALLS if values_for(each) is not ANY)])
    values, odd, whole = values_for(call), rng.choice(STRANGE), rng.choice(WHOLE)
    if values is ARRAYS and "Index" in odd:  # numpy makes no integers of these; either will do
        odd = "None"
    text = rng.choice(values).replace("{odd}", f"({odd})").replace("{whole}", f"({whole})")
    return {**random_position(rng), "call": call, "value": text}


def check(given: dict[str, Any], base: Path) -> str:
    """It is refused and nothing is changed, or it was good, and the game goes on."""
    call, seed, game = given["call"], given["seed"], position(given)
    env = env_for(call, game, seed)
    for _ in range(min(given["steps"], 3) if ".step" in call and env is not game else 0):
        env.step(names_for(env)["legal"])
    try:
        value = value_of(given["value"], **names_for(env))
    except (*NO_VALUE, np.exceptions.DTypePromotionError):
        return "no case"  # there is no such value in this position
    if CALLS[call][0] is good_size and is_whole(value, ENOUGH, ANY_SIZE):
        return "no case"
    if refusal(call, env, value):
        return REFUSED
    play_out(getattr(env, "game", env), seed)
    return ACCEPTED


NO_VALUE = (TypeError, ValueError, OverflowError, IndexError, AttributeError)
