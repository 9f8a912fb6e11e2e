"""Hints: an agent's ratings of a player's legal actions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.arrays.dtypes import Floating
from kododo_env.bots.protocol import actions
from kododo_env.checks.numbers import quote
from kododo_env.core.agent import (
    Agent,
    ProbabilisticAgent,
    RatingAgent,
    ValueAgent,
    check_forgets,
    ranks,
)
from kododo_env.core.batch_game import BatchGame
from kododo_env.registry import words_of
from kododo_env.search.outcome_model import OutcomeModel


def gives_hints(agent: Agent) -> bool:
    """Return whether an agent has action probabilities or action values, which hints show."""
    return isinstance(agent, ProbabilisticAgent | RatingAgent)


def check_adviser(agent: Agent) -> None:
    """Raise ValueError unless an agent can give hints: it rates actions and keeps no memory."""
    if not gives_hints(agent):
        raise ValueError(
            f"agent {agent.name!r} cannot give hints: it has neither a method probabilities nor "
            "action_values; use a policy or a scripted player"
        )
    check_forgets(agent)


def hint(
    agent: Agent, game: BatchGame, seat: int, names: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return an agent's ratings of a player's legal actions, best first.

    Args:
        agent: An agent with action probabilities or action values.
        game: A batch of one.
        seat: The player's seat. The agent sees only what this player sees.
        names: The players' display names by seat; None names them ``player_0``, ``player_1``, ...

    Returns:
        A dictionary with "by", the agent's name; "actions", for each legal action its number
        "action", its "words", its "probability" or "value", and its "reasons" (see
        ``Words.reasons`` and ``Words.line``), in the order of ``ranks``; "value",
        the value of the position, if the agent is a ``ValueAgent``; and "chance", the player's
        expected share of the victory if everyone plays like the agent, if it has outcome weights.

    Raises:
        ValueError: A rating of the agent is not a finite number, or not a probability.
    """
    view = game.view(seat)
    words = words_of(view)
    if isinstance(agent, ProbabilisticAgent):
        name = "probability"
        ratings = agent.probabilities(view)
    else:
        assert isinstance(agent, RatingAgent)
        name = "value"
        ratings = agent.action_values(view)
    legal = actions(view, names=names)
    numbers = _check_numbers(
        ratings, agent.name, view.num_actions, [action["action"] for action in legal]
    )
    if name == "probability" and not (0 <= numbers.min() <= numbers.max() <= 1):
        raise ValueError(
            f"agent {agent.name!r} must return probabilities from 0 to 1, not {quote(ratings)}"
        )
    # Policies choose by logits, so probabilities are ranked by their logarithms.
    places = ranks(np.log(np.maximum(numbers, 1e-30)) if name == "probability" else numbers)
    entries = [
        {
            "action": legal[index]["action"],
            "words": legal[index]["words"],
            name: float(numbers[index]),
            "reasons": [
                words.line(reason, names) for reason in words.reasons(legal[index]["action"], seat)
            ],
        }
        for index in np.argsort(places)
    ]
    value: dict[str, float] = {}
    if isinstance(agent, ValueAgent):
        value["value"] = float(_check_numbers(agent.value(view), agent.name, 1, [0])[0])
    if getattr(agent, "outcome_weights", None) is not None:
        value["chance"] = float(OutcomeModel(agent, game).expected(game, seat)[0])
    return {"by": agent.name, **value, "actions": entries}


def _check_numbers(ratings: Any, name: str, size: int, indices: Sequence[int]) -> Floating:
    """Return the entries of an agent's ratings at these indices.

    Raises:
        ValueError: The ratings have another size, or are not finite there.
    """
    try:
        array = np.asarray(ratings)
    except ValueError:  # rows of unequal length
        array = np.empty(0)
    are_numbers = array.dtype.kind in "fiu" and array.size == size
    if not are_numbers or not np.isfinite(array.ravel()[list(indices)]).all():
        raise ValueError(
            f"agent {name!r} must return {size} finite numbers for a hint, not {quote(ratings)}"
        )
    numbers: Floating = array.ravel()[list(indices)]
    return numbers
