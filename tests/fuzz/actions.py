"""Any object as an action, an index, a seed, a deck, for the games and for all their wrappers."""

from __future__ import annotations

from collections.abc import Callable
from operator import index
from pathlib import Path
from random import Random
from typing import Any

import gymnasium
import numpy as np

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
ANY = ("{odd}", "{odd}", "{whole}", "{whole}")


ANY_SIZE = 10**6000
ENOUGH = 10_000  # more games than this may be too many for the memory, which is no fault


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


# --- what each call takes, and what it must not take ------------------------------------------


def _whole(value: Any, low: int, high: int) -> bool:
    """Whether a value is a whole number of some library in a range, a truth value not being one."""
    if isinstance(value, bool) or "bool" in str(getattr(value, "dtype", "")):
        return False
    try:
        return low <= index(value) <= high
    except TypeError:
        return False


def _good_actions(value: Any, mask: np.ndarray) -> bool:
    """Whether ``step`` of a batch should take it."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in "iu":
            return False
        rows = value.tolist()
    else:
        rows = value
    try:
        flat = [each for row in rows for each in row]
        shape = (len(rows), *{len(row) for row in rows})
    except TypeError:
        return False
    if shape != mask.shape[:2]:
        return False
    return all(
        _whole(each, 0, mask.shape[2] - 1) and row[each]
        for each, row in zip(flat, mask.reshape(-1, mask.shape[2]), strict=True)
    )


Call = tuple[Callable[[Any], Any], Callable[[Any], bool], dict[str, Any]]


def _core(game: BatchGame, what: str, legal: np.ndarray) -> Call:
    """Of a batch: what is called, what it should take, and the names for the expression."""
    rng = np.random.default_rng(0)
    most, last = game.num_players - 1, game.num_envs - 1
    deck = game.sample_decks(game.num_envs, rng)
    anything = lambda value: True  # noqa: E731
    calls: dict[str, tuple[Callable[[Any], Any], Callable[[Any], bool]]] = {
        "step": (game.step, lambda v: _good_actions(v, game.legal_action_mask())),
        "view": (lambda v: game.view(v).observation, lambda v: _whole(v, 0, most)),
        "determinize player": (
            lambda v: game.determinize(v, rng, 1), lambda v: _whole(v, 0, most)
        ),
        "determinize samples": (
            lambda v: game.determinize(0, rng, v), lambda v: _whole(v, 1, ENOUGH)
        ),
        "text": (lambda v: game.text(v), lambda v: _whole(v, 0, last)),
        "text player": (
            lambda v: game.text(0, v), lambda v: v is None or _whole(v, 0, most)
        ),
        "svg": (lambda v: game.svg(v), lambda v: _whole(v, 0, last)),
        "svg player": (
            lambda v: game.svg(0, v), lambda v: v is None or _whole(v, 0, most)
        ),
        "describe_action": (
            game.describe_action, lambda v: _whole(v, 0, game.num_actions - 1)
        ),
        "num_envs": (lambda v: game.fresh(v, 0), lambda v: _whole(v, 1, ENOUGH)),
        "seed": (lambda v: game.fresh(1, v), lambda v: v is None or _whole(v, 0, ANY_SIZE)),
        "reset seed": (game.reset, anything),
        "decks": (lambda v: game.reset(decks=v), anything),
        "out": (lambda v: game.observe(v), anything),
        "sample_decks": (
            lambda v: game.sample_decks(v, rng), lambda v: _whole(v, 1, ENOUGH)
        ),
    }  # fmt: skip
    return (*calls[what], {"legal": legal, "deck": deck, "put": put})


CORE = (
    "step", "step", "step", "step", "view", "determinize player", "determinize samples", "text",
    "text player", "svg", "svg player", "describe_action", "num_envs", "seed", "reset seed",
    "decks", "decks", "out", "sample_decks",
)  # fmt: skip
WRAPPERS = (
    "parallel", "parallel random", "aec", "aec random", "gym", "gym raise", "vec", "vec two",
    "parallel deck", "gym deck", "gym seat", "parallel seed", "gym seed",
    "parallel options", "gym options",
)  # fmt: skip


def _wrapper(game: BatchGame, what: str, given: dict[str, Any]) -> Call:
    """Of a wrapper around a game: as ``_core``."""
    if what.startswith("vec"):
        return _vec(game, what)
    door, _, how = what.partition(" ")
    illegal = "random" if how == "random" or (door == "gym" and how != "raise") else "raise"
    if how == "seat":
        seats = range(game.num_players)
        good = lambda v: v == "random" or _whole(v, 0, len(seats) - 1)  # noqa: E731
        return lambda v: SingleSeatEnv(game, v), good, {"legal": 0}
    classes = {"parallel": ParallelGame, "aec": AECGame, "gym": SingleSeatEnv}
    env: Any = classes[door](game, illegal_action=illegal)
    env.reset(seed=given["seed"])
    deck = game.sample_decks(1, np.random.default_rng(0))[0]
    if how == "deck":
        call = lambda v: env.reset(seed=1, options={"deck": v})  # noqa: E731
        return call, lambda v: True, {"deck": deck, "put": put, "legal": 0, "env": env}
    if how == "options":
        good = lambda v: v is None or isinstance(v, dict)  # noqa: E731
        return lambda v: env.reset(seed=1, options=v), good, {"legal": 0, "env": env}
    if how == "seed":
        good = lambda v: v is None or _whole(v, 0, ANY_SIZE)  # noqa: E731
        return lambda v: env.reset(seed=v), good, {"legal": 0, "env": env}
    return _step_of(env, door, illegal == "random", given)


def _step_of(env: Any, door: str, replaces: bool, given: dict[str, Any]) -> Call:
    """The step of a wrapper, some random legal ones after its beginning."""
    rng = np.random.default_rng(given["seed"])
    last = env.game.num_actions - 1

    def taken(value: Any, mask: np.ndarray) -> bool:
        return _whole(value, 0, last) and (replaces or bool(mask[value]))

    def seats() -> dict[str, np.ndarray]:
        masks = env.game.legal_action_mask()[0]
        return {f"player_{player}": mask for player, mask in enumerate(masks)}

    def mask_now() -> np.ndarray:
        return env.action_masks() if door == "gym" else seats()[env.agent_selection]

    for _ in range(min(given["steps"], 3)):
        if door == "parallel":
            env.step({name: int(rng.choice(np.flatnonzero(m))) for name, m in seats().items()})
        else:
            env.step(int(rng.choice(np.flatnonzero(mask_now()))))
    if door == "parallel":
        legal: Any = {name: int(np.flatnonzero(mask)[0]) for name, mask in seats().items()}

        def good(value: Any) -> bool:
            fits = isinstance(value, dict) and set(value) == set(legal)
            return fits and all(taken(value[name], mask) for name, mask in seats().items())

        return env.step, good, {"legal": legal, "put": put, "env": env}
    legal = int(np.flatnonzero(mask_now())[-1])
    return env.step, lambda v: taken(v, mask_now()), {"legal": legal, "env": env}


def _vec(game: BatchGame, what: str) -> Call:
    others: Any = [None] * game.num_players
    if what == "vec two":
        from kododo_env.core.agent import RandomAgent

        others[1:] = [RandomAgent()] * (game.num_players - 1)
    env = BatchVecEnv(game, opponents=others)
    env.seed(3)
    env.reset()
    legal = env.action_masks().argmax(axis=1)

    def good(value: Any) -> bool:
        rows = value[None] if isinstance(value, np.ndarray) else [value]
        return _good_actions(rows, env.action_masks()[None])

    return env.step, good, {"legal": legal, "put": put, "env": env}


def _around(env: Any) -> dict[str, str]:
    """What a wrapper remembers beside its game, as text."""
    remembered = {name: value for name, value in vars(env).items() if name != "game"}
    choices = getattr(env, "_choices", None)
    generators = [getattr(env, "_rng", None), getattr(choices, "rng", None)]
    states = [each.bit_generator.state for each in generators if each is not None]
    return {"generators": str(states), **{name: repr(each) for name, each in remembered.items()}}


# --- the cases --------------------------------------------------------------------------------


def generate(rng: Random) -> dict[str, Any]:
    """A position, a call, and what it is given."""
    given = random_position(rng)
    given["call"] = rng.choice((*CORE, *WRAPPERS, *WRAPPERS))
    call = given["call"]
    if call in ("step", "vec", "vec two"):
        pool = ARRAYS
    elif call.startswith("parallel") and call in ("parallel", "parallel random"):
        pool = MAPPINGS
    elif "deck" in call and call != "sample_decks":
        pool = DECKS
    else:
        pool = SINGLES if call in ("aec", "aec random", "gym", "gym raise") else ANY
    text = rng.choice(pool)
    odd, whole = rng.choice(STRANGE), rng.choice(WHOLE)
    if pool is ARRAYS and "Index" in odd:  # numpy makes no integers of these; either will do
        odd = "None"
    given["value"] = text.replace("{odd}", f"({odd})").replace("{whole}", f"({whole})")
    return given


def check(given: dict[str, Any], base: Path) -> str:
    """It is refused and nothing is changed, or it was good, and the game goes on."""
    core = given["call"] in CORE
    game = position(given) if core else position(given, num_envs=1, steps=0)
    if given["call"].startswith("vec"):
        game = position(given, steps=0)
    made = (
        _core(game, given["call"], random_actions(game, np.random.default_rng(0)))
        if core
        else _wrapper(game, given["call"], given)
    )
    call, good, names = made
    try:
        value = value_of(given["value"], **names)
        fine = good(value)
    except (
        TypeError,
        ValueError,
        OverflowError,
        IndexError,
        AttributeError,
        np.exceptions.DTypePromotionError,
    ):
        return "no case"  # there is no such value in this position
    if given["call"] in SIZES and _whole(value, ENOUGH, ANY_SIZE):
        return "no case"
    env = names.get("env")
    before, around = game.state(), env and _around(env)
    if refuses(lambda: call(value), *_also(given["call"])):
        if differences(before, game.state()):
            raise Wrong("refused, but something is changed", given["call"])
        if env and _around(env) != around:
            changed = [name for name, each in _around(env).items() if around.get(name) != each]
            raise Wrong(f"refused, but {given['call']} remembers something", str(changed))
        if fine and given["call"] not in LOOSE:
            raise Wrong("something good is refused", given["call"])
        return REFUSED
    if not fine:
        raise Wrong(f"accepted by {given['call']}", given["value"])
    play_out(game, given["seed"], scored=True)
    return ACCEPTED


# What these take is not told from what they refuse here.
LOOSE = ("reset seed", "decks", "out", "parallel deck", "gym deck")
SIZES = ("num_envs", "determinize samples", "sample_decks")


def _also(call: str) -> tuple[type[Exception], ...]:
    """What a wrapper promises beside ValueError, as its library has it."""
    return (gymnasium.error.Error,) if call == "gym seed" else ()
