"""Calling a function when another library is imported, without importing the library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importlib.abc is slow to import
    from collections.abc import Callable, Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(module: str, call: Callable[[], object]) -> None:
    """Call a function as soon as a module is imported, or now if it is already imported.

    The module need not be installed. The function must be fast and must not raise, since it is
    called during the import.
    """
    if sys.modules.get(module) is not None:
        call()
    else:
        sys.meta_path.insert(0, _Finder(module, call))


class _Finder:
    """Finds one module with the other finders, and lets its loader call the function."""

    def __init__(self, module: str, call: Callable[[], object]) -> None:
        self.module = module
        self.call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the next finders with a changed loader; None for other modules."""
        if fullname != self.module:
            return None
        next_finders = sys.meta_path[sys.meta_path.index(self) + 1 :]
        specs = (finder.find_spec(fullname, path, target) for finder in next_finders)
        spec = next((candidate for candidate in specs if candidate is not None), None)
        if spec is not None and spec.loader is not None:
            execute = self._announcing(spec.loader.exec_module)
            spec.loader.exec_module = execute  # type: ignore[assignment, method-assign]
        return spec

    def _announcing(self, execute: Callable[[ModuleType], None]) -> Callable[[ModuleType], None]:
        """Return a loader's ``exec_module`` that calls the function after it."""

        def execute_and_call(module: ModuleType) -> None:
            execute(module)
            # A loader may have several modules, such as all of a zip file.
            if module.__name__ == self.module and self in sys.meta_path:
                sys.meta_path.remove(self)
                self.call()

        return execute_and_call
