"""Tables of the pages match the JSON files that commands wrote."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.pages.scripts import script

update_tables = script("update_tables")
TABLES = [entry for entry in update_tables.tables() if entry[1] != "layout"]


@pytest.mark.parametrize(
    ("path", "marker", "table"), TABLES, ids=[f"{path.stem}-{marker}" for path, marker, _ in TABLES]
)
def test_a_table_is_up_to_date(path: Path, marker: str, table: Callable[[], str]) -> None:
    page = path.read_text()
    assert page == update_tables.updated(page, marker, table()), "run python -m docs.update_tables"
