"""No seat is another game than the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.core.batch_game import BatchGame
from kododo_env.core.observation import Piece
from kododo_env.testing.games.playing import Reseat, Subject, turns
from kododo_env.testing.report import Fault

GAMES = 20
MANY_GAMES = 4_000
FAR_SHARE = 5.0  # standard errors


def seats(subject: Subject, reseat: Reseat | None, fair: bool) -> str:
    """Everybody sees the table from the own seat; moved round, all goes with them."""
    seen = _from_own_seat(subject)
    if reseat is not None:
        steps = _moved_round(subject, reseat)
        return f"{seen} numbers by seat; all players moved round, {steps} steps"
    if not fair:
        return f"{seen} numbers by seat"
    return f"{seen} numbers by seat; {_as_good(subject)}"


def _from_own_seat(subject: Subject) -> int:
    """Where a piece has a seat axis, all who see something of a player see the same there."""
    game, compared = subject.game(GAMES), 0
    by_seat = [piece for piece in game.layout.pieces if "seat" in piece.axes]
    _same_for_all(game, by_seat, "after the deal")
    for step, actions in enumerate(turns(game, subject.rng()), start=1):
        game.step(actions)
        compared += _same_for_all(game, by_seat, f"after step {step}")
    return compared


def _same_for_all(game: BatchGame, by_seat: list[Piece], when: str) -> int:
    """All players who see anything of another see the same; the others have zeros there."""
    players = np.arange(game.num_players)
    seen, compared = game.layout.views(game.observe()), 0
    for piece in by_seat:
        values = np.moveaxis(seen[piece.name], 2 + piece.axes.index("seat"), 2)
        # (N, viewer, player, ...): seat k of a viewer p is player (p + k) % P.
        values = values[:, players[:, None], (players - players[:, None]) % len(players)]
        rest = tuple(range(3, values.ndim))
        told = (values != 0).any(axis=rest, keepdims=True)
        if (told & (values != values.max(axis=1, keepdims=True))).any():
            raise Fault(
                f"{when} two players see different numbers of {piece.name!r} of the same player: "
                "on the axis 'seat' comes oneself first, then the next ones"
            )
        compared += values.size
    return compared


def _moved_round(subject: Subject, reseat: Reseat) -> int:
    """Everybody some seats further, with the same cards and choices: the same game."""
    game = subject.game(GAMES)
    decks = game.sample_decks(GAMES, subject.rng(1))
    steps = 0
    for by in range(1, game.num_players):
        order = np.roll(np.arange(game.num_players), by)
        moved = subject.game(GAMES)
        game.reset(decks=decks)
        moved.reset(decks=reseat(game, decks, order))
        _same_table(game, moved, order, f"moved by {by} seats, after the deal")
        for step, actions in enumerate(turns(game, subject.rng(2)), start=1):
            game.step(actions)
            moved.step(actions[:, order])
            _same_table(game, moved, order, f"moved by {by} seats, after step {step}")
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
            raise Fault(f"{when} {name} has not moved with the players")


def _as_good(subject: Subject) -> str:
    """Among random players every seat wins its part."""
    game = subject.game(MANY_GAMES)
    for actions in turns(game, subject.rng(3)):
        game.step(actions)
    shares = game.outcome()
    apart = (shares.mean(axis=0) - 1 / game.num_players) * np.sqrt(MANY_GAMES)
    apart /= shares.std(axis=0) + 1e-12
    worst = int(np.abs(apart).argmax())
    if abs(apart[worst]) > FAR_SHARE:
        raise Fault(
            f"of {MANY_GAMES} games among random players seat {worst} wins "
            f"{shares[:, worst].mean():.3f} a game, and {1 / game.num_players:.3f} would be its "
            "part; where a seat is meant to be better, say fair_seats=False"
        )
    return f"{MANY_GAMES} games among random players"
