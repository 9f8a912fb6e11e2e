"""The log of a tournament: what is read back, and what is rejected."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kododo_env.arena.chunk_log import ChunkLog
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from tests.arena.players import tournament


def logged(path: Path, results: list[ChunkResult], played: Tournament) -> None:
    with ChunkLog(path, {"seed": played.seed}, played.chunks(), resume=False) as log:
        for result in results:
            log.append(result)


def test_a_log_gives_back_what_was_written_but_for_half_a_line(tmp_path: Path) -> None:
    played = tournament()
    path = tmp_path / "log"
    results = list(run(played, played.chunks()[:3]))
    logged(path, results, played)
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with ChunkLog(path, {"seed": 0}, played.chunks(), resume=True) as log:
        assert sorted(log.results) == [0, 1]
        np.testing.assert_array_equal(log.results[1].shares, results[1].shares)
        log.append(results[2])
    assert path.read_bytes() == whole


def test_nothing_is_left_of_a_tournament_that_has_no_result(tmp_path: Path) -> None:
    logged(tmp_path / "log", [], tournament())
    assert [*tmp_path.iterdir()] == []


def test_a_result_with_another_digit_is_no_result(tmp_path: Path) -> None:
    """Such a line, and a line of another tournament, was once accepted and changed the table."""
    played = tournament()
    second_tournament = tournament(seed=1)
    path = tmp_path / "log"
    logged(path, list(run(played, played.chunks()[:2])), played)
    logged(
        tmp_path / "other",
        list(run(second_tournament, second_tournament.chunks()[:1])),
        second_tournament,
    )
    heading, first, second = path.read_bytes().splitlines(keepends=True)
    foreign = (tmp_path / "other").read_bytes().splitlines(keepends=True)[1]
    digit = first.index(b"[[") + 2
    for wrong in (first[:digit] + b"7" + first[digit + 1 :], foreign, b"[" * 100_000 + b"\n"):
        path.write_bytes(heading + wrong + second)
        with pytest.raises(ValueError, match=r"line 2 of .*log is damaged"):
            ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
        assert path.read_bytes() == heading + wrong + second


def test_a_log_of_something_else_is_refused(tmp_path: Path) -> None:
    played = tournament()
    path = tmp_path / "log"
    logged(path, list(run(played, played.chunks()[:2])), played)
    with pytest.raises(ValueError, match="another tournament: seed must be 1, got 0"):
        ChunkLog(path, {"seed": 1}, played.chunks(), resume=True)
    with pytest.raises(ValueError, match=r"2 of 24 parts .* --resume"):
        ChunkLog(path, {"seed": 0}, played.chunks(), resume=False)
    shorter = tournament(games=2400).chunks()
    with pytest.raises(ValueError, match=r"line 2 of .* is damaged"):
        ChunkLog(path, {"seed": 0}, shorter, resume=True)
    path.write_bytes(path.read_bytes().replace(b'"chunk": 1', b'"chunk": 0'))
    with pytest.raises(ValueError, match=r"line 3 of .* is damaged"):
        ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
    for text in ("not\na log\n", "not a log\n", "not a log", '{"my": "notes"}\n', '{"my"'):
        path.write_text(text)
        with pytest.raises(ValueError, match=r"log of .*tournament"):
            ChunkLog(path, {"seed": 0}, played.chunks(), resume=True)
        assert path.read_text() == text


@pytest.mark.parametrize("length", [0, 5, None])
def test_a_heading_without_results_or_half_of_it_is_begun_again(
    length: int | None, tmp_path: Path
) -> None:
    played = tournament()
    path = tmp_path / "log"
    results = list(run(played, played.chunks()[:1]))
    logged(path, results, played)
    whole = path.read_bytes()
    path.write_bytes(whole.splitlines(keepends=True)[0][:length])
    logged(path, results, played)
    assert path.read_bytes() == whole
