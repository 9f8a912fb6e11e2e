"""Where the time goes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up the time spent on each of several things.

    Attributes:
        seconds: By name, in the order in which they were first begun.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count what happens inside for ``name``; nothing counts twice if it is not nested."""
        begun = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - begun
            self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def text(self) -> str:
        """The shares of what was counted: ``games 3 %, acting 27 %, ...``."""
        total = sum(self.seconds.values()) or 1.0
        shares = sorted(self.seconds.items(), key=lambda each: -each[1])
        return ", ".join(f"{name} {100 * spent / total:.1f} %" for name, spent in shares)
