"""Functions that are called when a library is imported."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kododo_env.system.import_hooks import when_imported

NAME = "a_library_of_the_tests"


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """What a library contained when the function was called, once it is imported."""
    (tmp_path / f"{NAME}.py").write_text("FIRST = 1\nLAST = 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = [*sys.meta_path]
    held: list[int] = []
    when_imported(NAME, lambda: held.append(sys.modules[NAME].LAST))
    yield held
    sys.modules.pop(NAME, None)
    sys.meta_path[:] = before


def test_it_is_done_once_the_library_is_whole(called: list[int]) -> None:
    assert importlib.util.find_spec(NAME) is not None
    assert called == []
    finders = len(sys.meta_path)
    library = importlib.import_module(NAME)
    assert called == [2]
    importlib.reload(library)
    assert called == [2]
    assert len(sys.meta_path) == finders - 1


def test_it_is_done_at_once_if_the_library_is_there(called: list[int]) -> None:
    importlib.import_module(NAME)
    when_imported(NAME, lambda: called.append(3))
    assert called == [2, 3]


def test_it_waits_for_an_import_that_works(called: list[int], tmp_path: Path) -> None:
    whole = (tmp_path / f"{NAME}.py").read_text()
    (tmp_path / f"{NAME}.py").write_text("raise RuntimeError('broken')")
    with pytest.raises(RuntimeError, match="broken"):
        importlib.import_module(NAME)
    assert called == []
    (tmp_path / f"{NAME}.py").write_text(whole + "# another size\n")
    importlib.import_module(NAME)
    assert called == [2]


def test_a_library_that_is_not_there_is_not_there() -> None:
    before = [*sys.meta_path]
    when_imported("no_such_library", lambda: pytest.fail("there is none"))
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_library'"):
        importlib.import_module("no_such_library")
    sys.meta_path[:] = before
