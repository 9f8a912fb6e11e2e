"""Export a small game to a Gambit file, for solvers of games in extensive form."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from kododo_env.search.game_tree import GameTree


def efg(tree: GameTree) -> str:
    """Return a game in the .efg format, which Gambit and OpenSpiel's ``load_efg_game`` read.

    A chance node deals. Then in each step the players choose one after another, the last seat
    first, without seeing the choices of this step. A player with one legal action has no node.
    Information sets are named ``step:set``, as numbered in ``tree.steps[step].sets``, and actions
    by their numbers. The payoffs are win shares.
    """
    players = " ".join(f'"player_{player}"' for player in range(tree.num_players))
    title = tree.steps[0].games.name
    return "\n".join([f'EFG 2 R "{title}" {{ {players} }}', *_Writer(tree).nodes()]) + "\n"


class _Writer:
    def __init__(self, tree: GameTree) -> None:
        self._tree = tree
        self._outcomes: dict[str, int] = {}
        # The first successor of each position, and the index of each successor in the next step.
        self._start = [np.searchsorted(s.before, np.arange(s.games.num_envs)) for s in tree.steps]
        self._next = [np.cumsum(~step.over) - 1 for step in tree.steps]
        self._numbers = [set_numbers(tree, player) for player in range(tree.num_players)]

    def nodes(self) -> Iterator[str]:
        """Yield lines, each node before its descendants."""
        chances = " ".join(
            f'"{number}" {chance:.17g}' for number, chance in enumerate(self._tree.probabilities)
        )
        yield f'c "" 1 "" {{ {chances} }} 0'
        for position in range(len(self._tree.probabilities)):
            yield from self._position(0, position)

    def _position(self, number: int, position: int) -> Iterator[str]:
        yield from self._choices(
            number, position, int(self._start[number][position]), self._tree.num_players - 1
        )

    def _choices(self, number: int, position: int, follower: int, player: int) -> Iterator[str]:
        """Yield the nodes for the choices of this player and those before, from a follower on."""
        step = self._tree.steps[number]
        if player < 0:
            yield from self._follower(number, follower)
            return
        sets = [int(step.sets[seat][position]) for seat in range(player + 1)]
        legal = [
            np.flatnonzero(step.legal[seat][information_set])
            for seat, information_set in enumerate(sets)
        ]
        # The distance between the successors by two consecutive actions of this player.
        apart = int(np.prod([len(actions) for actions in legal[:-1]]))
        if len(legal[-1]) > 1:
            set_number = self._numbers[player][number][sets[player]]
            names = " ".join(f'"{action}"' for action in legal[-1])
            yield f'p "" {player + 1} {set_number} "{number}:{sets[player]}" {{ {names} }} 0'
        for index in range(len(legal[-1])):
            yield from self._choices(number, position, follower + index * apart, player - 1)

    def _follower(self, number: int, follower: int) -> Iterator[str]:
        step = self._tree.steps[number]
        if not step.over[follower]:
            yield from self._position(number + 1, int(self._next[number][follower]))
            return
        shares = ", ".join(f"{share:.17g}" for share in step.shares[follower])
        outcome = self._outcomes.setdefault(shares, len(self._outcomes) + 1)
        yield f't "" {outcome} "" {{ {shares} }}'


def set_numbers(tree: GameTree, player: int) -> list[list[int]]:
    """Return for each step the numbers of a player's information sets.

    The information sets with a choice are numbered from 1 through all steps; the numbers of other
    sets have no meaning.
    """
    numbers_by_step = []
    last = 0
    for step in tree.steps:
        numbers = last + np.cumsum(step.legal[player].sum(axis=1) > 1)
        last = int(numbers[-1])
        numbers_by_step.append(numbers.tolist())
    return numbers_by_step
