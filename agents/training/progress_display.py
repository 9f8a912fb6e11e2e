"""Showing how a training run goes: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Self

from tqdm import tqdm

from agents.training.checkpoint import Progress


class ProgressDisplay:
    """A progress bar with the latest win shares; in a pipe a line for each measurement.

    Args:
        remaining: The share of the budget that is left at the start.
    """

    def __init__(self, remaining: float) -> None:
        self._on_terminal = sys.stderr.isatty()
        self._shown = -1
        self._bar = tqdm(
            total=100,
            initial=round(100 * (1 - remaining)),
            bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}",
            disable=not self._on_terminal,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.close()

    def show(self, remaining: float, progress: Progress, steps: int) -> None:
        """Bring the display up to date."""
        self._bar.n = round(100 * (1 - remaining))
        text = shares_text(progress)
        self._bar.set_postfix_str(f"{steps / 1e6:.1f}M steps  {text}", refresh=True)
        if not self._on_terminal and len(progress.curve) != self._shown:
            self._shown = len(progress.curve)
            print(f"{100 * (1 - remaining):5.1f} %  {steps / 1e6:6.2f}M steps  {text}", flush=True)


def shares_text(progress: Progress) -> str:
    """The latest win shares in a line."""
    if not progress.curve:
        return "win share: not measured yet"
    shares = progress.curve[-1]["shares"]
    return "win share v " + "  ".join(f"{name} {s['mean']:.3f}" for name, s in shares.items())
