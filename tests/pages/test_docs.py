"""The pages of the games: each game has one, and its tables match the code."""

from __future__ import annotations

import pytest

from tests.game_tables import GAMES
from tests.pages.scripts import script

update_tables = script("update_tables")

HEADINGS = ("## Rules", "## Specification", "## Rulings", "## Scripted players", "## Versions")


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_with_all_its_parts(game: str) -> None:
    page = update_tables.page_of(game)
    assert page.exists(), f"{game} has no page docs/games/{game}.md (see CONTRIBUTING.md)"
    lines = page.read_text().splitlines()
    assert [heading for heading in HEADINGS if heading not in lines] == []


@pytest.mark.parametrize("game", GAMES)
def test_the_tables_of_the_layout_are_the_codes(game: str) -> None:
    page = update_tables.page_of(game).read_text()
    assert page == update_tables.updated(page, "layout", update_tables.layout(game)), (
        f"the observation table in docs/games/{game}.md is not that of the layout: "
        "run python -m docs.update_tables"
    )


def test_only_what_is_between_the_markers_is_replaced() -> None:
    page = "above\n<!-- layout -->\nold\n<!-- /layout -->\nbelow\n"
    new = update_tables.updated(page, "layout", "new")
    assert new == "above\n<!-- layout -->\n\nnew\n\n<!-- /layout -->\nbelow\n"
    assert update_tables.updated(new, "layout", "new") == new
