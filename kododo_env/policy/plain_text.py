"""Text that others wrote, as it may be printed: one line, without control characters."""

from __future__ import annotations


def plain(text: object, max_characters: int = 300) -> str:
    """A text in one line, cut after this many characters; unprintable ones are question marks.

    Of an error without a text, as a MemoryError is one, it is the name of its class.
    """
    words = str(text).split() or ([type(text).__name__] if isinstance(text, Exception) else [])
    line = " ".join(words)
    printable = "".join(
        character if character.isprintable() else "?" for character in line[:max_characters]
    )
    return printable if len(line) <= max_characters else f"{printable}…"
