"""Plots of estimates with their intervals: curves, rows of dots, and a tournament's results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from textwrap import wrap
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.report import TournamentReport
from kododo_env.arrays.dtypes import Float64
from kododo_env.policy.plain_text import plain
from kododo_env.system.files import written_whole


def draw_report(report: TournamentReport, path: Path) -> None:
    """Draw win shares and ratings of a tournament, with the best agent on top.

    If an error occurs, no incomplete file is left.

    Args:
        report: The report of the tournament.
        path: The file to write; its ending determines the format.
    """
    names = [plain(standing.agent) for standing in report.standings]
    width = 9 + 0.09 * float(np.clip(max(map(len, names)) - 30, 0, 1000))  # for long paths
    figure = Figure(figsize=(width, 1.7 + 0.42 * len(names)), layout="constrained")
    share_axes, rating_axes = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    shares = [standing.share for standing in report.standings]
    _labelled_dots(share_axes, names, shares, ".3f", 1 / report.tournament.players)
    share_axes.set_xlabel("win share, 95 % interval; dashed: parity")
    _labelled_dots(
        rating_axes, names, [standing.rating for standing in report.standings], "+z.0f", 0.0
    )
    rating_axes.set_xlabel("rating, 95 % interval")
    figure.suptitle("\n".join(wrap(report.heading, 108)), fontsize=10)
    with written_whole(path) as aside:
        figure.savefig(aside, dpi=150)


def draw_curve(
    axes: Any, x: Sequence[float], estimates: Sequence[Estimate], label: str, **style: Any
) -> None:
    """Draw a line of means with their intervals as a band.

    Args:
        axes: The axes of Matplotlib.
        x: The x-coordinates of the estimates.
        estimates: The means and their intervals.
        label: The label of the line in the legend.
        style: Arguments of ``axes.plot`` for the line.
    """
    means, lows, highs = _columns(estimates)
    (line,) = axes.plot(x, means, label=label, **style)
    axes.fill_between(x, lows, highs, color=line.get_color(), alpha=0.15, linewidth=0)


def draw_dots(
    axes: Any, names: Sequence[str], estimates: Sequence[Estimate], shift: float = 0, **style: Any
) -> None:
    """Draw means as dots with their intervals as whiskers, one below the other.

    Args:
        axes: The axes of Matplotlib.
        names: The names of the rows, the first on top.
        estimates: An estimate for each name.
        shift: The vertical offset of the dots, in rows downwards, to draw several dots in a row.
        style: Arguments of ``axes.errorbar`` for the dots.
    """
    means, lows, highs = _columns(estimates)
    ends = np.maximum([means - lows, highs - means], 0)  # keeps nan, an unknown end
    options = {"fmt": "o", "capsize": 4} | style
    axes.errorbar(means, np.arange(len(means)) + shift, xerr=ends, **options)
    axes.set_yticks(range(len(names)), names, parse_math=False)  # a bot may have $ in its name
    axes.set_ylim(len(names) - 0.4, -0.7)


def _columns(estimates: Sequence[Estimate]) -> Float64:
    """Return means, lower and upper ends, (3, E)."""
    return np.array(
        [(estimate.mean, estimate.low, estimate.high) for estimate in estimates], np.float64
    ).T


def _labelled_dots(
    axes: Any, names: Sequence[str], estimates: Sequence[Estimate], form: str, even: float
) -> None:
    """Draw dots with whiskers and their numbers, and a line at parity."""
    axes.axvline(even, color="gray", linestyle="--", zorder=1)
    draw_dots(axes, names, estimates, ecolor="black")
    for row, number in enumerate(estimate.mean for estimate in estimates):
        style = {"ha": "center", "fontsize": 9, "bbox": {"fc": "white", "ec": "none", "pad": 0.6}}
        offset = {"xytext": (0, 8), "textcoords": "offset points"}
        axes.annotate(format(number, form), (number, row), **offset, **style)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", alpha=0.4)
    axes.margins(x=0.12)
