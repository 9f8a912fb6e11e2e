"""The small game with one fault each; the docstring is the fault's story, and its first line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from kododo_env.core import BatchGame
from kododo_env.core.state import Invariant
from tests.testing.high_card import EMPTY, HighCard, HighCardView, Stage

# --- determinism ------------------------------------------------------------------------


class RandomLater(HighCard):
    """From the third turn on points come from elsewhere: a test of one step sees nothing."""

    _elsewhere = count()

    def _advance(self, chosen: np.ndarray) -> None:
        super()._advance(chosen)
        if self.turn == 3:
            points = next(self._elsewhere)
            self._state.scores[0] += points
            self._state.rewards[0] += points


class GlobalRandom(HighCard):
    """Cards are shuffled by numpy's global generator."""

    def _start(self, decks: np.ndarray) -> None:
        order = np.random.permutation(len(decks[0]))  # noqa: NPY002
        super()._start(decks[:, order])


class LookingDraws(HighCard):
    """To observe takes a number from the generator that deals."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        self.rng.random()
        super()._write_observation(into)


class RoundIsOver(HighCard):
    """The round in play is said to have been scored."""

    round_steps = 0


class SeedIgnored(HighCard):
    """Every game is dealt the same cards, whatever the seed."""

    def _start(self, decks: np.ndarray) -> None:
        super()._start(np.sort(decks, axis=1))


# --- decks ------------------------------------------------------------------------------


class DeckCut(HighCard):
    """A deck that was given is cut, at a place that the generator draws."""

    def reset(self, seed: int | None = None, decks: Any = None) -> None:
        super().reset(seed, decks)
        if decks is not None:
            self._start(np.roll(np.asarray(decks), self.rng.integers(9), axis=1).T[None])


class DeckOfOthers(HighCard):
    """Decks are not checked."""

    def reset(self, seed: int | None = None, decks: Any = None) -> None:
        super().reset(seed)
        if decks is not None and np.shape(decks) == (self.num_envs, len(self.cards)):
            self._start(np.asarray(decks).astype(np.uint8).T[None])


class SamplesFromOwn(HighCard):
    """Sampled decks come from the batch's own generator."""

    def sample_decks(self, num: int, rng: np.random.Generator) -> np.ndarray:
        return super().sample_decks(num, self.rng)


# --- observations -----------------------------------------------------------------------


class OneBuffer(HighCard):
    """Every observation is handed out in the same array."""

    def observe(self, out: np.ndarray | None = None) -> np.ndarray:
        fresh = super().observe(out)
        if out is not None:
            return fresh
        if getattr(self, "_buffer", fresh[:0]).shape != fresh.shape:
            self._buffer = fresh
        self._buffer[...] = fresh
        return self._buffer


class WiderThanTold(HighCard):
    """Observations are int64, whatever the layout says."""

    def observe(self, out: np.ndarray | None = None) -> np.ndarray:
        return super().observe(out).astype(np.int64) if out is None else super().observe(out)


# --- masks ------------------------------------------------------------------------------


class EmptyMask(HighCard):
    """Who has one card left has nothing legal: the mask forgets the last card."""

    def _mask(self) -> np.ndarray:
        mask = super()._mask()
        return mask & mask[:, 1:]


class MaskTooWide(HighCard):
    """The mask allows an empty slot, which step refuses."""

    def _mask(self) -> np.ndarray:
        return np.ones_like(super()._mask())

    def step(self, actions: Any) -> None:
        slots = np.minimum(np.array(actions, int).T, 1)[:, None]
        if (np.take_along_axis(self._state.hands, slots, axis=1) == EMPTY).any():
            raise ValueError("illegal action: the slot is empty")
        super().step(actions)


class StepTooWide(HighCard):
    """Step takes whatever is asked for as the nearest action."""

    def step(self, actions: Any) -> None:
        super().step(np.clip(actions, 0, 1) if np.shape(actions) else actions)


class RefusalMoves(HighCard):
    """A refused step has been counted."""

    def step(self, actions: Any) -> None:
        try:
            super().step(actions)
        except ValueError:
            self._state.turn += 1
            raise


# --- scores -----------------------------------------------------------------------------


class RewardsTwice(HighCard):
    """The reward is told a second time in the last turn, and the score is not."""

    def _advance(self, chosen: np.ndarray) -> None:
        super()._advance(chosen)
        if self.turn == self.rules.turns:
            self._state.rewards *= 2


class SharesOfMore(HighCard):
    """All who win have the whole victory."""

    def outcome(self) -> np.ndarray:
        return np.asarray(self.scores == self.scores.max(axis=1, keepdims=True), np.float64)


class EndsLater(HighCard):
    """A step after the end still scores."""

    def step(self, actions: Any) -> None:
        over = self._state.terminated.all()
        super().step(actions)
        if over:
            self._state.rewards += 1


# --- batches ----------------------------------------------------------------------------


class TurnOfTheOthers(HighCard):
    """A game may end early, and is then observed with the turn of those that go on."""

    def _advance(self, chosen: np.ndarray) -> None:
        super()._advance(chosen)
        self._state.terminated |= self._state.scores.max(axis=0) == 2 * self.rules.prize


class BestOfTheBatch(HighCard):
    """The highest card of all games takes the prize, not the highest of each."""

    def _advance(self, chosen: np.ndarray) -> None:
        before = self._state.scores.copy()
        super()._advance(chosen)
        best = self._state.laid == self._state.laid.max()
        self._state.rewards[:] = best * self.rules.prize
        self._state.scores = before + best * np.int16(self.rules.prize)


# --- seats ------------------------------------------------------------------------------


class AbsoluteSeats(HighCard):
    """Scores are observed by number of the seat, not from the own seat on."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        super()._write_observation(into)
        into["scores"][:] = self._state.scores


class FirstSeatWins(HighCard):
    """Who sits first takes the prize also with the second highest card."""

    def _advance(self, chosen: np.ndarray) -> None:
        before = self._state.scores.copy()
        super()._advance(chosen)
        second = np.sort(self._state.laid, axis=0)[-2]
        taken = (self._state.laid[0] == second) * np.int16(self.rules.prize)
        lost = (self._state.scores - before)[1:] * (taken > 0)
        for points in (self._state.rewards, self._state.scores):
            points[0] += taken
            points[1:] -= lost.astype(points.dtype)


# --- copies -----------------------------------------------------------------------------


class PhaseByIdentity(HighCard):
    """KADO's story: a file brings the phase back as a plain number, which is not the phase."""

    def _advance(self, chosen: np.ndarray) -> None:
        if self._state.stage is not Stage.DRAWING:  # 0 is not Stage.DRAWING
            self._state.stage = Stage.LAST_CARDS
        super()._advance(chosen)

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self._state.stage = state["stage"]


class ForgottenArray(HighCard):
    """What was laid last is no part of the state."""

    def state(self) -> dict[str, Any]:
        state = super().state()
        del state["_laid"]
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state({**state, "_laid": np.full_like(self._state.laid, EMPTY)})

    def _invariants(self) -> Iterator[Invariant]:
        yield from ()


class SharedArray(HighCard):
    """A clone shares the cards seen with what it was made of."""

    def clone(self) -> SharedArray:
        other = super().clone()
        other._state.seen = self._state.seen
        return other


class SharedState(HighCard):
    """Every game's story: what copy.copy makes has the arrays of what it was made of."""

    def __copy__(self) -> SharedState:
        return self._with(self._state)


class StateHandedOut(HighCard):
    """The state is the game's own arrays, not copies, and so is what is loaded."""

    def state(self) -> dict[str, Any]:
        return {**super().state(), "_hands": self._state.hands}

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self._state.hands = state["_hands"]


# --- states -----------------------------------------------------------------------------


class ArraysFirst(HighCard):
    """The arrays of a wrong state are taken over before its generator is refused."""

    def load_state(self, state: dict[str, Any]) -> None:
        given, kept = state.get("_scores"), self._state.scores
        if isinstance(given, np.ndarray) and (given.shape, given.dtype) == (kept.shape, kept.dtype):
            self._state.scores = given.copy()
        self._state.turn = state.get("turn", 0)
        super().load_state(state)


class TakesAnything(HighCard):
    """A state may hold floats, words and truth values."""

    def load_state(self, state: dict[str, Any]) -> None:
        try:
            super().load_state(state)
        except ValueError:
            if set(state) != set(self.state()):
                raise


# --- views ------------------------------------------------------------------------------


class HandOfAll(HighCard):
    """Kododo's story: behind the hand that a view shows are everybody's, and can be written to."""

    def _view(self, player: int) -> HighCardView:
        class Leaking(HighCardView):
            @property
            def hand(self) -> np.ndarray:
                return self._game._state.hands.transpose(2, 0, 1)[:, self.player]

        return Leaking(self, player)


class GoesOnWithNonsense(HighCard):
    """A state may hold cards that there are not, with which the next step fails."""

    def _invariants(self) -> Iterator[Invariant]:
        yield f"turn must be 0 to {self.rules.turns}", self.turn <= self.rules.turns
        yield (
            "stage must follow from turn",
            self._state.stage == (self.turn >= self.rules.turns - 2),
        )


class ViewForEver(HighCard):
    """A view goes on showing the game after its turn."""

    def _view(self, player: int) -> HighCardView:
        class Lasting(HighCardView):
            def _current(self) -> BatchGame:
                return self._game

        return Lasting(self, player)


# --- hidden cards -----------------------------------------------------------------------


class DrawnInOrder(HighCard):
    """Kododo's story: in a determinised copy the cards drawn lie in the deck in true order."""

    def _tidy_deck(self) -> None:
        pass


class OldCache(HighCard):
    """KADO's story: a determinised copy still refers to what was observed of the true game."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        super()._write_observation(into)
        self.last_hands = self._state.hands.copy()


class TellingObservation(HighCard):
    """The lowest bit of the next player's hand gets into the turn's number."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        super()._write_observation(into)
        into["turn"][:] += np.roll(self._state.hands[:, 0], -1, axis=0) % 2


class TellingText(HighCard):
    """The text for one player shows what lies on top of the pile."""

    def _text(self, index: int, player: int | None) -> str:
        top = self._state.deck[self.drawn :, index][:1].tolist()
        return f"{super()._text(index, player)}\nnext: {top}"

    def _svg(self, index: int, player: int | None) -> str:
        return super()._text(index, player)


class TellingPicture(HighCard):
    """The picture for one player shows all hands."""

    def _svg(self, index: int, player: int | None) -> str:
        return self._text(index, None)


class TellingView(HighCard):
    """A view has the sum of the others' cards as a fact of its own."""

    def _view(self, player: int) -> HighCardView:
        class Telling(HighCardView):
            @cached_property
            def others(self) -> np.ndarray:
                return np.delete(self._game._state.hands, self.player, axis=0).sum(axis=(0, 1))

        return Telling(self, player)


class NothingDealtAgain(HighCard):
    """Every determinised copy is dealt the same cards, lowest first."""

    def _shuffled(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return rows


class NoGame(HighCard):
    """A copy that is dealt again lacks a card: it is no game any more."""

    def _tidy_deck(self) -> None:
        super()._tidy_deck()
        self._state.deck[0] = self._state.deck[1]


# --- determinize ------------------------------------------------------------------------


class OneCardStays(HighCard):
    """The highest hidden card is always dealt last."""

    def _shuffled(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        rows = rows.copy()
        rows[:, :-1] = super()._shuffled(rows[:, :-1], rng)
        return rows


class OnlyRotated(HighCard):
    """Hidden cards are rotated by a random number: each place is fair by itself."""

    def _shuffled(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        by = rng.integers(rows.shape[1], size=(len(rows), 1))
        return np.take_along_axis(rows, (np.arange(rows.shape[1]) + by) % rows.shape[1], axis=1)


class TruthFavoured(HighCard):
    """In one copy of five the true cards stay where they are."""

    def _deal_hidden(self, player: int, rng: np.random.Generator) -> None:
        with self._state.unchanged(rng.random(self.num_envs) < 0.2):
            super()._deal_hidden(player, rng)


# --- bounds -----------------------------------------------------------------------------


class ScoresInBytes(HighCard):
    """Points are added up in a byte, which many turns of high prizes do not fit into."""

    def _advance(self, chosen: np.ndarray) -> None:
        before = self._state.scores.astype(np.uint8)
        super()._advance(chosen)
        before += self._state.rewards.astype(np.uint8)
        self._state.scores = before.astype(np.int16)


class SumsInBytes(HighCard):
    """KADO's story: a sum for the observation is added up in a byte, and nothing else is wrong."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        super()._write_observation(into)
        points = np.add.reduce(self._state.scores, axis=0, dtype=np.uint8)
        into["turn"][:] = np.minimum(points, 0) + self.turn


class BeyondTheMaximum(HighCard):
    """Somebody's scores are observed doubled, beyond what the layout says is the maximum."""

    def _write_observation(self, into: dict[str, np.ndarray]) -> None:
        super()._write_observation(into)
        into["scores"][:] *= 2
