"""Draw a learning curve."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from kododo_env.arena.intervals import Estimate
from kododo_env.arena.plots import draw_curve
from kododo_env.system.files import written_whole

# Okabe and Ito's palette for colour-blind readers, with a dark red instead of the faint yellow.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#882255")
MARKERS = "osD^vP*X"


def draw_learning_curve(
    path: Path, curve: list[dict[str, Any]], num_players: int, title: str
) -> None:
    """Write a PNG file of win shares against each baseline over the minutes of training.

    A line marks parity, 1/P.

    Args:
        path: The file.
        curve: The measurements of a run, see ``Progress``.
        num_players: P.
        title: The title of the picture.
    """
    figure = Figure(figsize=(8, 4.8), layout="constrained")
    axes = figure.subplots()
    axes.set_prop_cycle(color=COLOURS, marker=[*MARKERS])
    minutes = [point["seconds"] / 60 for point in curve]
    for name in curve[-1]["shares"] if curve else ():
        shares = [Estimate.from_json(point["shares"][name]) for point in curve]
        draw_curve(axes, minutes, shares, f"v {name}")
    axes.axhline(1 / num_players, color="grey", linestyle="--", linewidth=1)
    axes.annotate(
        "parity", (0.995, 1 / num_players), xycoords=("axes fraction", "data"),
        ha="right", va="bottom", color="grey", fontsize=9,
    )  # fmt: skip
    axes.set(xlabel="minutes of training", ylabel="win share", title=title, ylim=(0, None))
    axes.set_xlim(left=0)
    axes.grid(alpha=0.3)
    if curve:
        axes.legend(ncols=2, title=f"one learner against {num_players - 1} copies")
    with written_whole(path) as aside:
        figure.savefig(aside, dpi=120)
