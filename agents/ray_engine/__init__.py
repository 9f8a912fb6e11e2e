"""Training and tournaments on many machines, by Ray; see docs/ray.md."""

from __future__ import annotations
