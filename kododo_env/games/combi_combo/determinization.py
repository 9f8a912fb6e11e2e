"""Determinization of Combi-Combo: dealing again everything hidden from one player.

A player knows their own hand, the cards that they drew, passed and received in each turn, and the
cards turned up. A card passed in turn j is in nobody's draw pile. Before turn t it was passed on at
most t - j - 1 times, so that one of the next t - j neighbours has it; the left neighbour has the
card passed in the last turn. A card needs at least P - 1 more turns to come back. If the player
receives a card of the same type after that, it may be the same card, because copies look alike.

"Away" cards are the passed cards that have not come back, if as many as possible have. "Unseen"
cards are all other cards that are neither in the player's hand nor turned up. A placing of these
cards is possible if and only if each away card lies with a neighbour that it can have reached.
"""

from __future__ import annotations

import numpy as np

from kododo_env.arrays.dtypes import Array, Bool, Int8, Int16, Intp, Uint8
from kododo_env.arrays.rows import column
from kododo_env.core.deck import shuffled_counts
from kododo_env.games.combi_combo.rules import Rules
from kododo_env.games.combi_combo.state import CombiComboState

NEVER = -100  # in place of a turn, for a card that the player did not pass


def deal_again(state: CombiComboState, rules: Rules, player: int, rng: np.random.Generator) -> None:
    """Deal everything hidden from a player again, in place.

    All placings of the hidden cards in hands and piles that fit the player's knowledge are equally
    likely, regardless of the probability of the other players' choices. Then one possible history
    of draws and passes that leads to these hands is filled in, but not sampled uniformly. The
    current turn has not been played yet.
    """
    passed = state.passes[: state.turn, player]
    received = state.passes[: state.turn, player - 1]
    origin, away = returns(passed, received, rules.num_players)
    held = rules.opening_hand + state.turn + 1
    slots = _slots_of_away(away, held, rules.num_players - 1, rng)
    deck = np.bincount(rules.cards, minlength=rules.num_card_types).astype(np.int16)
    hidden = deck[:, None] - state.hands[player] - state.face_up
    cards, passed_at = _fill(hidden, passed, away, slots, rng)
    opponents = [(player + step) % rules.num_players for step in range(1, rules.num_players)]
    in_hands = cards[: len(opponents) * held].reshape(len(opponents), held, -1)
    _put_down(state, rules, opponents, in_hands, cards[len(opponents) * held :])
    passed_at = passed_at[: len(opponents) * held].reshape(in_hands.shape)
    drawn = _make_history(state.passes[: state.turn], opponents, in_hands, passed_at, origin, rng)
    piles = state.deck[: rules.num_players * rules.pile_size]
    piles.reshape(rules.num_players, rules.pile_size, -1)[opponents, :held] = drawn


def returns(passed: Array, received: Array, num_players: int) -> tuple[Int8, Bool]:
    """Match as many received cards as possible with cards of the same type that were passed before.

    A card needs P - 1 turns to come back.

    Args:
        passed: The type of the card that the player passed in each of t turns, (t, N).
        received: The type of the card that the player received in each turn, (t, N).
        num_players: P.

    Returns:
        For each card received the turn in which it was passed, or ``NEVER``, (t, N); and for each
        card passed whether it is still away, (t, N).
    """
    origin = np.full(received.shape, NEVER, np.int8)
    away = np.ones(passed.shape, np.bool_)
    # Forward in time and with the oldest card first, so that as many cards as possible match.
    for back in range(num_players - 1, len(received)):
        for turn in range(back - num_players + 2):
            matches = away[turn] & (origin[back] == NEVER) & (passed[turn] == received[back])
            origin[back] = np.where(matches, turn, origin[back])
            away[turn] &= ~matches
    return origin, away


def _slots_of_away(away: Bool, held: int, num_opponents: int, rng: np.random.Generator) -> Intp:
    """Draw the slots of the other hands in which the passed cards are, next neighbour first.

    The last card passed has the fewest possible places, and an earlier card can be wherever a
    later one can. Therefore choosing a free slot uniformly for each card, beginning with the last,
    makes all placings equally likely.

    Returns:
        Shape (t, N): the slot of each card away, numbered through all other hands; -1 for a card
        that came back.
    """
    turn, num = away.shape
    games = np.arange(num)
    used = np.zeros((num_opponents, num), np.intp)
    slots = np.full(away.shape, -1, np.intp)
    for passed_at in reversed(range(turn)):
        free = held - used[: turn - passed_at]
        pick = rng.integers(free.sum(axis=0))
        seat = (pick >= np.cumsum(free, axis=0)).sum(axis=0)
        slots[passed_at] = np.where(away[passed_at], seat * held + used[seat, games], -1)
        used[seat, games] += away[passed_at]
    return slots


def _fill(
    hidden: Int16, passed: Uint8, away: Bool, slots: Intp, rng: np.random.Generator
) -> tuple[Uint8, Int8]:
    """Put the away cards into their slots and the shuffled unseen cards into all other slots.

    Returns:
        The card of each slot of the other hands, and then of the draw piles, (S, N); and the turn
        in which the player passed it, or ``NEVER``.
    """
    num = away.shape[1]
    num_slots = int(hidden[:, 0].sum())
    unseen = hidden - ((passed[:, None] == column(len(hidden))) & away[:, None]).sum(axis=0)
    shuffled = shuffled_counts(unseen, num_slots, rng)
    passed_at = np.full((num_slots, num), NEVER, np.int8)
    turns, games = np.nonzero(away)
    passed_at[slots[turns, games], games] = turns
    free = passed_at == NEVER
    cards = np.take_along_axis(shuffled, np.maximum(np.cumsum(free, axis=0) - 1, 0), axis=0)
    cards[slots[turns, games], games] = passed[turns, games]
    return cards, passed_at


def _put_down(
    state: CombiComboState, rules: Rules, opponents: list[int], in_hands: Array, pile_cards: Array
) -> None:
    """Write hidden cards into the other hands, (P - 1, held, N), and the draw piles, (S, N)."""
    held, num = in_hands.shape[1:]
    hands = np.zeros((len(opponents), rules.num_card_types, num), np.uint8)
    for slot in range(held):
        hands += in_hands[:, slot : slot + 1] == column(rules.num_card_types)
    state.hands[opponents] = hands
    dealt = rules.num_players * rules.pile_size
    piles = state.deck[:dealt].reshape(rules.num_players, rules.pile_size, num)
    num_undrawn = rules.pile_size - held
    in_piles, central = np.split(pile_cards, [rules.num_players * num_undrawn])
    piles[:, held:] = in_piles.reshape(rules.num_players, num_undrawn, num)
    if rules.central_pile:
        state.deck[len(state.deck) - len(central) :] = central


def _make_history(
    passes: Uint8,
    opponents: list[int],
    cards: Uint8,
    passed_at: Int8,
    origin: Int8,
    rng: np.random.Generator,
) -> Uint8:
    """Invent the cards that the others passed to each other and drew, by playing backwards.

    In each turn, beginning with the last, every other hand returns one card to the hand before
    it: a card that the player passed, if it would otherwise not get back in time, or any card.
    (Two such cards are never due in one hand, since they started in different turns.) The cards
    left at the start are those drawn.

    Args:
        passes: The cards passed, (t, P, N); those of the others to each other are replaced.
        opponents: The other seats, the left neighbour first.
        cards: Their hands, (P - 1, held, N), which become their draws.
        passed_at: When the player passed these cards, or ``NEVER``; likewise.
        origin: When the player had passed the cards received, or ``NEVER``, (t, N).
        rng: The source of randomness.

    Returns:
        The others' draws, in order, (P - 1, held, N).
    """
    # The turn in which each card was passed by the player who drew it.
    pass_turns = np.full(cards.shape, len(passes), np.int8)
    seat = np.arange(len(opponents))[:, None, None]
    for turn in reversed(range(len(passes))):
        probability = rng.random(cards.shape, dtype=np.float32)
        probability[turn - passed_at == seat] = -1  # it must move on in every turn
        slot = probability.argmin(axis=1)[:, None]
        back = np.take_along_axis(cards, slot, axis=1)[:, 0]
        back_at = np.take_along_axis(passed_at, slot, axis=1)[:, 0]
        passes[turn, opponents[:-1]] = back[1:]
        arrivals = np.concatenate([back[1:], passes[turn, opponents[-1:]]])
        arrival_turns = np.concatenate([back_at[1:], origin[turn][None]])
        np.put_along_axis(cards, slot, arrivals[:, None], axis=1)
        np.put_along_axis(passed_at, slot, arrival_turns[:, None], axis=1)
        np.put_along_axis(pass_turns, slot, np.int8(turn), axis=1)
    # A card that was passed early was drawn early.
    return np.take_along_axis(cards, np.argsort(pass_turns, axis=1, kind="stable"), axis=1)
