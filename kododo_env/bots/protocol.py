"""Describe a position as one player sees it, in text, numbers and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any

import numpy as np

from kododo_env.checks.numbers import quote
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View
from kododo_env.layouts.actions import ActionLayout, ActionPiece
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.languages import say, speaking
from kododo_env.rendering.plain_words import Event
from kododo_env.rendering.svg_cards import card_document
from kododo_env.rendering.words import card_words


def position(
    view: View, pictures: bool, index: int = 0, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the fields of a ``position`` message that describe one game of a view.

    Args:
        view: A player's view.
        pictures: Whether to describe the table as a scene, and to draw the player's cards as SVG.
        index: The index of the game in the view.
        names: The players' names by seat, for people; None names them ``player_0``, ...

    Returns:
        A dictionary with "title" (the game's name), "moment" (where the game stands, in parts),
        "text", "scene" (only with ``pictures``), "hand", "actions" (see ``actions``), "memory",
        and "knows" (the pieces of the observation by name, as nested lists).
    """
    return {
        **table_fields(view, pictures, index, names),
        "hand": _hand(view, pictures, index),
        "actions": actions(view, index, names),
        "memory": words_of(view).memory(view, index),
        "knows": {name: piece[index].tolist() for name, piece in view.pieces.items()},
    }


def table_fields(
    game: BatchGame | View,
    pictures: bool,
    index: int = 0,
    names: Sequence[str] | None = None,
    player: int | None = None,
) -> dict[str, Any]:
    """Return the table in words and as a scene.

    Args:
        game: A batch of the game, or a player's view of it.
        pictures: Whether to describe the table as a scene in addition to the text.
        index: The index of the game in the batch.
        names: The players' names by seat; None names them ``player_0``, ...
        player: The reader; None reads a view's own player, or sees all cards of a batch.

    Returns:
        A dictionary with "title" (the game's name), "moment" (where the game stands, in parts),
        "text", and "scene" with ``pictures``.
    """
    words = words_of(game)
    picture = picture_of(game)
    fields: dict[str, Any] = {
        "title": words.title(),
        "moment": list(words.moment(index, names)),
        "text": picture.text(index, player, names),
    }
    if pictures:
        fields["scene"] = picture.scene(index, player, names).to_json()
    return fields


def _hand(view: View, pictures: bool, index: int) -> list[dict[str, Any]]:
    """Return the cards that a player holds and has seen."""
    return [
        {
            "words": card_words(card),
            "lit": card.lit,
            **({"picture": card_document(card)} if pictures else {}),
        }
        for card in words_of(view).hand(view.player, index)
    ]


def players(
    view: View, names: Sequence[str], people: Container[int] = (), index: int = 0
) -> list[dict[str, Any]]:
    """Return the facts about each player that all players know.

    Args:
        view: Any player's view of the game.
        names: The players' names by seat.
        people: The seats of people.
        index: The index of the game in the view.

    Returns:
        For each seat a dictionary with "player", "name", "person", "score" (the points so far) and
        "gained" (the reward of the last step).
    """
    return [
        {
            "player": f"player_{seat}",
            "name": name,
            "person": seat in people,
            "score": int(view.scores[index, seat]),
            "gained": int(view.rewards[index, seat]),
        }
        for seat, name in enumerate(names)
    ]


def actions(view: View, index: int = 0, names: Sequence[str] | None = None) -> list[dict[str, Any]]:
    """Return a list of a player's legal actions, which is empty if only one action is legal.

    Each entry is a dictionary with "action" (the number of the action), "words", "label" (the words
    without its cards), "labels" (the words of its index on each axis), "short" (the short form),
    "kind" (the name of its block in the action layout), "at" (its index in that block, by
    axis name) and "cards" (the indices in the hand of the cards that it plays).
    """
    choices = legal_actions(view, index, names)
    if len(choices) < 2:
        return []
    words = words_of(view)
    return [
        {
            "action": action,
            "words": description,
            "label": words.label(action, view.player, index, names),
            "labels": words.labels(action, names),
            "short": words.short_form(action, view.player, index),
            **_place(view.actions, action),
            "cards": list(words.cards_played(action, view.player, index)),
        }
        for action, description in choices.items()
    ]


def legal_actions(view: View, index: int = 0, names: Sequence[str] | None = None) -> dict[int, str]:
    """Return a player's legal actions as a dictionary from action number to description."""
    legal = np.flatnonzero(view.legal_action_mask[index]).tolist()
    words = words_of(view)
    return {action: words.describe_choice(action, view.player, index, names) for action in legal}


def named_action(
    choice: int | str, view: View, index: int = 0, names: Sequence[str] | None = None
) -> int:
    """Return the number of the legal action that a choice names.

    Args:
        choice: The number of the action (also as text), its English words or its short form. Case
            is ignored, and the parts of a short form may have any order.
        view: The player's view.
        index: The index of the game in the view.
        names: The players' names by seat, which words may have instead of ``player_0``, ...

    Raises:
        ValueError: No legal action matches, and the message lists all legal actions; or the text is
            only part of short forms, and the message lists these.
    """
    action = choice
    with speaking("en"):
        words = legal_actions(view, index, names)
        plain_words = words if names is None else legal_actions(view, index)
    if isinstance(choice, str):
        text = " ".join(choice.casefold().split())
        numbers = {plain_words[number].casefold(): number for number in reversed(words)}
        numbers |= {words[number].casefold(): number for number in reversed(words)}
        numbers |= {str(number): number for number in words}
        action = numbers.get(text, choice)
    if isinstance(action, str):
        fits = _fitting_forms(action, _short_forms(view, words, index))
        whole_form = _whole_form(action, fits)
        if whole_form is None and fits:
            options = ", ".join(fits)
            raise ValueError(f"{quote(action)} is only part of an action; choose from {options}")
        action = action if whole_form is None else whole_form
    if action not in words:
        options = "; ".join(f"{number}: {description}" for number, description in words.items())
        raise ValueError(f"illegal action {quote(choice)}; choose from {options}")
    return int(action)


def interpret(
    text: str, view: View, index: int = 0, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return what a person has typed means, with an answer in the current language.

    Args:
        text: The short form of an action, with its parts in any order, or its words; in any case.
        view: The player's view.
        index: The index of the game in the view.
        names: The players' names by seat; None names them ``player_0``, ...

    Returns:
        A dictionary with "action" (the number of the legal action, or None) and "text" (the action
        in words, or what can be typed instead).
    """
    words = legal_actions(view, index, names)
    forms = _short_forms(view, words, index)
    fits = _fitting_forms(text, forms)
    action = _whole_form(text, fits)
    by_words = {words[number].casefold(): number for number in reversed(words)}
    if action is None:
        action = by_words.get(" ".join(text.casefold().split()))
    if action is not None:
        return {"action": action, "text": words[action]}
    options = fits or {form or words[number]: number for number, form in forms.items()}
    example = next(iter(options))
    answer = [say("typed.part" if fits else "typed.none", text=quote(text))] if text.strip() else []
    meaning = words[options[example]]
    answer += [say("typed.options", forms=", ".join(options), form=example, words=meaning)]
    return {"action": None, "text": " ".join(answer)}


def _short_forms(view: View, actions: Iterable[int], index: int) -> dict[int, str]:
    words = words_of(view)
    return {action: words.short_form(action, view.player, index) for action in actions}


def _fitting_forms(text: str, short_forms: dict[int, str]) -> dict[str, int]:
    """Return the short forms that contain all parts of a text, each with its first action."""
    parts = Counter(text.casefold().replace(",", " ").split())
    fits: dict[str, int] = {}
    for action, form in short_forms.items():
        if parts and parts <= Counter(form.casefold().split()):
            fits.setdefault(form, action)
    return fits


def _whole_form(text: str, fits: dict[str, int]) -> int | None:
    """Return the first action whose fitting short form has no further parts, or None."""
    length = len(text.replace(",", " ").split())
    return next((action for form, action in fits.items() if len(form.split()) == length), None)


def _place(layout: ActionLayout, action: int) -> dict[str, Any]:
    """Return an action's block in the layout, and its index there by axis name."""
    piece, place = layout.locate(action)
    axes = piece.axes if isinstance(piece, ActionPiece) else ()
    return {"kind": piece.name, "at": dict(zip(axes, place, strict=bool(axes)))}


def news(
    game: BatchGame, events: Sequence[Event], names: Sequence[str] | None = None
) -> dict[str, list[Any]]:
    """Return events as news.

    Args:
        game: A batch of the game.
        events: What happened; see ``Words.events``.
        names: The players' names by seat, for "events"; None names them ``player_0``, ...

    Returns:
        A dictionary with "events" (see ``Words.line``), and "lines", their sentences with
        ``player_0`` and so on, for programs.
    """
    words = words_of(game)
    return {
        "events": [words.line(event, names) for event in events],
        "lines": list(map(words.sentence, events)),
    }


def result(game: BatchGame, names: Sequence[str] | None = None) -> str:
    """Return a sentence with the winners of a finished game, the tie-breaks and the points."""
    words = words_of(game)
    return words.sentence(words.result(), names)
