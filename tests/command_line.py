"""Running the scripts in the tests' own process."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.commands.train import train
from agents.training.training_config import TrainConfig, defaults
from kododo_env.arena.duplicates import ChunkResult
from kododo_env.arena.workers import run as play_chunks
from kododo_env.commands import console
from kododo_env.commands.cli import run_cli

DEFAULTS: dict[type[Any], Callable[[Any], Any]] = {TrainConfig: defaults}


def cli(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Run evaluate.py in this process: exit status, stdout, stderr."""
    return run(capsys, EvaluateConfig, evaluate, args)


def train_py(capsys: pytest.CaptureFixture[str], args: Sequence[str]) -> tuple[int, str, str]:
    """Run train.py in this process: exit status, stdout, stderr."""
    return run(capsys, TrainConfig, train, args)


def run(
    capsys: pytest.CaptureFixture[str],
    config: type[Any],
    main: Callable[[Any], None],
    args: Sequence[str],
) -> tuple[int, str, str]:
    """Run a script's main function in this process: exit status, stdout, stderr."""
    with pytest.raises(SystemExit) as left:
        run_cli(config, main, args, DEFAULTS.get(config))
    said = capsys.readouterr()
    assert isinstance(left.value.code, int)
    return left.value.code, said.out, said.err


def kododo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str
) -> tuple[int, str, str]:
    """Run the command ``kododo`` in this process: exit status, stdout, stderr."""
    monkeypatch.setattr(sys, "argv", ["kododo", *args])
    monkeypatch.setattr(console, "end_at_once_on_stop", lambda: None)  # this process goes on
    with pytest.raises(SystemExit) as left:
        console.main()
    said = capsys.readouterr()
    return int(left.value.code or 0), said.out, said.err


def stopping_after(chunks: int) -> Callable[..., Iterator[ChunkResult]]:
    """In place of the function that plays the chunks of a tournament: Ctrl-C stops it."""

    def run(*args: Any) -> Iterator[ChunkResult]:
        for number, result in enumerate(play_chunks(*args)):
            if number == chunks:
                raise KeyboardInterrupt
            yield result

    return run


def assert_refused(done: tuple[int, str, str], said: str, folder: Path) -> None:
    """It ended with status 2 and one line that says so, and left nothing in the folder."""
    code, _, error = done
    assert code == 2, error
    assert said in error
    assert len(error.strip().splitlines()) == 1, error
    assert list(folder.iterdir()) == []
