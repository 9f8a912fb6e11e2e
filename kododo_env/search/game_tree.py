"""The complete tree of a small game: all positions by step, and the information sets in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Float64, Intp
from kododo_env.core.batch_game import BatchGame
from kododo_env.core.view import View, own_facts
from kododo_env.search.deals import distinct_decks, least_decks, one_deck_is_enough

MOST_POSITIONS = 2_000_000


@dataclass(frozen=True)
class TreeStep:
    """All N unfinished positions after a number of steps, and the M positions that follow them.

    An information set contains the positions that a player cannot distinguish by all their views
    and actions since the deal (perfect recall).

    Attributes:
        games: The positions, a batch of N games that is never stepped.
        sets: For each player the information set of each position, numbered from 0, (P, N).
        first: For each player the index of a position in each information set, (I,).
        legal: For each player the legal actions in each information set, (I, A).
        before: The index of the position before each following position, (M,).
        actions: The joint action that leads to each following position, (M, P).
        over: Whether the game ends in each following position, (M,). The others are the positions
            of the next step, in the same order.
        shares: The win shares where the game ends, otherwise 0, (M, P).
    """

    games: BatchGame
    sets: Intp
    first: list[Intp]
    legal: list[Bool]
    before: Intp
    actions: Intp
    over: Bool
    shares: Float64


class GameTree:
    """All deals of a game and all its continuations.

    Args:
        game: A batch with the rules of the game; it is not changed.

    Attributes:
        num_players: P.
        probabilities: The probability of each deal, which is a position of the first step.
        steps: The steps of the game, in order.

    Raises:
        ValueError: The game is too large, or depends on more than its first deck.
    """

    def __init__(self, game: BatchGame) -> None:
        if not one_deck_is_enough(game):
            raise ValueError(f"a tree of {game.name} needs rules with a single deal")
        self._positions_left = MOST_POSITIONS
        self._name = game.name
        self._take(least_decks(game))
        decks = list(islice(distinct_decks(game), MOST_POSITIONS + 1))
        self._take(len(decks) - least_decks(game))
        self.num_players = game.num_players
        self.probabilities = np.array([deck.probability for deck in decks])
        games = game.fresh(len(decks), 0)
        games.reset(decks=np.array([deck.cards for deck in decks]))
        self.steps = list(self._steps_from(games))

    def _take(self, positions: int) -> None:
        """Count positions before they are created; raise ValueError if there are too many."""
        self._positions_left -= positions
        if self._positions_left < 0:
            raise ValueError(
                f"{self._name} is too large to solve: more than {MOST_POSITIONS:,} positions "
                "under these rules; use fewer cards, or train a best response instead"
            )

    def _steps_from(self, games: BatchGame) -> Iterator[TreeStep]:
        """Yield the steps from these positions on."""
        history: Array = np.zeros((self.num_players, games.num_envs, 0), np.int64)
        while True:
            sets, first = self._information_sets(games, history)
            mask = games.legal_action_mask()
            legal = [mask[positions, player] for player, positions in enumerate(first)]
            self._take(int(mask.sum(axis=2).prod(axis=1).sum()))
            before, actions = _joint_actions(mask)
            after = games.take(before)
            after.step(actions)
            over = after.terminated.copy()
            shares = np.where(over[:, None], after.outcome(), 0.0)
            yield TreeStep(games, sets, first, legal, before, actions, over, shares)
            going_on = np.flatnonzero(~over)
            if len(going_on) == 0:
                return
            games = after.take(going_on)
            history = np.stack([sets[:, before], actions.T], axis=-1)[:, going_on]

    def _information_sets(self, games: BatchGame, history: Array) -> tuple[Intp, list[Intp]]:
        """Return the players' information sets, given each player's history, (P, N, K)."""
        sets = np.empty((self.num_players, games.num_envs), np.intp)
        first = []
        for player in range(self.num_players):
            knowledge = np.hstack([history[player], *_view_arrays(games.view(player))])
            numbers = np.ascontiguousarray(knowledge, np.int32)
            as_bytes = np.dtype((np.void, numbers.itemsize * numbers.shape[1]))  # fast to compare
            rows = numbers.view(as_bytes).ravel()
            _, positions, sets[player] = np.unique(rows, return_index=True, return_inverse=True)
            first.append(positions)
        return sets, first

    @property
    def positions(self) -> int:
        """The number of positions in which at least one player has a choice."""
        return sum(step.games.num_envs for step in self.steps)

    @property
    def information_sets(self) -> int:
        """The number of information sets with a choice, summed over all players."""
        return sum(
            int((legal.sum(axis=1) > 1).sum()) for step in self.steps for legal in step.legal
        )


def _view_arrays(view: View) -> list[Array]:
    """Return what a view shows of each of its games, each (N, K)."""
    facts = [view.observation, view.legal_action_mask, *own_facts(view).values()]
    arrays = [np.broadcast_to(fact, (view.num_envs,)) if np.ndim(fact) == 0 else fact
              for fact in facts]  # fmt: skip
    return [array.reshape(view.num_envs, -1) for array in arrays]


def _joint_actions(mask: Bool) -> tuple[Intp, Intp]:
    """Return all joint actions: the position of each, (M,), and the actions, (M, P)."""
    numbers = mask.sum(axis=2)  # (N, P)
    together = numbers.prod(axis=1)
    before = np.repeat(np.arange(len(mask)), together)
    joint_index = np.arange(len(before)) - np.repeat(together.cumsum() - together, together)
    in_order = np.argsort(~mask, axis=2, kind="stable")  # legal actions first
    actions = np.empty((len(before), mask.shape[1]), np.intp)
    for player in range(mask.shape[1]):
        joint_index, choice = np.divmod(joint_index, numbers[before, player])
        actions[:, player] = in_order[before, player, choice]
    return before, actions
