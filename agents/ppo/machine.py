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

from kododo_env.checks.numbers import quote, whole_number

Result = TypeVar("Result")

# --- device -------------------------------------------------------------------------------

DEVICES = ("cpu", "cuda", "auto")


def device_named(name: str) -> str:
    """Return "cpu" or "cuda" for the name of a device; "auto" is a GPU if torch finds one.

    "mps" is not supported because it lacks float64, which the canonical form needs for sorting.

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
    """Return whether "cpu" or "cuda" multiplies in bfloat16; False if torch does not know."""
    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    capabilities: dict[str, Any] = getattr(torch.cpu, "get_capabilities", dict)()
    return bool(capabilities.get("avx512_bf16") or capabilities.get("amx_bf16"))


# --- memory and threads -------------------------------------------------------------------

TRIM_THRESHOLD = -1  # M_TRIM_THRESHOLD of glibc's malloc.h
MMAP_THRESHOLD = -3  # M_MMAP_THRESHOLD of glibc's malloc.h
KEPT_BYTES = 1 << 30  # free bytes to keep before some are returned to the system
LARGE = 1 << 25  # bytes; larger blocks are returned at once; glibc's maximum
COMPILED = "64"  # compiled products in each cache; oneDNN's default is 1,024


def prepare_process() -> None:
    """Configure this process for learning; call it before the first network runs.

    torch gets one thread, because ``DataParallel`` has its own threads. With glibc, freed memory
    stays with the process; by default glibc returns large tensors to the system at once, and zeroed
    pages are slow to get again. The cache of compiled bfloat16 products is limited: there is an
    entry for each number of rows, which varies from step to step of a rollout.
    """
    torch.set_num_threads(1)
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(TRIM_THRESHOLD, KEPT_BYTES)
        mallopt(MMAP_THRESHOLD, LARGE)
    for cache in ("LRU_CACHE_CAPACITY", "ONEDNN_PRIMITIVE_CACHE_CAPACITY"):
        os.environ.setdefault(cache, COMPILED)


class DataParallel:
    """A pool of threads that calls a function for the parts of a batch.

    Matrices of a few hundred columns are too small for torch's own threads, whose number should be
    1 (``prepare_process``). Thread-local state of torch, such as ``no_grad``, must be set inside
    the function. A single part is computed on the calling thread.

    Args:
        threads: The number of threads.
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
    """A stopwatch that sums up the time spent on each of several stages.

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
        """Return the share of each stage, such as ``games 3.0 %, acting 27.0 %``."""
        total = sum(self.seconds.values()) or 1.0
        shares = sorted(self.seconds.items(), key=lambda entry: -entry[1])
        return ", ".join(f"{name} {100 * spent / total:.1f} %" for name, spent in shares)
