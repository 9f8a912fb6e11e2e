"""PettingZoo's environments write the records of their episodes on request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import make_agent, registry
from kododo_env.core import View
from kododo_env.records import read_record, replay
from kododo_env.table.table import Table
from tests.game_tables import GAMES
from tests.wrappers.interfaces import AEC, Parallel, play


@pytest.mark.parametrize("kind", [Parallel, AEC])
@pytest.mark.parametrize("opponents", [None, [None, "heuristic", None, "random"]])
@pytest.mark.parametrize("game", GAMES)
def test_each_episode_is_a_record(game: str, opponents: Any, kind: Any, tmp_path: Path) -> None:
    """With what is played for illegal actions, and by opponents."""
    folder = tmp_path / "new" / "records"
    table = kind(game, opponents=opponents, illegal_action="random", record=folder)
    rng = np.random.default_rng(0)
    finals = []
    for seed in (5, None, None):
        play(table, rng, seed)
        finals.append(table.game.scores[0].tolist())
    files = sorted(folder.iterdir())
    assert [file.name[:15] for file in files] == [f"episode-{k:06}-" for k in (1, 2, 3)]
    for file, scores in zip(files, finals, strict=True):
        record = read_record(file)
        *_, last = replay(record)
        assert last.scores[0].tolist() == scores
        names = [name or f"player_{seat}" for seat, name in enumerate(opponents or [None] * 4)]
        assert record.players == names


def test_a_record_names_the_opponents_that_played_it(tmp_path: Path) -> None:
    table = Parallel("kado", 3, opponents=["first", None, None], record=tmp_path)
    table.reset(1)
    with pytest.raises(ValueError, match=r"opponents.*recorded"):
        table.env.opponents = "last"
    while table.env.agents:
        table.step(table.game.legal_action_mask()[0, 1:].argmax(axis=1))
    table.env.opponents = "last"
    table.reset(2)
    while table.env.agents:
        table.step(table.game.legal_action_mask()[0, 1:].argmax(axis=1))
    names = [read_record(file).players for file in sorted(tmp_path.iterdir())]
    assert names == [[name, "player_1", "player_2"] for name in ("first", "last")]


def test_an_episode_that_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    table = Parallel("kododo", record=tmp_path)
    table.reset(1)
    table.step([5] * 4)
    with pytest.raises(ValueError, match=r"0 to 14.* 99"):
        table.step([99] * 4)
    assert list(tmp_path.iterdir()) == []
    table.reset(2)
    while not table.game.terminated[0]:
        table.step(table.game.legal_action_mask()[0].argmax(axis=1))
    (file,) = tmp_path.iterdir()
    *_, last = replay(read_record(file))
    assert last.scores[0].tolist() == table.game.scores[0].tolist()


def test_a_long_name_is_cut_as_in_the_record_of_a_tournament(tmp_path: Path) -> None:
    """A bot is called by its path; its game could not begin."""
    agent = make_agent("first", "kododo")
    agent.name = "a\n" + "b" * 300
    table = Parallel(
        "kododo", opponents=[agent, None, None, None], record=tmp_path, illegal_action="random"
    )
    play(table, np.random.default_rng(0), 1)
    (file,) = tmp_path.iterdir()
    assert read_record(file).players[0] == "a?" + "b" * 198


def test_an_agent_that_is_empty_is_an_agent(tmp_path: Path) -> None:
    """One with a length of 0 was taken for nobody, in records and at tables."""

    class Remembers:
        name = "remembers"

        def __len__(self) -> int:
            return 0

        def act(self, view: View, rng: np.random.Generator) -> Any:
            return view.legal_action_mask.argmax(axis=1)

    table = Parallel(
        "kododo", opponents=[Remembers(), None, None, None], record=tmp_path,
        illegal_action="random",
    )  # fmt: skip
    play(table, np.random.default_rng(0), 1)
    (file,) = tmp_path.iterdir()
    assert read_record(file).players == ["remembers", "player_1", "player_2", "player_3"]
    game = registry.batch_game("kododo", 1)
    seated = Table(game, [None, *[Remembers()] * 3], seed=0, pictures=False)
    players = seated.talk(0, {"type": "look"})[0][0]["players"]
    assert [player["name"] for player in players] == ["person", *["remembers"] * 3]


def test_without_it_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    play(Parallel("kododo", illegal_action="random"), np.random.default_rng(0), 1)
    assert list(tmp_path.iterdir()) == []


def test_an_episode_that_is_truncated_has_no_record(tmp_path: Path) -> None:
    """Its game has no end."""
    table = Parallel("kododo", record=tmp_path, illegal_action="random", max_cycles=2)
    play(table, np.random.default_rng(0), 1, 2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", ["a-file", "a-file/records", "a\0b", "/proc/none/records"])
def test_a_folder_that_cannot_be(folder: str, tmp_path: Path) -> None:
    (tmp_path / "a-file").touch()
    with pytest.raises(ValueError, match="cannot write"):
        registry.environment_module("kododo").parallel_env(record=tmp_path / folder)
