"""Aligned tables of text."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """Align columns, the first left, all others right; the first row is the heading."""
    from tabulate import tabulate

    sides = ("left", *["right"] * (len(rows[0]) - 1))
    return tabulate(rows, "firstrow", "plain", colalign=sides, disable_numparse=True)
