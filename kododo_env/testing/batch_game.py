"""Run all checks of a batch game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from kododo_env.core.bounds import MOST_STEPS
from kododo_env.core.numbers import whole_number
from kododo_env.testing.games.batches import batches
from kododo_env.testing.games.bounds import bounds
from kododo_env.testing.games.copies import copies
from kododo_env.testing.games.decks import decks
from kododo_env.testing.games.determinism import same_seed_same_game
from kododo_env.testing.games.masks import masks
from kododo_env.testing.games.observations import observations
from kododo_env.testing.games.scores import scores
from kododo_env.testing.games.seats import seats
from kododo_env.testing.games.states import states
from kododo_env.testing.games.subject import Make, Reseat, Subject, as_rules
from kododo_env.testing.report import Report, run_checks
from kododo_env.testing.secrets.distribution import determinised_evenly
from kododo_env.testing.secrets.hidden_cards import hidden_cards
from kododo_env.testing.secrets.views import views


def check_batch_game(
    make: Make,
    *,
    rules: object = None,
    any_rules: Any = (),
    reseat: Reseat | None = None,
    fair_seats: bool = True,
    places: int = 10,
    seed: int = 0,
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Report:
    """Check a batch game by random play.

    Args:
        make: ``make(num_envs, seed=..., **rules)`` returns a new batch, like ``batch_game`` of an
            environment module.
        rules: The rules to check under, a mapping or a dataclass; None for the defaults.
        any_rules: More rules for the check of bounds: mappings or frozen dataclasses, or a
            strategy of hypothesis for either.
        reseat: ``reseat(game, decks, order)`` returns decks that deal to seat s what ``decks``
            dealt to seat ``order[s]``; ``order`` is a rotation. Without it, all seats are
            expected to win equally often among random players.
        fair_seats: False if some seats are better than others.
        places: The number of places in a game where the expensive checks run.
        seed: The seed of all random numbers of the checks.
        only: Names of the checks to run; empty for all.
        skip: Names of checks to skip.

    Returns:
        A report of all checks, to be printed.

    Raises:
        CheckFailed: A check found a fault. An AssertionError whose message is the report.
        ValueError: A name of a check is unknown, ``places`` is below 1, or ``any_rules`` is a
            single set of rules.
    """
    whole_number(places, "places", 1, MOST_STEPS)
    if isinstance(any_rules, Mapping):
        raise ValueError(f"any_rules must be a list or a hypothesis strategy, got {any_rules!r}")
    subject = Subject(make, as_rules(rules or {}), seed, places)
    game = subject.game(1)
    checks = {
        "determinism": partial(same_seed_same_game, subject),
        "decks": partial(decks, subject),
        "observations": partial(observations, subject),
        "masks": partial(masks, subject),
        "scores": partial(scores, subject),
        "batches": partial(batches, subject),
        "seats": partial(seats, subject, reseat, fair_seats),
        "copies": partial(copies, subject),
        "states": partial(states, subject),
        "views": partial(views, subject),
        "hidden cards": partial(hidden_cards, subject),
        "determinize": partial(determinised_evenly, subject),
        "bounds": partial(bounds, subject, any_rules),
    }
    return run_checks(f"{game.name}, {game.num_players} players", checks, only, skip)
