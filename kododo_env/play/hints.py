"""The choice of an agent in somebody's place, as a hint."""

from __future__ import annotations

from typing import Any

import numpy as np

from kododo_env.bots.showing import actions
from kododo_env.core.agent import ActionValueAgent, Agent, ProbabilisticAgent, ValueAgent, ranks
from kododo_env.core.batch_game import BatchGame
from kododo_env.search.outcome_model import OutcomeModel


def gives_hints(agent: Agent) -> bool:
    """Whether an agent has an opinion of each action."""
    return isinstance(agent, ProbabilisticAgent | ActionValueAgent)


def check_adviser(agent: Agent) -> None:
    """Raise ValueError unless an agent can give hints."""
    if not gives_hints(agent):
        raise ValueError(
            f"agent {agent.name!r} gives no hints: it knows neither probabilities nor values of "
            "actions, as policies and scripted players do"
        )


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
    """
    view = game.view(seat)
    if isinstance(agent, ProbabilisticAgent):
        name, numbers = "probability", agent.probabilities(view)[0]
    else:
        assert isinstance(agent, ActionValueAgent)
        name, numbers = "value", agent.action_values(view)[:, 0]
    legal = actions(view)
    shown = numbers[[each["action"] for each in legal]]
    # Of chances those are equal whose logits are, by which policies choose.
    places = ranks(np.log(np.maximum(shown, 1e-30)) if name == "probability" else shown)
    rated = [
        {"action": legal[each]["action"], "words": legal[each]["words"], name: float(shown[each])}
        for each in np.argsort(places)
    ]
    value = {"value": float(agent.value(view)[0])} if isinstance(agent, ValueAgent) else {}
    if getattr(agent, "outcome_weights", None) is not None:
        value["chance"] = float(OutcomeModel(agent, game).expected(game, seat)[0])
    return {"by": agent.name, **value, "actions": rated}
