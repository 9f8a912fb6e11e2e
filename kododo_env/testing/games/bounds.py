"""The check, with many sets of rules, that numbers stay within their dtypes and maxima."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.copies import stored_state
from kododo_env.testing.games.observations import piece_at
from kododo_env.testing.games.subject import Subject, as_rules
from kododo_env.testing.report import Fault

MOST_STEPS = 250  # per game, since some rules make games very long
EXAMPLES = 10
MANY_DECKS = 100
SHUFFLED = "shuffled and played at random"
FIRST = "sorted and played with the first legal action"
LAST = "sorted downwards and played with the last legal action"
COUNTING = (np.add, np.subtract, np.multiply)


def bounds(subject: Subject, any_rules: Any) -> str:
    """Play games with unusual decks and actions, with the subject's rules and with other rules.

    Args:
        subject: The game and its rules.
        any_rules: The other sets of rules: mappings or dataclasses, or a hypothesis strategy.
    """
    rules_within_bounds(subject, subject.rules)
    if hasattr(any_rules, "example"):
        return f"{_by_hypothesis(subject, any_rules)} sets of rules, drawn by hypothesis"
    rule_sets = [as_rules(rules) for rules in any_rules]
    for rules in rule_sets:
        rules_within_bounds(subject, rules)
    return f"{len(rule_sets) + 1} sets of rules"


def _by_hypothesis(subject: Subject, strategy: Any) -> int:
    from hypothesis import HealthCheck, given, settings

    tried = 0

    @settings(
        max_examples=EXAMPLES, derandomize=True, deadline=None, database=None,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def within_bounds(rules: object) -> None:
        nonlocal tried
        tried += 1
        rules_within_bounds(subject, as_rules(rules))

    within_bounds()
    return tried


def rules_within_bounds(subject: Subject, rules: Mapping[str, Any]) -> None:
    """Play games with these rules, and compare integer arithmetic with the same in int64.

    Raises:
        Fault: A number exceeds its dtype or its maximum; the message includes the rules.
    """
    try:
        for way, game in _dealt(subject, rules, 1):
            _play(game, way, subject.rng(31), f"decks {way}")
        _, batch = next(_dealt(subject, rules, MANY_DECKS))  # large batches may use other code
        _play(batch, SHUFFLED, subject.rng(32), f"{MANY_DECKS} decks {SHUFFLED}")
    except Fault as fault:
        raise Fault(f"{fault}; {_in_words(rules)}") from fault
    except (ArithmeticError, IndexError, TypeError, ValueError) as error:
        message = f"{type(error).__name__}: {error}; {_in_words(rules)}"
        raise Fault(message) from error


def _in_words(rules: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name}={setting!r}" for name, setting in rules.items()) or "the defaults"
    return f"the rules: {text if len(text) <= 500 else f'{text[:500]}…'}"


def _dealt(
    subject: Subject, rules: Mapping[str, Any], num_envs: int
) -> Iterator[tuple[str, BatchGame]]:
    game = subject.make(num_envs, seed=subject.seed, **rules)
    decks = game.sample_decks(num_envs, subject.rng(30))
    for way, ordered in (
        (SHUFFLED, decks),
        (FIRST, np.sort(decks, axis=-1)),
        (LAST, np.sort(decks, axis=-1)[..., ::-1]),
    ):
        game.reset(decks=ordered)
        yield way, game


def _play(game: BatchGame, way: str, rng: np.random.Generator, label: str) -> None:
    """Play until any game is over, since later results of that game do not count."""
    returns = np.zeros((game.num_envs, game.num_players))
    with np.errstate(all="raise"):
        for step in range(MOST_STEPS):
            watch(game)
            try:
                _within(game, returns)
                if game.terminated.any():
                    return
                game.step(_choose(game, way, rng))
            except Fault as fault:
                raise Fault(f"{label}, after step {step}: {fault}") from fault
            returns += np.asarray(game.rewards)


def _within(game: BatchGame, returns: np.ndarray[Any, Any]) -> None:
    numbers = np.asarray(game.observe())
    over = numbers > game.layout.maxima
    if over.any():
        env, player, place = (int(coordinate) for coordinate in np.argwhere(over)[0])
        raise Fault(f"the observation has {numbers[env, player, place]} as {piece_at(game, place)}")
    if not np.array_equal(np.asarray(game.scores), returns):
        raise Fault(f"scores are {game.scores.tolist()}, but rewards add up to {returns.tolist()}")


def _choose(game: BatchGame, way: str, rng: np.random.Generator) -> Int64:
    mask = np.asarray(game.legal_action_mask())
    if way == SHUFFLED:
        return random_legal_actions(mask, rng)
    if way == FIRST:
        return np.asarray(mask.argmax(axis=2))
    return np.asarray(mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2))


class WatchedArray(np.ndarray[Any, Any]):
    """An array that computes sums, differences and products a second time in int64.

    It raises Fault if the results differ, or if a cast changes a number. Results of operations on
    watched arrays are watched arrays. A reinterpretation of bytes with ``view`` is not checked.
    """

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **kwargs: Any
    ) -> Any:
        """Apply the ufunc, and compare integer results with the results in int64."""
        plain_inputs = [_plain(array) for array in inputs]
        wide = None
        if ufunc in COUNTING and method in ("__call__", "reduce") and "where" not in kwargs:
            wide = _wide(ufunc, method, plain_inputs, kwargs)
        if out is not None:
            kwargs["out"] = tuple(_plain(array) for array in out)
        result = getattr(ufunc, method)(*plain_inputs, **kwargs)
        if wide is not None and np.asarray(result).dtype.kind in "iu":
            _compare(np.asarray(result), wide)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return _watched(result)

    def __setitem__(self, key: Any, numbers: Any) -> None:
        """Set elements; raise Fault if a number does not fit into the dtype."""
        _fits(numbers, self.dtype)
        super().__setitem__(key, _plain(numbers))

    def astype(self, dtype: Any, *args: Any, **kwargs: Any) -> Any:
        """Convert to a dtype; raise Fault if a number does not fit into it."""
        _fits(self, np.dtype(dtype))
        return super().astype(dtype, *args, **kwargs)


def watch(game: BatchGame) -> None:
    """Replace all arrays of a batch by watched arrays; check that observations can hold them."""
    for name, array in stored_state(game).arrays().items():
        setattr(stored_state(game), name, array.view(WatchedArray))
    knowledge: Any = type(game)._knowledge

    def checked_knowledge() -> Any:
        arrays = knowledge(game)
        for array in arrays.values():
            _fits(array, game.layout.dtype)
        return arrays

    vars(game)["_knowledge"] = checked_knowledge


def _plain(array: Any) -> Any:
    return array.view(np.ndarray) if isinstance(array, WatchedArray) else array


def _watched(result: Any) -> Any:
    return result.view(WatchedArray) if isinstance(result, np.ndarray) else result


def _wide(ufunc: np.ufunc, method: str, inputs: list[Any], kwargs: dict[str, Any]) -> Any:
    """Return the result in int64, or None if an input is not integer."""
    arrays = [np.asarray(array) for array in inputs]
    if any(array.dtype.kind not in "biu" for array in arrays):
        return None
    if all(array.dtype.kind == "b" for array in arrays) and method == "__call__":
        return None  # sums of bools are bools
    options = {name: kwargs[name] for name in ("axis", "keepdims") if name in kwargs}
    return getattr(ufunc, method)(*(array.astype(np.int64) for array in arrays), **options)


def _compare(result: np.ndarray[Any, Any], wide: Any) -> None:
    if not np.array_equal(result, wide):
        place = np.argwhere(result != wide)[0]
        raise Fault(
            f"{np.asarray(wide)[tuple(place)]} does not fit into an array of {result.dtype} and "
            f"becomes {result[tuple(place)]}"
        )


def _fits(numbers: Any, dtype: np.dtype[Any]) -> None:
    array = np.asarray(_plain(numbers))
    if array.dtype == dtype or dtype.kind not in "iu" or array.dtype.kind not in "iu":
        return
    if array.size:
        bounds = np.iinfo(dtype)
        for number in (array.min(), array.max()):
            if not bounds.min <= number <= bounds.max:
                raise Fault(f"{number} does not fit into an array of {dtype}")
