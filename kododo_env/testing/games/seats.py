"""The check that the game is the same from each seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.layouts.observation import Piece
from kododo_env.testing.games.subject import Reseat, Subject, play, turns
from kododo_env.testing.report import Fault

GAMES = 20
MANY_GAMES = 4_000
FAR_SHARE = 5.0  # standard errors


def seats(subject: Subject, reseat: Reseat | None, fair: bool) -> str:
    """Check that axes of seats begin with the observer, and that seats are symmetric or fair.

    Args:
        subject: The game and its rules.
        reseat: See ``check_batch_game``; with it, a game in which all players are rotated must be
            the same game.
        fair: Whether to check, without ``reseat``, that seats win equally often.
    """
    compared = _check_seat_axes(subject)
    if reseat is not None:
        steps = _check_rotated(subject, reseat)
        return f"{compared} numbers by seat; all players rotated, {steps} steps"
    if not fair:
        return f"{compared} numbers by seat"
    return f"{compared} numbers by seat; {_check_fair(subject)}"


def _check_seat_axes(subject: Subject) -> int:
    """Compare pieces with a seat axis between observers, and return how many numbers."""
    game = subject.game(GAMES)
    compared = 0
    by_seat = [piece for piece in game.layout.pieces if "seat" in piece.axes]
    _same_for_all(game, by_seat, "after the deal")
    for step, actions in enumerate(turns(game, subject.rng()), start=1):
        game.step(actions)
        compared += _same_for_all(game, by_seat, f"after step {step}")
    return compared


def _same_for_all(game: BatchGame, by_seat: list[Piece], when: str) -> int:
    """Check that observers see either zeros or the same numbers of a player."""
    players = np.arange(game.num_players)
    pieces = game.layout.views(game.observe())
    compared = 0
    for piece in by_seat:
        values = np.moveaxis(pieces[piece.name], 2 + piece.axes.index("seat"), 2)
        # (N, viewer, player, ...): seat k of a viewer p is player (p + k) % P.
        values = values[:, players[:, None], (players - players[:, None]) % len(players)]
        axes = tuple(range(3, values.ndim))
        visible = (values != 0).any(axis=axes, keepdims=True)
        if (visible & (values != values.max(axis=1, keepdims=True))).any():
            raise Fault(
                f"{when} two players observe different numbers of {piece.name!r} for the same "
                "player: the axis 'seat' must begin with the observer"
            )
        compared += values.size
    return compared


def _check_rotated(subject: Subject, reseat: Reseat) -> int:
    """Rotate all players with their cards and actions, and compare the games."""
    game = subject.game(GAMES)
    decks = game.sample_decks(GAMES, subject.rng(1))
    steps = 0
    for by in range(1, game.num_players):
        order = np.roll(np.arange(game.num_players), by)
        game.reset(decks=decks)
        moved = subject.dealt(reseat(game, decks, order))
        _same_table(game, moved, order, f"rotated by {by} seats, after the deal")
        for step, actions in enumerate(turns(game, subject.rng(2)), start=1):
            game.step(actions)
            moved.step(actions[:, order])
            _same_table(game, moved, order, f"rotated by {by} seats, after step {step}")
            steps += 1
    return steps


def _same_table(game: BatchGame, moved: BatchGame, order: np.ndarray[Any, Any], when: str) -> None:
    pairs = {
        "observe()": (game.observe(), moved.observe()),
        "legal_action_mask()": (game.legal_action_mask(), moved.legal_action_mask()),
        "scores": (game.scores, moved.scores),
        "rewards": (game.rewards, moved.rewards),
        "outcome()": (game.outcome(), moved.outcome()),
    }
    for name, (before, after) in pairs.items():
        if not np.array_equal(after, before[:, order]):
            raise Fault(f"{when} {name} is not rotated with the players")


def _check_fair(subject: Subject) -> str:
    """Check that all seats win equally often among random players."""
    game = subject.game(MANY_GAMES)
    play(game, subject.rng(3))
    shares = game.outcome()
    apart = (shares.mean(axis=0) - 1 / game.num_players) * np.sqrt(MANY_GAMES)
    apart /= shares.std(axis=0) + 1e-12
    worst = int(np.abs(apart).argmax())
    if abs(apart[worst]) > FAR_SHARE:
        raise Fault(
            f"seat {worst} wins {shares[:, worst].mean():.3f} of {MANY_GAMES} games among random "
            f"players, expected {1 / game.num_players:.3f}; if seats are not meant to be equal, "
            "set fair_seats=False"
        )
    return f"{MANY_GAMES} games among random players"
