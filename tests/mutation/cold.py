"""A plugin of pytest: each run begins with empty caches.

All mutants run in forks of one process, whose caches the unchanged code has filled: a mutant of a
cached function would never be called.
"""

from __future__ import annotations

import sys


def pytest_sessionstart() -> None:
    """Forget all results of functions of the package that are kept."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("kododo_env"):
            for each in vars(module).values():
                if clear := getattr(each, "cache_clear", None):
                    clear()
