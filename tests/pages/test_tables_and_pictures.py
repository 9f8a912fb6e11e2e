"""Tables and pictures of the pages are those of the code and of the JSON that commands wrote."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from tests.doors import GAMES
from tests.pages.scripts import script

update_tables, make_images = script("update_tables"), script("make_images")

HEADINGS = ("## Rules", "## Specification", "## Rulings", "## Scripted players", "## Versions")
TABLES = list(update_tables.tables())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_with_all_its_parts(game: str) -> None:
    page = update_tables.page_of(game)
    assert page.exists(), f"{game} has no page docs/games/{game}.md (see CONTRIBUTING.md)"
    lines = page.read_text().splitlines()
    assert [heading for heading in HEADINGS if heading not in lines] == []


@pytest.mark.parametrize(
    ("path", "marker", "table"), TABLES, ids=[f"{path.stem}-{marker}" for path, marker, _ in TABLES]
)
def test_a_table_is_up_to_date(path: Path, marker: str, table: Callable[[], str]) -> None:
    page = path.read_text()
    assert page == update_tables.updated(page, marker, table()), "run python docs/update_tables.py"


@pytest.mark.parametrize(
    "page",
    [
        "no markers",
        "only <!-- layout --> begins",
        "<!-- /layout --> wrong way round <!-- layout -->",
        "<!-- layout --><!-- /layout --> twice <!-- layout --><!-- /layout -->",
    ],
)
def test_a_page_without_one_pair_of_markers_is_refused(page: str) -> None:
    with pytest.raises(ValueError, match="needs one <!-- layout -->"):
        update_tables.updated(page, "layout", "a table")


def test_only_what_is_between_the_markers_is_replaced() -> None:
    page = "above\n<!-- layout -->\nold\n<!-- /layout -->\nbelow\n"
    new = update_tables.updated(page, "layout", "new")
    assert new == "above\n<!-- layout -->\n\nnew\n\n<!-- /layout -->\nbelow\n"
    assert update_tables.updated(new, "layout", "new") == new


def test_the_learning_curve_is_drawn_from_the_policys_card() -> None:
    with Image.open(make_images.IMAGES / "learning_curve.png") as picture:
        drawn = json.loads(picture.text[make_images.CURVE])  # type: ignore[attr-defined]
    assert drawn == make_images.curve(), "run python docs/make_images.py"
