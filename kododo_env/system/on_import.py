"""Doing something when another library is imported, without importing it oneself."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:  # importlib.abc takes longer to import than all the rest
    from collections.abc import Callable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType


def when_imported(module: str, call: Callable[[], object]) -> None:
    """Call a function after a module is imported: at once, if it already is.

    The module need not be installed. The call must be light, and must not raise: it is done in
    somebody's import.
    """
    if sys.modules.get(module) is not None:
        call()
    else:
        sys.meta_path.insert(0, _Finder(module, call))


class _Finder:
    """Finds one module as the others do, and has its loader say when it is done."""

    def __init__(self, module: str, call: Callable[[], object]) -> None:
        self.module = module
        self.call = call

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The answer of the finders after it, with a loader of ours; None of any other module."""
        if fullname != self.module:
            return None
        after = sys.meta_path[sys.meta_path.index(self) + 1 :]  # those before had their turn
        specs = (finder.find_spec(fullname, path, target) for finder in after)
        spec = next((candidate for candidate in specs if candidate is not None), None)
        if spec is not None and spec.loader is not None:
            spec.loader = cast("Loader", _AnnouncingLoader(spec.loader, self))
        return spec


class _AnnouncingLoader:
    """Loads as another loader does, which the module then has, and calls the function."""

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
