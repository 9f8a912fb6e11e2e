"""The picture of a tournament: win shares and ratings with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.report import Report
from kododo_env.system.files import written_whole


def draw_report(report: Report, path: Path) -> None:
    """Draw what a tournament showed into a file, which is written whole or not at all.

    Win shares and ratings, an agent in each line, the best on top.

    Args:
        report: Of the tournament.
        path: Where to; the ending says which kind of file.
    """
    names = [each.agent for each in report.standings]
    figure = Figure(figsize=(9, 1.7 + 0.42 * len(names)), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    shares = [each.share for each in report.standings]
    _intervals(left, shares, ".3f", 1 / report.tournament.players)
    left.set_xlabel("win share, 95 % interval; dashed: parity")
    _intervals(right, [each.rating for each in report.standings], "+.0f", 0.0)
    right.set_xlabel("rating, 95 % interval")
    left.set_yticks(range(len(names)), names)
    left.set_ylim(len(names) - 0.4, -0.7)
    figure.suptitle("\n".join(wrap(report.heading, 108)), fontsize=10)
    with written_whole(path) as aside:
        figure.savefig(aside, dpi=150)


def _intervals(axes: Any, estimates: Sequence[Estimate], form: str, even: float) -> None:
    """Dots with whiskers and their numbers, and a line where all are equal."""
    axes.axvline(even, color="gray", linestyle="--", zorder=1)
    means, lows, highs = np.array([(each.mean, each.low, each.high) for each in estimates]).T
    ends = np.maximum([means - lows, highs - means], 0)  # nan, where nothing is known, stays
    axes.errorbar(means, range(len(means)), xerr=ends, fmt="o", ecolor="black", capsize=4)
    for line, number in enumerate(means):
        style = {"ha": "center", "fontsize": 9, "bbox": {"fc": "white", "ec": "none", "pad": 0.6}}
        where = {"xytext": (0, 8), "textcoords": "offset points"}
        axes.annotate(format(number, form), (number, line), **where, **style)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.4)
    axes.margins(x=0.12)
