"""Make, measure and describe the shipped policies."""

from __future__ import annotations
