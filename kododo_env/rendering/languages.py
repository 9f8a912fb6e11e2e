"""Translations of texts for players: English texts are in the code, each other language in a file.

A file ``texts/<code>.json`` maps each English text to its translation, with the same placeholders
in braces. It also has the texts of the web page.
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
    """Return a mapping from English texts to their translations; empty for English.

    Raises:
        ValueError: ``language`` is not one of ``LANGUAGES``.
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
    """Set the language of ``say`` inside a ``with`` block, for the current thread or task.

    Raises:
        ValueError: ``language`` is not one of ``LANGUAGES``.
    """
    token = _spoken.set(translations(language))
    try:
        yield
    finally:
        _spoken.reset(token)


def say(text: str, **parts: Any) -> str:
    """Translate a text to the current language (see ``speaking``), and fill in its placeholders.

    Args:
        text: The English text, with placeholders in braces, such as ``{name}``.
        **parts: The value of each placeholder; texts must be translated already.
    """
    translation = _spoken.get().get(text, text)
    return translation.format(**parts) if parts else translation
