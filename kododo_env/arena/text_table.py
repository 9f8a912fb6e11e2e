"""Rows of text as an aligned table."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]]) -> str:
    """Aligned columns, the first flush left, the others right; the first row is the heading."""
    from tabulate import tabulate

    sides = ("left", *["right"] * (len(rows[0]) - 1))
    return tabulate(rows, "firstrow", "plain", colalign=sides, disable_numparse=True)
