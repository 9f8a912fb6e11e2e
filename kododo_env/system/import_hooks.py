"""Calling a function when another library is imported, without importing the library."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # importlib.abc is slow to import
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
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
    """Finds one module with the other finders, and wraps the module's loader."""

    def __init__(self, module: str, call: Callable[[], object]) -> None:
        self.module = module
        self.call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the next finders with a wrapped loader; None for other modules."""
        if fullname != self.module:
            return None
        next_finders = sys.meta_path[sys.meta_path.index(self) + 1 :]
        specs = (finder.find_spec(fullname, path, target) for finder in next_finders)
        spec = next((candidate for candidate in specs if candidate is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Loader", _AnnouncingLoader(spec.loader, self))
        return spec


class _AnnouncingLoader:
    """Loads a module by its own loader, then calls the function."""

    def __init__(self, loader: Loader, finder: _Finder) -> None:
        self.loader = loader
        self.finder = finder

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self.loader
        if module.__spec__ is not None:
            module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        if self.finder in sys.meta_path:
            sys.meta_path.remove(self.finder)
            self.finder.call()
