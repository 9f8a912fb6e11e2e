"""The check that copies of a batch are exact and independent, for each way to copy."""

from __future__ import annotations

import copy
import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.copies import stored_state
from kododo_env.testing.differences import check_same, check_same_members
from kododo_env.testing.games.subject import Subject, play, turns

GAMES = 3

Copy = Callable[[BatchGame], BatchGame]


def copies(subject: Subject) -> str:
    """At each step, copy the previous copy in each way, compare it with the game, and continue."""
    game = subject.game(GAMES)
    stops = subject.stops(GAMES)
    ways = ways_to_copy(subject)
    lines = {way: game.clone() for way in ways}
    for actions in turns(game, subject.rng()):
        for way, make in ways.items():
            label = f"after step {game.steps_played} {way}"
            previous = lines[way]
            lines[way] = make(previous)
            _agree(lines[way], game, label)
            if game.steps_played in stops:
                _check_independent(previous, make, label)
        game.step(actions)
        for way, line in lines.items():
            line.step(actions)
            _agree(line, game, f"after step {game.steps_played}, played on, {way}")
    steps = game.steps_played
    game.restart_finished()
    for way, line in lines.items():
        line.restart_finished()
        _agree(line, game, f"dealt again at the end {way}")
    return f"{', '.join(ways)}, each at {steps} steps"


def ways_to_copy(subject: Subject) -> dict[str, Copy]:
    """Return functions that copy a batch, by the name of the way."""

    def loaded(game: BatchGame) -> BatchGame:
        copied = subject.game(game.num_envs, subject.seed + 1)
        play(copied, subject.rng(2), 3)
        copied.observe()
        copied.load_state(game.state())
        return copied

    def through_a_file(game: BatchGame) -> BatchGame:
        copied = subject.game(game.num_envs, subject.seed + 1)
        copied.load_state(from_file(to_file(game.state())))
        return copied

    return {
        "clone()": lambda game: game.clone(),
        "load_state()": loaded,
        "pickle": lambda game: pickle.loads(pickle.dumps(game)),
        "copy.copy()": copy.copy,
        "copy.deepcopy()": copy.deepcopy,
        "a checkpoint's file": through_a_file,
    }


def to_file(state: dict[str, Any]) -> tuple[bytes, str]:
    """Return a state in two files: the arrays as npz, the other entries as JSON."""
    arrays = {name: state[name] for name in state if isinstance(state[name], np.ndarray)}
    entries = {name: state[name] for name in state if name not in arrays}
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue(), json.dumps(entries)


def from_file(files: tuple[bytes, str]) -> dict[str, Any]:
    """Return the state that ``to_file`` has written."""
    arrays = np.load(io.BytesIO(files[0]), allow_pickle=False)
    return {**arrays, **json.loads(files[1])}


def _check_independent(game: BatchGame, make: Copy, label: str) -> None:
    """Check that changes of copies do not change the game."""
    before = copy.deepcopy(game.state())
    blank = make(game)
    apart = make(game)
    for array in stored_state(blank).arrays().values():
        if array.flags.writeable:
            array[...] = 0
    play(apart, np.random.default_rng(0), 2)
    prefix = f"{label}: changing the copy changes the game:"
    check_same(game.state(), before, "state()", prefix)


def _agree(copied: BatchGame, game: BatchGame, label: str) -> None:
    names = ("state", "legal_action_mask", "observe", "outcome")
    check_same_members(copied, game, names, f"{label} is not exact:")
