"""What follows from Kododo's rules alone and is looked up in play."""

from __future__ import annotations

from functools import cache
from math import prod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from kododo_env.core.actions import SlotPiece
from kododo_env.core.observation import Rows
from kododo_env.core.rows import read_only
from kododo_env.games.kododo.observation import action_layout, known_rows, schedules
from kododo_env.games.kododo.rules import KODODO_VALUE, Rules
from kododo_env.games.kododo.scoring import kododo_round, score_round, scoring_colour

# Below so many games the number of numpy calls counts, above it the bytes: a step as one would
# do it for many takes 2.7 times as long with two games, and with 96 as long as for few.
FEW = 96
MOST_OUTCOMES = 1 << 20
Slots = tuple[tuple[int, ...], ...]
Places = npt.NDArray[np.intp]


class Outcomes(NamedTuple):
    """How a round ends, looked up: in a batch of one that is a quarter of the time of scoring it.

    Attributes:
        most: More cards in a colour, or Kododo cards, make no difference; (C + 1, 1).
        weights: With them the totals up to there make the number of an outcome, (C + 1,).
        scoring: What scores in each outcome, C for the Kododo cards, -1 for nothing.
        gains: By what scores, the points and cards of each thing laid, (C + 2, 2 * C + 1, 2).
        columns: By what scores, which of the things laid counts points and which cards, if any.
    """

    most: npt.NDArray[np.uint8]
    weights: npt.NDArray[np.intp]
    scoring: npt.NDArray[np.int8]
    gains: npt.NDArray[np.uint8]
    columns: Slots


class Seat(NamedTuple):
    """How a player's cards move in a batch of one, where arrays are read as rows of bytes.

    All counts together are one long number there, each of them a byte of it.

    Attributes:
        laying: By card id what it adds to this number to lay the card; 256 of them.
        drawing: Likewise to draw it.
        slots: By action the slots that it lays, counted through all hands.
        table: Where the player's part of the table begins.
    """

    laying: tuple[int, ...]
    drawing: tuple[int, ...]
    slots: Slots
    table: int


class Tables(NamedTuple):
    """Look-up tables of some rules.

    Attributes:
        rules: The rules; a copy, by way of a file too, is made of them alone.
        slots: The slots of the hand that each of the A actions lays.
        ends: The first and the last of them, (2, A).
        places: By the number of games, where these slots are in the hands (P, H, N), one number
            after the other: how far from the first slot, (2, A), and where that is, (P, N).
            For few games.
        legal: ``legal[plays][held]``: which actions lay so many cards, all from slots of a hand
            of so many, (A + 2,). It begins and ends with False, for what is no action.
        most: The limit, for each colour, and the Kododo number, (C + 1, 1).
        counts: By card id what a card adds: to cards by colour, Kododo cards and points by
            colour, then to cards by type; (256, 2 * C + 1 + C * V), nothing for no card.
        effects: What it adds to a state's ``counts`` that a player p lays a card, in row p, and
            that they draw one, in row P + p, each row for 256 cards one after the other;
            (2 * P * 256, P + 1, 2 * C + 1 + C * V).
        movers: ``movers[plays]``: where in ``effects`` the cards begin of who lays them and then
            of who draws them, (2 * plays, P, 1).
        seats: For a batch of one, each player's.
        known: Where each number of an observation stands; see ``known_rows``.
        schedule: What round and turn alone tell; see ``schedules``.
        outcomes: How a round ends; None where there are too many ways.
    """

    rules: Rules
    slots: Slots
    ends: npt.NDArray[np.uint8]
    places: list[tuple[Places, Places]]
    legal: list[list[npt.NDArray[np.bool_]]]
    most: npt.NDArray[np.uint8]
    counts: npt.NDArray[np.uint8]
    effects: npt.NDArray[np.int16]
    movers: list[Places]
    seats: tuple[Seat, ...]
    known: Rows
    schedule: npt.NDArray[Any]
    outcomes: Outcomes | None

    def __reduce__(self) -> tuple[Any, ...]:
        return tables, (self.rules,)


@cache
def tables(rules: Rules) -> Tables:
    """The tables of these rules, which all their games share."""
    pieces = [piece for piece in action_layout(rules).pieces if isinstance(piece, SlotPiece)]
    slots = tuple(choice for piece in pieces for choice in piece.choices)
    ends = read_only(np.array([(each[0], each[-1]) for each in slots], np.uint8)).T
    most = np.array([rules.limit] * rules.num_colours + [rules.kododo_number], np.uint8)
    effects = _effects(rules)
    rows = np.arange(0, len(effects), 256).reshape(2, -1, 1)
    held = range(rules.hand_size + 1)
    legal = [[read_only(_legal(slots, plays, cards)) for cards in held] for plays in range(3)]
    return Tables(
        rules,
        slots,
        ends,
        [_places(rules, ends, num_envs) for num_envs in range(FEW)],
        legal,
        read_only(most)[:, None],
        read_only(_counts(rules)),
        effects,
        [read_only(rows.repeat(plays, axis=0)) for plays in range(3)],
        _seats(rules, slots, effects),
        known_rows(rules),
        read_only(schedules(rules)),
        _outcomes(rules),
    )


def _legal(slots: Slots, plays: int, held: int) -> npt.NDArray[np.bool_]:
    return np.array([False, *(len(s) == plays and max(s) < held for s in slots), False])


def _counts(rules: Rules) -> npt.NDArray[np.uint8]:
    colour, value = np.divmod(np.arange(rules.num_card_types), rules.num_values)
    by_colour = np.eye(rules.num_colours, dtype=np.uint8)[colour]
    value = value[:, None] + 1
    by_type = np.eye(rules.num_card_types, dtype=np.uint8)
    counts = np.zeros((256, rules.num_counts + rules.num_card_types), np.uint8)
    counts[: len(value)] = np.hstack([by_colour, value == KODODO_VALUE, by_colour * value, by_type])
    return counts


def _effects(rules: Rules) -> npt.NDArray[np.int16]:
    counts, players, laid = _counts(rules), rules.num_players, rules.num_counts
    effects = np.zeros((2, players, len(counts), players + 1, counts.shape[1]), np.int16)
    for player in range(players):
        laying, drawing = effects[:, player]
        laying[:, player] = laying[:, -1] = counts
        laying[:, -1, rules.num_colours + 1 : laid] = 0  # all points together do not fit a byte
        drawing[:, player, laid:] = counts[:, laid:]
        laying[:, player, laid:] *= -1
    return read_only(effects).reshape(-1, *effects.shape[3:])


def _seats(rules: Rules, slots: Slots, effects: npt.NDArray[np.int16]) -> tuple[Seat, ...]:
    more, less = (np.maximum(sign * effects, 0).astype(np.uint8) for sign in (1, -1))
    moved = [_as_number(up) - _as_number(down) for up, down in zip(more, less, strict=True)]
    by_card = [tuple(moved[start : start + 256]) for start in range(0, len(moved), 256)]
    return tuple(
        Seat(
            by_card[player],
            by_card[rules.num_players + player],
            tuple(tuple(player * rules.hand_size + slot for slot in each) for each in slots),
            player * rules.round_cards,
        )
        for player in range(rules.num_players)
    )


def _as_number(counts: npt.NDArray[np.uint8]) -> int:
    return int.from_bytes(counts.tobytes(), "little")


def _places(rules: Rules, ends: npt.NDArray[np.uint8], num_envs: int) -> tuple[Places, Places]:
    of_hand = rules.hand_size * num_envs
    hands = read_only(np.arange(rules.num_players * of_hand)).reshape(rules.num_players, of_hand)
    return read_only(ends * np.intp(num_envs)), hands[:, :num_envs]


def _outcomes(rules: Rules) -> Outcomes | None:
    colours, number, limit = rules.num_colours, rules.kododo_number, rules.limit
    # From the exact number on one more Kododo card is one too many; a table has 250 cards at most.
    most = np.array([limit] * colours + [min(number + 1, 255)])
    ways = (most + 1).tolist()
    if prod(ways) > MOST_OUTCOMES:
        return None
    totals = np.indices(ways[:-1], np.uint8).reshape(colours, -1)
    exact = kododo_round(np.arange(ways[-1]), number)[:, None]
    scoring = np.where(exact, colours, scoring_colour(totals, limit)).astype(np.int8)
    weights = np.append((limit + 1) ** np.arange(colours)[::-1], totals.shape[1])
    # One thing laid by each player, where each colour, then the Kododo clause, then nothing scores.
    things = np.eye(rules.num_counts, dtype=np.int16)[..., None]
    scored = np.eye(colours + 1, colours + 2, dtype=np.uint8)
    scored[-1, -2] = number
    gains = np.stack(score_round(things, scored, number, limit), axis=-1).swapaxes(0, 1)
    return Outcomes(
        read_only(most.astype(np.uint8))[:, None],
        read_only(weights),
        read_only(scoring).ravel(),
        read_only(gains.astype(np.uint8)),
        tuple(tuple(each.argmax(axis=0).tolist()) if each.any() else () for each in gains),
    )
