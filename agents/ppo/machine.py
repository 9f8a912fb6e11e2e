"""The machine that learns: its device, its threads, its memory, and where its time goes."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from typing import Any, TypeVar

import torch

from kododo_env.core.numbers import shown, whole_number

Result = TypeVar("Result")

# --- device -------------------------------------------------------------------------------

DEVICES = ("cpu", "cuda", "auto")


def device_named(name: str) -> str:
    """The device that is meant: "cpu" or "cuda"; "auto" is a GPU if torch finds one.

    There is no "mps": it has no float64, in which canonical observations are ordered.

    Raises:
        ValueError: There is no such device, or not here.
    """
    if name not in DEVICES:
        raise ValueError(f"--device must be one of {', '.join(DEVICES)}, not {shown(name)}")
    has_gpu = torch.cuda.is_available()
    if name == "auto":
        return "cuda" if has_gpu else "cpu"
    if name == "cuda" and not has_gpu:
        raise ValueError(f"--device {name}: torch finds none here; use --device cpu or auto")
    return name


def bfloat16_is_fast(device: str = "cpu") -> bool:
    """Whether "cpu" or "cuda" multiplies in bfloat16; False where torch cannot tell."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


# --- memory and threads -------------------------------------------------------------------

TRIM_THRESHOLD = -1  # of glibc's malloc.h
MMAP_THRESHOLD = -3  # of glibc's malloc.h
KEPT_BYTES = 1 << 30  # bytes that are free at most before some are given back
LARGE = 1 << 25  # what has more bytes is given back at once; glibc takes no larger number
COMPILED = "64"  # products of one kind; oneDNN's own number is 1,024


def prepare_process() -> None:
    """Let this process learn: before its first network computes, since some of it is asked once.

    torch has one thread, since ``DataParallel`` has threads of its own. Freed memory stays with the
    process where the C library is glibc, which else gives tensors of this size back at once and
    gets them again page by page, filled with zeros: a fifth of the time of a training of Kododo.
    And few of the products in bfloat16 are kept that are compiled for each number of rows: each
    step of a rollout decides another number, so that memory grew for long.
    """
    torch.set_num_threads(1)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, LARGE)
    for cache in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
        os.environ.setdefault(cache, COMPILED)


class DataParallel:
    """Calls a function for the parts of a batch at the same time.

    Matrices of a few hundred columns are too small for torch's own threads to share; whole
    parts of a batch are not. torch's own should be one (``prepare_process``). What
    torch keeps for each thread, such as ``no_grad``, must be set inside the function. A single part
    is computed on the calling thread.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = whole_number(threads, "threads", 1)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def parts(self, total: int) -> list[slice]:
        """Up to ``threads`` slices, none empty, that make up a batch of ``total``."""
        number = max(1, min(self.threads, total))
        ends = [total * k // number for k in range(number + 1)]
        return [slice(*pair) for pair in pairwise(ends)]

    def map(self, function: Callable[[slice], Result], total: int) -> list[Result]:
        """The results of the function for each of the parts, in their order."""
        parts = self.parts(total)
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return list(self._pool.map(function, parts))


# --- time ---------------------------------------------------------------------------------


class Stopwatch:
    """Adds up the time spent on each of several things.

    Attributes:
        seconds: By name, in the order in which they were first begun.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Count what happens inside for ``name``; nothing counts twice if it is not nested."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def text(self) -> str:
        """The shares of the seconds: ``games 3 %, acting 27 %, ...``."""
        total = sum(self.seconds.values()) or 1.0
        shares = sorted(self.seconds.items(), key=lambda entry: -entry[1])
        return ", ".join(f"{name} {100 * spent / total:.1f} %" for name, spent in shares)
