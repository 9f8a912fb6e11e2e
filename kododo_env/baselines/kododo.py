"""Scripted players of Kododo."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

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
from kododo_env.core.arrays import Array
from kododo_env.games.kododo import KododoView


def _colours_and_values(view: KododoView) -> tuple[Array, Array]:
    """Return colours and values of the cards in hand, (slots, N) each; empty slots are card 0."""
    hand = np.maximum(np.ascontiguousarray(view.hand.T), 0).astype(np.intp)
    return hand // view.rules.num_values, hand % view.rules.num_values + 1


def _of_cards(values: Array, view: KododoView) -> Array:
    """Return the values of choices, (choices, N), from the values of cards, (slots, N)."""
    return of_choices(values, choices_of_turn(view.rules, view.turn)[1])


class GreedyAgent(KododoAgent):
    """Lays the cards of the highest values; ties are broken at random."""

    name = "greedy"

    def choice_values(self, view: KododoView) -> Array:
        """Return the values of the cards laid."""
        return _of_cards(_colours_and_values(view)[1].astype(np.float32), view)


class FollowAgent(KododoAgent):
    """Lays its highest cards of the leading colour on the table.

    That is the colour with the most cards among those that one more card does not bring to the
    limit, and of these the one in which the player has the most points. On an empty table it is
    the colour of which it holds the most cards.
    """

    name = "follow"

    def choice_values(self, view: KododoView) -> Array:
        """Return keys that order choices by the leading colour first, then by card values."""
        colours, values = _colours_and_values(view)
        if view.turn == 0:
            leading = view.pieces["hand"].sum(axis=-1, dtype=np.intp)
        else:
            cards = view.pieces["colour_totals"].astype(np.intp)
            own_points = view.pieces["table_points"][:, 0]
            # Three keys in one number, each beyond the range of the next.
            leading = np.where(view.pieces["to_limit"] > 1, cards * 100 + own_points, -10_000)
        keys = 100 * np.take_along_axis(leading.T, colours, axis=0) + values
        return _of_cards(keys.astype(np.float64), view)


class HeuristicAgent(KododoAgent):
    """Estimates for each choice the probability that each colour scores, and the points.

    A choice's value is the expected margin over the mean of the other players at the end of the
    round: see ``kododo_values``. Under rules with other colours, hands or turns than the real
    game's, for which there are no tables, it plays like ``follow``.

    Args:
        noise: The scale, in points, of the Gumbel noise added to each choice's value, so that
            its choices cannot be predicted.
        tables: Tables of probabilities; None uses those of the package.
    """

    name = "heuristic"
    counts_cards = True

    def __init__(self, noise: float = 0.03, tables: Tables | None = None) -> None:
        self.noise = noise
        self.tables = tables

    def choice_values(self, view: KododoView) -> Array:
        """Return the expected margin of each choice over the mean of the other players."""
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
"""Constructors of the held-out agents, which no recipe imitates or trains against; main first."""


def drawn(seed: int) -> Agent:
    """Return a held-out opponent with weights drawn from a seed."""
    return ForecasterAgent(drawn_weights(ForecasterWeights, seed))


HELD_OUT_SEARCHES = ("flat:random:64", "search:forecaster:64")
"""The held-out searches."""
