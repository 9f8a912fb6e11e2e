"""``kododo play`` from the command line."""

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
from tests.command_line import kododo


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
