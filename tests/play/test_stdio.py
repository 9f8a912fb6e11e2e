"""A program as a player, with JSON lines on standard input and output."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kododo_env import registry
from kododo_env.bots.messages import FIELDS
from kododo_env.play.stdio import play_lines
from kododo_env.table.factory import make_table
from tests.game_tables import GAMES
from tests.records.games import recorded

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "messages.md").read_text()


def answers(*lines: bytes, people: int = 1) -> list[dict[str, Any]]:
    """Return the output messages for these input lines."""
    out = io.StringIO()
    table = make_table("kododo", opponents=["random"], people=people, seed=0, pictures=False)
    play_lines(table, lines, out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize("game", GAMES)
def test_the_example_plays_a_whole_game(game: str) -> None:
    script = ROOT / "docs" / "examples" / "stdio_player.py"
    done = subprocess.run(
        [sys.executable, str(script), game, "--opponents", "heuristic", "--seed", "1"],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "game over" in done.stdout
    assert "the game is over: player_" in done.stdout
    assert "refused: illegal action 'I would rather not'; choose from " in done.stdout


def test_the_example_without_a_game_says_what_is_missing() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "examples" / "stdio_player.py")],
        capture_output=True, text=True, check=False, cwd=ROOT,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("kododo play: error: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_wrong_line_is_told_and_the_next_one_is_another_probability() -> None:
    """The position comes first, without pictures; line ends may be those of Windows, or missing."""
    act = b'{"type": "act", "step": 0, "action": %d}'
    wrong = (b"\xff\n", b"\n", b"\r\n", b"hello\n", act % 99 + b"\r\n")
    first, *errors, chosen, after = answers(*wrong, act % 5)
    assert first["type"] == "position"
    assert "picture" not in json.dumps(first)
    assert [message["type"] for message in errors] == ["error"] * 3
    assert (first["step"], chosen["step"], after["step"]) == (0, 0, 1)
    assert chosen["chosen"] == 5


def test_lists_in_lists_of_any_depth_are_told_and_the_table_goes_on() -> None:
    """Regression: a depth of 33 to 64 ended the table."""
    first, second, *_ = recorded(registry.batch_game("kododo", 1))[0].text().splitlines()
    lines = []
    for depth in (2, 16, 17, 31, 32, 33, 34, 63, 64, 65, 66, 300, 900, 950, 5_000):
        deep = depth * "[" + "1" + depth * "]"
        record = first + "\n" + re.sub(r'"actions": [^]]*]', f'"actions": {deep}', second)
        lines.append(json.dumps({"type": "replay", "record": record}).encode())
        lines.append(f'{{"type": "act", "step": 0, "action": {deep}}}'.encode())
        lines.append(f'{{"type": {deep}}}'.encode())
    *messages, last = answers(*lines, b'{"type": "look"}')
    assert [message["type"] for message in messages[1:]] == ["error"] * len(lines)
    assert last["type"] == "position"


def test_several_people_do_not_sit_at_one_terminal() -> None:
    with pytest.raises(ValueError, match=r"only one person .*--people 1"):
        answers(people=2)


def test_the_page_lists_all_messages_and_their_fields() -> None:
    for kind, fields in FIELDS.items():
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` | "))
        assert all(f"`{name}`" in row for name in fields)
    table = PAGE[PAGE.index("## The position") :]
    for name in {*answers()[0], "result"} - {"type"}:
        assert f"`{name}`" in table, name


def test_a_program_plays_from_the_command_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.command_line import kododo

    stdin: Any = io.TextIOWrapper(io.BytesIO(b'{"type": "act", "step": 0, "action": 5}\n'))
    monkeypatch.setattr(sys, "stdin", stdin)
    options = ("--stdio", "--seed", "1", "--opponents", "random", "--rules", "variant=long")
    status, out, err = kododo(monkeypatch, capsys, "play", "kododo", *options)
    assert (status, err) == (0, "")
    assert [json.loads(line)["step"] for line in out.splitlines()] == [0, 0, 1]


def test_what_a_bot_prints_and_reads_is_none_of_the_messages(tmp_path: Path) -> None:
    """Regression: a bot's prints mixed with the JSON, and its input() took the next message."""
    (tmp_path / "noisy.py").write_text(
        "import os\n"
        "print('at import')\n"
        "class Bot:\n"
        "    def act(self, view, rng):\n"
        "        print('printed')\n"
        "        os.write(1, b'written\\n')\n"
        "        os.system('echo shell; cat')\n"
        "        try:\n"
        "            input()\n"
        "        except EOFError:\n"
        "            return view.legal_action_mask.argmax(axis=1)\n"
    )
    lines = '{"type": "act", "step": 0, "action": 5}\n{"type": "look"}\n'
    options = ("kododo", "--stdio", "--seed", "1", "--opponents", "noisy.py:Bot")
    done = subprocess.run(
        [sys.executable, "-m", "kododo_env", "play", *options], input=lines,
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 0
    assert [json.loads(line)["step"] for line in done.stdout.splitlines()] == [0, 0, 1, 1]
    assert {*done.stderr.splitlines()} == {"at import", "printed", "written", "shell"}
