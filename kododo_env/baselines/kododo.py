"""Scripted players of Kododo."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from kododo_env.baselines.kododo_chances import (
    Situation,
    Tables,
    expected_margins,
    tables_for,
    tables_without_counting,
)
from kododo_env.core.agent import ActionValueAgent, Agent, Values, best_legal
from kododo_env.core.view import View
from kododo_env.games.kododo import KododoView, Rules
from kododo_env.games.kododo.observation import action_layout

Array = npt.NDArray[Any]
Choices = tuple[tuple[int, ...], ...]


@lru_cache
def choices_of_turn(rules: Rules, turn: int) -> tuple[slice, Choices]:
    """Which actions lay cards in a turn, and the slots that each of them lays."""
    actions = action_layout(rules)
    for piece in actions.pieces:
        if getattr(piece, "plays", None) == rules.plays[turn]:
            return actions.where(piece.name), cast("Choices", piece.choices)  # type: ignore[union-attr]
    raise ValueError(f"no action lays {rules.plays[turn]} cards")


def _of_all(worth: Array, view: KododoView) -> Array:
    """The worth of all actions, (A, N), from that of this turn's; 0 for the others."""
    every = np.zeros(view.legal_action_mask.shape[::-1], worth.dtype)
    every[choices_of_turn(view.rules, view.turn)[0]] = worth
    return every


def _of_cards(worth: Array, view: KododoView) -> Array:
    """The worth of all actions, (A, N), from that of the cards which they lay, (slots, N)."""
    choices = choices_of_turn(view.rules, view.turn)[1]
    return _of_all(np.stack([worth[list(slots)].sum(axis=0) for slots in choices]), view)


class _KododoAgent(ActionValueAgent):
    """Lays what is worth most, a little randomness aside.

    Attributes:
        noise: Scale of the random number (of Gumbel's distribution) that is added to each
            choice's worth.
    """

    noise = 1e-3  # among equals one at random

    def choose(self, values: Values, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """The legal action of the highest value, after the noise; shape (N,)."""
        view = cast("KododoView", view)
        where, _ = choices_of_turn(view.rules, view.turn)
        here = values[where]
        return best_legal(_of_all(here + self.noise * rng.gumbel(size=here.shape), view), view)


def _colours_and_values(view: KododoView) -> tuple[Array, Array]:
    """The cards in hand, each of shape (slots, N); an empty slot looks like a card."""
    hand = np.maximum(np.ascontiguousarray(view.hand.T), 0).astype(np.intp)
    colours, values = np.divmod(hand, view.rules.num_values)
    return colours, values + 1


class GreedyAgent(_KododoAgent):
    """Lays the cards of the highest values; among equals any."""

    name = "greedy"

    def action_values(self, view: View) -> Values:
        """The values laid; shape (A, N)."""
        view = cast("KododoView", view)
        return _of_cards(_colours_and_values(view)[1].astype(np.float32), view)


class FollowAgent(_KododoAgent):
    """Lays into the leading colour on the table, the highest cards it has of it.

    That is the colour with the most cards among those that one card more does not bring to
    the limit; between equals the one in which the player has more points. On an empty table
    it is the colour of which it holds most.
    """

    name = "follow"

    def action_values(self, view: View) -> Values:
        """The values laid, far behind what leads; shape (A, N)."""
        view = cast("KododoView", view)
        colours, values = _colours_and_values(view)
        if view.turn == 0:
            leading = view.pieces["hand"].sum(axis=-1, dtype=np.intp)
        else:
            cards = view.pieces["colour_totals"].astype(np.intp)
            own = view.pieces["table_points"][:, 0]
            # The three keys one after the other, each beyond the reach of the next.
            leading = np.where(view.pieces["to_limit"] > 1, cards * 100 + own, -10_000)
        worth = 100 * np.take_along_axis(leading.T, colours, axis=0) + values
        return _of_cards(worth.astype(np.float64), view)


class HeuristicAgent(_KododoAgent):
    """Weighs, for each choice, the chance of every colour to score, and what it would bring.

    A choice is worth the points it may be expected to gain on the mean of the others by the
    end of the round: see ``kododo_chances``. Under rules with other colours, hands or turns
    than the real game's, for which the chances are not known, it plays like ``follow``.

    Args:
        noise: Scale, in points, of the random number (of Gumbel's distribution) that is
            added to each choice's worth, so that nobody can foretell what is laid.
        tables: Chances to use in place of those that come with the project.
    """

    name = "heuristic"

    def __init__(self, noise: float = 0.03, tables: Tables | None = None) -> None:
        self.noise = noise
        self.tables = tables

    def _tables_for(self, rules: Rules) -> Tables | None:
        return tables_for(rules)

    def action_values(self, view: View) -> Values:
        """What each choice may be expected to gain on the mean of the others; shape (A, N)."""
        view = cast("KododoView", view)
        tables = self.tables or self._tables_for(view.rules)
        if tables is None:
            return FollowAgent().action_values(view)
        situation = Situation(view)
        laid = situation.after(choices_of_turn(view.rules, view.turn)[1])
        return _of_all(expected_margins(situation, laid, tables), view)


class PlainHeuristicAgent(HeuristicAgent):
    """The heuristic without counting: it forgets which cards it has seen, and dithers more.

    It stands between ``follow`` and the heuristic.
    """

    name = "plain-heuristic"

    def __init__(self, noise: float = 0.1) -> None:
        super().__init__(noise)

    def _tables_for(self, rules: Rules) -> Tables | None:
        return tables_without_counting(rules)


BASELINES: dict[str, Callable[[], Agent]] = {
    "greedy": GreedyAgent,
    "follow": FollowAgent,
    "heuristic": HeuristicAgent,
}
"""What makes a scripted agent by its name, the weakest first."""

YARDSTICKS: dict[str, Callable[[], Agent]] = {"plain-heuristic": PlainHeuristicAgent}
"""Further agents with a name, against which nothing is measured unless they are named."""
