"""What all command lines share: typed arguments, and errors of one line."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, NoReturn, TypeVar, get_type_hints

from kododo_env.commands.arguments import read_arguments
from kododo_env.system.signals import (
    end_at_once,
    end_with_threads,
    exit_status,
    interrupt,
    on_stop,
)

Config = TypeVar("Config")

BAD_INPUT = 2
LONGEST_LINE = 500  # characters of a message; a longer one may repeat the user's input
TRACEBACK = "KODODO_TRACEBACK"
BOTS = "kododo_env.bots.python_bot"  # imported only when a bot is named


def run_cli(
    config_class: type[Config],
    main: Callable[[Config], None] | str,
    args: Sequence[str] | None = None,
    defaults: Callable[[Any], Config] | None = None,
) -> NoReturn:
    """Read the command line into a dataclass, run, and leave with an exit status.

    The status is 0 after success, 2 after an error of the input (with one line on stderr), 130
    after Ctrl-C and 143 after SIGTERM (with the message of the KeyboardInterrupt).

    Args:
        config_class: A dataclass; its fields are the arguments, their docstrings the help.
        main: The function to run, or its name as ``module:name``, which is imported after the
            arguments are read, so that ``--help`` does not wait for its libraries. ValueError,
            OSError, ImportError (of an extra that is not installed), MemoryError and
            RecursionError are errors of the input. If KODODO_TRACEBACK is set in the environment,
            they are raised with their traceback.
        args: The arguments; by default those of the process.
        defaults: A function that returns the defaults, if they depend on some of the arguments.
            Its parameter is a dataclass of these arguments, which are read first.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The encoding may lack letters of a file's name; stderr escapes them by default.
        sys.stdout.reconfigure(errors="backslashreplace")
    with _leaving_bots():
        try:
            with written_out():
                with on_stop(end_at_once):  # libraries are imported
                    config = _read(config_class, defaults, args)
                    function = resolve_name(main) if isinstance(main, str) else main
                with on_stop(interrupt):
                    function(config)
        except KeyboardInterrupt as stop:
            print(": ".join(["\nstopped", *map(str, stop.args)]), file=sys.stderr)
            sys.exit(exit_status(stop))
        except (ValueError, OSError, ImportError, MemoryError, RuntimeError) as error:
            message = _message(error)
            if os.environ.get(TRACEBACK) or message is None:
                raise
            fail(message)
        sys.exit(0)


@contextmanager
def _leaving_bots() -> Iterator[None]:
    """Let an exit from inside not wait for threads that bots have started."""
    before = set(threading.enumerate())
    try:
        yield
    except SystemExit as leaving:
        new_threads = set(threading.enumerate()) - before
        if BOTS in sys.modules and not all(thread.daemon for thread in new_threads):
            end_with_threads(int(leaving.code or 0))
        raise


@contextmanager
def written_out() -> Iterator[None]:
    """Flush stdout at the end; exit if the reader of a pipe is gone."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        sys.exit(1)


def _drop_output() -> None:
    """Discard the rest of the output, which would be written again when the process ends."""
    with suppress(OSError):  # stdout may not be a file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _read(
    config_class: type[Config], make: Callable[[Any], Config] | None, args: Sequence[str] | None
) -> Config:
    """Read the arguments; ``make`` may compute the defaults from some of them."""
    if make is None:
        return read_arguments(config_class, args)
    (first_class,) = (kind for name, kind in get_type_hints(make).items() if name != "return")
    first_arguments = read_arguments(first_class, args, ignore_unknown=True)
    return read_arguments(config_class, args, make(first_arguments))


def _message(error: BaseException) -> str | None:
    """Return the message of an error of the input; None for an error of the program."""
    if isinstance(error, RecursionError):
        return "the input is too deeply nested"
    # torch raises RuntimeError if its allocator fails.
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return "out of memory"
    if isinstance(error, RuntimeError):
        return None
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def fail(message: str) -> NoReturn:
    """Exit with the status of wrong input, and one line on stderr."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_output()
    print(f"{Path(sys.argv[0]).name}: error: {_one_line(message)}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def _one_line(message: str) -> str:
    """Return a message in one printable line, without its middle if it is long."""
    words = " ".join(message.split())
    if len(words) > LONGEST_LINE:
        words = f"{words[: LONGEST_LINE // 2]} … {words[-LONGEST_LINE // 2 :]}"
    return escaped(words)


def escaped(text: str) -> str:
    """Escape control characters other than line breaks, which could change the terminal."""
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape").decode()
        for letter in text
    )
