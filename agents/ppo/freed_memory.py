"""Memory that is freed and asked for again many times a second, as learning does."""

from __future__ import annotations

import ctypes
import sys

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of malloc.h
KEPT = 1 << 30  # bytes that are free at most before some are given back
LARGE = 1 << 25  # what has more bytes is given back at once; glibc takes no larger number


def keep_freed_memory() -> None:
    """Let this process keep what it frees, where the C library is glibc; elsewhere nothing.

    By default glibc gives tensors of this size back to the system as soon as they are freed, and
    gets them anew, page by page and filled with zeros: a fifth of the time of a training of Kododo.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT)
        mallopt(MMAP_THRESHOLD, LARGE)
