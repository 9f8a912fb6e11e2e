"""Whole games in the terminal, with typed input."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")

from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from kododo_env.play.terminal import Terminal
from kododo_env.records import read_record, replay
from kododo_env.table.factory import make_table
from tests.game_tables import TABLES

ROUND = ["5", "0", "0"]
"""Actions that are always legal in the three turns of a round of Kododo."""


def typed(
    capsys: pytest.CaptureFixture[str],
    *lines: str,
    game: str = "kododo",
    hints: str = "heuristic",
    seat: int = 0,
) -> str:
    """Return the output when a person types these lines."""
    how = {"hints": hints, "seed": 1, "pictures": False, "seat": seat}
    table = make_table(game, opponents=["random"], names=["Ada"] if seat else [], **how)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        keys.send_text("".join(f"{line}\n" for line in lines) + "\x04")  # Ctrl-D
        Terminal(table).play()
    return capsys.readouterr().out


def test_a_whole_game_and_its_record(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "game.jsonl"
    missing = tmp_path / "none" / "game.jsonl"
    ends = f"record {missing}", f"record {file}", "quit"
    out = typed(capsys, *ROUND * 6, *ends, "5")
    assert str(missing) in out  # the file cannot be written
    assert out.count(" scores, with ") + out.count("nobody scores") >= 4
    assert "the game is over: player_" in out
    assert out.count("player_0 lays ") == 18  # each log line is printed once
    assert out.endswith(f"written to {file}\n")
    *_, end = replay(read_record(file))
    assert end.terminated.all()


def test_a_wrong_line_is_told_and_another_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(
        capsys, "rules", "dance", "99", "", "9" * 50, "record x",
        "LAY BLUE 1 AND BLUE 6", "same", "b6  b1", "new",
    )  # fmt: skip
    assert "KODODO NUMBER" in out  # the rules
    assert "illegal action 'dance'; choose from 5: lay " in out
    assert "illegal action '99'" in out
    assert "wait until the game is over" in out
    assert out.count("player_0 lays ") == out.count("player_0 lays blue 1 and blue 6") == 2


def test_hints(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "hint")
    lines = out[out.index("heuristic:\n") :].splitlines()[1:]
    reasons = [line for line in lines if line.startswith(" " * 10 + "- ")]
    assert "- blue left in your hand: 0 cards" in "\n".join(reasons)
    rated = [line for line in lines if line not in reasons]
    values = [float(line.split()[0]) for line in rated]
    assert len(values) == 10
    assert values == sorted(values, reverse=True)
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    assert "%  lay " in typed(capsys, "hint", hints="kododo-4p")


def test_the_cards_that_are_left_and_who_sits_where(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "seen", "5", "seen")
    before, after = (part.splitlines() for part in out.split("cards left\n")[1:])
    numbers = [[sum(map(int, line.split()[1:])) for line in part[1:6]] for part in (before, after)]
    assert [sum(row) for row in numbers] == [100 - 5, 100 - 5 - 8]
    assert "\nplayer_0 is Guest · person, player_1 is " in out


def test_a_lesson_and_back_to_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "lesson", "5", "lay blue 3 and blue 6", "leave", "0")
    assert "in a game you may lay blue 2 and blue 3; in this lesson, please lay blue 3" in out
    assert "player_0 lays blue 3 and blue 6" in out
    assert out.rindex("out at 7") > out.rindex("out at 6")  # with four players, then three


def test_news_of_a_game_that_others_begin(capsys: pytest.CaptureFixture[str]) -> None:
    """Regression: the next game's first steps were taken for those of the last game.

    Nor were the seats printed if steps were played before the person's first choice.
    """
    out = typed(capsys, "same", game="kado", seat=1)
    assert out.count("player_0 keeps a card") == out.count("player_1 is Ada") == 2


def test_after_a_lesson_nothing_is_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "5", "lesson", "leave")
    assert out.count("player_0 lays blue 1 and blue 6") == 1


def test_words_are_completed() -> None:
    table = make_table("kododo", opponents=["random"], hints="heuristic", seed=1, pictures=False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal(table)
        terminal._say({"type": "look"})
        document = Document("lay blue 1 and y")
        completions = terminal._completer().get_completions(document, CompleteEvent())
        assert [completion.text for completion in completions] == ["lay blue 1 and yellow 1"]


def test_going_back_and_what_cost_most(capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table("combi_combo", opponents=["random"], hints="heuristic", seed=1)
    table.worlds = 16
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal(table)
        terminal._say({"type": "look"})
        terminal._obey("back")
        # Regression: it went to the first step, even if that was the agents'.
        assert capsys.readouterr().out.endswith("you have not chosen anything yet\n")
        terminal._obey("analyse")
        assert capsys.readouterr().out.startswith("an analysis reveals hidden cards")
        while not table.stage.over:
            terminal._obey(terminal._words[-1])
            assert len(table.game.past) < 9
        assert capsys.readouterr().out.count("player_0 ") > 8
        terminal._obey("analyse")
        output = capsys.readouterr().out
        result = table.game.analyses[0]
        assert output.count("games of 100 more") == len(result.choices) > 0
        terminal._obey("back")
        terminal._obey("back")
        assert len(table.game.past) == 6
        assert "over" not in capsys.readouterr().out


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_table_and_actions_fit_into_24_rows_of_80(
    capsys: pytest.CaptureFixture[str], game: str, players: int
) -> None:
    table = make_table(game, players, ["random"], seed=2, pictures=False)
    rng = np.random.default_rng(3)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal(table)
        terminal._say({"type": "look"})
        while not table.stage.over:
            terminal._obey(str(rng.choice(terminal._words)))
            title = table.talk(0, {"type": "look"})[0][0]["text"].partition("\n")[0]
            # Older news may scroll away; one row is for the prompt.
            screen = capsys.readouterr().out.rpartition(title)
            assert len(screen[2].splitlines()) < 24
            assert max(map(len, "".join(screen[1:]).splitlines())) <= 80


@pytest.mark.parametrize("in_colour", [True, False])
def test_cards_have_their_colours_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, in_colour: bool
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "" if in_colour else "1")
    table = make_table("kado", opponents=["random"], seed=1, pictures=False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal(table)
    screen, side = os.openpty()
    with open(side, "w") as out:
        monkeypatch.setattr(sys, "stdout", out)
        terminal._paint("place PR3, a cube 4 (violet ribbon)")
    output = os.read(screen, 4096).decode()
    os.close(screen)
    bare = re.sub(r"\x1b\[[\d;?]*\w", "", output)
    assert bare.split() == ["place", "PR3,", "a", "cube", "4", "(violet", "ribbon)"]
    coloured = re.findall(r"\x1b\[[\d;]*48;5;\d+m([^\x1b]+)", output)
    assert coloured == (["P", "R3", "cube 4", "violet ribbon"] if in_colour else [])


def test_help_and_a_part_of_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "help", "rules limit", "rules of thumb", "B1")
    assert "record FILE " in out
    assert re.search(r"Now (\w)\d (\w)\d is: lay \w+ \d and \w+ \d\n", out)
    assert "8 green cards: over the limit of 7, out" in out
    assert "A ROUND" not in out
    assert "sections of the rules: Cards, Preparing, " in out
    assert "'B1' is only part of an action; choose from B1 B6, " in out


def test_commands_are_of_any_size_and_help_lists_those_that_do_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = typed(capsys, "HELP", "Rules Limit", "Record", "Lesson", "help", "LEAVE", "Quit", "dance")
    game, lesson = (part.partition("\nNow ")[0] for part in out.split("Other commands:")[1:])
    assert "LIMIT" in out
    assert "illegal action" not in out
    assert ("\n  leave " in game, "\n  leave " in lesson) == (False, True)
    for command in ("record FILE", "back", "hint"):
        assert (f"\n  {command} " in game, f"\n  {command} " in lesson) == (True, False)


def test_who_sits_where_is_told_once_of_each_deal(capsys: pytest.CaptureFixture[str]) -> None:
    """Regression: one named "person" was listed twice, and going back printed the seats again."""
    table = make_table("kododo", opponents=["random"], names=["person"], seed=1, pictures=False)
    with create_pipe_input() as keys, create_app_session(input=keys, output=DummyOutput()):
        terminal = Terminal(table)
        terminal._say({"type": "look"})
        for line in ("5", "back", "5", "new"):
            terminal._obey(line)
        assert capsys.readouterr().out.count("player_0 is person, player_1 is ") == 2
        for line in (*ROUND * 6, "record", "lesson", "record game.jsonl", "leave", "same"):
            terminal._obey(line)
    out = capsys.readouterr().out
    assert out.count("player_0 is person, player_") == 3
    assert "the game is over: new, same, back, record FILE, analyse or quit\n" in out
    assert "record needs a file name, such as record game.jsonl\n" in out
    assert "a lesson has no record\n" in out
    assert not Path("game.jsonl").exists()
