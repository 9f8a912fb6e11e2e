"""Scripted players of Kododo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from kododo_env.baselines.kododo_chances import (
    Situation,
    Tables,
    expected_margins,
    of_choices,
    tables_for,
)
from kododo_env.baselines.kododo_forecaster import ForecasterAgent, Weights
from kododo_env.baselines.kododo_laying import KododoAgent, choices_of_turn
from kododo_env.baselines.weights import drawn_weights
from kododo_env.core.agent import Agent
from kododo_env.core.arrays import Array
from kododo_env.games.kododo import KododoView


def _colours_and_values(view: KododoView) -> tuple[Array, Array]:
    """The cards in hand, each of shape (slots, N); an empty slot looks like a card."""
    hand = np.maximum(np.ascontiguousarray(view.hand.T), 0).astype(np.intp)
    return hand // view.rules.num_values, hand % view.rules.num_values + 1


def _of_cards(values: Array, view: KododoView) -> Array:
    """The values of the turn's choices, (choices, N), from those of the cards, (slots, N)."""
    return of_choices(values, choices_of_turn(view.rules, view.turn)[1])


class GreedyAgent(KododoAgent):
    """Lays the cards of the highest values; among equals any."""

    name = "greedy"

    def choice_values(self, view: KododoView) -> Array:
        """The values of the cards laid."""
        return _of_cards(_colours_and_values(view)[1].astype(np.float32), view)


class FollowAgent(KododoAgent):
    """Lays into the leading colour on the table, the highest cards it has of it.

    That is the colour with the most cards among those that one card more does not bring to
    the limit; between equals the one in which the player has more points. On an empty table
    it is the colour of which it holds most.
    """

    name = "follow"

    def choice_values(self, view: KododoView) -> Array:
        """The values of the cards laid, far behind whether their colour leads."""
        colours, values = _colours_and_values(view)
        if view.turn == 0:
            leading = view.pieces["hand"].sum(axis=-1, dtype=np.intp)
        else:
            cards = view.pieces["colour_totals"].astype(np.intp)
            own_points = view.pieces["table_points"][:, 0]
            # The three keys one after the other, each beyond the reach of the next.
            leading = np.where(view.pieces["to_limit"] > 1, cards * 100 + own_points, -10_000)
        keys = 100 * np.take_along_axis(leading.T, colours, axis=0) + values
        return _of_cards(keys.astype(np.float64), view)


class HeuristicAgent(KododoAgent):
    """Reckons, for each choice, the chance of every colour to score, and what it would bring.

    A choice's value is the points it is expected to gain on the mean of the others by the end
    of the round: see ``kododo_chances``. Under rules with other colours, hands or turns than
    the real game's, for which the chances are not known, it plays like ``follow``.

    Args:
        noise: Scale, in points, of the random number (of Gumbel's distribution) that is
            added to each choice's value, so that nobody can foretell what is laid.
        tables: Chances to use in place of those that come with the project.
    """

    name = "heuristic"
    counts_cards = True

    def __init__(self, noise: float = 0.03, tables: Tables | None = None) -> None:
        self.noise = noise
        self.tables = tables

    def choice_values(self, view: KododoView) -> Array:
        """The expected gain of each choice on the mean of the others."""
        tables = self.tables or tables_for(view.rules, self.counts_cards)
        if tables is None:
            return FollowAgent().choice_values(view)
        situation = Situation(view)
        choices = choices_of_turn(situation.rules, situation.turn)[1]
        return expected_margins(situation, situation.after(choices), tables)


class PlainHeuristicAgent(HeuristicAgent):
    """The heuristic without counting: it forgets which cards it has seen, and is less sure.

    It stands between ``follow`` and the heuristic.
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
"""The makers of scripted agents by their names, the weakest first."""

HELD_OUT: dict[str, Callable[[], Agent]] = {
    "forecaster": ForecasterAgent,
    "plain-heuristic": PlainHeuristicAgent,
}
"""Scripted agents that no recipe imitates or trains against, likewise; the main one first."""


def drawn(seed: int) -> Agent:
    """A stranger of the population, whose weights are drawn."""
    return ForecasterAgent(drawn_weights(Weights, seed))


HELD_OUT_SEARCHES = ("flat:random:64", "search:forecaster:64")
"""Searches that are held out as well."""
