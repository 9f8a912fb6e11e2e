"""Warnings about other libraries' wrappers that silently break an environment."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from typing import Any

from kododo_env.wrappers.spaces import ObservationFormat

VEC_NORMALIZE = "stable_baselines3.common.vec_env.vec_normalize"
RESETTING = ("reset", "step_wait")  # methods of a wrapper that reset the wrapped environment


class OuterWrappers:
    """Warns once about each known problem with wrappers around an environment.

    An environment has no references to its wrappers, so they are found on the call stack of its
    ``reset``.

    Args:
        form: The format of the environment's observations.
    """

    def __init__(self, form: ObservationFormat) -> None:
        self._form = form
        self._messages: set[str] = set()

    def check(self) -> None:
        """Inspect the wrappers through which ``reset`` was called, and warn about problems."""
        module = sys.modules.get(VEC_NORMALIZE)
        normalizer = getattr(module, "VecNormalize", ())
        for wrapper in _callers():
            if isinstance(wrapper, normalizer) and self._scales_masks(wrapper):
                self._warn(
                    "VecNormalize scales the action masks too; use VecNormalize(..., "
                    f"norm_obs_keys=[{self._form.key!r}])"
                )
            if _is_of_library(wrapper) and "opponents" in vars(wrapper):
                self._warn(
                    f"opponents were set on the wrapper {type(wrapper).__name__}, which has no "
                    "effect; set env.unwrapped.opponents, or with DummyVecEnv call "
                    "env_method('set_wrapper_attr', 'opponents', value)"
                )

    def _scales_masks(self, normalizer: Any) -> bool:
        keys = normalizer.norm_obs_keys or ()
        return normalizer.norm_obs and self._form.in_observation and "action_mask" in keys

    def _warn(self, message: str) -> None:
        if message not in self._messages:
            self._messages.add(message)
            warnings.warn(message, stacklevel=1)


def _is_of_library(wrapper: object) -> bool:
    """Return whether a wrapper is a library's, without ``opponents`` unless a user sets them."""
    return type(wrapper).__module__.partition(".")[0] in ("gymnasium", "stable_baselines3")


def _callers() -> Iterator[Any]:
    """Yield the objects whose methods are resetting the environment, the innermost first."""
    frame = sys._getframe(2).f_back  # skips ``reset`` of the environment itself
    while frame is not None:
        if frame.f_code.co_name in RESETTING and "self" in frame.f_locals:
            yield frame.f_locals["self"]
        frame = frame.f_back
