"""The progress of long work, on a terminal and in a pipe."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from kododo_env.arena.match import Chunk, ChunkResult
from kododo_env.arena.progress import budget_bar, games_bar

Said = pytest.CaptureFixture[str]
RESULTS = [ChunkResult(Chunk(i, (0, 1), 5), np.zeros((5, 2)), np.zeros((5, 2))) for i in range(3)]


def test_games_are_counted_from_what_was_played_before(
    capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert list(games_bar(RESULTS, 40, 10, "test")) == RESULTS
    output = capsys.readouterr().err
    assert "test:" in output
    assert "10/40" in output
    assert "40/40" in output


def test_a_budget_is_a_bar_on_a_terminal(capsys: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with budget_bar(0.5, "learning") as show:
        show(0.25, "first", 1)
    output = capsys.readouterr()
    assert output.out == ""
    assert " 50%" in output.err
    assert " 75%" in output.err
    assert "first" in output.err


def test_in_a_pipe_a_line_is_printed_when_there_is_news(capsys: Said) -> None:
    with budget_bar() as show:
        show(0.75, "first", 1)
        show(0.5, "the same", 1)
        show(0.25, "second", 2)
        show(0.0, "none", 2)
    assert capsys.readouterr() == (" 25.0 %  first\n 75.0 %  second\n", "")
