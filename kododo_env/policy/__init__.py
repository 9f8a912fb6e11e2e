"""Policy files: what is in them, how they are checked and played."""

from __future__ import annotations
