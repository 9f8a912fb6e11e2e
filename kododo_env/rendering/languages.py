"""Translations of texts for players: English is in the code, other languages in a file each.

A file ``texts/<code>.json`` maps each English text to its translation, with the same ``{names}``
of placeholders. It also has the texts of the page.
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
"""The native names of the languages by their codes."""

_spoken: ContextVar[Mapping[str, str]] = ContextVar("_spoken", default={})  # noqa: B039


@cache
def translations(language: str) -> Mapping[str, str]:
    """Return the texts of a language by the English ones; empty for English.

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
    """Set the language of ``say`` in this context, for the current thread or task.

    Raises:
        ValueError: There is no such language.
    """
    token = _spoken.set(translations(language))
    try:
        yield
    finally:
        _spoken.reset(token)


def say(text: str, **parts: Any) -> str:
    """Translate a text to the current language (see ``speaking``), and fill in its placeholders.

    Args:
        text: The English text, with ``{names}`` of the placeholders.
        parts: The texts to fill in, already translated.
    """
    translation = _spoken.get().get(text, text)
    return translation.format(**parts) if parts else translation
