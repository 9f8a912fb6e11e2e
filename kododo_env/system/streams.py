"""Reserving stdin and stdout for messages, so that other code cannot read or print there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import IO, TextIO


@contextmanager
def reserved_streams() -> Iterator[tuple[IO[bytes], TextIO]]:
    """Reserve stdin and stdout until the end of the block; a context manager.

    For other code in this process, such as a bot's, and for child processes, stdin is empty, and
    text printed to stdout goes to stderr.

    Yields:
        The process's original stdin, as a stream of bytes, and stdout, as a stream of text.
    """
    stdin = sys.stdin
    stdout = sys.stdout
    source: IO[bytes] = stdin.buffer
    out = stdout
    stdout.flush()
    with ExitStack() as stack:
        null_device = stack.enter_context(open(os.devnull, "r+", encoding="utf-8"))
        errors = null_device if sys.stderr is None else sys.stderr
        if (copy := _diverted(stdin, null_device, stack)) is not None:
            source = stack.enter_context(open(copy, "rb", closefd=False))
        if (copy := _diverted(stdout, errors, stack)) is not None:
            out = stack.enter_context(open(copy, "w", encoding="utf-8", closefd=False))
        stack.enter_context(redirect_stdout(errors))
        sys.stdin = null_device
        stack.callback(setattr, sys, "stdin", stdin)
        yield source, out


def _diverted(stream: TextIO, instead: TextIO, stack: ExitStack) -> int | None:
    """Redirect a stream until the stack is closed; return a copy of its descriptor.

    None for a stream without a descriptor, such as one of a test.
    """
    try:
        descriptor = stream.fileno()
        another = instead.fileno()
    except OSError:
        return None
    copy = os.dup(descriptor)
    stack.callback(os.close, copy)
    os.dup2(another, descriptor)
    stack.callback(os.dup2, copy, descriptor)
    return copy
