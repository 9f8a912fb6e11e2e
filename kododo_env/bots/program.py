"""A bot that is a separate program, in any language, and exchanges JSON over stdin and stdout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from subprocess import PIPE, Popen, TimeoutExpired
from threading import Thread
from time import monotonic
from typing import Any, NoReturn
from weakref import finalize

import numpy as np

from kododo_env.arrays.dtypes import Int64
from kododo_env.bots.messages import Message, read_message, to_json
from kododo_env.bots.names import LIMIT
from kododo_env.bots.protocol import named_action, players, position
from kododo_env.bots.time_limit import limit_of, patiently
from kododo_env.core.view import View
from kododo_env.rendering.words import counted

START = 10.0  # extra seconds for the first decision of a process
PATIENCE = 1.0  # seconds for a process to end after its input was closed
BOT_MESSAGES = ("act", "look")  # the message types that a bot may send
MOST_REFUSED = 3
LONGEST = 1 << 20  # bytes per line
NAME = re.compile(rf"exec:(?:{LIMIT}:)?(.*\S.*)", re.DOTALL)


class ProgramBot:
    """A bot that runs a command, named ``exec:CMD`` or ``exec:2s:CMD``.

    ``2s`` limits each decision to 2 seconds; the default is 10. Each seat has its own process, so
    that copies of a bot cannot share their cards. A process starts at the seat's first decision,
    which may take 10 seconds longer, and ends when the bot is garbage-collected. For each decision
    the process receives a message of type ``position`` (see ``docs/reference/messages.md``).

    Args:
        name: ``exec:CMD`` or ``exec:2s:CMD``. The command runs without a shell.

    Attributes:
        bot_seconds: The time limit per decision, in seconds.

    Raises:
        ValueError: The name is malformed, or the program is not found.
    """

    def __init__(self, name: str) -> None:
        match = NAME.fullmatch(name)
        if match is None:
            raise ValueError(f"expected exec:CMD, got {name!r}")
        self.name = name = " ".join(name.split())  # error messages are one line
        self.bot_seconds = limit_of(match[1], name)
        try:
            self._command = shlex.split(match[2], posix=sys.platform != "win32")
        except ValueError as error:
            raise ValueError(f"bot {name}: cannot parse its command: {error}") from error
        if shutil.which(self._command[0]) is None:
            raise ValueError(f"bot {name}: program not found: {self._command[0]}")
        files = filter(os.path.isfile, reversed(self._command))
        self.bot_file = next(files, None)  # a guess: the last file in the command
        self._step = 0
        self.__setstate__({"_processes": {}})

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy, which starts its own processes when needed."""
        return {**vars(self), "_processes": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._processes: dict[int, _Process]
        finalize(self, _end, self._processes)

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        """Choose actions, (N,), asking the seat's process wherever several actions are legal.

        Raises:
            ValueError: The process does not respond in time, has ended, or has sent three invalid
                responses.
        """
        mask = view.legal_action_mask
        chosen: Int64 = mask.argmax(axis=1)
        for index in np.flatnonzero(mask.sum(axis=1) > 1).tolist():
            chosen[index] = self._decide(view, index)
        return chosen

    def _decide(self, view: View, index: int) -> int:
        """Send the position and read responses until one is legal."""
        deadline = monotonic() + self.bot_seconds
        if view.player not in self._processes:
            self._start(view.player)
            deadline += START
        self._step += 1
        request = position_line = self._position(view, index)
        errors: list[str] = []
        while len(errors) < MOST_REFUSED:
            remaining = deadline - monotonic()
            answer = self._processes[view.player].answer(request, remaining, f"bot {self.name}")
            if answer is None:
                self._blame(view.player, f"did not respond within {self.bot_seconds:g} s")
            if not answer:
                self._blame(view.player, "has closed its output")
            try:
                action = self._read_action(answer, view, index) if answer.strip() else None
            except ValueError as error:
                errors.append(str(error))
                request = _line({"type": "error", "step": self._step, "error": errors[-1]})
            else:
                if action is not None:
                    return action
                request = position_line if answer.strip() else b""
        self._blame(
            view.player,
            f"sent {counted(len(errors), 'bot.invalid_responses')}; the last error: {errors[-1]}",
        )

    def _start(self, player: int) -> None:
        try:
            self._processes[player] = _Process(self._command)
        except (OSError, ValueError) as error:  # ValueError: such as a null byte in the command
            reason = getattr(error, "strerror", error)
            raise ValueError(f"bot {self.name} cannot start: {reason}") from error

    def _position(self, view: View, index: int) -> bytes:
        """Return the table's position message as a line, without names and log."""
        seats = players(view, [f"player_{k}" for k in range(view.num_players)], index=index)
        message = {
            "type": "position",
            "step": self._step,
            "game": view.game_name,
            "you": view.player,
            "players": [player | {"called": player["name"]} for player in seats],
            "over": False,
            "counts": True,
            "waiting_for": [view.player],
            "ask_for_new": [],
            "hints": False,
            **position(view, False, index),
            "chosen": None,
            "log": [],
            "teaches": False,
            "lesson": None,
        }
        return _line(message)

    def _read_action(self, line: bytes, view: View, index: int) -> int | None:
        """Return the action that a message chooses, or None for a "look".

        Raises:
            ValueError: The message is malformed, of another step, or names no legal action.
        """
        message = read_message(line, BOT_MESSAGES)
        if message["type"] == "look":
            return None
        if message["step"] != self._step:
            raise ValueError(f"step must be {self._step}, not {message['step']}")
        return named_action(message["action"], view, index)

    def _blame(self, player: int, failure: str) -> NoReturn:
        """End the process and raise an error that says why."""
        process = self._processes.pop(player)
        process.kill()
        status = process.status()
        status_text = "" if status is None or status < 0 else f" (status {status})"
        raise ValueError(f"bot {self.name} as player_{player} {failure}{status_text}")


def _line(message: Message) -> bytes:
    return to_json(message).encode() + b"\n"


class _Process:
    """A bot's process. A thread reads from it, so that a read can time out."""

    def __init__(self, command: Sequence[str]) -> None:
        # In a new session Ctrl-C does not reach the bot, and its child processes end with it.
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, start_new_session=True)
        self._requests: SimpleQueue[bytes | None] = SimpleQueue()
        self._answers: SimpleQueue[bytes] = SimpleQueue()
        Thread(target=self._talk, daemon=True).start()

    def _talk(self) -> None:
        stdin = self._process.stdin
        stdout = self._process.stdout
        assert stdin is not None
        assert stdout is not None
        with suppress(OSError, ValueError):
            while (line := self._requests.get()) is not None:
                stdin.write(line)
                stdin.flush()
                self._answers.put(stdout.readline(LONGEST))
        self._answers.put(b"")
        for pipe in (stdin, stdout):
            with suppress(OSError, ValueError):
                pipe.close()

    def answer(self, request: bytes, seconds: float, owner: str) -> bytes | None:
        """Send a request and return the next line; b"" if the process ended, None if it is late."""
        self._requests.put(request)
        try:
            return patiently(self._answers, max(seconds, 0), owner)
        except Empty:
            return None

    def ask_to_end(self) -> None:
        """Close the process's input, once it has read everything before."""
        self._requests.put(None)

    def kill(self) -> None:
        """Kill the process and its children, unless it ends by itself at once."""
        with suppress(TimeoutExpired):
            self._process.wait(0.1)
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self.ask_to_end()

    def status(self) -> int | None:
        """Return the exit status, or None if the process has not ended."""
        with suppress(TimeoutExpired):
            return self._process.wait(PATIENCE)
        return None

    def end(self) -> None:
        """Wait a moment for the process to end by itself, then kill it."""
        if self.status() is None:
            self.kill()
            self.status()


def _end(seated: dict[int, _Process]) -> None:
    """End all processes of a bot."""
    for process in seated.values():
        process.ask_to_end()
    for process in seated.values():
        process.end()
    seated.clear()
