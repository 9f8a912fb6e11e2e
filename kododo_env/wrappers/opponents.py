"""The ``opponents`` and ``seat`` options of environments: parsing and checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.agent_registry import AGENT, agent_for, is_agent
from kododo_env.checks.numbers import quote, whole_number
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.wrappers.opponent_pool import OpponentPool

Opponent = Agent | str | OpponentPool
Opponents = Opponent | Sequence[Opponent | None] | None
Player = Agent | OpponentPool
"""An opponent after names have been replaced by agents."""

ONE = f"{AGENT}, an agent's name, an OpponentPool"


def is_opponent(candidate: object) -> bool:
    """Return whether an object is an agent, an agent's name or an OpponentPool."""
    return is_agent(candidate) or isinstance(candidate, OpponentPool)


def opponent_for(candidate: Any, game: BatchGame) -> Player:
    """Return the agent for an agent or a name; a pool is returned unchanged.

    Raises:
        ValueError: ``candidate`` is not an agent, a known name or a pool, or cannot play this game.
    """
    return candidate if isinstance(candidate, OpponentPool) else agent_for(candidate, game)


def learner_and_opponents(
    seat: int | str | None, opponents: Opponents, game: BatchGame
) -> tuple[int | None, tuple[Player, ...]]:
    """Return the seat of the only learner, and the opponents in turn order after it.

    Args:
        seat: The learner's seat, or ``"random"``. None selects the seat in which ``opponents`` has
            None, or seat 0.
        opponents: None for random legal play, one opponent for all P - 1 seats, a list of P - 1
            opponents, or a list with an opponent for each of the P seats, and None for the learner.
            Agents may be given by name, as for ``make_agent``.
        game: The batch that is played.

    Returns:
        The seat, None if it is ``"random"``; and P - 1 opponents.

    Raises:
        ValueError: There is no such seat, the opponents are invalid, or they have None in several
            seats or not in ``seat``.
    """
    learner = 0 if seat is None else seat_of(seat, game)
    places = game.num_players - 1
    if opponents is None or is_opponent(opponents):
        opponent = RandomAgent() if opponents is None else opponent_for(opponents, game)
        return learner, (opponent,) * places
    if not isinstance(opponents, list | tuple) or (
        len(opponents) != game.num_players and not all(map(is_opponent, opponents))
    ):
        raise ValueError(
            f"opponents must be None, {ONE}, or a list of these, not {quote(opponents)}"
        )
    if len(opponents) == places:
        return learner, tuple(opponent_for(opponent, game) for opponent in opponents)
    if len(opponents) != game.num_players:
        raise ValueError(
            f"expected {places} opponents, one for each seat except the learner's, or "
            f"{places + 1} with None for the learner, got {len(opponents)}"
        )
    lineup = seated(opponents, game)
    empty, *further = learners(lineup)
    if further:
        raise ValueError(
            f"opponents must have exactly one None, for the learner, not {1 + len(further)}"
        )
    if seat is not None and learner != empty:
        raise ValueError(
            f"opponents have None in seat {empty}, but seat={quote(seat)}; expected None in the "
            f"learner's seat, or {game.num_players - 1} opponents in turn order after the learner"
        )
    in_turn_order = lineup[empty + 1 :] + lineup[:empty]
    return empty, tuple(agent for agent in in_turn_order if agent is not None)


def learners(lineup: Sequence[Player | None]) -> list[int]:
    """Return the learners' seats, which have None in the line-up."""
    return [seat for seat, agent in enumerate(lineup) if agent is None]


def reseat(opponents: Opponents, game: BatchGame, seats: Sequence[int]) -> list[Player | None]:
    """Return a line-up with new opponents, in which the learners keep their seats.

    Args:
        opponents: One opponent for all seats without a learner, or as for ``seated``.
        game: The batch that is played.
        seats: The learners' seats.

    Returns:
        For each of the P seats an opponent, or None for a learner.

    Raises:
        ValueError: As for ``seated``, or the learners' seats would change.
    """
    if is_opponent(opponents) and len(seats) < game.num_players:
        opponent = opponent_for(opponents, game)
        return [None if seat in seats else opponent for seat in range(game.num_players)]
    lineup = seated(opponents, game)
    if learners(lineup) != [*seats]:
        raise ValueError(
            f"opponents must have None exactly in the learners' seats, which cannot change: "
            f"{', '.join(map(str, seats))}"
        )
    return lineup


def seated(opponents: Opponents, game: BatchGame) -> list[Player | None]:
    """Return the line-up: for each of the P seats an opponent, or None for a learner.

    Args:
        opponents: None for learners in all seats, one opponent for all seats except the first, or a
            list with one entry per seat. Agents may be given by name.
        game: The batch that is played.

    Raises:
        ValueError: An opponent is not an agent or cannot play this game, the list does not have P
            entries, or no entry is None.
    """
    if opponents is None:
        return [None] * game.num_players
    if is_opponent(opponents):
        return [None, *[opponent_for(opponents, game)] * (game.num_players - 1)]
    if not isinstance(opponents, list | tuple) or not all(
        opponent is None or is_opponent(opponent) for opponent in opponents
    ):
        raise ValueError(
            f"opponents must be None, {ONE}, or a list with one of these or None for each seat, "
            f"not {quote(opponents)}"
        )
    if len(opponents) != game.num_players:
        raise ValueError(
            f"expected {game.num_players} opponents, one for each seat with None for a learner, "
            f"got {len(opponents)}"
        )
    if None not in opponents:
        raise ValueError("opponents take all seats; expected None in the learner's seat")
    return [
        opponent if opponent is None else opponent_for(opponent, game) for opponent in opponents
    ]


def seat_of(seat: int | str, game: BatchGame) -> int | None:
    """Return the learner's seat, or None for ``"random"``: a seat is drawn for each game.

    Raises:
        ValueError: There is no such seat.
    """
    if isinstance(seat, str) and seat == "random":
        return None
    return whole_number(seat, "seat (if not 'random')", 0, game.num_players - 1)
