"""The page of puzzles in a real browser; it needs no Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docs.static_page import build
from docs.static_page.puzzles import puzzles_json
from tests.clients.serving import serving
from tests.play.browser.person import assert_axe_finds_nothing, visits


def test_a_puzzle_is_missed_and_another_one_solved(browser: Any, tmp_path: Path) -> None:
    build._add_page(tmp_path)
    first = json.loads(puzzles_json())[0]
    second = first | {"id": "another"}
    third = first | {"id": "third"}
    (tmp_path / "puzzles-en.json").write_text(json.dumps([first, second, third]))
    wrong = next(choice for choice in first["choices"] if choice != first["best"])
    with (
        serving(tmp_path) as address,
        visits(browser, address, "puzzles.html", 10_000) as person,
    ):
        page = person.page
        see = person.see
        page.locator("#choices button").first.wait_for()
        assert first["you"] in see("#task")
        page.get_by_role("button", name=wrong, exact=True).click()
        assert see("#answer").startswith(f"Better: {first['best']}.")
        assert f"It wins {first['gains'][0]} games of 100 more" in see("#answer")
        assert all(name in see("#answer") for name in first["missed"])
        assert_axe_finds_nothing(person)
        page.locator("#next").click()
        assert page.url.endswith("#another")  # the next puzzle; none is skipped
        page.get_by_role("button", name=second["best"], exact=True).click()
        assert see("#answer").startswith("Correct.")
        page.reload()
        marks = page.locator("#list a")
        marks.nth(1).wait_for()
        assert [text.split()[-1] for text in marks.all_inner_texts()[:2]] == ["✗", "✓"]
