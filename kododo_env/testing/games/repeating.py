"""The same seed and the same choices give the same game, to the bit, whatever else happens."""

from __future__ import annotations

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same, check_same_told, difference
from kododo_env.testing.games.playing import Subject, look_at_everything, stir, turns
from kododo_env.testing.report import Fault

GAMES = 3


def same_seed_same_game(subject: Subject) -> str:
    """Whole games of twins, of which one is looked at all the time and the other never."""
    one, other = subject.game(GAMES), subject.game(GAMES)
    stops, steps = subject.stops(GAMES), 0
    _agree(one, other, "after the deal")
    for actions in turns(one, subject.rng()):
        if steps in stops:
            look_at_everything(one, subject.rng(1))
            _agree(one, other, f"after step {steps}, when one has only been looked at,")
        stir(steps)
        one.step(actions)
        stir(steps + 1)
        other.step(actions)
        steps += 1
        _agree(one, other, f"after step {steps}")
    for each in (one, other):
        stir(steps)
        if not each.restart_finished().all():
            raise Fault("restart_finished did not deal again when all games were over")
        steps += 1
    _agree(one, other, "dealt again by restart_finished")
    for actions, _ in zip(turns(one, subject.rng(2)), range(3), strict=False):
        one.step(actions)
        other.step(actions)
    _agree(one, other, "three steps into the game that restart_finished dealt")
    _seeds_count(subject)
    return f"two runs of {steps - 2} steps each, one looked at {len(stops)} times"


def _agree(one: BatchGame, other: BatchGame, when: str) -> None:
    names = ("state", "legal_action_mask", "observe", "rewards", "outcome")
    wrong = f"{when} two batches of the same seed and choices differ:"
    check_same_told(one, other, names, wrong)


def _seeds_count(subject: Subject) -> None:
    fresh, third = subject.game(GAMES), subject.game(GAMES, subject.seed + 1)
    if not difference(_dealt(fresh), _dealt(third), "state"):
        raise Fault("two seeds deal the same cards")
    for actions, _ in zip(turns(third, subject.rng()), range(3), strict=False):
        third.step(actions)
    third.reset(seed=subject.seed)
    wrong = "reset(seed) in the middle of a game is not a new batch of that seed:"
    check_same(third.state(), fresh.state(), "state()", wrong)
    third.reset()
    if not difference(_dealt(fresh), _dealt(third), "state"):
        raise Fault("reset() without a seed deals the same cards again")


def _dealt(game: BatchGame) -> dict[str, object]:
    """The state without the generator."""
    return {name: value for name, value in game.state().items() if name != "rng"}
