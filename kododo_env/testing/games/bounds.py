"""The check, with many sets of rules, that numbers stay within their dtypes and maxima."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.core.agent import random_legal_actions
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.observations import piece_at
from kododo_env.testing.games.overflow import watch
from kododo_env.testing.games.subject import Subject, as_rules
from kododo_env.testing.report import Fault

MOST_STEPS = 250  # per game, since some rules make games very long
EXAMPLES = 10
MANY_DECKS = 100
SHUFFLED = "shuffled and played at random"
FIRST = "sorted and played with the first legal action"
LAST = "sorted downwards and played with the last legal action"


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
