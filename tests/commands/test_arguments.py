"""Dataclasses as command lines: defaults, groups, help texts, and rejected arguments."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

from kododo_env.checks.bounds import Bound
from kododo_env.commands.arguments import read_arguments


@dataclass(frozen=True)
class Inner:
    """Settings."""

    width: Annotated[int, Bound(1, 9)] = 3
    """How wide, 100 % at most."""
    tied: bool = False
    """Together."""


@dataclass(frozen=True)
class Base:
    """A command."""

    file: Path
    """Which file."""
    words: tuple[str, ...] = ()
    """Some words."""


@dataclass(frozen=True)
class Command(Base):
    """A command of a class that inherits."""

    kind: Literal["one", "two"] = "one"
    """Which kind."""
    seconds: float | None = None
    """How long."""
    inner: Inner = field(default_factory=Inner)
    """The settings."""


def test_what_is_given_is_read_and_the_rest_is_as_the_dataclass_has_it() -> None:
    args = ["a.txt", "--words", "x", "y", "--seconds", "1e-2", "--tied", "--kind", "two"]
    read = read_arguments(Command, args)
    assert read == Command(Path("a.txt"), ("x", "y"), "two", 0.01, Inner(3, tied=True))


def test_another_default_counts_in_the_group_too_and_can_be_switched_off() -> None:
    default = Command(Path("b"), ("z",), "two", 5.0, Inner(7, tied=True))
    assert read_arguments(Command, [], default) == default
    read = read_arguments(Command, ["--no-tied", "--file", "c", "--words"], default)
    assert read == Command(Path("c"), (), "two", 5.0, Inner(7))


def test_help_has_the_docstrings_the_bounds_and_the_defaults(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        read_arguments(Command, ["--help"])
    output = " ".join(capsys.readouterr().out.split())
    assert exit_info.value.code == 0
    assert "A command of a class that inherits." in output
    assert "usage: " in output
    assert " file [--NAME VALUE ...]" in output
    assert "file Which file." in output
    assert "--words [STR ...] Some words." in output
    assert "The settings: --width INT How wide, 100 % at most. (1 to 9; default: 3)" in output


@pytest.mark.parametrize("command", ["train.py", "evaluate.py", "-m kododo_env evaluate"])
def test_help_waits_for_no_library_that_computes_or_draws(command: str) -> None:
    waited = ["torch", "scipy", "onnxruntime", "onnx", "tabulate", "tqdm", "matplotlib"]
    assert imported_by(command) & {*waited} == set()


def test_the_help_of_play_waits_for_no_table() -> None:
    rooms = ("play.table", "policy.onnx_agent", "rendering.svg")
    assert imported_by("-m kododo_env play") & {f"kododo_env.{room}" for room in rooms} == set()


def imported_by(command: str) -> set[str]:
    """Return the modules that ``--help`` imports in a process of its own."""
    command_line = (sys.executable, "-X", "importtime", *command.split(), "--help")
    done = subprocess.run(command_line, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("usage: ")
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}


def test_values_add_up_and_numbers_have_signs() -> None:
    read = read_arguments(Command, ["a", "--words", "x", "--words", "y", "--seconds", "-.5"])
    assert (read.words, read.seconds) == (("x", "y"), -0.5)


def test_one_of_some_words_or_none_and_many_of_some_words() -> None:
    @dataclass(frozen=True)
    class Words:
        word: Literal["a", "b"] | None = None
        words: tuple[Literal["a", "b"], ...] = ()
        numbers: tuple[int, ...] | None = None
        switch: bool | None = None

    read = read_arguments(
        Words, ["--word", "a", "--words", "b", "a", "--numbers", "12", "--switch"]
    )
    assert read == Words("a", ("b", "a"), (12,), switch=True)


@pytest.mark.parametrize("kind", [complex, dict[str, int], tuple[bool, ...]])
def test_a_field_of_another_type_is_a_mistake_of_the_program(kind: Any) -> None:
    mistaken = make_dataclass("Mistaken", [("value", kind, None)])
    with pytest.raises(TypeError, match="unsupported type"):
        read_arguments(mistaken, [])


def test_unknown_arguments_can_be_ignored() -> None:
    read = read_arguments(Inner, ["--help", "--width", "4", "stray", "--x"], ignore_unknown=True)
    assert read == Inner(4)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([], "required: file"),
        (["a", "--kind", "three"], "--kind: invalid choice: 'three'"),
        (["a", "--width"], "--width: expected one argument"),
        (["a", "--wid", "3"], "unknown argument '--wid'; did you mean --width?"),
        (["a", "--WIDTHS=3"], "'--WIDTHS=3'; did you mean --width?"),
        (["a", "-second"], "'-second'; did you mean --seconds?"),
        (["a", "--ie", "3"], "'--ie'; see --help"),
        (["a", "--words", "--lr", "3"], "'--lr'; see --help"),
        (["a", "--", "width"], "'width'; see --help"),
        (["a", "--tied", "False"], "'False'; see --help"),
        (["a", "b"], "unknown argument 'b'"),
        (["--file", "a"], "file is positional"),
        (["a", "--width", "1.0"], "--width: invalid int value"),
        (["a", "--seconds", "soon"], "--seconds: invalid float value"),
        ([""], "expected the name of a file or folder, got ''"),
    ],
)
def test_what_cannot_be_read_is_an_error_of_one_line(args: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        read_arguments(Command, args)
    assert len(str(error.value).splitlines()) == 1
