"""Files, locks and signals, as the operating system has them."""

from __future__ import annotations
