"""Whole games in the terminal, with typed input."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("prompt_toolkit", reason="prompt_toolkit is not installed")

from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput
from prompt_toolkit.output.vt100 import Vt100_Output

from kododo_env.commands.play import PlayConfig, _table
from kododo_env.core.view import View
from kododo_env.play.terminal import Terminal
from kododo_env.play.terminal_text import news_lines, reflowed, wrapped
from kododo_env.records import read_record, replay
from kododo_env.registry import batch_game, rules_text, words_of
from kododo_env.table.factory import make_table
from kododo_env.table.table import Table
from tests.game_tables import EXTREMES, GAMES, TABLES

ROUND = ["5", "0", "0"]
"""Actions that are always legal in the three turns of a round of Kododo."""


ROWS = 24
COLUMNS = 80
CONTROL = re.compile(r"\x1b\[[?]?([\d;]*)([A-Za-z])|(.)", re.S)
"""A control sequence of a terminal, or a character."""


class Screen(StringIO):
    """A terminal of 24 rows and 80 columns, whose person types the next line at each prompt.

    Attributes:
        prompts: The whole screen at each prompt, as text.
    """

    def __init__(self, keys: PipeInput, lines: Iterator[str]) -> None:
        super().__init__()
        self.prompts: list[str] = []
        self._keys = keys
        self._lines = lines
        self._rows = [[" "] * COLUMNS for _ in range(ROWS)]
        self._row = 0
        self._column = 0

    def write(self, text: str) -> int:
        for number, letter, character in CONTROL.findall(text):
            self._move(letter, int(number or 1) if number.isdigit() or not number else 0)
            self._print(character)
        if "\x1b[?2004h" in text:  # a prompt
            self.prompts.append("\n".join("".join(row).rstrip() for row in self._rows))
            line = next(self._lines, "\x04")  # Ctrl-D
            self._keys.send_text(f"{line}\n" if line.isprintable() else line)
        return len(text)

    def _move(self, letter: str, number: int) -> None:
        self._row += {"A": -number, "B": number}.get(letter, 0)
        self._column += {"C": number, "D": -number}.get(letter, 0)
        if letter == "J":
            self._rows[self._row][self._column :] = [" "] * (COLUMNS - self._column)
            self._rows[self._row + 1 :] = [[" "] * COLUMNS for _ in self._rows[self._row + 1 :]]

    def _print(self, character: str) -> None:
        if character == "\b":
            self._column -= 1
        elif character == "\r":
            self._column = 0
        elif character == "\n" or (character and self._column == COLUMNS):
            self._row += 1
            self._column = 0
            if self._row == ROWS:
                self._row -= 1
                self._rows = [*self._rows[1:], [" "] * COLUMNS]
        if character and character not in "\b\r\n":
            self._rows[self._row][self._column] = character
            self._column += 1


def screens(monkeypatch: pytest.MonkeyPatch, table: Table, lines: Iterator[str]) -> list[str]:
    """Return the screen at each prompt when a person types these lines at 80 x 24."""
    with create_pipe_input() as keys:
        screen = Screen(keys, lines)
        output = Vt100_Output(screen, lambda: Size(ROWS, COLUMNS), term="xterm", enable_cpr=False)
        monkeypatch.setattr(sys, "stdout", screen)
        with create_app_session(input=keys, output=output):
            Terminal(table).play()
    return screen.prompts


def typed(
    capsys: pytest.CaptureFixture[str],
    *lines: str,
    game: str = "kododo",
    hints: str = "heuristic",
    seat: int = 0,
) -> str:
    """Return the output when a person types these lines."""
    how = {"hints": hints, "seed": 1, "seat": seat, "pictures": False, "names_in_texts": True}
    table = make_table(game, opponents=["random"], names=["Zoe"], **how)
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
    assert re.search(r"\nthe game is over: [A-Z]\w+ ", out)
    assert out.count("Zoe lays ") == 18  # each log line is printed once
    assert out.endswith(f"written to {file}\n")
    *_, end = replay(read_record(file))
    assert end.terminated.all()


def test_a_wrong_line_is_told_and_another_one_does(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(
        capsys, "rules", "dance", "99", "", "9" * 50, "record x",
        "LAY BLUE 1 AND BLUE 6", "same", "y", "b6  b1", "new", "y",
    )  # fmt: skip
    assert "KODODO NUMBER" in out  # the rules
    assert "illegal action 'dance'; choose from 5: lay " in out
    assert "illegal action '99'" in out
    assert "wait until the game is over" in out
    assert out.count("Zoe lays ") == out.count("Zoe lays blue 1 and blue 6") == 2


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
    assert re.search(r"\nplayers: Zoe \(you\), [A-Z]\w+ \(random\), ", out)


def test_a_lesson_and_back_to_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "lesson", "5", "lay blue 3 and blue 6", "leave", "0")
    assert "in a game you may lay blue 2 and blue 3; in this lesson, please lay blue 3" in out
    assert "Zoe lays blue 3 and blue 6" in out
    assert "player_" not in out
    assert out.rindex("out at 7") > out.rindex("out at 6")  # with four players, then three


def test_news_of_a_game_that_others_begin(capsys: pytest.CaptureFixture[str]) -> None:
    """Regression: the next game's first steps were taken for those of the last game.

    Nor were the seats printed if steps were played before the person's first choice.
    """
    out = typed(capsys, "same", "y", game="kado", seat=1)
    dealers = re.findall(r"(?m)^(\w+) keeps a card$", out)
    assert dealers == dealers[:1] * 2
    assert out.count(f"players: {dealers[0]} (random), Zoe (you), ") == 2


def test_after_a_lesson_nothing_is_told_again(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "5", "lesson", "leave")
    assert out.count("Zoe lays blue 1 and blue 6") == 1


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
        assert capsys.readouterr().out.count("Guest passes ") == 8
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
    assert re.search(r"now (\w)\d (\w)\d is: lay \w+ \d and \w+ \d\n", out)
    assert "8 green cards: over the limit of 7, out" in out
    assert "A ROUND" not in out
    assert "sections of the rules: Aim, Cards, Preparing, " in out
    assert "'B1' is only part of an action; choose from B1 B6, " in out


def test_commands_are_of_any_size_and_help_lists_those_that_do_something(
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = typed(capsys, "HELP", "Rules Limit", "Record", "Lesson", "help", "LEAVE", "Quit", "dance")
    game, lesson = (part.partition("\nnow ")[0] for part in out.split("Other commands:")[1:])
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
        for line in ("5", "back", "5"):
            terminal._obey(line)
        keys.send_text("y\n")
        terminal._obey("new")
        assert capsys.readouterr().out.count("players: person (you), ") == 2
        for line in (*ROUND * 6, "record", "lesson", "record game.jsonl", "leave", "same"):
            terminal._obey(line)
    out = capsys.readouterr().out
    assert out.count("players: person (you), ") == 3
    assert "the game is over: new, same, back, record FILE, analyse or quit\n" in out
    assert "record needs a file name, such as record game.jsonl\n" in out
    assert "a lesson has no record\n" in out
    assert not Path("game.jsonl").exists()


def test_an_evaluation_stays_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: below the prompt eight lines were empty, and the evaluation scrolled off."""
    table = make_table("kododo", 5, ["random"], seed=1, pictures=False, names_in_texts=True)
    screen = " ".join(screens(monkeypatch, table, iter(ROUND))[-1].split())
    (*_, step) = table.game.log(0, "en")
    for event in step["events"]:
        assert event["text"] in screen


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_whole_games_with_their_news_fit_on_the_screen(
    monkeypatch: pytest.MonkeyPatch, game: str, players: int
) -> None:
    names = {"names": ["Maximiliane"], "names_in_texts": True}
    table = make_table(game, players, ["random"], seed=3, pictures=False, **names)
    rng = np.random.default_rng(4)
    steps = []

    def choices() -> Iterator[str]:
        while not table.game.over:
            steps.append(len(table.game.past))
            legal_actions = table.talk(0, {"type": "look"})[0][0]["actions"]
            yield str(rng.choice([action["action"] for action in legal_actions]))

    prompts = screens(monkeypatch, table, choices())
    steps.append(len(table.game.past))
    log = table.game.log(0, "en")
    assert len(prompts) == len(steps)
    for screen, first, end in zip(prompts[1:], steps, steps[1:], strict=False):
        text = " ".join(screen.split())
        assert words_of(table.game.batch).title() in text
        events = [event["text"] for entry in log[first:end] for event in entry["events"]]
        assert [event for event in events[1:] if event not in text] == []


def test_lines_break_at_spaces() -> None:
    words = "1-2-3-4 Combi-Combo " * 3
    assert wrapped(f"{words}\n  short", 20, 2) == [
        "1-2-3-4 Combi-Combo",
        "  1-2-3-4",
        "  Combi-Combo",
        "  1-2-3-4",
        "  Combi-Combo",
        "  short",
    ]


@pytest.mark.parametrize("game", GAMES)
def test_no_word_of_the_rules_is_broken(game: str) -> None:
    rules = rules_text(batch_game(game, 1))
    lines = reflowed(rules, COLUMNS).splitlines()
    assert max(map(len, lines)) <= COLUMNS
    rows = [line for line in rules.splitlines() if not line.startswith(("|", "```"))]
    assert set(" ".join(rows).split()) <= set(" ".join(lines).split())
    assert "|" not in "".join(lines)


def test_news_share_lines_only_without_room() -> None:
    news = [("lays", "Ada lays B3"), ("lays", "Bo lays B4"), ("scores", "blue scores")]
    events = [{"key": key, "text": text} for key, text in news]
    assert news_lines(events, 80, 3) == ["Ada lays B3", "Bo lays B4", "blue scores"]
    assert news_lines(events, 80, 2) == ["Ada lays B3; Bo lays B4", "blue scores"]
    assert news_lines(events, 80, 1) == ["Ada lays B3; Bo lays B4; blue scores"]


@pytest.mark.parametrize(
    ("lines", "deals", "ends"),
    [
        (["5", "new", "n", "0"], 1, False),
        (["5", "new", "y"], 2, False),
        (["5", "same", "YES"], 2, False),
        (["new"], 2, False),  # nothing has been played
        (["5", "\x03", "n", "0"], 1, False),
        (["5", "\x03", "y"], 1, True),
        (["5", "\x03", "\x03"], 1, True),
        (["\x03"], 1, True),
        ([*ROUND * 6, "\x03"], 1, True),
        ([*ROUND * 6, "new"], 2, False),
    ],
)
def test_a_game_ends_only_if_the_person_agrees(
    monkeypatch: pytest.MonkeyPatch, lines: list[str], deals: int, ends: bool
) -> None:
    table = make_table("kododo", opponents=["random"], seed=1, pictures=False)
    with pytest.raises(KeyboardInterrupt) if ends else nullcontext():
        screens(monkeypatch, table, iter(lines))
    assert (table.game.first > 0) == (deals == 2)


def test_agents_choose_again_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    table = make_table("kododo", 2, ["random"], seed=1, pictures=False)
    (agent,) = filter(None, table.game.agents)
    act = agent.act
    interrupts = [KeyboardInterrupt]

    def interrupted(view: View, rng: np.random.Generator) -> Any:
        if table.game.past and interrupts:
            raise interrupts.pop()
        return act(view, rng)

    monkeypatch.setattr(agent, "act", interrupted)
    *_, screen = screens(monkeypatch, table, iter(["5", "0", "n"]))
    assert not interrupts
    assert len(table.game.past) == 2
    assert "turn 3 of 3" in screen


def test_short_forms_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """In KADO a C is a cube, or a column."""
    out = typed(capsys, "help", "keep", "p1", "p2", "help", game="kado")
    position, helped, *_ = out.split("Other commands")
    ribbons = "V violet ribbon, O orange ribbon, G green ribbon, B blue ribbon, R red ribbon\n"
    letters = f"S socks, C cube, P plush, F flowers, H chocolates\n{ribbons}"
    assert letters in position
    assert letters in helped
    assert "\nHR3 is chocolates 3 (red ribbon)\n" in helped
    assert re.search(r"\ngive: keep, P1 \(\w+\), P2 \(\w+\), P3 \(\w+\)\n", position)
    assert re.search(r"\n(place \(row, column\): R1 C|guess \(gift, ribbon\): one of S )", out)


def test_a_guess_is_listed_by_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, *["s v", "1"] * 30, game="kado", seat=1)
    assert "guess (gift, ribbon): one of S C P F H and one of V O G B R, such as H R\n" in out


def test_people_are_called_by_their_names(capsys: pytest.CaptureFixture[str]) -> None:
    out = typed(capsys, "give", "hint", "keep", "dance", "help", "lesson", "seen", game="kado")
    assert "Zoe: 0 points" in out
    assert "player_" not in out


def test_the_command_calls_people_by_their_names() -> None:
    config = PlayConfig("kado", opponents=("random",), name=("Zoe",), terminal=True)
    assert _table(config).game.text_names[0] == "Zoe"


def test_words_of_an_action_may_have_names(capsys: pytest.CaptureFixture[str]) -> None:
    table = make_table("kado", opponents=["random"], seed=1, pictures=False, names_in_texts=True)
    name = table.game.display_names[2]
    words = table.talk(0, {"type": "look"})[0][0]["actions"][2]["words"]
    assert words.endswith(f" to {name}")
    out = typed(capsys, words.upper(), "P1", game="kado")
    assert f"Zoe {words.replace('give', 'gives')}" in " ".join(out.split())


def test_a_hint_fits_on_the_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: with many reasons, the best action scrolled off."""
    how = {"seed": 1, "seat": 1, "names_in_texts": True}
    table = make_table("kado", hints="heuristic", opponents=["random"], pictures=False, **how)
    screen = screens(monkeypatch, table, iter(["hint"]))[-1]
    assert screen.startswith(("> hint\n", "heuristic:"))
    assert "- " in screen
