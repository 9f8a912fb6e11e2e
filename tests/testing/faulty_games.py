"""Variants of the toy game, each with one fault, which its docstring describes."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import count
from typing import Any

import numpy as np

from kododo_env.core import BatchGame
from kododo_env.core.state import Invariant
from tests.testing.fault_cases import FaultCases
from tests.toy_game.high_card.game import EMPTY, HighCard, HighCardView, Stage

PLANTS = FaultCases(HighCard)
after = PLANTS.after
instead = PLANTS.instead
kind = PLANTS.kind
COUNTER = count()  # outside the state of the game


@after("_advance", "determinism", "after step 3 two batches of the same seed")
def random_later(game: Any, chosen: np.ndarray) -> None:
    """From the third turn on, points are not from the game: a test of one step does not see it."""
    if game.turn == 3:
        points = next(COUNTER)
        game._state.scores[0] += points
        game._state.rewards[0] += points


@instead("_start", "determinism", r"after the deal two batches .* differ: state\(\)")
def global_random(game: Any, decks: np.ndarray) -> None:
    """Cards are shuffled by numpy's global generator."""
    order = np.random.permutation(len(decks[0]))  # noqa: NPY002
    HighCard._start(game, decks[:, order])


@after("_knowledge", "determinism", "one has been observed, .* state of|'rng'")
def looking_draws(game: Any) -> None:
    """Observing draws from the generator that deals."""
    game.rng.random()


@kind("determinism", "round_steps must be at least 1, got 0")
class RoundIsOver(HighCard):
    """``round_steps`` is 0."""

    round_steps = 0


@instead("_start", "determinism", "two seeds deal the same cards")
def seed_ignored(game: Any, decks: np.ndarray) -> None:
    """Every game is dealt the same cards, whatever the seed."""
    HighCard._start(game, np.sort(decks, axis=1))


@after("reset", "decks", r"after step 0 two batches of the same decks differ: observe\(\)")
def deck_cut(game: Any, seed: int | None = None, decks: Any = None) -> None:
    """A given deck is cut at a random place."""
    if decks is not None:
        game._start(np.roll(np.asarray(decks), game.rng.integers(9), axis=1).T[None])


@instead("reset", "decks", "reset with decks for too few games is accepted")
def deck_of_others(game: Any, seed: int | None = None, decks: Any = None) -> None:
    """Decks are not checked."""
    HighCard.reset(game, seed)
    if decks is not None and np.shape(decks) == (game.num_envs, len(game.cards)):
        game._start(np.asarray(decks).astype(np.uint8).T[None])


@instead("sample_decks", "decks", "uses the generator of the batch")
def samples_from_own(game: Any, num: int, rng: np.random.Generator) -> np.ndarray:
    """Sampled decks come from the batch's own generator."""
    return HighCard.sample_decks(game, num, game.rng)


@instead("observe", "observations", "step 1 changes an earlier observation")
def one_buffer(game: Any, out: np.ndarray | None = None, seats: Any = None) -> np.ndarray:
    """Every observation is returned in the same array."""
    fresh = HighCard.observe(game, out, seats)
    if out is not None or seats is not None:
        return fresh
    if getattr(game, "_buffer", fresh[:0]).shape != fresh.shape:
        game._buffer = fresh
    game._buffer[...] = fresh
    return game._buffer


@instead("_observation", "observations", r"after the deal observe\(seats=.*\) differs from")
def everybodys(game: Any, out: Any = None, seats: Any = None) -> Any:
    """``seats`` is ignored."""
    return HighCard._observation(game, out)


@instead("observe", "observations", r"after the deal observe\(\) is int64")
def wider_than_declared(game: Any, out: np.ndarray | None = None) -> np.ndarray:
    """Observations are int64, whatever the layout says."""
    observation = HighCard.observe(game, out)
    return observation.astype(np.int64) if out is None else observation


@instead("_mask", "masks", "after step 3 player 0 of game 0 has no legal action")
def empty_mask(game: Any) -> np.ndarray:
    """The mask forgets the last card, so a player with one card has no legal action."""
    mask = HighCard._mask(game)
    return mask & mask[:, 1:]


@kind("masks", "after step 3 step rejects a legal action: illegal")
class MaskTooWide(HighCard):
    """The mask allows an empty slot, which step rejects."""

    def _mask(self) -> np.ndarray:
        return np.ones_like(super()._mask())

    def step(self, actions: Any) -> None:
        slots = np.minimum(np.array(actions, int).T, 1)[:, None]
        if (np.take_along_axis(self._state.hands, slots, axis=1) == EMPTY).any():
            raise ValueError("illegal action: the slot is empty")
        super().step(actions)


@instead("step", "masks", "after step 0 illegal action -1 of player 0 .* is accepted")
def step_too_wide(game: Any, actions: Any) -> None:
    """Step clips numbers to the nearest action."""
    HighCard.step(game, np.clip(actions, 0, 1) if np.shape(actions) else actions)


@instead("step", "masks", r"changes the game: state\(\)\['turn'\]")
def rejection_moves(game: Any, actions: Any) -> None:
    """A rejected step is counted."""
    try:
        HighCard.step(game, actions)
    except ValueError:
        game._state.turn += 1
        raise


@after("_advance", "scores", r"after step 4 player \d .* has \d points; the rewards")
def rewards_twice(game: Any, chosen: np.ndarray) -> None:
    """The reward is doubled in the last turn, but the score is not."""
    if game.turn == game.rules.turns:
        game._state.rewards *= 2


@instead("outcome", "scores", "after the deal the outcome of a game does not add up to 1")
def shares_of_more(game: Any) -> np.ndarray:
    """Every winner has the outcome 1."""
    return np.asarray(game.scores == game.scores.max(axis=1, keepdims=True), np.float64)


@instead("step", "scores", "a step after the end gives rewards")
def ends_later(game: Any, actions: Any) -> None:
    """A step after the end still scores."""
    over = game._state.terminated.all()
    HighCard.step(game, actions)
    if over:
        game._state.rewards += 1


@after("_advance", "batches", r"game \d of the batch differs from .* alone: observe\(\)")
def turn_of_the_others(game: Any, chosen: np.ndarray) -> None:
    """A game may end early, and is then observed with the turn of the other games."""
    game._state.terminated |= game._state.scores.max(axis=0) == 2 * game.rules.prize


@instead("_advance", "batches", r"game \d of the batch differs from .* alone: _scores")
def best_of_the_batch(game: Any, chosen: np.ndarray) -> None:
    """The highest card of all games takes the prize, instead of one card per game."""
    before = game._state.scores.copy()
    HighCard._advance(game, chosen)
    best = game._state.laid == game._state.laid.max()
    game._state.rewards[:] = best * game.rules.prize
    game._state.scores = before + best * np.int16(game.rules.prize)


@kind("batches", r"game \d of the batch differs .* alone: steps played and passed")
class PassesByGames(HighCard):
    """Skipped steps are counted in each game of the batch."""

    @property
    def steps_passed(self) -> int:
        return self.num_envs * self._state.turn


@instead("_knowledge", "seats", "two players observe different numbers of 'scores'")
def absolute_seats(game: Any) -> dict[str, np.ndarray]:
    """Scores are observed in absolute order, not from the own seat on."""
    return HighCard._knowledge(game) | {"scores": np.stack([game._state.scores] * game.num_players)}


@instead("_advance", "seats", "seat 0 wins .* among random players")
def first_seat_wins(game: Any, chosen: np.ndarray) -> None:
    """The first seat takes the prize also with the second highest card."""
    before = game._state.scores.copy()
    HighCard._advance(game, chosen)
    second = np.sort(game._state.laid, axis=0)[-2]
    prizes = (game._state.laid[0] == second) * np.int16(game.rules.prize)
    losses = (game._state.scores - before)[1:] * (prizes > 0)
    for points in (game._state.rewards, game._state.scores):
        points[0] += prizes
        points[1:] -= losses.astype(points.dtype)


@kind("copies", r"checkpoint's file .*'stage'\] is 0 \(int\), not")
class PhaseByIdentity(HighCard):
    """A file restores the phase as a plain number, which is not the enum; found in KADO."""

    def _advance(self, chosen: np.ndarray) -> None:
        if self._state.stage is not Stage.DRAWING:  # 0 is not Stage.DRAWING
            self._state.stage = Stage.LAST_CARDS
        super()._advance(chosen)

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self._state.stage = state["stage"]


@kind("copies", r"load_state\(\) is not exact: observe\(\)")
class ForgottenArray(HighCard):
    """The cards laid last are missing in the state."""

    def state(self) -> dict[str, Any]:
        state = super().state()
        del state["_laid"]
        return state

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state({**state, "_laid": np.full_like(self._state.laid, EMPTY)})

    def _invariants(self) -> Iterator[Invariant]:
        yield from ()


@instead("clone", "copies", r"clone\(\): changing the copy changes the game")
def shared_array(game: Any) -> Any:
    """A clone shares the array of cards seen with the game."""
    clone = HighCard.clone(game)
    clone._state.laid_cards = game._state.laid_cards
    return clone


@instead("__copy__", "copies", r"copy.copy\(\): changing the copy changes the game")
def shared_state(game: Any) -> Any:
    """copy.copy shares the arrays of the game; found in every game."""
    return game._with(game._state)


@kind("copies", r"load_state\(\): changing the copy changes")
class StateHandedOut(HighCard):
    """The state has the arrays of the game instead of copies, and loading does not copy."""

    def state(self) -> dict[str, Any]:
        return {**super().state(), "_hands": self._state.hands}

    def load_state(self, state: dict[str, Any]) -> None:
        super().load_state(state)
        self._state.hands = state["_hands"]


@instead("load_state", "states", r"changes the game: state\(\)\['turn'\]")
def arrays_first(game: Any, state: dict[str, Any]) -> None:
    """The arrays of a wrong state are loaded before its generator is rejected."""
    scores = game._state.scores
    loaded = state.get("_scores")
    if isinstance(loaded, np.ndarray) and (loaded.shape, loaded.dtype) == (
        scores.shape,
        scores.dtype,
    ):
        game._state.scores = loaded.copy()
    game._state.turn = state.get("turn", 0)
    HighCard.load_state(game, state)


@instead("load_state", "states", "load_state with a state of another number of games is accepted")
def takes_anything(game: Any, state: dict[str, Any]) -> None:
    """Dtypes and shapes of a state are not checked."""
    try:
        HighCard.load_state(game, state)
    except ValueError:
        if set(state) != set(game.state()):
            raise


@instead("_invariants", "states", "full of .*, but then the game fails")
def goes_on_with_nonsense(game: Any) -> Iterator[Invariant]:
    """Cards of a state are not checked, so the next step fails."""
    turns = game.rules.turns
    yield f"turn must be 0 to {turns}", game.turn <= turns
    yield "stage must follow from turn", game._state.stage == (game.turn >= turns - 2)


@instead("_view", "views", r"view\(0\).hand.base exposes 12 bytes instead of 4")
def hand_of_all(game: Any, player: int) -> HighCardView:
    """The base of a view's hand has all hands, and is writeable; found in Kododo."""

    class Leaking(HighCardView):
        @property
        def hand(self) -> np.ndarray:
            return self._game._state.hands.transpose(2, 0, 1)[:, self.player]

    return Leaking(game, player)


@instead("_view", "views", "a view of an earlier turn still has an observation")
def view_for_ever(game: Any, player: int) -> HighCardView:
    """A view stays valid after its turn."""

    class Lasting(HighCardView):
        def _current(self) -> BatchGame:
            return self._game

    return Lasting(game, player)


@instead("_tidy_deck", "hidden cards", r"cannot tell apart, state\['_deck'\]\[\d+, 0\] is")
def drawn_in_order(game: Any) -> None:
    """A determinised copy has the drawn cards in the deck in true order; found in Kododo."""


@after("_knowledge", "hidden cards", r"cannot tell apart, attributes\['last_hands'\]")
def old_cache(game: Any) -> None:
    """A determinised copy still refers to observations of the true game; found in KADO."""
    game.last_hands = game._state.hands.copy()


@instead("_knowledge", "hidden cards", r"determinised copies view\(\d\).observation")
def telling_observation(game: Any) -> dict[str, np.ndarray]:
    """The lowest bit of the next player's hand is added to the turn."""
    bits = np.roll(game._state.hands[:, 0], -1, axis=0) % 2
    return HighCard._knowledge(game) | {"turn": game.turn + bits}


@kind("hidden cards", r"text\(\) reveals hidden cards to player 0")
class TellingText(HighCard):
    """The text for one player shows the top card of the pile."""

    def secret(self, index: int) -> str:
        return f"next: {self._state.deck[self.drawn :, index][:1].tolist()}"


@kind("hidden cards", r"svg\(\) reveals hidden cards to player 0")
class TellingPicture(HighCard):
    """The picture for one player shows all hands."""

    draws_all = True


@instead("_view", "hidden cards", r"determinised copies view\(0\).opponents")
def telling_view(game: Any, player: int) -> HighCardView:
    """A view has the sum of the other players' cards."""

    class Telling(HighCardView):
        @cached_property
        def opponents(self) -> np.ndarray:
            return np.delete(self._game._state.hands, self.player, axis=0).sum(axis=(0, 1))

    return Telling(game, player)


@instead("_shuffled", "hidden cards", "all determinised copies for player 0 are equal")
def nothing_dealt_again(game: Any, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Every determinised copy is dealt the same cards, lowest first."""
    return rows


@after("_tidy_deck", "hidden cards", "step 0 a determinised copy .* cannot be played: not a")
def no_game(game: Any) -> None:
    """A determinised copy lacks a card."""
    game._state.deck[0] = game._state.deck[1]


@instead("_shuffled", "determinize", "for player 0, at once, number .* of 'hand'")
def one_card_stays(game: Any, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The highest hidden card is always dealt last."""
    rows = rows.copy()
    rows[:, :-1] = HighCard._shuffled(game, rows[:, :-1], rng)
    return rows


@instead("_shuffled", "determinize", "not uniform over the possible games: chi-square")
def only_rotated(game: Any, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Hidden cards are only rotated: each place is fair by itself."""
    by = rng.integers(rows.shape[1], size=(len(rows), 1))
    return np.take_along_axis(rows, (np.arange(rows.shape[1]) + by) % rows.shape[1], axis=1)


@instead("_deal_hidden", "determinize", "for player 0, at once, number .* of 'hand'")
def truth_favoured(game: Any, player: int, rng: np.random.Generator) -> None:
    """In one copy of five the true cards stay where they are."""
    with game._state.unchanged(rng.random(game.num_envs) < 0.2):
        HighCard._deal_hidden(game, player, rng)


@instead("_advance", "bounds", r"does not fit into an array of uint8.*; the rules: .*prize=85")
def scores_in_bytes(game: Any, chosen: np.ndarray) -> None:
    """Points are added up in uint8, which overflows after many turns with high prizes."""
    before = game._state.scores.astype(np.uint8)
    HighCard._advance(game, chosen)
    before += game._state.rewards.astype(np.uint8)
    game._state.scores = before.astype(np.int16)


@instead("_knowledge", "bounds", r"not fit into an array of uint8 and becomes")
def sums_in_bytes(game: Any) -> dict[str, np.ndarray]:
    """A sum for the observation is computed in uint8; found in KADO."""
    points = np.add.reduce(game._state.scores, axis=0, dtype=np.uint8)
    return HighCard._knowledge(game) | {"turn": np.minimum(points, 0) + game.turn}


@instead(
    "_knowledge", "bounds", "the observation has .* as number .* of 'scores', whose maximum is"
)
def beyond_the_maximum(game: Any) -> dict[str, np.ndarray]:
    """Scores are observed doubled, beyond the maximum of the layout."""
    return HighCard._knowledge(game) | {"scores": game._state.scores * 2}
