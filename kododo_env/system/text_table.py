"""Aligned tables of text."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as text, the first column left-aligned, all other columns right-aligned."""
    from tabulate import tabulate

    sides = ("left", *["right"] * (len(rows[0]) - 1))
    return tabulate(rows, "firstrow", "plain", colalign=sides, disable_numparse=True)
