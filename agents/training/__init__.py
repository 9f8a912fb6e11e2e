"""Training runs: what is asked for, the loop, checkpoints, folders."""

from __future__ import annotations
