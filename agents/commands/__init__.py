"""The commands of a checkout: train, evaluate, measure exploitability, export."""

from __future__ import annotations
