"""The checks that a seed, or decks, and actions determine a game."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from kododo_env.arrays.dtypes import Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.differences import check_same, check_same_members, difference
from kododo_env.testing.games.subject import (
    Subject,
    look_at_everything,
    play,
    rejection,
    stir,
    turns,
)
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
        game.restart_finished()
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


def decks(subject: Subject) -> str:
    """Compare two batches with different seeds, the same decks and the same actions."""
    first = subject.game(GAMES)
    second = subject.game(GAMES, subject.seed + 1)
    before = first.state()["rng"]
    sampled = first.sample_decks(GAMES, subject.rng(1))
    if difference(first.state()["rng"], before, "rng"):
        raise Fault("sample_decks uses the generator of the batch")
    if len(sampled) != GAMES or sampled.shape[-1] != len(first.cards):
        raise Fault(
            f"sample_decks({GAMES}) gives {sampled.shape} for decks of {len(first.cards)} cards"
        )
    for game in (first, second):
        game.reset(decks=sampled)
    for actions in turns(first, subject.rng()):
        prefix = f"after step {first.steps_played} two batches of the same decks differ:"
        check_same(first.observe(), second.observe(), "observe()", prefix)
        first.step(actions)
        second.step(actions)
    if difference(first.scores, second.scores, "scores"):
        raise Fault("two batches of the same decks and choices end with different scores")
    invalid = dict(_invalid_decks(sampled))
    for label, wrong in invalid.items():
        before = first.state()
        rejection(partial(first.reset, seed=99, decks=wrong), f"reset with decks {label}")
        prefix = f"reset rejects decks {label} but changes the game:"
        check_same(first.state(), before, "state()", prefix)
    return f"{GAMES} decks for {first.steps_played} steps; {len(invalid)} invalid decks"


def _invalid_decks(decks: Uint8) -> Iterator[tuple[str, Any]]:
    foreign = decks.copy()
    foreign[1, ..., 0] = decks.max() + 1
    repeated = decks.copy()
    cards = decks[1].ravel()
    different = int((cards != cards[0]).argmax())
    repeated[1].reshape(-1)[0] = cards[different]
    yield "for too few games", decks[:-1]
    yield "of too few cards", decks[..., 1:]
    yield "of one game only, without its axis", decks[0]
    yield "of floats", decks.astype(float)
    yield "of bools", decks.astype(bool)
    yield "of strings", decks.astype(str)
    yield "with a card that the game lacks", foreign
    yield "with a card too often", repeated
