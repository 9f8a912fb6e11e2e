"""Training runs: their settings, the loop, checkpoints, folders."""

from __future__ import annotations
