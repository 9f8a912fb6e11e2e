"""Copies are exact and go their own way, however they are made."""

from __future__ import annotations

import copy
import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.everything import check_same, check_same_told
from kododo_env.testing.games.playing import Subject, turns

GAMES = 3

Copy = Callable[[BatchGame], BatchGame]


def copies(subject: Subject) -> str:
    """At every step each kind of copy is made of the copy before, compared, and played on."""
    game, stops, steps = subject.game(GAMES), subject.stops(GAMES), 0
    ways = ways_to_copy(subject)
    lines = {way: game.clone() for way in ways}
    for actions in turns(game, subject.rng()):
        for way, make in ways.items():
            what, before = f"after step {steps} {way}", lines[way]
            lines[way] = make(before)
            _agree(lines[way], game, what)
            if steps in stops:
                _goes_its_own_way(before, make, what)
        game.step(actions)
        steps += 1
        for way, line in lines.items():
            line.step(actions)
            _agree(line, game, f"after step {steps}, played on, {way}")
    game.restart_finished()
    for way, line in lines.items():
        line.restart_finished()
        _agree(line, game, f"dealt again at the end {way}")
    return f"{', '.join(ways)}, each at {steps} steps"


def ways_to_copy(subject: Subject) -> dict[str, Copy]:
    """Ways to copy a batch, by their name."""

    def loaded(game: BatchGame) -> BatchGame:
        other = subject.game(game.num_envs, subject.seed + 1)
        for actions, _ in zip(turns(other, subject.rng(2)), range(3), strict=False):
            other.step(actions)
        other.observe()
        other.load_state(game.state())
        return other

    def through_a_file(game: BatchGame) -> BatchGame:
        other = subject.game(game.num_envs, subject.seed + 1)
        other.load_state(from_file(to_file(game.state())))
        return other

    return {
        "clone()": lambda game: game.clone(),
        "load_state()": loaded,
        "pickle": lambda game: pickle.loads(pickle.dumps(game)),
        "copy.copy()": copy.copy,
        "copy.deepcopy()": copy.deepcopy,
        "a checkpoint's file": through_a_file,
    }


def to_file(state: dict[str, Any]) -> tuple[bytes, str]:
    """A state as files keep it: the arrays as npz, all else as JSON."""
    arrays = io.BytesIO()
    held = {name: value for name, value in state.items() if isinstance(value, np.ndarray)}
    np.savez(arrays, **held)  # type: ignore[arg-type]
    rest = {name: value for name, value in state.items() if name not in held}
    return arrays.getvalue(), json.dumps(rest)


def from_file(files: tuple[bytes, str]) -> dict[str, Any]:
    """The state again."""
    arrays = np.load(io.BytesIO(files[0]), allow_pickle=False)
    return {**arrays, **json.loads(files[1])}


def _goes_its_own_way(game: BatchGame, make: Copy, what: str) -> None:
    """Things done to copies leave the game as it is."""
    kept = copy.deepcopy(game.state())
    blank, apart = make(game), make(game)
    for array in blank.stored_state.arrays().values():
        if array.flags.writeable:
            array[...] = 0
    for actions, _ in zip(turns(apart, np.random.default_rng(0)), range(2), strict=False):
        apart.step(actions)
    wrong = f"{what}: what becomes of the copy changes the game:"
    check_same(game.state(), kept, "state()", wrong)


def _agree(one: BatchGame, game: BatchGame, what: str) -> None:
    names = ("state", "legal_action_mask", "observe", "outcome")
    check_same_told(one, game, names, f"{what} is not exact:")
