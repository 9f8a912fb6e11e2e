"""Running a command: reading arguments, printing errors in one line, and exit statuses."""

from __future__ import annotations

import io
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
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
LONGEST_LINE = 500  # characters of a message; messages that repeat the input may be longer
TRACEBACK = "KODODO_TRACEBACK"
BOTS = "kododo_env.bots.python_bot"  # imported only when a bot is named


def run_cli(
    config_class: type[Config],
    main: Callable[[Config], None],
    args: Sequence[str] | None = None,
    defaults: Callable[[Any], Config] | None = None,
) -> NoReturn:
    """Read the command line into a dataclass, call a function with it, and exit the process.

    The exit status is 0 after success, 2 after an input error (with one line on stderr), 130 after
    Ctrl-C and 143 after SIGTERM (with the message of the KeyboardInterrupt). Input errors are
    ValueError, OSError, ImportError (of an extra that is not installed), MemoryError and
    RecursionError. If the environment variable KODODO_TRACEBACK is set, they are raised with their
    traceback.

    Args:
        config_class: A dataclass, whose fields are the arguments and their docstrings the help.
        main: The function to call. If it imports its libraries, ``--help`` does not wait for them.
        args: The arguments; None for those of the process.
        defaults: A function that returns the default values if these depend on arguments. The
            annotation of its parameter is a dataclass of these arguments, which are read first.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # The encoding may lack characters of a file name; stderr escapes them by default.
        sys.stdout.reconfigure(errors="backslashreplace")
    with _leaving_bots():
        try:
            with written_out():
                with on_stop(end_at_once):  # while libraries are imported
                    config = _read(config_class, defaults, args)
                with on_stop(interrupt):
                    main(config)
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
    """Flush stdout at the end of the block; exit if stdout is a pipe that was closed."""
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
    """Print an error message as one line on stderr, and exit with status 2."""
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
    """Escape all control characters except line breaks, since they could control the terminal."""
    return "".join(
        letter
        if letter.isprintable() or letter == "\n"
        else letter.encode("unicode_escape").decode()
        for letter in text
    )
