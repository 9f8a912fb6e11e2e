"""A table in a terminal: the position as text, and a line to choose by."""

from __future__ import annotations

from pathlib import Path

from prompt_toolkit import PromptSession, print_formatted_text
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.formatted_text import FormattedText

from kododo_env.bots.messages import Message
from kododo_env.play.stdio import only_person
from kododo_env.play.table import Table
from kododo_env.system.files import write_text

HELP = (
    "choose by the number of an action or by its words (Tab completes them); or write: rules, "
    "hint, back (to your last choice; the game then does not count), new, same (a new game with "
    "the same cards), quit; when the game is over: record FILE, analyse (your costliest choices)"
)


class Terminal:
    """One person at a table, in a terminal.

    Args:
        table: With one person.

    Raises:
        ValueError: The table has several people.
    """

    def __init__(self, table: Table) -> None:
        self._table, self._seat = table, only_person(table)
        self._told = 0  # lines of the log that have been printed
        self._session: PromptSession[str] = PromptSession()

    def play(self) -> None:
        """Play until the person wants no more."""
        _bold(HELP)
        self._say({"type": "look"})
        while True:
            try:
                given = self._session.prompt("> ", completer=self._completer()).strip()
            except EOFError:
                return
            if given == "quit":
                return
            if given:
                self._obey(given)

    def _completer(self) -> WordCompleter:
        return WordCompleter(
            [*self._words, "rules", "hint", "back", "new", "same", "record", "analyse", "quit"],
            sentence=True,
        )

    def _obey(self, given: str) -> None:
        """Do what a line says."""
        command, _, rest = given.partition(" ")
        step = {"step": self._table.step}
        if command == "record" and rest:
            self._write_record(Path(rest.strip()))
        elif given == "rules":
            self._say({"type": "rules"})
        elif given == "hint":
            self._say({"type": "hint", **step})
        elif given == "back":
            self._say({"type": "again", **step, "to": self._last})
        elif given == "analyse":
            print("the game is played out in other ways; that takes some seconds", flush=True)
            self._say({"type": "analyse"})
        elif given in ("new", "same"):
            deck = "same" if given == "same" else "other"
            self._say({"type": "new", **step, "deck": deck})
        else:
            number = given.isascii() and given.isdecimal() and len(given) < 10
            self._say({"type": "act", **step, "action": int(given) if number else given})

    def _write_record(self, path: Path) -> None:
        try:
            write_text(path, self._table.record())
        except (ValueError, OSError) as error:
            print(error)
        else:
            print(f"written to {path}")

    def _say(self, message: Message) -> None:
        """Say something to the table and print what is answered."""
        for answer in self._table.talk(self._seat, message)[self._seat]:
            match answer["type"]:
                case "position":
                    last = answer
                case "rules":
                    print(answer["text"])
                case "hint":
                    self._print_hint(answer)
                case "analysing":
                    pass
                case "analysis":
                    self._print_analysis(answer)
                case _:
                    print(answer["error"])
                    return
        if message["type"] not in ("rules", "hint", "analyse"):
            self._print_position(last)

    def _print_position(self, position: Message) -> None:
        log = position["log"]
        self._told = min(self._told, len(log)) if log else 0
        if not log:  # the cards have been dealt: who sits where
            print(*(_who(each) for each in position["players"]), sep=", ")
        for step in log[self._told :]:
            print(*step["lines"], sep="\n")
        self._told = len(log)
        self._last = next((each["step"] for each in reversed(log) if each["again"]), 0)
        title, _, rest = position["text"].partition("\n")
        _bold(f"\n{title}")
        print(rest)
        self._words = [each["words"] for each in position["actions"]]
        for each in position["actions"]:
            print(f"{each['action']:4}  {each['words']}")
        if position["over"]:
            print("the game is over: new, same, back, record FILE, analyse or quit")

    @staticmethod
    def _print_analysis(answer: Message) -> None:
        start, *_ = (100 * mean for mean, _, _ in answer["chances"])
        print(f"{answer['by']}: your chance to win was {start:.0f} % when the cards were dealt")
        for each in answer["choices"]:
            more, low, high = (100 * each[name] for name in ("gain", "low", "high"))
            print(f"\n{each['text']}\nstep {each['step']}: {each['words']}")
            print(
                f"{each['advised_words']}: {more:.1f} games of 100 more ({low:.1f} to {high:.1f})"
            )
        if not answer["choices"]:
            print("no choice of yours surely cost anything")

    @staticmethod
    def _print_hint(answer: Message) -> None:
        value = f", who values the position at {answer['value']:+.2f}" if "value" in answer else ""
        print(f"{answer['by']}{value}:")
        for each in answer["actions"][:10]:
            chance = each.get("probability")
            number = f"{each['value']:+8.2f}" if chance is None else f"{chance:8.1%}"
            print(f"{number}  {each['words']}")


def _who(player: Message) -> str:
    """A player's seat, and how they are called."""
    name, called = player["name"], player["called"]
    known = [each for each in (called, name) if each != player["player"]]
    return f"{player['player']} is {' · '.join(known)}"


def _bold(words: str) -> None:
    print_formatted_text(FormattedText([("bold", words)]))
