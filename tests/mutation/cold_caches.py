"""A pytest plugin that clears caches before each test.

All mutants run in forks of one process, in which the unchanged code has filled the caches. Without
this plugin a mutant of a cached function would never be called, and mutmut would not know which
tests call it.
"""

from __future__ import annotations

import sys


def pytest_runtest_setup() -> None:
    """Clear the caches of all functions of the package."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("kododo_env"):
            for member in vars(module).values():
                if clear := getattr(member, "cache_clear", None):
                    clear()
