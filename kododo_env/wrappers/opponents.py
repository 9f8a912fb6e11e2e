"""The agents in the seats that do not learn, and pools from which they are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kododo_env.agent_registry import AGENT, agent_for, is_agent
from kododo_env.core.agent import Agent, RandomAgent
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown, whole_number
from kododo_env.wrappers.opponent_pool import OpponentPool

Opponent = Agent | str | OpponentPool
Opponents = Opponent | Sequence[Opponent | None] | None
Player = Agent | OpponentPool
"""An opponent as an environment keeps it."""

ONE = f"{AGENT}, the name of one, an OpponentPool"


def is_opponent(candidate: object) -> bool:
    """Whether it can have a place that does not learn."""
    return is_agent(candidate) or isinstance(candidate, OpponentPool)


def opponent_for(candidate: Any, game: BatchGame) -> Player:
    """The agent itself, or the one of this name; a pool as it is.

    Raises:
        ValueError: It is none of these, or cannot play this game.
    """
    return candidate if isinstance(candidate, OpponentPool) else agent_for(candidate, game)


def one_for_each(opponents: Opponents, game: BatchGame) -> list[Player]:
    """One opponent for each place but the learner's: None is random legal play, one plays in all.

    An agent may be given by its name, as ``make_agent`` takes it.

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
            f"opponents must be None, {ONE}, or a list of these, not {shown(opponents)}"
        )
    if len(opponents) != places:
        raise ValueError(
            f"there must be {places} opponents, one for each other seat, or {places + 1} with None "
            f"for the learner, not {len(opponents)}"
        )
    return [opponent_for(opponent, game) for opponent in opponents]


def learner_and_opponents(
    seat: int | str | None, opponents: Opponents, game: BatchGame
) -> tuple[int | None, tuple[Player, ...]]:
    """The seat of the one learner, and the opponents in the other seats, in turn order after it.

    Args:
        seat: The learner's seat, or ``"random"``. None is where ``opponents`` has None, else 0.
        opponents: As ``one_for_each`` takes them, or one for each of the P seats, None for the
            learner.
        game: The batch that is to be played.

    Returns:
        The seat, None if it is ``"random"``; and P - 1 opponents.

    Raises:
        ValueError: There is no such seat, the opponents are none, or leave another seat or
            several to learners.
    """
    learner = 0 if seat is None else seat_of(seat, game)
    if not isinstance(opponents, list | tuple) or len(opponents) != game.num_players:
        return learner, tuple(one_for_each(opponents, game))
    lineup = seated(opponents, game)
    empty, *further = learners(lineup)
    if further:
        raise ValueError(
            f"one seat learns here: opponents must have one None, not {1 + len(further)}"
        )
    if seat is not None and learner != empty:
        raise ValueError(
            f"opponents have None in seat {empty}, but seat={shown(seat)} is to learn: give the "
            f"{game.num_players - 1} others, in turn order from the learner on"
        )
    in_turn_order = lineup[empty + 1 :] + lineup[:empty]
    return empty, tuple(agent for agent in in_turn_order if agent is not None)


def learners(lineup: Sequence[Player | None]) -> list[int]:
    """The learners' seats: those without an opponent."""
    return [seat for seat, agent in enumerate(lineup) if agent is None]


def reseat(opponents: Opponents, game: BatchGame, seats: Sequence[int]) -> list[Player | None]:
    """The line-up with other opponents, in which the same seats learn.

    Args:
        opponents: One for all seats that do not learn, or as ``seated`` takes them.
        game: The batch that is played.
        seats: The learners' seats.

    Raises:
        ValueError: As ``seated``; or other seats would learn, or none has an opponent.
    """
    if is_opponent(opponents) and len(seats) < game.num_players:
        opponent = opponent_for(opponents, game)
        return [None if seat in seats else opponent for seat in range(game.num_players)]
    lineup = seated(opponents, game)
    if learners(lineup) != [*seats]:
        raise ValueError(
            f"seats {', '.join(map(str, seats))} learn, as when the environment was made: "
            "opponents must have None there, and nowhere else"
        )
    return lineup


def seated(opponents: Opponents, game: BatchGame) -> list[Player | None]:
    """One opponent, or None for a learner, for each seat: None is learners alone.

    A single one has all seats but the first; an agent may be given by its name.

    Raises:
        ValueError: They are not one for each seat, not agents, cannot play this game, or leave
            no learner.
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
            f"not {shown(opponents)}"
        )
    if len(opponents) != game.num_players:
        raise ValueError(
            f"opponents must be {game.num_players}, one for each seat, None for a learner; "
            f"not {len(opponents)}"
        )
    if None not in opponents:
        raise ValueError("opponents play all seats; leave None where the learner sits")
    return [
        opponent if opponent is None else opponent_for(opponent, game) for opponent in opponents
    ]


def seat_of(seat: int | str, game: BatchGame) -> int | None:
    """The learner's seat; None if it is ``"random"``, another one in each game.

    Raises:
        ValueError: There is no such seat.
    """
    if isinstance(seat, str) and seat == "random":
        return None
    return whole_number(seat, "a seat that is not 'random'", 0, game.num_players - 1)


def around(opponents: Sequence[Agent | None], seat: int) -> list[Agent | None]:
    """The agent in each seat; None for the learner, whom the opponents follow in turn order."""
    after = len(opponents) - seat  # this many opponents before the turn comes round
    return [*opponents[after:], None, *opponents[:after]]
