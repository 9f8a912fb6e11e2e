"""The check that decks determine the cards of a game, and that invalid decks are rejected."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from kododo_env.arrays.dtypes import Uint8
from kododo_env.testing.differences import check_same, difference
from kododo_env.testing.games.subject import Subject, rejection, turns
from kododo_env.testing.report import Fault

GAMES = 3


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
