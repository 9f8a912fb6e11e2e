"""Telling whole numbers from what only looks like them."""

from __future__ import annotations

import numpy as np


def is_whole(value: object) -> bool:
    """Whether a value is an integer of Python's or numpy's, a truth value not being one."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
