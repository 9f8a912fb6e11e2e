"""Protection against ``np.seterr(under="raise")`` in callers' scripts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

import numpy as np

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def underflow_is_zero(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Decorate a function of probabilities so that underflow gives 0 without an error.

    After ``np.seterr(all="raise")`` in a caller's script, a softmax of very different logits would
    raise FloatingPointError.
    """

    # Numpy's errstate is a decorator too, but in numpy 1 all calls and threads share its state.
    @wraps(function)
    def computed(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        with np.errstate(under="ignore"):
            return function(*args, **kwargs)

    return computed
