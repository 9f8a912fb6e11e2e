"""The check that a batch plays the same games as batches of one game."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import StepSkipping
from kododo_env.registry import picture_of
from kododo_env.testing.differences import check_same
from kododo_env.testing.games.subject import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 5
NOT_COMPARED = ("_rewards", "_just", "steps_played", "rng")


def batches(subject: Subject) -> str:
    """Compare each game of a batch with a batch of one game with the same deck and actions.

    A batch of one game may skip steps in which no player has a choice, so it may be ahead for a
    while. The two are compared when a player of the game has a choice, and at the end.
    """
    decks = subject.game(GAMES).sample_decks(GAMES, subject.rng(1))
    batch = subject.dealt(decks)
    singles = [subject.dealt(deck[None]) for deck in decks]
    compared = 0
    for actions in turns(batch, subject.rng()):
        together = _together(batch, singles)
        for index in together:
            _same_game(batch, int(index), singles[index], f"after step {batch.steps_played}")
        batch.step(actions)
        for index in together:
            singles[index].step(actions[index : index + 1])
        compared += len(together)
    for index, single in enumerate(singles):
        if not single.terminated.all():
            raise Fault(f"game {index} is over in the batch, but not when played alone")
        _same_game(batch, index, single, "at the end")
    return f"{GAMES} games of up to {batch.steps_played} steps, compared at {compared} places"


def _together(batch: BatchGame, singles: list[BatchGame]) -> list[int]:
    """Return the indices of games that have reached the same position in the batch and alone."""
    waiting = np.asarray(~batch.deciding().any(axis=1))
    indices = []
    for index, single in enumerate(singles):
        over = bool(single.terminated.all())
        ahead = over or single.deciding().any()
        if over if batch.terminated[index] else not (waiting[index] and ahead):
            indices.append(index)
    return indices


def _steps(game: BatchGame) -> int:
    """Return the number of steps since the deal, including skipped ones."""
    return game.steps_played + (game.steps_passed if isinstance(game, StepSkipping) else 0)


def _same_game(batch: BatchGame, index: int, single: BatchGame, when: str) -> None:
    """Check that a game of a batch equals the game played alone, except for the last rewards.

    When the game is over, the batch may continue, so plain numbers of the state may differ.
    """
    row = slice(index, index + 1)
    batched = batch.take(np.array([index])).state()
    alone = single.state()
    names = [name for name in batched if name not in NOT_COMPARED]
    if single.terminated.all():
        names = [name for name in names if isinstance(batched[name], np.ndarray)]
    pairs: dict[str, Any] = {name: (batched[name], alone[name]) for name in names}
    if not single.terminated.all():
        pairs["steps played and passed"] = _steps(batch), _steps(single)
    pairs["legal_action_mask()"] = batch.legal_action_mask()[row], single.legal_action_mask()
    pairs["outcome()"] = batch.outcome()[row], single.outcome()
    pairs["observe()"] = batch.observe()[row], single.observe()
    pairs["text()"] = picture_of(batch).text(index), picture_of(single).text()
    if single.terminated.all() and not batch.terminated[index]:
        raise Fault(f"{when} game {index} is over when played alone, but not in the batch")
    for name, (actual, expected) in pairs.items():
        prefix = f"{when} game {index} of the batch differs from the game played alone:"
        check_same(actual, expected, name, prefix)
