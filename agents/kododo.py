"""Scripted players of Kododo."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from agents.kododo_chances import Situation, Tables, expected_margins, tables_for
from kododo_env.core.agent import Agent
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


def _best(worth: Array, view: KododoView) -> npt.NDArray[np.int64]:
    """The legal action of the highest worth, (N,); ``worth`` (A, N) is of this turn's actions."""
    where, _ = choices_of_turn(view.rules, view.turn)
    mask = view.legal_action_mask
    every = np.zeros(mask.shape[::-1], worth.dtype)
    every[where] = worth
    chosen: npt.NDArray[np.int64] = np.where(mask.T, every, -np.inf).argmax(axis=0)
    return chosen


def _best_cards(worth: Array, view: KododoView, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """The legal action whose cards are worth most together, (N,); ``worth`` (slots, N)."""
    _, choices = choices_of_turn(view.rules, view.turn)
    noisy = worth + 1e-3 * rng.random(worth.shape)  # among equals one at random
    return _best(np.stack([noisy[list(slots)].sum(axis=0) for slots in choices]), view)


def _colours_and_values(view: KododoView) -> tuple[Array, Array]:
    """The cards in hand, each of shape (slots, N); an empty slot looks like a card."""
    hand = np.maximum(np.ascontiguousarray(view.hand.T), 0).astype(np.intp)
    colours, values = np.divmod(hand, view.rules.num_values)
    return colours, values + 1


class GreedyAgent:
    """Lays the cards of the highest values; among equals any."""

    name = "greedy"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose in each game; shape (N,)."""
        view = cast("KododoView", view)
        return _best_cards(_colours_and_values(view)[1], view, rng)


class FollowAgent:
    """Lays into the leading colour on the table, the highest cards it has of it.

    That is the colour with the most cards among those that one card more does not bring to
    the limit; between equals the one in which the player has more points. On an empty table
    it is the colour of which it holds most.
    """

    name = "follow"

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose in each game; shape (N,)."""
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
        return _best_cards(worth, view, rng)


class HeuristicAgent:
    """Weighs, for each choice, the chance of every colour to score, and what it would bring.

    A choice is worth the points it may be expected to gain on the mean of the others by the
    end of the round: see ``agents.kododo_chances``. Under rules with other colours, hands or
    turns than the real game's, for which the chances are not known, it plays like ``follow``.

    Args:
        noise: Scale, in points, of the random number (of Gumbel's distribution) that is
            added to each choice's worth, so that nobody can foretell what is laid.
        tables: Chances to use in place of those that come with the project.
    """

    name = "heuristic"

    def __init__(self, noise: float = 0.03, tables: Tables | None = None) -> None:
        self.noise = noise
        self.tables = tables

    def act(self, view: View, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Choose in each game; shape (N,)."""
        view = cast("KododoView", view)
        tables = self.tables or tables_for(view.rules)
        if tables is None:
            return FollowAgent().act(view, rng)
        situation = Situation(view)
        laid = situation.after(choices_of_turn(view.rules, view.turn)[1])
        worth = expected_margins(situation, laid, tables)
        return _best(worth + self.noise * rng.gumbel(size=worth.shape), view)


BASELINES: dict[str, Callable[[], Agent]] = {
    "greedy": GreedyAgent,
    "follow": FollowAgent,
    "heuristic": HeuristicAgent,
}
"""What makes a scripted agent by its name, the weakest first."""
