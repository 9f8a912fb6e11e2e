"""A small correct game, for planted faults: each player lays a card, and the highest wins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, ClassVar

import numpy as np

from kododo_env.core import ActionLayout, ActionPiece, BatchGame, ObservationLayout, Piece, View
from kododo_env.core.deck import shuffled_rows
from kododo_env.core.state import BatchState, Invariant, of_batch, per_game

EMPTY = 255


class Stage(IntEnum):
    DRAWING = 0
    LAST_CARDS = 1


@dataclass(frozen=True)
class Rules:
    """The rules: two cards in hand, one drawn after each turn but the last two."""

    num_players: int = 3
    num_cards: int = 15
    turns: int = 4
    prize: int = 2
    hand_size: ClassVar[int] = 2

    def __post_init__(self) -> None:
        if not 3 * self.num_players <= self.num_players * self.turns <= self.num_cards <= 250:
            raise ValueError(f"{self.num_cards} cards do not reach")
        if not 1 <= self.prize <= 85:
            raise ValueError(f"prize must be 1 to 85, not {self.prize}")


@dataclass(slots=True, eq=False)
class HighCardState(BatchState):
    turn: int = of_batch()
    stage: Stage = of_batch(Stage.DRAWING)
    deck: np.ndarray = per_game("num_cards")
    hands: np.ndarray = per_game("num_players", "hand_size")  # lowest first
    laid: np.ndarray = per_game("num_players", fill=EMPTY)  # the card laid last
    laid_cards: np.ndarray = per_game("num_cards")  # 1 where it has been laid


class HighCardView(View):
    _game: HighCard

    @property
    def hand(self) -> np.ndarray:
        """Own cards, lowest first; shape (N, 2)."""
        self._current()
        return np.array(self._game._state.hands[self.player].T)


class HighCard(BatchGame):
    """Player i is dealt ``deck[2i : 2i + 2]``; then all draw in seat order from the front."""

    name = "high_card"
    version = 0
    no_op = 0
    rules: Rules
    _state_type = HighCardState
    _state: HighCardState

    def __init__(self, num_envs: int, rules: Rules | None = None, seed: int | None = None) -> None:
        rules = Rules() if rules is None else rules
        cards = rules.num_cards
        seat = ("seat",)
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
        state = self._state
        state.deck = decks[0]
        state.hands = np.sort(state.deck[: self.drawn].reshape(state.hands.shape), axis=1)

    @property
    def turn(self) -> int:
        return self._state.turn

    @property
    def drawn(self) -> int:
        return self.num_players * (2 + min(self.turn, self.rules.turns - 2))

    def _mask(self) -> np.ndarray:
        return self._state.hands != EMPTY

    def _advance(self, chosen: np.ndarray) -> None:
        state = self._state
        slot = chosen[:, None]
        state.laid = np.take_along_axis(state.hands, slot, axis=1)[:, 0]
        np.put_along_axis(state.laid_cards, state.laid, np.uint8(1), axis=0)
        points = (state.laid == state.laid.max(axis=0)) * np.int16(self.rules.prize)
        state.rewards[:] = points
        state.scores += points
        draws = np.full((self.num_players, self.num_envs), EMPTY, np.uint8)
        if state.stage == Stage.DRAWING:
            draws = state.deck[self.drawn : self.drawn + self.num_players]
        np.put_along_axis(state.hands, slot, draws[:, None], axis=1)
        state.hands.sort(axis=1)
        state.turn += 1
        if self.turn == self.rules.turns - 2:
            state.stage = Stage.LAST_CARDS
        state.terminated[:] = self.turn == self.rules.turns

    def _knowledge(self) -> dict[str, np.ndarray]:
        state = self._state
        cards = np.arange(self.rules.num_cards)[:, None]
        return {
            "hand": (state.hands[:, :, None] == cards).any(axis=1),
            "seen": state.laid_cards,
            "laid": np.where(state.laid == EMPTY, 0, state.laid + np.int16(1)),
            "scores": state.scores,
            "turn": np.full(self.num_envs, self.turn),
        }

    def _invariants(self) -> Iterator[Invariant]:
        state = self._state
        rules = self.rules
        cards = np.arange(self.rules.num_cards)[:, None]
        over = self.turn == rules.turns
        yield f"turn must be 0 to {rules.turns}", self.turn <= rules.turns
        yield "stage must follow from turn", state.stage == (self.turn >= rules.turns - 2)
        yield (
            "_terminated must say that all games end with the last turn",
            state.terminated == over,
        )
        yield "_deck must hold the cards of the game", np.sort(state.deck, axis=0) == cards
        held = (state.hands[:, :, None] == cards).sum(axis=(0, 1))
        undrawn = (state.deck[self.drawn :, None] == cards).sum(axis=0)
        yield (
            "each card must be in a hand, laid or in the deck",
            held + state.laid_cards + undrawn == 1,
        )
        empty = (state.hands == EMPTY).sum(axis=1)
        yield (
            "hands must hold as many cards as are drawn",
            empty == max(0, self.turn - rules.turns + 2),
        )
        yield "hands must be sorted", state.hands[:, 0] <= state.hands[:, 1]
        laid = (state.laid[:, None] == cards).any(axis=0)
        last = state.laid == EMPTY if self.turn == 0 else state.laid < rules.num_cards
        yield (
            "the cards laid last must have been seen",
            last.all(axis=0) & (laid <= state.laid_cards),
        )
        prizes = state.scores // rules.prize
        yield "scores must be prizes", (prizes * rules.prize == state.scores) & (prizes >= 0)
        yield "a prize must be won in each turn", prizes.sum(axis=0) == self.turn

    def _view(self, player: int) -> HighCardView:
        return HighCardView(self, player)

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        state = self._state
        opponents = np.delete(np.arange(self.num_players), player)
        held = state.hands[opponents]
        undrawn = state.deck[self.drawn :]
        hidden = np.concatenate([held[held != EMPTY].reshape(-1, self.num_envs), undrawn])
        dealt = self._shuffled(np.sort(hidden.T, axis=1), rng).T
        in_hands = len(hidden) - len(undrawn)
        held[held != EMPTY] = dealt[:in_hands].ravel()
        state.hands[opponents] = np.sort(held, axis=1)
        state.deck[self.drawn :] = dealt[in_hands:]
        self._tidy_deck()

    def _shuffled(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return shuffled_rows(rows, rng)

    def _tidy_deck(self) -> None:
        """Forget who drew which card: the drawn cards are sorted."""
        in_deck = np.zeros((self.rules.num_cards, self.num_envs), np.bool_)
        np.put_along_axis(in_deck, self._state.deck[self.drawn :], True, axis=0)
        self._state.deck[: self.drawn] = np.nonzero(~in_deck.T)[1].reshape(self.num_envs, -1).T


def make(num_envs: int, seed: int | None = None, **rules: Any) -> HighCard:
    return HighCard(num_envs, Rules(**rules), seed)
