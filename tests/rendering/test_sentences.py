"""Sentences are written from events for readers; no module searches in them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import kododo_env

PACKAGE = Path(kododo_env.__file__).parent
MARKDOWN = PACKAGE / "table" / "rules_page.py"  # reads the Markdown of the rules


@pytest.mark.parametrize("folder", ["games", "rendering", "review", "table"])
def test_no_module_searches_in_sentences(folder: str) -> None:
    paths = {*(PACKAGE / folder).rglob("*.py")} - {MARKDOWN}
    assert paths
    for path in paths:
        assert not re.search(r"^(import|from) re\b", path.read_text("utf-8"), re.MULTILINE), path
