"""Drawing: cards, tables and boards as SVG, and SVG as pixels."""

from __future__ import annotations
