"""Golden transcripts: whole games of every environment module, step by step.

A transcript contains the deck, all actions, and the results. The same deck and actions must give
the same results, which detects unintended changes. After an intended change of the rules, the
observation or the rewards, raise the version of the game (see Versions in CONTRIBUTING.md), and
write the transcripts again: ``python tests/games/test_transcripts.py --write``.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from kododo_env import registry
from kododo_env.core import BatchGame
from tests.game_tables import GAMES
from tests.helpers import random_actions

FOLDER = Path(__file__).with_name("transcripts")
SEED = 5211


def checksum(array: npt.NDArray[Any]) -> int:
    """Return a digest of an array's numbers, independent of dtype and byte order."""
    return zlib.crc32(np.ascontiguousarray(array, dtype="<i8").tobytes())


def position(game: BatchGame) -> dict[str, Any]:
    """Return everything that a batch of one shows after a step, or before the first."""
    return {
        "observation": checksum(game.observe()[0]),
        "mask": checksum(game.legal_action_mask()[0]),
        "rewards": [float(reward) for reward in game.rewards[0]],
        "scores": [int(score) for score in game.scores[0]],
        "terminated": bool(game.terminated[0]),
    }


def deal(name: str, players: int, deck: list[int]) -> BatchGame:
    game = registry.batch_game(name, 1, seed=0, num_players=players)
    game.reset(decks=np.array([deck]))
    return game


def replayed(name: str, players: int, deck: list[int], actions: list[list[int]]) -> dict[str, Any]:
    """Return the transcript of a game with this deck and these actions."""
    game = deal(name, players, deck)
    steps = [position(game)]
    for choice in actions:
        game.step([choice])
        steps.append(position(game))
    outcome = [round(share, 9) for share in game.outcome()[0].tolist()]
    return {"deck": deck, "actions": actions, "steps": steps, "outcome": outcome}


def played(name: str, players: int) -> dict[str, Any]:
    """Return the transcript of a new game with random choices."""
    rng = np.random.default_rng([SEED, players])
    maker = registry.batch_game(name, 1, seed=0, num_players=players)
    deck = maker.sample_decks(1, rng)[0].tolist()
    game = deal(name, players, deck)
    actions = []
    while not game.terminated.all():
        actions.append(random_actions(game, rng)[0].tolist())
        game.step([actions[-1]])
    return replayed(name, players, deck, actions)


def path_of(name: str) -> Path:
    return FOLDER / f"{name}.json"


def read(name: str) -> dict[str, Any]:
    path = path_of(name)
    assert path.exists(), f"{name} has no transcript: run python {__file__} --write"
    transcript: dict[str, Any] = json.loads(path.read_text())
    return transcript


@pytest.mark.parametrize("name", GAMES)
def test_a_transcript_is_of_this_version_and_of_every_number_of_players(name: str) -> None:
    transcript = read(name)
    module = registry.environment_module(name)
    assert transcript["version"] == module.batch_game(1).version, (
        "the game has a new version: run python {__file__} --write"
    )
    assert set(transcript["games"]) == {str(players) for players in module.PLAYERS}


@pytest.mark.parametrize("name", GAMES)
def test_games_go_as_they_are_written_down(name: str) -> None:
    for players, transcript in read(name)["games"].items():
        replay = replayed(name, int(players), transcript["deck"], transcript["actions"])
        for step, (new, old) in enumerate(zip(replay["steps"], transcript["steps"], strict=True)):
            assert new == old, f"{players} players, after {step} steps"
        assert replay["outcome"] == transcript["outcome"], f"{players} players"
        assert replay["steps"][-1]["terminated"]


def write(name: str) -> None:
    """Play a game and return its transcript, one line per step."""
    module = registry.environment_module(name)
    games = {str(players): played(name, players) for players in module.PLAYERS}
    text = json.dumps({"version": module.batch_game(1).version, "games": games})
    for start in ('{"observation"', '"deck"', '"actions"', '"steps"', '"outcome"'):
        text = text.replace(start, "\n" + start)
    path_of(name).write_text(text.replace(", \n", ",\n") + "\n")


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: python tests/games/test_transcripts.py --write")
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        write(name)
        print(f"wrote {path_of(name)}")
