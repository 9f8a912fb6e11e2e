"""What is shown of a training run while it goes on."""

from __future__ import annotations

from agents.training.checkpoint import Progress


def progress_text(progress: Progress, steps: int) -> str:
    """The steps and the latest win shares, in a line."""
    shares = progress.curve[-1]["shares"] if progress.curve else {}
    latest = "  ".join(f"{name} {share['mean']:.3f}" for name, share in shares.items())
    said = f"win share v {latest}" if shares else "win share: not measured yet"
    return f"{steps / 1e6:.2f}M steps  {said}"
