"""What all command lines here share: typed arguments, and errors of one line."""

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
from kododo_env.system.stopping import (
    end_at_once,
    end_with_threads,
    exit_status,
    interrupt,
    on_stop,
)

Config = TypeVar("Config")

BAD_INPUT = 2
LONGEST_LINE = 500  # characters of a message; what is more may be the user's own words
TRACEBACK = "KODODO_TRACEBACK"
BOTS = "kododo_env.bots.python_bot"  # which is imported when somebody names one


def run_cli(
    config_class: type[Config],
    main: Callable[[Config], None] | str,
    args: Sequence[str] | None = None,
    defaults: Callable[[Any], Config] | None = None,
) -> NoReturn:
    """Read the command line into a dataclass, run, and leave with an exit status.

    0 after success; 2 after an error in what was given, with one line on stderr; 130
    after Ctrl-C and 143 after SIGTERM, with what the KeyboardInterrupt says.

    Args:
        config_class: A dataclass; its fields are the arguments, their docstrings the help.
        main: What to run, or its name as ``module:name``, which is imported after the arguments
            are read: ``--help`` does not wait for its libraries. ValueError, OSError, ImportError
            (of an extra that is not installed) and what is too large or too deep for the machine
            are taken for errors of the input. With KODODO_TRACEBACK set in the environment they
            come with their traceback.
        args: The arguments; by default those of the process.
        defaults: If the defaults depend on some of the arguments: makes them. What it takes is
            a dataclass of these arguments, which are read first.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not every encoding has all letters of a file's name; stderr does so by itself.
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
            said = _in_words(error)
            if os.environ.get(TRACEBACK) or said is None:
                raise
            fail(said)
        sys.exit(0)


@contextmanager
def _leaving_bots() -> Iterator[None]:
    """An exit from inside does not wait for threads that bots have started."""
    before = set(threading.enumerate())
    try:
        yield
    except SystemExit as leaving:
        more = set(threading.enumerate()) - before
        if BOTS in sys.modules and not all(thread.daemon for thread in more):
            end_with_threads(int(leaving.code or 0))
        raise


@contextmanager
def written_out() -> Iterator[None]:
    """Inside, all that is printed is written out; the process ends if nobody reads it any more."""
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
    """Write no more of what was printed, which would be tried again when the process ends."""
    with suppress(OSError):  # of a stdout that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _read(
    config_class: type[Config], make: Callable[[Any], Config] | None, args: Sequence[str] | None
) -> Config:
    """The arguments, whose defaults ``make`` may make of some of them."""
    if make is None:
        return read_arguments(config_class, args)
    (which,) = (each for name, each in get_type_hints(make).items() if name != "return")
    return read_arguments(config_class, args, make(read_arguments(which, args, among_others=True)))


def _in_words(error: BaseException) -> str | None:
    """What an error says of the input; None if it is a mistake of the program."""
    if isinstance(error, RecursionError):
        return "too deeply nested"
    # torch has no class of its own for what its allocator cannot have.
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return "there is not memory enough for this"
    if isinstance(error, RuntimeError):
        return None
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error) or type(error).__name__


def fail(message: str) -> NoReturn:
    """Leave with the status of wrong input, and one line on stderr."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        _drop_output()
    print(f"{Path(sys.argv[0]).name}: error: {_one_line(message)}", file=sys.stderr)
    sys.exit(BAD_INPUT)


def _one_line(message: str) -> str:
    """A message without line breaks and control characters, its middle left out if it is long."""
    words = " ".join(message.split())
    if len(words) > LONGEST_LINE:
        words = f"{words[: LONGEST_LINE // 2]} … {words[-LONGEST_LINE // 2 :]}"
    return escaped(words)


def escaped(text: str) -> str:
    """Text for a terminal: control characters other than line breaks do nothing there."""
    return "".join(
        each if each.isprintable() or each == "\n" else each.encode("unicode_escape").decode()
        for each in text
    )
