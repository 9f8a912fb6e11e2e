"""Tables and pictures of the pages match the JSON files that commands wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.pages.scripts import script

update_tables = script("update_tables")
make_images = script("make_images")
draw_rooms = script("draw_rooms")
TABLES = [entry for entry in update_tables.tables() if entry[1] != "layout"]


@pytest.mark.parametrize(
    ("path", "marker", "table"), TABLES, ids=[f"{path.stem}-{marker}" for path, marker, _ in TABLES]
)
def test_a_table_is_up_to_date(path: Path, marker: str, table: Callable[[], str]) -> None:
    page = path.read_text()
    assert page == update_tables.updated(page, marker, table()), "run python -m docs.update_tables"


def test_a_picture_is_drawn_from_its_figures() -> None:
    with Image.open(make_images.IMAGES / "exact.png") as picture:
        drawn = json.loads(picture.text[make_images.CURVE])  # type: ignore[attr-defined]
    assert drawn == make_images.truth(), "run python docs/make_images.py"


def test_each_row_of_the_small_game_has_a_line_that_is_told_apart() -> None:
    lines = set(zip(make_images.COLOURS, make_images.MARKERS, strict=True))
    assert len(lines) >= len(make_images.truth()["rows"])


def test_the_picture_of_the_rooms_is_drawn_from_the_imports() -> None:
    assert draw_rooms.PICTURE.read_text() == draw_rooms.draw(), "run python docs/draw_rooms.py"
