"""The command lines: train, evaluate, best response."""

from __future__ import annotations
