"""PettingZoo's environments write the records of their episodes on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.records import read_record, replay
from tests.doors import GAMES


def legal(mask: Any, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def play_parallel(env: Any, seed: int | None, rng: np.random.Generator) -> None:
    seen, _ = env.reset(seed=seed)
    while env.agents:
        seen = env.step({name: legal(each["action_mask"], rng) for name, each in seen.items()})[0]


def play_aec(env: Any, seed: int | None, rng: np.random.Generator) -> None:
    env.reset(seed=seed)
    for _ in env.agent_iter():
        seen, _, over, _, _ = env.last()
        env.step(None if over else legal(seen["action_mask"], rng))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("kind", "play"), [("parallel_env", play_parallel), ("env", play_aec)])
def test_each_episode_is_a_record(game: str, kind: str, play: Any, tmp_path: Path) -> None:
    rng, folder = np.random.default_rng(0), tmp_path / "new" / "records"
    env = getattr(registry.door(game), kind)(record=folder)
    finals = []
    for episode in range(3):
        play(env, 5 if episode == 0 else None, rng)
        finals.append(env.game.scores[0].tolist())
    files = sorted(folder.iterdir())
    assert [file.name[:15] for file in files] == [f"episode-{k:06}-" for k in (1, 2, 3)]
    for file, scores in zip(files, finals, strict=True):
        *_, last = replay(read_record(file))
        assert last.scores[0].tolist() == scores


@pytest.mark.parametrize(("kind", "play"), [("parallel_env", play_parallel), ("env", play_aec)])
def test_opponents_and_replaced_actions_are_recorded(kind: str, play: Any, tmp_path: Path) -> None:
    door = registry.door("kododo")
    others = [None, "heuristic", None, "random"]
    env = getattr(door, kind)(opponents=others, illegal_action="random", record=tmp_path)
    play(env, 1, np.random.default_rng(0))
    (file,) = tmp_path.iterdir()
    record = read_record(file)
    *_, last = replay(record)
    assert record.players == ["player_0", "heuristic", "player_2", "random"]
    assert last.scores[0].tolist() == env.game.scores[0].tolist()


def test_an_episode_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    env = registry.door("kododo").parallel_env(record=tmp_path)
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 5))
    with pytest.raises(ValueError, match="must be 0 to 14, not 99"):
        env.step(dict.fromkeys(env.agents, 99))
    assert list(tmp_path.iterdir()) == []
    play_parallel(env, 2, np.random.default_rng(0))
    (file,) = tmp_path.iterdir()
    *_, last = replay(read_record(file))
    assert last.scores[0].tolist() == env.game.scores[0].tolist()


def test_without_it_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play_parallel(registry.door("kododo").parallel_env(), 1, np.random.default_rng(0))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["a-file", "a-file/records", "a\0b", "/proc/none/records"])
def test_a_folder_that_cannot_be(folder: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(ValueError, match="cannot write"):
        registry.door("kododo").parallel_env(record=tmp_path / folder)
