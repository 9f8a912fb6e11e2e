"""Texts for players, in each language: the code names them by keys.

A file ``texts/<code>.json`` maps each key, such as ``kododo.lay``, to the text in a language, with
the same placeholders in braces in each. It also has the texts of the web page.
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

_language: ContextVar[str] = ContextVar("_language", default="en")


@cache
def translations(language: str) -> Mapping[str, str]:
    """Return the texts of a language by their keys.

    Raises:
        ValueError: ``language`` is not one of ``LANGUAGES``.
    """
    if language not in LANGUAGES:
        raise ValueError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    file = files("kododo_env.rendering").joinpath("texts", f"{language}.json")
    texts: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return texts


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Set the language of ``say`` inside a ``with`` block, for the current thread or task.

    Raises:
        ValueError: ``language`` is not one of ``LANGUAGES``.
    """
    translations(language)
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def current_language() -> str:
    """Return the code of the language of ``say``."""
    return _language.get()


def say(key: str, /, **parts: Any) -> str:
    """Return a text in the current language (see ``speaking``), with its placeholders filled in.

    Args:
        key: The key of the text. What is not a key is a text itself, in every language, such as
            those of a game that brings no translations.
        **parts: The value of each placeholder, such as ``{name}``; texts are translated already.
    """
    text = translations(current_language()).get(key, key)
    return text.format(**parts) if parts else text
