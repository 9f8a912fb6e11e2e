"""Text that others wrote, as it may be printed: one line, without control characters."""

from __future__ import annotations


def plain(text: object, most: int = 300) -> str:
    """What ``str`` gives, in one line; what cannot be printed is a question mark.

    Args:
        text: What is to be shown.
        most: Characters after which it is cut.
    """
    line = " ".join(str(text).split())
    shown = "".join(each if each.isprintable() else "?" for each in line[:most])
    return shown if len(line) <= most else f"{shown}…"
