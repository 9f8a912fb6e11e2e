"""The agents in the seats that do not learn, and pools from which they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.agent_registry import AGENT, agent_for, is_agent
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import quote, whole_number
from kododo_env.wrappers.opponent_pool import OpponentPool

Opponent = Agent | str | OpponentPool
Opponents = Opponent | Sequence[Opponent | None] | None
Player = Agent | OpponentPool
"""An opponent as an environment stores it."""

ONE = f"{AGENT}, the name of one, an OpponentPool"


def is_opponent(candidate: object) -> bool:
    """Return whether an object can be an opponent."""
    return is_agent(candidate) or isinstance(candidate, OpponentPool)


def opponent_for(candidate: Any, game: BatchGame) -> Player:
    """Return an agent by object or name; a pool is returned as it is.

    Raises:
        ValueError: It is none of these, or cannot play this game.
    """
    return candidate if isinstance(candidate, OpponentPool) else agent_for(candidate, game)


def one_for_each(opponents: Opponents, game: BatchGame) -> list[Player]:
    """Return an opponent for each place but the learner's.

    Args:
        opponents: None for random legal play, one opponent for all places, or a list with one for
            each. Agents may be given by name, as ``make_agent`` takes them.
        game: The batch that is played.

    Raises:
        ValueError: They are not agents, cannot play this game, or are not one for each place.
    """
    places = game.num_players - 1
    if opponents is None:
        return [RandomAgent()] * places
    if is_opponent(opponents):
        return [opponent_for(opponents, game)] * places
    if not isinstance(opponents, list | tuple) or not all(map(is_opponent, opponents)):
        raise ValueError(
            f"opponents must be None, {ONE}, or a list of these, not {quote(opponents)}"
        )
    if len(opponents) != places:
        raise ValueError(
            f"expected {places} opponents, one for each other seat, or {places + 1} with None for "
            f"the learner, got {len(opponents)}"
        )
    return [opponent_for(opponent, game) for opponent in opponents]


def learner_and_opponents(
    seat: int | str | None, opponents: Opponents, game: BatchGame
) -> tuple[int | None, tuple[Player, ...]]:
    """Return the seat of the only learner, and the opponents in turn order after it.

    Args:
        seat: The learner's seat, or ``"random"``. None is where ``opponents`` has None, else 0.
        opponents: As for ``one_for_each``, or one for each of the P seats with None for the
            learner.
        game: The batch that is played.

    Returns:
        The seat, None if it is ``"random"``; and P - 1 opponents.

    Raises:
        ValueError: There is no such seat, the opponents are invalid, or they leave another seat or
            several seats to learners.
    """
    learner = 0 if seat is None else seat_of(seat, game)
    if not isinstance(opponents, list | tuple) or len(opponents) != game.num_players:
        return learner, tuple(one_for_each(opponents, game))
    lineup = seated(opponents, game)
    empty, *further = learners(lineup)
    if further:
        raise ValueError(
            f"only one seat learns: opponents must have one None, not {1 + len(further)}"
        )
    if seat is not None and learner != empty:
        raise ValueError(
            f"opponents have None in seat {empty}, but seat={quote(seat)} is to learn; pass the "
            f"{game.num_players - 1} opponents in turn order after the learner"
        )
    in_turn_order = lineup[empty + 1 :] + lineup[:empty]
    return empty, tuple(agent for agent in in_turn_order if agent is not None)


def learners(lineup: Sequence[Player | None]) -> list[int]:
    """Return the learners' seats: those without an opponent."""
    return [seat for seat, agent in enumerate(lineup) if agent is None]


def reseat(opponents: Opponents, game: BatchGame, seats: Sequence[int]) -> list[Player | None]:
    """Return the line-up with new opponents and the same learners' seats.

    Args:
        opponents: One for all seats that do not learn, or as for ``seated``.
        game: The batch that is played.
        seats: The learners' seats.

    Raises:
        ValueError: As for ``seated``; or other seats would learn, or no seat has an opponent.
    """
    if is_opponent(opponents) and len(seats) < game.num_players:
        opponent = opponent_for(opponents, game)
        return [None if seat in seats else opponent for seat in range(game.num_players)]
    lineup = seated(opponents, game)
    if learners(lineup) != [*seats]:
        raise ValueError(
            f"seats {', '.join(map(str, seats))} learn, as in the constructor: opponents must be "
            "None there, and nowhere else"
        )
    return lineup


def seated(opponents: Opponents, game: BatchGame) -> list[Player | None]:
    """Return one opponent, or None for a learner, for each seat.

    Args:
        opponents: None for learners in all seats, one opponent for all seats but the first, or a
            list with one entry per seat. Agents may be given by name.
        game: The batch that is played.

    Raises:
        ValueError: They are not one for each seat, not agents, cannot play this game, or leave no
            learner.
    """
    if opponents is None:
        return [None] * game.num_players
    if is_opponent(opponents):
        return [None, *one_for_each(opponents, game)]
    if not isinstance(opponents, list | tuple) or not all(
        opponent is None or is_opponent(opponent) for opponent in opponents
    ):
        raise ValueError(
            f"opponents must be None, {ONE}, or a list with one of these or None for each seat, "
            f"not {quote(opponents)}"
        )
    if len(opponents) != game.num_players:
        raise ValueError(
            f"opponents must be {game.num_players}, one for each seat with None for a learner, "
            f"not {len(opponents)}"
        )
    if None not in opponents:
        raise ValueError("opponents take all seats; use None for the learner's seat")
    return [
        opponent if opponent is None else opponent_for(opponent, game) for opponent in opponents
    ]


def seat_of(seat: int | str, game: BatchGame) -> int | None:
    """Return the learner's seat; None if it is ``"random"``, that is drawn for each game.

    Raises:
        ValueError: There is no such seat.
    """
    if isinstance(seat, str) and seat == "random":
        return None
    return whole_number(seat, "seat (if not 'random')", 0, game.num_players - 1)


def around(opponents: Sequence[Agent | None], seat: int) -> list[Agent | None]:
    """Return the agent in each seat, None for the learner; opponents are in turn order after it."""
    after = len(opponents) - seat  # opponents in the seats after the learner
    return [*opponents[after:], None, *opponents[:after]]
