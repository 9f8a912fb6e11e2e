"""Numbers that are too small for a float, whatever a script has told numpy to do about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def underflow_is_zero(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function that computes chances: those too small for a float are 0 in it.

    This is numpy's own default. With ``np.seterr(all="raise")`` in somebody's script the softmax
    of points that lie far apart would be an error.
    """

    # Numpy's errstate can decorate as well, but that of numpy 1 is shared by all calls and threads.
    @wraps(function)
    def computed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return computed
