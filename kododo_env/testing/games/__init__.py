"""What any batch game owes: masks, decks, copies, states, scores, bounds."""

from __future__ import annotations
