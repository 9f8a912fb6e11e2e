"""``kododo play`` from the command line: what is wrong is one line."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import pytest

pytest.importorskip("tyro", reason="tyro is not installed")

from kododo_env.commands import play
from kododo_env.commands.play import PlayConfig
from kododo_env.system import extras
from tests.commands.test_console import kododo


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "Which game. (required)"),
        (("chess",), "unknown game 'chess'; choose one of kododo, combi_combo, kado"),
        (("kododo", "--terminal"), "give --terminal or --stdio, not both"),
        (
            ("kododo", "--people", "2"),
            "--terminal and --stdio have one person: leave --people at 1",
        ),
        (("kododo", "--people", "0"), "--people must be 1 to 100, not 0"),
        (("kododo", "--port", "70000"), "--port must be 0 to 65535, not 70000"),
        (("kododo", "--players", "9"), "not 9"),
        (("kododo", "--opponents", "random", "greedy"), "leave 3 seats for opponents"),
        (("kododo", "--opponents", "dance"), "unknown agent 'dance'"),
        (("kododo", "--rules", "x=1"), "kododo has no rule 'x'"),
        (("kododo", "--hints", "random"), "agent 'random' gives no hints"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], args: tuple[str, ...],
    message: str,
) -> None:  # fmt: skip
    status, out, err = kododo(monkeypatch, capsys, "play", *args, "--stdio")
    assert (status, out) == (2, "")
    assert err.startswith("kododo play: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_a_program_plays_over_stdin(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    given: Any = io.TextIOWrapper(io.BytesIO(b'{"type": "act", "step": 0, "action": 5}\n'))
    monkeypatch.setattr(sys, "stdin", given)
    options = ("--stdio", "--seed", "1", "--opponents", "random", "--rules", "variant=long")
    status, out, err = kododo(monkeypatch, capsys, "play", "kododo", *options)
    assert (status, err) == (0, "")
    assert [json.loads(line)["step"] for line in out.splitlines()] == [0, 0, 1]


@pytest.mark.parametrize(
    ("options", "missing"), [({}, "starlette"), ({"terminal": True}, "prompt_toolkit")]
)
def test_what_is_missing_is_told_with_the_way_to_get_it(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], missing: str
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == missing else True)
    with pytest.raises(ImportError) as refused:
        play.play(PlayConfig("kododo", **options))
    assert str(refused.value) == f"the table needs {missing}: pip install 'kododo-env[play]'"
