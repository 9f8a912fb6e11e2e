"""A batch in parts, each on a thread of its own: torch lets others run while it computes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TypeVar

from kododo_env.core.numbers import whole_number

Result = TypeVar("Result")


class DataParallel:
    """Calls a function for the parts of a batch at the same time.

    Matrices of a few hundred columns are too small for torch's own threads to share; whole
    parts of a batch are not. torch's own should be one (``torch.set_num_threads(1)``). What
    torch keeps for each thread, such as ``no_grad``, must be set inside the function.

    Args:
        threads: How many parts, at least 1; one part is computed on the calling thread.
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
        """What the function returns for each of the parts, in their order."""
        parts = self.parts(total)
        if self._pool is None or len(parts) == 1:
            return [function(part) for part in parts]
        return list(self._pool.map(function, parts))
