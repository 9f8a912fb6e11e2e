"""Decks can be given: they decide the game, and other things are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kododo_env.core.arrays import Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same, difference
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 3


def decks(subject: Subject) -> str:
    """Two batches of different seeds play the same games with the same decks."""
    one, other = subject.game(GAMES), subject.game(GAMES, subject.seed + 1)
    before = one.state()["rng"]
    given = one.sample_decks(GAMES, subject.rng(1))
    if difference(one.state()["rng"], before, "rng"):
        raise Fault("sample_decks takes numbers from the generator of the batch")
    if len(given) != GAMES or given.shape[-1] != len(one.cards):
        raise Fault(f"sample_decks({GAMES}) are {given.shape}, for decks of {len(one.cards)} cards")
    for game in (one, other):
        game.reset(decks=given)
    steps = 0
    for actions in turns(one, subject.rng()):
        wrong = f"after step {steps} two batches of the same decks differ:"
        check_same(one.observe(), other.observe(), "observe()", wrong)
        one.step(actions)
        other.step(actions)
        steps += 1
    if difference(one.scores, other.scores, "scores"):
        raise Fault("two batches of the same decks and choices end with different scores")
    tried = 0
    for what, wrong in _no_decks(given):
        _refused(one, wrong, what)
        tried += 1
    return f"{GAMES} decks for {steps} steps; {tried} that are none"


def _no_decks(given: Uint8) -> Iterator[tuple[str, Any]]:
    foreign, twice = given.copy(), given.copy()
    foreign[1, ..., 0] = given.max() + 1
    different = int((given[1].ravel() != given[1].ravel()[0]).argmax())
    twice[1].reshape(-1)[0] = given[1].ravel()[different]
    yield "for too few games", given[:-1]
    yield "of too few cards", given[..., 1:]
    yield "of one game only, without its axis", given[0]
    yield "of floats", given.astype(float)
    yield "of truth values", given.astype(bool)
    yield "of words", given.astype(str)
    yield "with a card that the game has not", foreign
    yield "with a card too often", twice


def _refused(game: BatchGame, wrong: Any, what: str) -> None:
    before = game.state()
    try:
        game.reset(seed=99, decks=wrong)
    except ValueError as error:
        if "\n" in str(error):
            raise Fault(f"the message on decks {what} is not one line: {error}") from error
    except Exception as error:
        raise Fault(f"decks {what} are a {type(error).__name__}, not a ValueError") from error
    else:
        raise Fault(f"reset takes decks {what}")
    wrong = f"decks {what} are refused, but not without a change:"
    check_same(game.state(), before, "state()", wrong)
