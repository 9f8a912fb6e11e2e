"""Games that one player cannot tell apart, made by swapping two cards of a deck."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from kododo_env.core.arrays import Bool, Int64, Uint8
from kododo_env.core.batch_game import BatchGame
from kododo_env.testing.games.playing import Subject, shown_by, turns

PLACES_OF_DECK = 12  # of which each two are swapped
OF_LATER_DEALS = 3


@dataclass(frozen=True)
class Swap:
    """Two places of one deal whose cards change places."""

    deal: int
    places: tuple[int, int]

    def of(self, deck: Uint8) -> Uint8:
        """The deck, (1, D) or (1, K, D), with the two cards swapped; a copy."""
        changed = deck.copy().reshape(-1, deck.shape[-1])
        changed[self.deal, list(self.places)] = changed[self.deal, list(self.places[::-1])]
        return changed.reshape(deck.shape)


@dataclass(frozen=True)
class Place:
    """A place in one game, and the others that it may be."""

    step: int  # how many steps have been played
    game: BatchGame  # a batch of one
    swaps: list[Swap]  # the C swaps tried on its deck
    others: list[BatchGame | None]  # the same choices with each deck; None where not possible
    # For which players it has been the same game at every step so far, to judge by scores,
    # observation, mask and view: shape (C, P).
    alike: Bool

    def of(self, player: int) -> list[BatchGame]:
        """Games that the player cannot tell from this one, with cards swapped that are hidden.

        A player who is shown several cards at once is not told in which order they came. It
        is no secret either, so two such cards do not count.
        """
        seen = self._seen(player)
        return [
            other
            for swap, other, alike in zip(self.swaps, self.others, self.alike, strict=True)
            if other is not None and alike[player]
            if not all((swap.deal, place) in seen for place in swap.places)
        ]

    def _seen(self, player: int) -> set[tuple[int, int]]:
        """Places of which the player knows the card: most swaps with others have shown."""
        shown: dict[tuple[int, int], list[bool]] = {}
        for swap, alike in zip(self.swaps, self.alike, strict=True):
            for place in swap.places:
                shown.setdefault((swap.deal, place), []).append(not alike[player])
        return {place for place, found in shown.items() if sum(found) > len(found) / 2}


def places(subject: Subject, salt: int = 0) -> Iterator[Place]:
    """One random game from the deal to its end, both included, with the others it may be."""
    game, rng = subject.game(1), subject.rng(10 + salt)
    deck = game.sample_decks(1, rng)
    game.reset(decks=deck)
    swaps = _swaps(deck, rng)
    others: list[BatchGame | None] = [_dealt(subject, swap.of(deck)) for swap in swaps]
    alike = np.ones((len(swaps), game.num_players), np.bool_)
    step = 0
    for step, actions in enumerate(turns(game, rng), start=1):
        _compare(game, others, alike)
        yield Place(step - 1, game, swaps, others, alike)
        for index, other in enumerate(others):
            if other is None or not alike[index].any() or not _legal(other, actions):
                others[index], alike[index] = None, False
            else:
                other.step(actions)
        game.step(actions)
    _compare(game, others, alike)
    yield Place(step, game, swaps, others, alike)


def _compare(game: BatchGame, others: list[BatchGame | None], alike: Bool) -> None:
    """Strike out the others for the players whom they now show something else."""
    shown = _look(game)
    for index, other in enumerate(others):
        if other is not None:
            alike[index] &= [one == two for one, two in zip(_look(other), shown, strict=True)]


def _swaps(deck: Uint8, rng: np.random.Generator) -> list[Swap]:
    """Each two of some places that hold different cards."""
    deals = deck.reshape(-1, deck.shape[-1])
    several = len(deals) > 1
    found = []
    for deal in range(2 if several else 1):
        wanted = OF_LATER_DEALS if deal else PLACES_OF_DECK - OF_LATER_DEALS * several
        num = min(wanted, deck.shape[-1])
        chosen = sorted(rng.choice(deck.shape[-1], num, replace=False).tolist())
        found += [
            Swap(deal, (one, other))
            for one, other in combinations(chosen, 2)
            if deals[deal, one] != deals[deal, other]
        ]
    return found


def _dealt(subject: Subject, deck: Uint8) -> BatchGame:
    game = subject.game(1)
    game.reset(decks=deck)
    return game


def _look(game: BatchGame) -> list[tuple[Any, ...]]:
    """All that each player is told in numbers, for comparing."""
    return [
        (game.terminated.tobytes(), game.scores.tobytes(), *map(_bytes, shown.values()))
        for shown in (shown_by(game.view(player)) for player in range(game.num_players))
    ]


def _bytes(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return None if isinstance(value, dict) else value  # pieces are the observation's


def _legal(game: BatchGame, actions: Int64) -> bool:
    mask = game.legal_action_mask()
    return bool(np.take_along_axis(mask, actions[:, :, None], axis=2).all())
