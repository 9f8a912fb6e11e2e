"""The picture of a tournament: win shares and ratings with their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from textwrap import wrap
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.report import Report
from kododo_env.system.files import written_whole

INK = "#1f2933"
DOT = "#0072b2"  # from Okabe and Ito's colours, which stay apart for the colour-blind
GUIDE = "#616e7c"


def draw_report(report: Report, path: Path) -> None:
    """Draw what a tournament showed into a file, which is written whole or not at all.

    Args:
        report: Of the tournament.
        path: Where to; the ending says which kind of file.
    """
    figure = _standings(report)
    with written_whole(path) as aside:
        figure.savefig(aside, dpi=150, facecolor="white")


def _standings(report: Report) -> Figure:
    """Win shares and ratings, an agent in each line, the best on top."""
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
    title = "\n".join(wrap(report.heading, int(12 * figure.get_figwidth())))
    figure.suptitle(title, fontsize=10, color=INK)
    return figure


def _intervals(axes: Any, estimates: Sequence[Estimate], form: str, even: float) -> None:
    """Dots with whiskers and their numbers, and a line where all are equal."""
    axes.axvline(even, color=GUIDE, linewidth=1.2, linestyle="--", zorder=1)
    for line, each in enumerate(estimates):
        if isfinite(each.low):
            axes.hlines(line, each.low, each.high, color=INK, linewidth=1.6, zorder=2)
            axes.vlines([each.low, each.high], line - 0.13, line + 0.13, color=INK, linewidth=1.6)
        axes.plot(each.mean, line, "o", color=DOT, markersize=5.5, zorder=3)
        style = {"ha": "center", "fontsize": 9, "bbox": {"fc": "white", "ec": "none", "pad": 0.6}}
        text = format(each.mean, form)
        axes.annotate(text, (each.mean, line), (0, 8), textcoords="offset points", **style)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(GUIDE)
    axes.tick_params(axis="y", length=0)
    axes.tick_params(axis="x", color=GUIDE)
    axes.xaxis.set_major_locator(MaxNLocator(6))
    axes.grid(axis="x", color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.margins(x=0.12)
