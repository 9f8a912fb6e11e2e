"""Run all checks of a batch game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Any

from kododo_env.checks.bounds import MOST_STEPS
from kododo_env.checks.numbers import whole_number
from kododo_env.testing.games.batches import batches
from kododo_env.testing.games.bounds import bounds
from kododo_env.testing.games.copies import copies
from kododo_env.testing.games.determinism import decks, same_seed_same_game
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
        make: A function ``make(num_envs, seed=..., **rules)`` that returns a new batch, like
            ``batch_game`` of an environment module.
        rules: The rules of the game, a mapping or a dataclass; None for the default rules.
        any_rules: Further sets of rules for the check ``"bounds"``: a list of mappings or frozen
            dataclasses, or a hypothesis strategy for either.
        reseat: A function ``reseat(game, decks, order)`` that returns decks in which seat s gets
            the cards that seat ``order[s]`` gets with ``decks``; ``order`` is a rotation of the
            seats. The game is then checked to be the same from each seat. Without it, the seats are
            checked to win equally often among random players.
        fair_seats: Whether all seats are equally good; False disables the second of these checks.
        places: The number of steps in a game at which the expensive checks run.
        seed: The seed of all random numbers of the checks.
        only: The names of the checks to run; empty for all.
        skip: The names of checks to skip.

    Returns:
        A report of all checks, which can be printed.

    Raises:
        CheckFailed: A check found a fault. This is an AssertionError whose message is the report.
        ValueError: The name of a check is unknown, ``places`` is below 1, or ``any_rules`` is a
            single set of rules instead of a list.
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
