"""The learner's device, threads and memory, and a stopwatch."""

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

from kododo_env.core.numbers import quote, whole_number

Result = TypeVar("Result")

# --- device -------------------------------------------------------------------------------

DEVICES = ("cpu", "cuda", "auto")


def device_named(name: str) -> str:
    """Return "cpu" or "cuda"; "auto" is a GPU if torch finds one.

    "mps" is not supported because it has no float64, which orders canonical observations.

    Raises:
        ValueError: The device is unknown or missing.
    """
    if name not in DEVICES:
        raise ValueError(f"--device must be one of {', '.join(DEVICES)}, got {quote(name)}")
    has_gpu = torch.cuda.is_available()
    if name == "auto":
        return "cuda" if has_gpu else "cpu"
    if name == "cuda" and not has_gpu:
        raise ValueError(f"--device {name}: torch finds no GPU; use --device cpu or auto")
    return name


def bfloat16_is_fast(device: str = "cpu") -> bool:
    """Tell whether "cpu" or "cuda" multiplies in bfloat16; False if torch does not know."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


# --- memory and threads -------------------------------------------------------------------

TRIM_THRESHOLD = -1  # of glibc's malloc.h
MMAP_THRESHOLD = -3  # of glibc's malloc.h
KEPT_BYTES = 1 << 30  # free bytes to keep before some are returned to the system
LARGE = 1 << 25  # larger blocks are returned at once; the maximum that glibc accepts
COMPILED = "64"  # cached products of one kind; oneDNN's default is 1,024


def prepare_process() -> None:
    """Configure this process for learning; call it before the first network computes.

    torch gets one thread, because ``DataParallel`` has its own threads. With glibc, freed memory
    stays with the process: by default glibc returns large tensors to the system at once, and
    getting zeroed pages again is slow. And the cache of bfloat16 products, which are compiled for
    each number of rows, is limited: the steps of a rollout have ever different numbers of rows.
    """
    torch.set_num_threads(1)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, LARGE)
    for cache in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
        os.environ.setdefault(cache, COMPILED)


class DataParallel:
    """Calls a function for the parts of a batch on several threads.

    Matrices of a few hundred columns are too small to be divided by torch's own threads, whose
    number should be one (``prepare_process``). torch's state per thread, such as ``no_grad``, must
    be set inside the function. A single part is computed on the calling thread.
    """

    def __init__(self, threads: int = 1) -> None:
        self.threads = whole_number(threads, "threads", 1)
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def parts(self, total: int) -> list[slice]:
        """Divide a batch of ``total`` rows into up to ``threads`` nonempty slices."""
        number = max(1, min(self.threads, total))
        ends = [total * k // number for k in range(number + 1)]
        return [slice(*pair) for pair in pairwise(ends)]

    def map(self, function: Callable[[slice], Result], total: int) -> list[Result]:
        """Return the function's results for the parts, in order."""
        parts = self.parts(total)
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return list(self._pool.map(function, parts))


# --- time ---------------------------------------------------------------------------------


class Stopwatch:
    """Sums up the time spent on each of several stages.

    Attributes:
        seconds: The seconds by stage, in the order of their first start.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def on(self, name: str) -> Iterator[None]:
        """Add the time in the context to a stage; nested contexts count twice."""
        start = time.perf_counter()
        try:
            yield
        finally:
            spent = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + spent

    def text(self) -> str:
        """Return the shares of the seconds: ``games 3 %, acting 27 %, ...``."""
        total = sum(self.seconds.values()) or 1.0
        shares = sorted(self.seconds.items(), key=lambda entry: -entry[1])
        return ", ".join(f"{name} {100 * spent / total:.1f} %" for name, spent in shares)
