"""A table in a terminal: the position as text, and a prompt for actions and commands."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import fill, shorten

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.formatted_text import FormattedText
from prompt_toolkit.output import ColorDepth

from kododo_env.bots.messages import Message
from kododo_env.play.stdio import only_person
from kododo_env.registry import words_of
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg import ink_on
from kododo_env.rendering.svg_cards import Suit
from kododo_env.system.files import write_text
from kododo_env.table.table import Table

WIDTH = 80
EXPLAINED = 5
"""The number of a hint's actions whose reasons fit on the screen."""
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
HELP = """Type an action as it is listed, in upper or lower case and with its parts in any
order, or type its number or its words. Tab completes the words.
Other commands:
"""


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
        self._session: PromptSession[str] = PromptSession()

    def play(self) -> None:
        """Read and execute lines until the person quits or the input ends."""
        print("type help for a list of commands")
        self._say({"type": "look"})
        while True:
            try:
                line = self._session.prompt("> ", completer=self._completer()).strip()
            except EOFError:
                return
            if line.casefold() == "quit":
                return
            if line:
                self._obey(line)

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
            if self._table.stage.over:
                print("analysing the game; this takes some seconds", flush=True)
            self._say({"type": "analyse"})
        elif line == "seen":
            self._print_memory(self._memory)
        elif line in ("new", "same"):
            deck = "same" if line == "same" else "other"
            self._say({"type": "new", **step, "deck": deck})
        else:
            self._say({"type": "act", **step, "action": text})

    def _go_back(self) -> None:
        if self._last_choice is None:
            print("you have not chosen anything yet")
        else:
            self._say({"type": "again", "step": self._table.step, "to": self._last_choice})

    def _print_help(self) -> None:
        print(HELP, *(f"  {name:12} {COMMANDS[name]}" for name in self._commands), sep="\n")
        for short, words in self._example.items():
            self._paint(f"\nNow {short} is: {words}")

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
                    print(fill(shorten(answer["error"], 2 * WIDTH, placeholder=" …"), WIDTH - 1))
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
            print(answer.get("error", fill(f"sections of the rules: {titles}", WIDTH)))
        for part in matches:
            self._paint(f"\n{part['title'].upper()}\n\n{part['text']}")

    def _print_position(self, position: Message) -> None:
        log = position["log"]
        deal = self._table.game.first, bool(position.get("lesson"))
        if deal != self._printed_deal:
            print(*(_seat_and_name(player) for player in position["players"]), sep=", ")
            self._printed_deal = deal
        for step in log:
            if step["step"] > self._last_printed:
                self._paint("\n".join(step["lines"]))
                self._last_printed = step["step"]
        self._last_choice = next((entry["step"] for entry in reversed(log) if entry["again"]), None)
        title, _, body = position["text"].partition("\n")
        self._paint(f"\n{title}", "bold")
        self._paint(body.rstrip("\n"))
        self._memory = position["memory"]
        self._commands = _possible_commands(position)
        self._words = [action["words"] for action in position["actions"]]
        examples = (action for action in position["actions"][-1:] if action["short"])
        self._example = {action["short"]: action["words"] for action in examples}
        for line in listed_actions(position["actions"]):
            self._paint(line)
        if lesson := position.get("lesson"):
            self._paint(f"\n{lesson['text']}", "bold")
            if lesson["over"]:
                print("the lesson is over: leave (now to play a whole game), lesson or quit")
        elif position["over"]:
            analyse = ", analyse" if position["hints"] else ""
            print(f"the game is over: new, same, back, record FILE{analyse} or quit")

    @staticmethod
    def _print_analysis(answer: Message) -> None:
        start, *_ = (100 * mean for mean, _, _ in answer["chances"])
        print(f"{answer['by']}: your chance to win was {start:.0f} % when the cards were dealt")
        for choice in answer["choices"]:
            gain, low, high = (100 * choice[name] for name in ("gain", "low", "high"))
            print(f"\n{choice['text']}\nstep {choice['step']}: {choice['words']}")
            print(
                f"{choice['advised_words']}: {gain:.1f} games of 100 more ({low:.1f} to {high:.1f})"
            )
        if not answer["choices"]:
            print("none of your choices clearly cost anything")

    def _print_hint(self, answer: Message) -> None:
        wins = f", {answer['chance']:.0%} to win if all play like it" if "chance" in answer else ""
        print(f"{answer['by']}{wins}:")
        for place, action in enumerate(answer["actions"][:10]):
            probability = action.get("probability")
            number = f"{action['value']:+8.2f}" if probability is None else f"{probability:8.1%}"
            self._paint(f"{number}  {action['words']}")
            if place < EXPLAINED:
                for reason in action["reasons"]:
                    self._paint(f"{'':10}- {reason['text']}")

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

    def _paint(self, words: str, style: str = "") -> None:
        """Print words; on a terminal in this style and with cards in their colours."""
        if sys.stdout.isatty():
            text = [(f"{style} {look}", part) for look, part in painted(words, self._suits)]
            depth = ColorDepth.from_env()
            print_formatted_text(FormattedText(text), file=sys.stdout, color_depth=depth)
        else:
            print(words)


def _seat_and_name(player: Message) -> str:
    """Return a player's seat and names."""
    name = player["name"]
    called = player["called"]
    labels = dict.fromkeys(label for label in (called, name) if label != player["player"])
    return f"{player['player']} is {' · '.join(labels)}"


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


def listed_actions(actions: Sequence[Message]) -> list[str]:
    """List actions on lines: short forms grouped by kind, or the number and words of each."""
    lines = []
    for kind, group in groupby(actions, lambda action: str(action["kind"])):
        kind_actions = [*group]
        # Non-breaking spaces keep a short form on one line.
        forms = [*dict.fromkeys(action["short"].replace(" ", "\xa0") for action in kind_actions)]
        if all(forms):
            name = "" if forms == [kind] else f"{kind.replace('_', ' ')}: "
            text = fill(f"{name}{', '.join(forms)}", WIDTH, subsequent_indent=" " * len(name))
            lines += text.replace("\xa0", " ").splitlines()
        else:
            lines += [f"{action['action']:4}  {action['words']}" for action in kind_actions]
    return lines


def painted(words: str, suits: Sequence[Sequence[Suit]]) -> list[tuple[str, str]]:
    """Split words into prompt_toolkit's fragments, with cards and colours on a coloured background.

    Args:
        words: A text such as "lay blue 3", "B3" or "PR3 (red ribbon)".
        suits: The suits of the game's cards; see ``Words.suits``.
    """
    if not suits:
        return [("", words)]
    by_name = {say(suit.name): suit for kind in suits for suit in kind}
    by_letter = [{suit.letter: suit for suit in kind} for kind in suits]
    card = "".join(f"({_alternatives(kind)})" for kind in by_letter) + r"(\d+)"
    name = rf"({_alternatives(by_name)})(?: \d+)?"
    fragments = []
    end = 0
    for match in re.finditer(rf"(?<!\w)(?:{name}|{card})(?!\w)", words):
        name, *letters, value = match.groups()
        fragments.append(("", words[end : match.start()]))
        end = match.end()
        if name:
            fragments.append((_style(by_name[name]), match[0]))
        else:
            texts = [*letters[:-1], letters[-1] + value]
            styles = [_style(kind[letter]) for kind, letter in zip(by_letter, letters, strict=True)]
            fragments += zip(styles, texts, strict=True)
    return [*fragments, ("", words[end:])]


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of these words, the longest first."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _style(suit: Suit) -> str:
    return f"bg:{suit.fill} fg:{ink_on(suit.fill)}"
