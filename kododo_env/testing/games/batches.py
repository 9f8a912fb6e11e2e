"""A batch is the same games played one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.capabilities import PassesSteps
from kododo_env.testing.everything import check_same
from kododo_env.testing.games.playing import Subject, turns
from kododo_env.testing.report import Fault

GAMES = 5
NOT_COMPARED = ("_rewards", "_just", "steps_played", "rng")


def batches(subject: Subject) -> str:
    """Each game of a batch beside a batch of one with the same deck and choices.

    A game alone may pass over steps in which nobody has a choice, and be ahead for a while;
    the two are compared wherever somebody in the game decides, and at the end.
    """
    batch = subject.game(GAMES)
    decks = batch.sample_decks(GAMES, subject.rng(1))
    batch.reset(decks=decks)
    singles = [subject.game(1) for _ in range(GAMES)]
    for index, single in enumerate(singles):
        single.reset(decks=decks[index : index + 1])
    steps, compared = 0, 0
    for actions in turns(batch, subject.rng()):
        together = _together(batch, singles)
        for index in together:
            _same_game(batch, int(index), singles[index], f"after step {steps}")
        batch.step(actions)
        for index in together:
            singles[index].step(actions[index : index + 1])
        steps, compared = steps + 1, compared + len(together)
    for index, single in enumerate(singles):
        if not single.terminated.all():
            raise Fault(f"game {index} is over in the batch, but not when played alone")
        _same_game(batch, index, single, "at the end")
    return f"{GAMES} games of up to {steps} steps, compared at {compared} places"


def _together(batch: BatchGame, singles: list[BatchGame]) -> list[int]:
    """Which games are as far in the batch as alone; those that are over in both are."""
    waiting = np.asarray(~batch.deciding().any(axis=1))
    found = []
    for index, single in enumerate(singles):
        over = bool(single.terminated.all())
        ahead = over or single.deciding().any()
        if over if batch.terminated[index] else not (waiting[index] and ahead):
            found.append(index)
    return found


def _steps(game: BatchGame) -> int:
    """Steps since the deal, those that were passed over among them."""
    return game.steps_played + (game.steps_passed if isinstance(game, PassesSteps) else 0)


def _same_game(batch: BatchGame, index: int, single: BatchGame, when: str) -> None:
    """One game of a batch is as it is when played alone, the last step's rewards aside.

    Where a game is over, the batch may go on: its schedule, the numbers of the state, is then not
    the game's. Nothing that is shown of the game follows it.
    """
    row = slice(index, index + 1)
    here, alone = batch.take(np.array([index])).state(), single.state()
    names = [name for name in here if name not in NOT_COMPARED]
    if single.terminated.all():
        names = [name for name in names if isinstance(here[name], np.ndarray)]
    pairs: dict[str, Any] = {name: (here[name], alone[name]) for name in names}
    if not single.terminated.all():
        pairs["steps played and passed"] = _steps(batch), _steps(single)
    pairs["legal_action_mask()"] = batch.legal_action_mask()[row], single.legal_action_mask()
    pairs["outcome()"] = batch.outcome()[row], single.outcome()
    pairs["observe()"] = batch.observe()[row], single.observe()
    pairs["text()"] = batch.text(index), single.text()
    if single.terminated.all() and not batch.terminated[index]:
        raise Fault(f"{when} game {index} is over when played alone, but not in the batch")
    for name, (one, other) in pairs.items():
        check_same(one, other, name, f"{when} game {index} of the batch is not as it is alone:")
