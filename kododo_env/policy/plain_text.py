"""Make untrusted text printable: one line without control characters."""

from __future__ import annotations


def plain(text: object, max_characters: int = 300) -> str:
    """Return text as one line, truncated, with question marks for unprintable characters.

    An error without a message, such as a MemoryError, becomes the name of its class.
    """
    words = str(text).split() or ([type(text).__name__] if isinstance(text, Exception) else [])
    line = " ".join(words)
    printable = "".join(
        character if character.isprintable() else "?" for character in line[:max_characters]
    )
    return printable if len(line) <= max_characters else f"{printable}…"
