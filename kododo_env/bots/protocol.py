"""Describe a position as one player sees it, in text, numbers and pictures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import ActionLayout, ActionPiece
from kododo_env.core.arrays import Int64
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import quote
from kododo_env.core.view import View
from kododo_env.registry import picture_of, words_of
from kododo_env.rendering.languages import say, speaking
from kododo_env.rendering.svg_cards import card_picture
from kododo_env.rendering.words import card_words, counted, listed


def position(view: View, pictures: bool, index: int = 0) -> dict[str, Any]:
    """Return the fields of a ``position`` message that describe one game of a view.

    Args:
        view: A player's view.
        pictures: Whether to draw the table and the player's cards as SVG.
        index: The index of the game in the view.

    Returns:
        A dictionary with "text", "picture" (only with ``pictures``), "hand", "actions" (see
        ``actions``), "memory", and "knows" (the pieces of the observation by name, as nested
        lists).
    """
    picture = picture_of(view)
    drawing = {"picture": picture.svg(index)} if pictures else {}
    return {
        "text": picture.text(index),
        **drawing,
        "hand": _hand(view, pictures, index),
        "actions": actions(view, index),
        "memory": words_of(view).memory(view, index),
        "knows": {name: piece[index].tolist() for name, piece in view.pieces.items()},
    }


def _hand(view: View, pictures: bool, index: int) -> list[dict[str, str]]:
    """Return the cards that a player holds and has seen."""
    return [
        {"words": card_words(card), **({"picture": card_picture(card)} if pictures else {})}
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


def actions(view: View, index: int = 0) -> list[dict[str, Any]]:
    """Return a list of a player's legal actions, which is empty if only one action is legal.

    Each entry is a dictionary with "action" (the number of the action), "words", "short" (the short
    form), "kind" (the name of its block in the action layout), "at" (its index in that block, by
    axis name) and "cards" (the indices in the hand of the cards that it plays).
    """
    choices = legal_actions(view, index)
    if len(choices) < 2:
        return []
    words = words_of(view)
    return [
        {
            "action": action,
            "words": description,
            "short": words.short_form(action, view.player, index),
            **_place(view.actions, action),
            "cards": list(words.cards_played(action, view.player, index)),
        }
        for action, description in choices.items()
    ]


def legal_actions(view: View, index: int = 0) -> dict[int, str]:
    """Return a player's legal actions as a dictionary from action number to description."""
    legal = np.flatnonzero(view.legal_action_mask[index]).tolist()
    words = words_of(view)
    return {action: words.describe_choice(action, view.player, index) for action in legal}


def named_action(choice: int | str, view: View, index: int = 0) -> int:
    """Return the number of the legal action that a choice names.

    Args:
        choice: The number of the action, its English words or its short form. Case is ignored, and
            the parts of a short form may have any order.
        view: The player's view.
        index: The index of the game in the view.

    Raises:
        ValueError: No legal action matches, and the message lists all legal actions; or the text is
            only part of short forms, and the message lists these.
    """
    with speaking("en"):
        words = legal_actions(view, index)
        action = choice
    if isinstance(choice, str):
        text = " ".join(choice.casefold().split())
        action = next(
            (candidate for candidate in words if words[candidate].casefold() == text), choice
        )
    if isinstance(action, str):
        forms = words_of(view)
        short_forms = {
            candidate: forms.short_form(candidate, view.player, index) for candidate in words
        }
        action = _action_from_short_form(action, short_forms)
    if action not in words:
        options = "; ".join(f"{number}: {description}" for number, description in words.items())
        raise ValueError(f"illegal action {quote(choice)}; choose from {options}")
    return int(action)


def _action_from_short_form(text: str, short_forms: dict[int, str]) -> int | str:
    """Return the action with this short form, or the text itself if no action has it.

    Raises:
        ValueError: The text is only part of short forms.
    """
    parts = Counter(text.casefold().replace(",", " ").split())
    fits = {
        form: action
        for action, form in reversed([*short_forms.items()])
        if parts and parts <= Counter(form.casefold().split())
    }
    matches = [action for form, action in fits.items() if len(form.split()) == parts.total()]
    if fits and not matches:
        options = ", ".join(reversed(fits))
        raise ValueError(f"{quote(text)} is only part of an action; choose from {options}")
    return matches[0] if matches else text


def _place(layout: ActionLayout, action: int) -> dict[str, Any]:
    """Return an action's block in the layout, and its index there by axis name."""
    piece, place = layout.locate(action)
    axes = piece.axes if isinstance(piece, ActionPiece) else ()
    return {"kind": piece.name, "at": dict(zip(axes, place, strict=bool(axes)))}


def news(
    game: BatchGame,
    before: BatchGame,
    chosen: Sequence[int],
    seat: int | None,
    rewards: npt.ArrayLike,
) -> dict[str, list[Any]]:
    """Return the news of the last step, with the rules that apply; for the arguments see ``story``.

    Returns:
        A dictionary with "lines", the sentences of ``story`` in the current language, and "rules",
        for each line the anchor of a section of the rules, or None.
    """
    played = np.asarray(chosen)
    with speaking("en"):
        lines = story(game, before, played, seat, rewards)
        rules = [words_of(game).rule(line) for line in lines]
    return {"lines": story(game, before, played, seat, rewards), "rules": rules}


def story(
    game: BatchGame, before: BatchGame, chosen: Int64, seat: int | None, rewards: npt.ArrayLike
) -> list[str]:
    """Return the news of the last step for a seat as sentences.

    When the game is over, the list ends with the sources of the points and the winner.

    Args:
        game: A batch of one.
        before: The same game before the step.
        chosen: The actions of all P players in the last step, (P,).
        seat: The reader's seat; None reveals everything.
        rewards: The rewards of all S steps of the game so far, (S, P).
    """
    lines = words_of(game).story(before, chosen, seat)
    return [*lines, *_breakdown(game, rewards), result(game)] if game.terminated[0] else lines


def _breakdown(game: BatchGame, rewards: npt.ArrayLike) -> list[str]:
    """Return lines that say where each player's points come from."""
    lines: list[str] = []
    parts = words_of(game).breakdown(rewards)
    if not parts:
        return lines
    for seat, score in enumerate(game.scores[0].tolist()):
        reasons = ", ".join(
            say("game.source", points=points[seat], name=name)
            for name, points in parts.items()
            if points[seat]
        )
        lines.append(
            f"player_{seat}: {reasons or say('game.nothing')}: {counted(score, 'game.points')}"
        )
    return lines


def result(game: BatchGame) -> str:
    """Return a sentence with the winners of a finished game, the tie-breaks and the points."""
    shares = game.outcome()[0]
    scores = game.scores[0]
    winners = np.flatnonzero(shares).tolist()
    names = listed(f"player_{seat}" for seat in winners)
    parts = {
        "names": names,
        "tie_break": _tie_break(game, len(winners)),
        "points": listed(f"{score} (player_{seat})" for seat, score in enumerate(scores.tolist())),
    }
    if len(winners) == 1:
        return say("game.over.one", **parts)
    return say("game.over.many", **parts)


def _tie_break(game: BatchGame, winners: int) -> str:
    """Return in words how ties on points were broken."""
    leaders = np.flatnonzero(game.scores[0] == game.scores[0].max()).tolist()
    words = ""
    keys = words_of(game).tie_breaks()
    for name, numbers in keys.items():
        if len(leaders) > winners:
            listing = listed(f"{numbers[seat]} (player_{seat})" for seat in leaders)
            words += say("game.tie_break", name=say(name), told=listing)
            best = max(numbers[seat] for seat in leaders)
            leaders = [seat for seat in leaders if numbers[seat] == best]
    return words
