"""Text that others wrote, as it may be printed: one line, without control characters."""

from __future__ import annotations


def is_plain(text: object, most: int) -> bool:
    """Whether it is text of 1 to ``most`` characters that all can be printed."""
    return isinstance(text, str) and 0 < len(text) <= most and text.isprintable()


def plain(text: object, most: int = 300) -> str:
    """What ``str`` gives, in one line; what cannot be printed is a question mark.

    Args:
        text: What is to be shown.
        most: Characters after which it is cut.
    """
    line = " ".join(str(text).split())
    shown = "".join(each if each.isprintable() else "?" for each in line[:most])
    return shown if len(line) <= most else f"{shown}…"
