"""What people read, in their language: English stands in the code, others in a file each.

A file ``texts/<code>.json`` has for each English text its translation, and in both the same
``{names}`` of what is filled in. The page's own texts stand in the same files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = {"en": "English", "de": "Deutsch", "fr": "Français"}
"""The languages by their codes, each by its own name."""

_spoken: ContextVar[Mapping[str, str]] = ContextVar("_spoken", default={})  # noqa: B039


@cache
def translations(language: str) -> Mapping[str, str]:
    """The texts of a language, by the English ones; none for English.

    Raises:
        ValueError: There is no such language.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    if language == "en":
        return {}
    file = files("kododo_env.rendering").joinpath("texts", f"{language}.json")
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Let ``say`` speak a language as long as the context lasts, in this thread or task.

    Raises:
        ValueError: There is no such language.
    """
    token = _spoken.set(translations(language))
    try:
        yield
    finally:
        _spoken.reset(token)


def say(text: str, **parts: Any) -> str:
    """A text in the language that is spoken, English unless in ``speaking``.

    Args:
        text: The English text, with ``{names}`` of the parts.
        parts: What is filled in, said already.
    """
    translation = _spoken.get().get(text, text)
    return translation.format(**parts) if parts else translation
