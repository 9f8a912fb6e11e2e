"""A table in a terminal: the position as text, and a prompt for actions and commands."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import shorten

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.completion import DummyCompleter, WordCompleter
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.shortcuts import CompleteStyle

from kododo_env.bots.messages import Message
from kododo_env.play.stdio import only_person
from kododo_env.play.terminal_text import (
    card_example,
    legend,
    listed_actions,
    news_lines,
    painted,
    reflowed,
    wrapped,
)
from kododo_env.registry import words_of
from kododo_env.system.files import write_text
from kododo_env.system.signals import TerminationSignal
from kododo_env.table.table import Table

EXPLAINED = 5
"""The most actions of a hint whose reasons are shown."""
RATED = 10
"""The most actions of a hint that are shown."""
COMMANDS = {
    "rules": "show the rules; rules WORD: sections with WORD in the heading",
    "hint": "show what an agent would do",
    "seen": "show which cards are left",
    "back": "go back to your last choice; the game then does not count",
    "new": "start another game",
    "same": "start another game with the same cards",
    "record FILE": "write the record of a finished game to a file",
    "analyse": "show your costliest choices in a finished game",
    "lesson": "start the first lesson of the game",
    "leave": "leave the lesson and return to the game",
    "help": "show this help",
    "quit": "leave the table",
}
HELP = """Type an action as it is listed, in upper or lower case and with its parts in any \
order, or type its number or its words. Tab completes the words. \
?? is a card face down, .. and -- are empty places.
Other commands:"""


class Terminal:
    """One person at a table, in a terminal.

    Args:
        table: A table with one person.

    Raises:
        ValueError: The table has several people.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._seat = only_person(table)
        game = table.game.batch
        self._suits = words_of(game).suits()
        self._last_printed = -1  # the last step of the log that has been printed
        self._printed_deal: object = None  # the last deal whose seats have been printed
        # Other styles keep eight lines free below the prompt for a menu.
        style = CompleteStyle.READLINE_LIKE
        self._session: PromptSession[str] = PromptSession(complete_style=style)

    def play(self) -> None:
        """Read and execute lines until the person quits or the input ends.

        Raises:
            KeyboardInterrupt: The person has interrupted twice, or when no game was going on.
        """
        print("type help for a list of commands")
        self._say({"type": "look"})
        while True:
            try:
                line = self._session.prompt("> ", completer=self._completer()).strip()
                if line.casefold() == "quit":
                    return
                if line:
                    self._obey(line)
            except EOFError:
                return
            except KeyboardInterrupt as stop:
                if isinstance(stop, TerminationSignal) or self._may_end_game():
                    raise
                self._say({"type": "look"})  # agents that were interrupted choose now

    def _may_end_game(self) -> bool:
        """Return whether no game is going on, or the person agrees to end it."""
        if self._table.game.over or not self._table.game.past:
            return True
        try:
            answer = self._session.prompt("end this game? y or n: ", completer=DummyCompleter())
        except KeyboardInterrupt:
            return True
        return answer.strip().casefold() in ("y", "yes")

    def _completer(self) -> WordCompleter:
        commands = (name.partition(" ")[0] for name in self._commands)
        return WordCompleter([*self._words, *commands], sentence=True, ignore_case=True)

    def _obey(self, text: str) -> None:
        """Execute a line of input."""
        command, _, argument = text.partition(" ")
        command = command.casefold()
        line = text.casefold()
        step = {"step": self._table.step}
        if command == "record":
            self._write_record(argument.strip())
        elif command == "rules":
            self._print_rules(argument.strip())
        elif line == "help":
            self._print_help()
        elif line in ("hint", "lesson", "leave"):
            self._say({"type": line, **step})
        elif line == "back":
            self._go_back()
        elif line == "analyse":
            self._analyse()
        elif line == "seen":
            self._print_memory(self._memory)
        elif line in ("new", "same"):
            self._deal("same" if line == "same" else "other")
        else:
            self._say({"type": "act", **step, "action": text})

    def _analyse(self) -> None:
        if self._table.stage.over:
            print("analysing the game; this takes some seconds", flush=True)
        self._say({"type": "analyse"})

    def _deal(self, deck: str) -> None:
        if self._may_end_game():
            self._say({"type": "new", "step": self._table.step, "deck": deck})

    def _go_back(self) -> None:
        if self._last_choice is None:
            print("you have not chosen anything yet")
        else:
            self._say({"type": "again", "step": self._table.step, "to": self._last_choice})

    def _print_help(self) -> None:
        self._show(HELP)
        for name in self._commands:
            self._show(f"  {name:12} {COMMANDS[name]}", indent=15)
        self._show("\n".join([*legend(self._suits), card_example(self._suits)]), indent=2)
        for short, words in self._examples.items():
            self._show(f"now {short} is: {words}", indent=2)

    def _write_record(self, file: str) -> None:
        try:
            text = self._table.stage.record()
            if not file:
                raise ValueError("the command record needs a file name, such as record game.jsonl")
            write_text(Path(file), text)
        except (ValueError, OSError) as error:
            print(error)
        else:
            print(f"written to {file}")

    def _say(self, message: Message) -> None:
        """Send a message to the table and print the responses."""
        for answer in self._table.talk(self._seat, message)[self._seat]:
            match answer["type"]:
                case "position":
                    last = answer
                case "hint":
                    self._print_hint(answer)
                case "analysing":
                    pass
                case "analysis":
                    self._print_analysis(answer)
                case _:
                    longest = 2 * (self._width - 1)
                    self._show(shorten(answer["error"], longest, placeholder=" …"))
                    return
        if message["type"] not in ("hint", "analyse"):
            self._print_position(last)

    def _print_rules(self, word: str) -> None:
        """Print all rules, or the sections whose heading contains a word."""
        answer = self._table.talk(self._seat, {"type": "rules"})[self._seat][0]
        parts = answer.get("sections", [])
        matches = [part for part in parts if word.casefold() in part["title"].casefold()]
        if "error" in answer or (parts and not matches):
            titles = ", ".join(part["title"] for part in parts)
            self._show(answer.get("error", f"sections of the rules: {titles}"))
        for part in matches:
            text = reflowed(part["text"], self._width)
            self._paint(f"\n{part['title'].upper()}\n\n{text}")

    def _print_position(self, position: Message) -> None:
        log = position["log"]
        deal = self._table.game.first, bool(position.get("lesson"))
        if deal != self._printed_deal:
            self._show("players: " + ", ".join(map(_names, position["players"])), indent=2)
            self._printed_deal = deal
        later_steps = [entry for entry in log if entry["step"] > self._last_printed]
        self._last_choice = next((entry["step"] for entry in reversed(log) if entry["again"]), None)
        self._last_printed = max((self._last_printed, *(entry["step"] for entry in later_steps)))
        self._memory = position["memory"]
        self._commands = _possible_commands(position)
        self._words = [action["words"] for action in position["actions"]]
        examples = {action["kind"]: action for action in position["actions"] if action["short"]}
        self._examples = {action["short"]: action["words"] for action in examples.values()}
        lines = self._position_lines(position)
        events = [event for entry in later_steps for event in entry["events"]]
        room = self._rows - 1  # one row is for the prompt
        if len(lines) + len(news_lines(events, self._width, room - len(lines))) > room:
            spare_lines = ["", *self._legend]
            lines = [(line, style) for line, style in lines if line not in spare_lines]
        for line in news_lines(events, self._width, room - len(lines)):
            self._paint(line)
        for line, style in lines:
            self._paint(line, style)

    @property
    def _legend(self) -> list[str]:
        return [line for kind in legend(self._suits) for line in wrapped(kind, self._width)]

    def _position_lines(self, position: Message) -> list[tuple[str, str]]:
        """Return the lines of a position, each with its style."""
        title, *lines = wrapped(position["text"].rstrip("\n"), self._width, 2)
        if position["actions"]:
            lines += self._legend
            lines += listed_actions(position["actions"], self._width)
        important_lines = []
        if lesson := position.get("lesson"):
            important_lines = ["", *wrapped(lesson["text"], self._width)]
            if lesson["over"]:
                lines.append("the lesson is over: leave (now to play a whole game), lesson or quit")
        elif position["over"]:
            analyse = ", analyse" if position["hints"] else ""
            lines.append(f"the game is over: new, same, back, record FILE{analyse} or quit")
        plain = [(line, "") for line in lines]
        return [("", ""), (title, "bold"), *plain, *((line, "bold") for line in important_lines)]

    def _print_analysis(self, answer: Message) -> None:
        start, *_ = (100 * mean for mean, _, _ in answer["chances"])
        self._show(
            f"{answer['by']}: your chance to win was {start:.0f} % when the cards were dealt"
        )
        for choice in answer["choices"]:
            gain, low, high = (100 * choice[name] for name in ("gain", "low", "high"))
            self._show(f"\n{choice['text']}\nstep {choice['step']}: {choice['words']}")
            gains = f"{gain:.1f} games of 100 more ({low:.1f} to {high:.1f})"
            self._show(f"{choice['advised_words']}: {gains}")
        if not answer["choices"]:
            print("none of your choices clearly cost anything")

    def _print_hint(self, answer: Message) -> None:
        wins = f", {answer['chance']:.0%} to win if all play like it" if "chance" in answer else ""
        ratings = []
        reasons: list[list[str]] = []
        for action in answer["actions"][:RATED]:
            probability = action.get("probability")
            number = f"{action['value']:+8.2f}" if probability is None else f"{probability:8.1%}"
            ratings.append(f"{number}  {action['words']}")
            reasons.append([f"{'':10}- {reason['text']}" for reason in action["reasons"]])
        # One row is for the heading, and one for the prompt.
        room = self._rows - 2 - len(ratings)
        explained = EXPLAINED
        while explained and sum(map(len, reasons[:explained])) > room:
            explained -= 1
        self._show(f"{answer['by']}{wins}:")
        for place, rating in enumerate(ratings):
            self._show(
                "\n".join([rating, *(reasons[place] if place < explained else [])]), indent=12
            )

    def _print_memory(self, memory: Message) -> None:
        """Print the cards that the person has not seen, as tables."""
        for table in memory["tables"]:
            wide = max(len(row["name"]) for row in table["rows"])
            cells = [max(3, len(column)) + 2 for column in table["columns"]]
            heads = zip(table["columns"], cells, strict=True)
            self._paint(table["title"], "bold")
            print(" " * wide + "".join(f"{words:>{size}}" for words, size in heads))
            for row in table["rows"]:
                numbers = "".join(
                    f"{number:>{size}}" for number, size in zip(row["left"], cells, strict=True)
                )
                self._paint(f"{row['name']:{wide}}{numbers}")

    @property
    def _width(self) -> int:
        return self._session.app.output.get_size().columns

    @property
    def _rows(self) -> int:
        return self._session.app.output.get_size().rows

    def _show(self, text: str, indent: int = 0) -> None:
        """Print a text, broken at spaces; see ``wrapped``."""
        for line in wrapped(text, self._width, indent):
            self._paint(line)

    def _paint(self, words: str, style: str = "") -> None:
        """Print words; on a terminal in this style and with cards in their colours."""
        if sys.stdout.isatty():
            text = [(f"{style} {look}", part) for look, part in painted(words, self._suits)]
            depth = ColorDepth.from_env()
            print_formatted_text(FormattedText(text), file=sys.stdout, color_depth=depth)
        else:
            print(words)


def _names(player: Message) -> str:
    """Return a player's display name, with an agent's own name."""
    called = player["called"]
    agent = "you" if player["person"] else player["name"]
    return called if agent == called else f"{called} ({agent})"


def _possible_commands(position: Message) -> list[str]:
    """Return the commands that have an effect at this table, now or when the game is over."""
    lesson = bool(position["lesson"])
    conditions = {
        "hint": position["hints"],
        "analyse": position["hints"],
        "seen": position["memory"]["tables"],
        "lesson": position["teaches"],
        "leave": lesson,
        "back": not lesson,
        "record FILE": not lesson,
    }
    return [command for command in COMMANDS if conditions.get(command, True)]
