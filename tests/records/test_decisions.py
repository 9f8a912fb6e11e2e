"""Decisions for offline learning: what is recorded, and what is read back."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.core import BatchGame
from kododo_env.records import decision_file
from kododo_env.records.decision_file import KEY, DecisionFile, read_decisions
from kododo_env.records.decisions import DecisionLog, Decisions
from kododo_env.records.recorder import Recorder
from tests.game_tables import EXTREMES, GAMES
from tests.helpers import random_actions

COLUMNS = ("observation", "mask", "action", "reward", "outcome", "seat", "step", "game")


def logged(game: BatchGame, seed: int = 0) -> Decisions:
    """Return all decisions of a batch that is played at random to its end."""
    rng = np.random.default_rng(seed)
    log = DecisionLog(game)
    while not game.terminated.all():
        actions = random_actions(game, rng)
        game.step(actions)
        log.step(actions)
    return log.end()


def plainly(game: BatchGame, seed: int = 0) -> list[dict[str, Any]]:
    """Return the same decisions, collected one at a time."""
    rng = np.random.default_rng(seed)
    rows = []
    step = 0
    latest: dict[tuple[int, int], dict[str, Any]] = {}
    while not game.terminated.all():
        actions = random_actions(game, rng)
        observations = game.observe()
        mask = game.legal_action_mask()
        for index in range(game.num_envs):
            for seat in range(game.num_players):
                if mask[index, seat].sum() > 1:
                    latest[index, seat] = {
                        "observation": observations[index, seat], "mask": mask[index, seat].copy(),
                        "action": actions[index, seat], "reward": 0.0, "seat": seat,
                        "step": step, "game": index,
                    }  # fmt: skip
                    rows.append(latest[index, seat])
        game.step(actions)
        for (index, seat), row in latest.items():
            row["reward"] += game.rewards[index, seat]
        step += 1
    for row in rows:
        row["outcome"] = game.outcome()[row["game"], row["seat"]]
    return sorted(rows, key=lambda row: (row["game"], row["seat"], row["step"]))


@pytest.mark.parametrize(
    ("name", "rules"),
    [
        *((name, {"num_players": players}) for name, players in EXTREMES),
        ("kododo", {"num_players": 3, "variant": "long"}),  # where games end at different times
    ],
)
def test_every_decision_is_noted(name: str, rules: dict[str, Any]) -> None:
    rows = plainly(registry.batch_game(name, 9, seed=1, **rules))
    noted = logged(registry.batch_game(name, 9, seed=1, **rules))
    assert len(rows) == len(noted.game)
    for column in COLUMNS:
        expected = np.array([row[column] for row in rows])
        np.testing.assert_allclose(getattr(noted, column), expected, err_msg=column)


def test_a_log_that_was_not_told_of_every_step_is_refused() -> None:
    """Two deals became one game, and rows had actions that their own masks call illegal."""
    game = registry.batch_game("kododo", 2, seed=1)
    rng = np.random.default_rng(0)
    log = DecisionLog(game)
    with pytest.raises(ValueError, match="must be over"):
        log.end()
    actions = random_actions(game, rng)
    with pytest.raises(ValueError, match="every step"):
        DecisionLog(game).step(actions)  # before it is played
    game.step(actions)
    with pytest.raises(ValueError, match=r"shape \(2, 4\), not \(4,\)"):
        log.step(actions[0])
    with pytest.raises(ValueError, match="illegal action"):
        log.step(np.zeros_like(actions))
    with pytest.raises(ValueError, match="right after the deal"):
        DecisionLog(game)
    log.step(actions)
    while not game.terminated.all():
        actions = random_actions(game, rng)
        game.step(actions)
        log.step(actions)
    game.restart_finished()
    with pytest.raises(ValueError, match="must be over"):
        log.end()
    while not game.terminated.all():
        game.step(random_actions(game, rng))
    with pytest.raises(ValueError, match="dealt again"):
        log.end()


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda played: played - 100, "illegal action"),
        (lambda played: played + 100, "illegal action"),
        (lambda played: played + (1 << 16), "illegal action"),
        (lambda played: 0 * played - 1, "illegal action"),
        (lambda played: played + 0.5, "actions must be integers"),
        (lambda played: [[1], [2, 3]], "actions must be an array of integers"),
    ],
)
def test_what_is_no_action_is_refused_at_once(wrong: Callable[[Any], Any], message: str) -> None:
    """Negative actions once counted from the end, and fractions were truncated."""
    game = registry.batch_game("kododo", 2, seed=1)
    log = DecisionLog(game)
    recorder = Recorder(game, 1)
    played = random_actions(game, np.random.default_rng(0))
    game.step(played)
    with pytest.raises(ValueError, match=message):
        log.step(wrong(played))
    with pytest.raises(ValueError, match=message):
        recorder.step(wrong(played[1]) if "array" not in message else wrong(played))
    with pytest.raises(ValueError, match=r"must have shape .* not \(1, 2, 4\)"):
        recorder.step(played)
    log.step(played)
    recorder.step(played[1])
    assert len([*recorder.lines()]) == 2


def test_dtypes_are_those_that_are_promised() -> None:
    noted = logged(registry.batch_game("combi_combo", 2, seed=1))
    kinds = [getattr(noted, column).dtype.name for column in COLUMNS]
    assert kinds == [
        "uint8", "bool", "int16", "float32", "float32", "uint8", "int32", "int64",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "rules", "dtype"),
    [
        *((name, {}, np.uint8) for name in GAMES),
        ("kododo", {"variant": "long", "target_score": 900}, np.uint16),
    ],
)
def test_a_file_gives_back_what_was_written(
    name: str, rules: dict[str, Any], dtype: type, tmp_path: Path
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "d.parquet"
    game = registry.batch_game(name, 4, seed=1, **rules)
    agents = ["é", "z", *["a"] * (game.num_players - 2)]
    with DecisionFile(path, game) as file:
        first = logged(game)
        file.write(first, agents)
        game.reset(seed=2)
        second = logged(game)
        file.write(second, agents[::-1])
    read = read_decisions(path)
    assert read["observation"].dtype == dtype
    assert (read["observation"].max() > 255) == (dtype == np.uint16)
    assert list(read) == [*COLUMNS, "agent"]
    for column in COLUMNS:
        second_rows = getattr(second, column)
        if column == "game":
            second_rows = second_rows + 4
        rows = np.concatenate([getattr(first, column), second_rows])
        assert read[column].dtype == rows.dtype
        np.testing.assert_array_equal(read[column], rows)
    names = np.array([np.array(agents)[first.seat], np.array(agents[::-1])[second.seat]], object)
    assert read["agent"].tolist() == [*names[0], *names[1]]
    facts = json.loads(parquet.read_schema(path).metadata[KEY])
    assert (facts["format_version"], facts["game"], facts["game_version"]) == (1, name, 0)
    sizes = [int(np.prod(piece["shape"])) for piece in facts["observation"]]
    assert sum(sizes) == game.layout.size
    assert len(facts["actions"]) == game.num_actions


def test_a_file_takes_decisions_of_its_own_game_and_seats(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    game = registry.batch_game("kododo", 1)
    kado = registry.batch_game("kado", 1)
    with DecisionFile(tmp_path / "d.parquet", game) as file:
        noted = logged(game)
        with pytest.raises(ValueError, match="4 names"):
            file.write(noted, ["a", "b", "c"])
        with pytest.raises(ValueError, match="decisions of kododo"):
            file.write(logged(kado), ["a"] * 4)
    with pytest.raises(ValueError, match="closed"):
        file.write(noted, ["a"] * 4)


def test_an_error_leaves_no_half_of_a_file(tmp_path: Path) -> None:
    """It was once read as a complete file."""
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    game = registry.batch_game("kododo", 1)
    noted = logged(game)

    def write() -> None:
        with DecisionFile(tmp_path / "d.parquet", game) as file:
            file.write(noted, ["a"] * 4)
            raise KeyError

    with pytest.raises(KeyError):
        write()
    assert list(tmp_path.iterdir()) == []


def test_a_file_without_decisions_is_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    path = tmp_path / "d.parquet"
    game = registry.batch_game(GAMES[0], 1)
    with DecisionFile(path, game):
        pass
    read = read_decisions(path)
    assert read["observation"].shape == (0, game.layout.size)
    assert read["mask"].shape == (0, game.num_actions)


def test_other_files_are_refused(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    from pyarrow import parquet

    (tmp_path / "text.parquet").write_text("no Parquet")
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "other.parquet")
    metadata = {KEY: b'{"format": "kododo-env decisions", "format_version": 2}'}
    parquet.write_table(pa.table({"a": [1]}, metadata=metadata), tmp_path / "newer.parquet")
    whole = tmp_path / "whole.parquet"
    with DecisionFile(whole, game := registry.batch_game(GAMES[0], 4, seed=1)) as file:
        file.write(logged(game), ["a"] * game.num_players)
    parquet.write_table(parquet.read_table(whole).drop(["mask"]), tmp_path / "maskless.parquet")
    damaged = bytearray(whole.read_bytes())
    damaged[100:400] = bytes(300)
    (tmp_path / "damaged.parquet").write_bytes(damaged)
    for name in ("text", "other", "newer", "maskless", "damaged"):
        with pytest.raises(ValueError, match=rf"{name}\.parquet is not a file of decisions"):
            read_decisions(tmp_path / f"{name}.parquet")
    with pytest.raises(FileNotFoundError):
        read_decisions(tmp_path / "none.parquet")


def test_a_file_that_might_never_end_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="regular file"):
        read_decisions(tmp_path / "pipe")


def test_without_pyarrow_a_line_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("kododo_env.system.extras.find_spec", lambda name: None)
    game = registry.batch_game("kododo", 1, seed=1)
    for call in (
        lambda: DecisionFile(tmp_path / "d.parquet", game),
        lambda: read_decisions(tmp_path / "d.parquet"),
        decision_file.needs_parquet,
    ):
        with pytest.raises(ImportError, match=r"pip install 'kododo-env\[offline\]'"):
            call()
    assert list(tmp_path.iterdir()) == []
