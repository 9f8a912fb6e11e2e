"""The static page's folder, built once for all tests."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.play.static.folder import build_with_numpy, missing


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with numpy in it; skipped if its parts have not been fetched."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    if absent := missing():
        pytest.skip(f"{absent} has not been fetched: make web-parts")
    folder = tmp_path_factory.mktemp("static") / "site"
    build_with_numpy(folder)
    return folder
