"""Look-up tables that follow from Kododo's rules."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from kododo_env.arrays.dtypes import Bool, Uint8
from kododo_env.arrays.rows import read_only
from kododo_env.games.kododo.observation import (
    ObservationConstants,
    action_layout,
    observation_constants,
)
from kododo_env.games.kododo.rules import Rules
from kododo_env.layouts.actions import SlotPiece

Slots = tuple[tuple[int, ...], ...]


class KododoTables(NamedTuple):
    """Look-up tables for one set of rules."""

    slots: Slots  # the slots of the hand from which each of the A actions lays cards
    ends: Uint8  # the first and the last of these slots, (2, A)
    # ``legal[plays][held]``: the mask of actions that lay ``plays`` of ``held`` cards in hand.
    legal: list[list[Bool]]
    constants: ObservationConstants  # the part of an observation that follows from the rules


@cache
def tables(rules: Rules) -> KododoTables:
    """Return the tables of these rules, shared by all games."""
    pieces = [piece for piece in action_layout(rules).pieces if isinstance(piece, SlotPiece)]
    slots = tuple(choice for piece in pieces for choice in piece.choices)
    ends = read_only(np.array([(places[0], places[-1]) for places in slots], np.uint8)).T
    held = range(rules.hand_size + 1)
    legal = [[read_only(_legal(slots, plays, cards)) for cards in held] for plays in range(3)]
    return KododoTables(slots, ends, legal, observation_constants(rules))


def _legal(slots: Slots, plays: int, held: int) -> Bool:
    return np.array([len(places) == plays and max(places) < held for places in slots])
