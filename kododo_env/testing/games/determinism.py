"""The check that the same seed and actions give exactly the same game."""

from __future__ import annotations

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.differences import check_same, check_same_members, difference
from kododo_env.testing.games.subject import Subject, look_at_everything, play, stir, turns
from kododo_env.testing.report import Fault

GAMES = 3


def same_seed_same_game(subject: Subject) -> str:
    """Compare two batches with the same seed and actions, of which only one is observed."""
    first = subject.game(GAMES)
    second = subject.game(GAMES)
    stops = subject.stops(GAMES)
    steps = 0
    _agree(first, second, "after the deal")
    for actions in turns(first, subject.rng()):
        if steps in stops:
            look_at_everything(first, subject.rng(1))
            _agree(first, second, f"after step {steps}, when only one has been observed,")
        stir(steps)
        first.step(actions)
        stir(steps + 1)
        second.step(actions)
        steps += 1
        _agree(first, second, f"after step {steps}")
    for game in (first, second):
        stir(steps)
        if not game.restart_finished().all():
            raise Fault("restart_finished does not deal new games when all are over")
        steps += 1
    _agree(first, second, "after restart_finished")
    for game in (first, second):
        play(game, subject.rng(2), 3)
    _agree(first, second, "three steps after restart_finished")
    _seeds_count(subject)
    return f"two runs of {steps - 2} steps each, one observed {len(stops)} times"


def _agree(first: BatchGame, second: BatchGame, when: str) -> None:
    names = ("state", "legal_action_mask", "observe", "rewards", "outcome")
    prefix = f"{when} two batches of the same seed and choices differ:"
    check_same_members(first, second, names, prefix)


def _seeds_count(subject: Subject) -> None:
    fresh = subject.game(GAMES)
    reseeded = subject.game(GAMES, subject.seed + 1)
    if not difference(_dealt(fresh), _dealt(reseeded), "state"):
        raise Fault("two seeds deal the same cards")
    play(reseeded, subject.rng(), 3)
    reseeded.reset(seed=subject.seed)
    prefix = "reset(seed) in the middle of a game differs from a new batch of that seed:"
    check_same(reseeded.state(), fresh.state(), "state()", prefix)
    reseeded.reset()
    if not difference(_dealt(fresh), _dealt(reseeded), "state"):
        raise Fault("reset() without a seed deals the same cards again")


def _dealt(game: BatchGame) -> dict[str, object]:
    """Return the state without the generator."""
    return {name: entry for name, entry in game.state().items() if name != "rng"}
