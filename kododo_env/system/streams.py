"""Standard input and output for messages alone, whatever others read and print."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from typing import IO, TextIO


@contextmanager
def reserved_streams() -> Iterator[tuple[IO[bytes], TextIO]]:
    """Inside, what is printed goes to stderr, and who reads stdin finds nothing.

    This holds for other code in this process, such as a bot's, and for the processes that it
    starts.

    Yields:
        The process's own stdin, of bytes, and stdout, of text.
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
    """A copy of a stream's descriptor, which has another file until the stack is closed.

    None for a stream without a descriptor, as a test may have.
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
