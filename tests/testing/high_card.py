"""A small sound game to plant faults in: everybody lays a card, the highest wins the prize."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from kododo_env.core import ActionLayout, ActionPiece, BatchGame, ObservationLayout, Piece, View
from kododo_env.core.batch_game import from_own_seat
from kododo_env.core.deck import shuffled_rows
from kododo_env.core.state import Invariant

EMPTY = 255


class Stage(IntEnum):
    DRAWING = 0
    LAST_CARDS = 1


@dataclass(frozen=True)
class Rules:
    """Two cards in hand, one drawn after each turn but the last two; some stay out of play."""

    num_players: int = 3
    num_cards: int = 15
    turns: int = 4
    prize: int = 2

    def __post_init__(self) -> None:
        if not 3 * self.num_players <= self.num_players * self.turns <= self.num_cards <= 250:
            raise ValueError(f"{self.num_cards} cards do not reach")
        if not 1 <= self.prize <= 85:
            raise ValueError(f"prize must be 1 to 85, not {self.prize}")


class HighCardView(View):
    _game: HighCard

    @property
    def hand(self) -> np.ndarray:
        """Own cards, lowest first; shape (N, 2)."""
        self._current()
        return np.array(self._game._hands[self.player].T)


class HighCard(BatchGame):
    """Player i is dealt ``deck[2i : 2i + 2]``; then all draw in seat order from the front."""

    name = "high_card"
    version = 0
    no_op = 0
    rules: Rules
    _arrays: ClassVar[tuple[str, ...]] = ("_deck", "_hands", "_laid", "_seen")
    _schedule: ClassVar[tuple[str, ...]] = ("turn", "stage")

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        cards, seat = rules.num_cards, (("seat",))
        layout = ObservationLayout((
            Piece("hand", (cards,), 1, "1 where the card is in hand", ("card",)),
            Piece("seen", (cards,), 1, "1 where the card has been laid", ("card",)),
            Piece("laid", (rules.num_players,), cards, "the card laid last, from 1", seat),
            Piece("scores", (rules.num_players,), rules.turns * rules.prize, "points", seat),
            Piece("turn", (), rules.turns, "turns played"),
        ))  # fmt: skip
        actions = ActionLayout((ActionPiece("lay", (2,), ("slot",)),))
        super().__init__(num_envs, rules, layout, actions, np.arange(cards), seed)

    def _start(self, decks: np.ndarray) -> None:
        shape = (self.num_players, 2, self.num_envs)
        self._deck = decks[0]
        self._hands = np.sort(self._deck[: 2 * self.num_players].reshape(shape), axis=1)
        self._laid = np.full((self.num_players, self.num_envs), EMPTY, np.uint8)
        self._seen = np.zeros((self.rules.num_cards, self.num_envs), np.uint8)
        self.turn, self.stage = 0, Stage.DRAWING

    @property
    def drawn(self) -> int:
        return self.num_players * (2 + min(self.turn, self.rules.turns - 2))

    def _mask(self) -> np.ndarray:
        return self._hands != EMPTY

    def _advance(self, chosen: np.ndarray) -> None:
        slot = chosen[:, None]
        self._laid = np.take_along_axis(self._hands, slot, axis=1)[:, 0]
        np.put_along_axis(self._seen, self._laid, np.uint8(1), axis=0)
        points = (self._laid == self._laid.max(axis=0)) * np.int16(self.rules.prize)
        self._rewards[:] = points
        self._scores += points
        draws = np.full((self.num_players, self.num_envs), EMPTY, np.uint8)
        if self.stage == Stage.DRAWING:
            draws = self._deck[self.drawn : self.drawn + self.num_players]
        np.put_along_axis(self._hands, slot, draws[:, None], axis=1)
        self._hands.sort(axis=1)
        self.turn += 1
        if self.turn == self.rules.turns - 2:
            self.stage = Stage.LAST_CARDS
        self._terminated[:] = self.turn == self.rules.turns

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        seats, each = from_own_seat(self.num_players), np.arange(self.rules.num_cards)[:, None]
        into["hand"][:] = (self._hands[:, :, None] == each).any(axis=1)
        into["seen"][:] = self._seen
        into["laid"][:] = np.where(self._laid == EMPTY, 0, self._laid + np.int16(1))[seats]
        into["scores"][:] = self._scores[seats]
        into["turn"][:] = self.turn

    def _invariants(self) -> Iterator[Invariant]:
        rules, cards = self.rules, np.arange(self.rules.num_cards)[:, None]
        over = self.turn == rules.turns
        yield f"turn must be 0 to {rules.turns}", self.turn <= rules.turns
        yield "stage must follow from turn", self.stage == (self.turn >= rules.turns - 2)
        yield "_terminated must say that all games end with the last turn", self._terminated == over
        yield "_deck must hold the cards of the game", np.sort(self._deck, axis=0) == cards
        held = (self._hands[:, :, None] == cards).sum(axis=(0, 1))
        left = (self._deck[self.drawn :, None] == cards).sum(axis=0)
        yield "each card must be in a hand, laid or in the deck", held + self._seen + left == 1
        empty = (self._hands == EMPTY).sum(axis=1)
        yield (
            "hands must hold as many cards as are drawn",
            empty == max(0, self.turn - rules.turns + 2),
        )
        yield "hands must be sorted", self._hands[:, 0] <= self._hands[:, 1]
        laid = (self._laid[:, None] == cards).any(axis=0)
        last = self._laid == EMPTY if self.turn == 0 else self._laid < rules.num_cards
        yield "the cards laid last must have been seen", last.all(axis=0) & (laid <= self._seen)
        prizes = self._scores // rules.prize
        yield "scores must be prizes", (prizes * rules.prize == self._scores) & (prizes >= 0)
        yield "a prize must be won in each turn", prizes.sum(axis=0) == self.turn

    def _standing(self) -> tuple[np.ndarray, ...]:
        return (self._scores,)

    def _view(self, player: int) -> HighCardView:
        return HighCardView(self, player)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        others = np.delete(np.arange(self.num_players), player)
        held = self._hands[others]
        rest = self._deck[self.drawn :]
        hidden = np.concatenate([held[held != EMPTY].reshape(-1, self.num_envs), rest])
        dealt = self._shuffled(np.sort(hidden.T, axis=1), rng).T
        in_hands = len(hidden) - len(rest)
        held[held != EMPTY] = dealt[:in_hands].ravel()
        self._hands[others] = np.sort(held, axis=1)
        self._deck[self.drawn :] = dealt[in_hands:]
        self._tidy_deck()

    def _shuffled(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return shuffled_rows(rows, rng)

    def _tidy_deck(self) -> None:
        """Who drew which card when is nobody's to know: the cards drawn are put in order."""
        left = np.zeros((self.rules.num_cards, self.num_envs), np.bool_)
        np.put_along_axis(left, self._deck[self.drawn :], True, axis=0)
        self._deck[: self.drawn] = np.nonzero(~left.T)[1].reshape(self.num_envs, -1).T

    def _describe(self, action: int) -> str:
        return f"lay the card in slot {action}"

    def _text(self, index: int, player: int | None) -> str:
        seats = range(self.num_players) if player is None else [player]
        hands = [f"player {seat}: {self._hands[seat, :, index].tolist()}" for seat in seats]
        return "\n".join([f"turn {self.turn}", *hands])

    def _svg(self, index: int, player: int | None) -> str:
        return f"<svg><text>{self._text(index, player)}</text></svg>"


def make(num_envs: int, seed: int | None = None, **rules: Any) -> HighCard:
    return HighCard(num_envs, Rules(**rules), seed)
