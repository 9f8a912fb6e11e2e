"""The choice of an agent in somebody's place, as a hint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kododo_env.bots.showing import actions
from kododo_env.core.agent import (
    Agent,
    ProbabilisticAgent,
    RatingAgent,
    ValueAgent,
    check_forgets,
    ranks,
)
from kododo_env.core.arrays import Floating
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.numbers import shown
from kododo_env.search.outcome_model import OutcomeModel


def gives_hints(agent: Agent) -> bool:
    """Whether an agent has an opinion of each action."""
    return isinstance(agent, ProbabilisticAgent | RatingAgent)


def check_adviser(agent: Agent) -> None:
    """Raise ValueError unless an agent can give hints."""
    if not gives_hints(agent):
        raise ValueError(
            f"agent {agent.name!r} gives no hints: it knows neither probabilities nor values of "
            "actions, as policies and scripted players do"
        )
    check_forgets(agent)


def hint(agent: Agent, game: BatchGame, seat: int) -> dict[str, Any]:
    """An agent's opinion of a player's legal actions, the best first (``ranks``).

    Args:
        agent: Knows its probabilities, or the values of actions.
        game: A batch of one.
        seat: Whose place it thinks itself in; it sees no more than they do.

    Returns:
        "by": the agent's name; "actions": each with its number, words, and "probability" or
        "value"; "value" of the position where the agent knows it; and "chance", the share of the
        victory that may be expected if all play on like the agent, where that was fitted for it.

    Raises:
        ValueError: The agent does not give a number for each action, or for the position.
    """
    view = game.view(seat)
    if isinstance(agent, ProbabilisticAgent):
        name = "probability"
        ratings = agent.probabilities(view)
    else:
        assert isinstance(agent, RatingAgent)
        name = "value"
        ratings = agent.action_values(view)
    legal = actions(view)
    numbers = _check_numbers(
        ratings, agent.name, view.num_actions, [action["action"] for action in legal]
    )
    if name == "probability" and not (0 <= numbers.min() <= numbers.max() <= 1):
        raise ValueError(f"agent {agent.name!r} must give chances of 0 to 1, not {shown(ratings)}")
    # Probabilities are equal if their logits are, by which policies choose.
    places = ranks(np.log(np.maximum(numbers, 1e-30)) if name == "probability" else numbers)
    entries = [
        {
            "action": legal[index]["action"],
            "words": legal[index]["words"],
            name: float(numbers[index]),
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
    """Those of an agent's numbers that are wanted; ValueError if it has no finite ones there."""
    try:
        array = np.asarray(ratings)
    except ValueError:  # rows of unequal length
        array = np.empty(0)
    if array.dtype.kind not in "fiu" or array.size != size:
        raise ValueError(
            f"agent {name!r} must give {size} numbers for a hint, not {shown(ratings)}"
        )
    numbers: Floating = array.ravel()[list(indices)]
    if not np.isfinite(numbers).all():
        raise ValueError(
            f"agent {name!r} must give finite numbers for a hint, not {shown(ratings)}"
        )
    return numbers
