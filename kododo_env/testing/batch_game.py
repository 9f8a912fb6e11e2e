"""All checks of a batch game in one call."""

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
from kododo_env.testing.games.masks import masks
from kododo_env.testing.games.observations import observations
from kododo_env.testing.games.playing import Make, Reseat, Subject, as_rules
from kododo_env.testing.games.repeating import same_seed_same_game
from kododo_env.testing.games.scores import scores
from kododo_env.testing.games.seats import seats
from kododo_env.testing.games.states import states
from kododo_env.testing.report import Report, run_checks
from kododo_env.testing.secrets.hidden import hidden_cards
from kododo_env.testing.secrets.uniform import determinised_evenly
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
    """Check all that a batch game promises, by playing it at random.

    Args:
        make: ``make(num_envs, seed=..., **rules)`` is a new batch, as a door's ``batch_game``.
        rules: The rules under which to check, a mapping or a dataclass; None for the defaults.
        any_rules: Other rules for the check of the bounds: mappings or frozen dataclasses, or
            a strategy of hypothesis for either.
        reseat: ``reseat(game, decks, order)`` are decks that deal to seat s what ``decks``
            dealt to seat ``order[s]``, a rotation. Without it seats are compared by how often
            they win among random players.
        fair_seats: Whether that may be expected; False where it is better to go first.
        places: At how many places of a game the expensive checks stop and look.
        seed: From which all randomness of the checks follows.
        only: Names of the checks to do; empty for all.
        skip: Names of checks to leave out.

    Returns:
        A report of all that was tried; print it.

    Raises:
        CheckFailed: Something is wrong, an AssertionError; the message is the report.
        ValueError: There is no check of such a name, ``places`` is below 1, or ``any_rules`` is
            one set of rules.
    """
    whole_number(places, "places", 1, MOST_STEPS)
    if isinstance(any_rules, Mapping):
        raise ValueError("any_rules must be a list of rules, or a strategy of hypothesis")
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
