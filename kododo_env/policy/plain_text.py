"""Text that others wrote, as it may be printed: one line, without control characters."""

from __future__ import annotations


def plain(text: object, most: int = 300) -> str:
    """A text in one line, cut after this many characters; unprintable ones are question marks.

    Of an error without a text, as a MemoryError is one, it is the name of its class.
    """
    words = str(text).split() or ([type(text).__name__] if isinstance(text, Exception) else [])
    line = " ".join(words)
    shown = "".join(each if each.isprintable() else "?" for each in line[:most])
    return shown if len(line) <= most else f"{shown}…"
