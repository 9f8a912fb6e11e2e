"""Scripted players of Kododo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.arrays.dtypes import Array
from kododo_env.baselines.kododo_agent import KododoAgent, choices_of_turn
from kododo_env.baselines.kododo_forecaster import ForecasterAgent, ForecasterWeights
from kododo_env.baselines.kododo_values import (
    HeuristicView,
    Tables,
    expected_margins,
    of_choices,
    tables_for,
)
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import Agent
from kododo_env.games.kododo import KododoView


def _colours_and_values(view: KododoView) -> tuple[Array, Array]:
    """Return colours and values of the cards in hand, (slots, N) each; empty slots are card 0."""
    hand = np.maximum(np.ascontiguousarray(view.hand.T), 0).astype(np.intp)
    return hand // view.rules.num_values, hand % view.rules.num_values + 1


def _of_cards(values: Array, view: KododoView) -> Array:
    """Return the values of choices, (choices, N), from the values of cards, (slots, N)."""
    return of_choices(values, choices_of_turn(view.rules, view.turn)[1])


class GreedyAgent(KododoAgent):
    """A player that lays the cards of the highest values; ties are broken at random."""

    name = "greedy"

    def choice_values(self, view: KododoView) -> Array:
        """Return the sum of the values of the cards that each choice lays, (choices, N)."""
        return _of_cards(_colours_and_values(view)[1].astype(np.float32), view)


class FollowAgent(KododoAgent):
    """A player that lays its highest cards of the leading colour.

    The leading colour has the most cards on the table among the colours that stay below the limit
    with one more card; ties go to the colour in which the player has the most points. In the first
    turn, when the table is empty, it is the colour with the most cards in the player's hand.
    """

    name = "follow"

    def choice_values(self, view: KododoView) -> Array:
        """Return sort keys of the choices, by leading colour and then card values; (choices, N)."""
        colours, values = _colours_and_values(view)
        if view.turn == 0:
            leading = view.pieces["hand"].sum(axis=-1, dtype=np.intp)
        else:
            cards = view.pieces["colour_totals"].astype(np.intp)
            own_points = view.pieces["table_points"][:, 0]
            # One number combines the keys; each factor exceeds the range of the next key.
            leading = np.where(view.pieces["to_limit"] > 1, cards * 100 + own_points, -10_000)
        keys = 100 * np.take_along_axis(leading.T, colours, axis=0) + values
        return _of_cards(keys.astype(np.float64), view)


class HeuristicAgent(KododoAgent):
    """A player that maximises its expected margin at the end of the round.

    For each choice it estimates the probability that each colour scores, and the points; see
    ``kododo_values``. It needs tables for the rules, and plays like ``follow`` if colours, hands
    or turns differ from the real game's.

    Args:
        noise: The scale, in points, of the Gumbel noise added to each choice's value, which makes
            the player unpredictable.
        tables: The tables; None uses those of the package.
    """

    name = "heuristic"
    counts_cards = True

    def __init__(self, noise: float = 0.03, tables: Tables | None = None) -> None:
        self.noise = noise
        self.tables = tables

    def choice_values(self, view: KododoView) -> Array:
        """Return the expected margin of each choice in points, (choices, N)."""
        tables = self.tables or tables_for(view.rules, self.counts_cards)
        if tables is None:
            return FollowAgent().choice_values(view)
        situation = HeuristicView(view)
        choices = choices_of_turn(situation.rules, situation.turn)[1]
        return expected_margins(situation, situation.after(choices), tables)


class PlainHeuristicAgent(HeuristicAgent):
    """The heuristic without card counting and with more noise.

    Its strength is between ``follow`` and the heuristic.
    """

    name = "plain-heuristic"
    counts_cards = False

    def __init__(self, noise: float = 0.1) -> None:
        super().__init__(noise)


BASELINES: dict[str, Callable[[], Agent]] = {
    "greedy": GreedyAgent,
    "follow": FollowAgent,
    "heuristic": HeuristicAgent,
}
"""Constructors of the scripted agents by name, weakest first."""

HELD_OUT: dict[str, Callable[[], Agent]] = {
    "forecaster": ForecasterAgent,
    "plain-heuristic": PlainHeuristicAgent,
}
"""Constructors of the agents that are never used in training, by name; the main one first."""


def drawn(seed: int) -> Agent:
    """Create a held-out opponent with random weights, reproducibly by seed."""
    return ForecasterAgent(drawn_weights(ForecasterWeights, seed))


HELD_OUT_SEARCHES = ("flat:random:64", "search:held-out:forecaster:64")
"""The names of the searches that are never used in training."""
