"""Run scripts in the process of the tests."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.commands.train import train
from agents.training.command_defaults import defaults
from agents.training.training_config import TrainConfig
from kododo_env.arena.match import ChunkResult
from kododo_env.arena.workers import run as play_chunks
from kododo_env.commands import console
from kododo_env.commands.cli import run_cli

DEFAULTS: dict[type[Any], Callable[[Any], Any]] = {TrainConfig: defaults}


def cli(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    """Run evaluate.py in this process; return exit status, stdout and stderr."""
    return run(capsys, EvaluateConfig, evaluate, args)


def train_py(capsys: pytest.CaptureFixture[str], args: Sequence[str]) -> tuple[int, str, str]:
    """Run train.py in this process; return exit status, stdout and stderr."""
    return run(capsys, TrainConfig, train, args)


def run(
    capsys: pytest.CaptureFixture[str],
    config: type[Any],
    main: Callable[[Any], None],
    args: Sequence[str],
) -> tuple[int, str, str]:
    """Run a script's main function in this process; return exit status, stdout and stderr."""
    with pytest.raises(SystemExit) as exit_info:
        run_cli(config, main, args, DEFAULTS.get(config))
    output = capsys.readouterr()
    assert isinstance(exit_info.value.code, int)
    return exit_info.value.code, output.out, output.err


def kododo(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *args: str
) -> tuple[int, str, str]:
    """Run the command ``kododo`` in this process; return exit status, stdout and stderr."""
    monkeypatch.setattr(sys, "argv", ["kododo", *args])
    monkeypatch.setattr(console, "end_at_once_on_stop", lambda: None)  # keep this process
    with pytest.raises(SystemExit) as exit_info:
        console.main()
    output = capsys.readouterr()
    return int(exit_info.value.code or 0), output.out, output.err


def stopping_after(chunks: int) -> Callable[..., Iterator[ChunkResult]]:
    """Return a replacement of ``workers.run`` that Ctrl-C stops after some chunks."""

    def run(*args: Any) -> Iterator[ChunkResult]:
        for number, result in enumerate(play_chunks(*args)):
            if number == chunks:
                raise KeyboardInterrupt
            yield result

    return run


def assert_refused(done: tuple[int, str, str], words: str, folder: Path) -> None:
    """Assert that it ended with status 2 and one line with these words, and left no files."""
    code, _, error = done
    assert code == 2, error
    assert words in error
    assert len(error.strip().splitlines()) == 1, error
    assert list(folder.iterdir()) == []
