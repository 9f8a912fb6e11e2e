"""Stepping through a record in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from tests.play.browser.person import Person, sits
from tests.play.browser.test_page import serving
from tests.play.browser.test_screens import IN_SIGHT, SIZES, SMALL, resize, set_speed

STEP = "document.getElementById('replay-slider').valueAsNumber"

# Whether both ends of an element are visible.
UNCOVERED = """(each) => {
  const box = each.getBoundingClientRect();
  return [0.02, 0.98].every((x) =>
    document.elementFromPoint(box.left + x * box.width, (box.top + box.bottom) / 2) === each);
}"""


@pytest.fixture
def person(browser: Any) -> Iterator[Person]:
    """A person who looks at the replay of their game."""
    with serving("kododo", players=4) as served, sits(browser, served.address) as somebody:
        somebody.play()
        somebody.page.locator("#replay-this").click()
        somebody.page.locator("#replay-slider").wait_for()
        yield somebody


def test_table_and_slider_are_in_sight_on_every_screen(person: Person) -> None:
    for size in SIZES:
        resize(person, size)
        person.page.evaluate("window.scrollTo(0, 0)")
        person.page.wait_for_function(IN_SIGHT, arg="#replay-scene .seat")  # after the layout
        assert person.page.locator("#replay-slider").evaluate(UNCOVERED), size
        assert person.page.evaluate(SMALL) == []


def test_it_goes_on_when_all_lines_of_a_step_have_come(person: Person) -> None:
    set_speed(person, "normal")
    person.page.clock.install()
    for _ in range(3):
        person.page.locator("#replay-next").click()  # to the evaluation
    assert person.page.locator("#replay-story li").count() > 5
    person.page.locator("#replay-back").click()
    person.page.clock.pause_at(person.page.evaluate("Date.now() + 500"))
    person.page.locator("#replay-play").click()
    person.page.clock.run_for(1500)
    assert person.page.evaluate(STEP) == 2
    person.page.clock.run_for(2000)
    assert person.page.evaluate(STEP) == 3


def test_it_has_keys(person: Person) -> None:
    press = person.page.keyboard.press
    person.page.locator("#title").click()  # moves the focus away from the slider
    press("ArrowRight")
    press("ArrowRight")
    press("ArrowLeft")
    assert person.page.evaluate(STEP) == 1
    press("p")
    assert person.see("#replay-play") == "Pause"
    press("Escape")
    assert person.over


def test_a_new_game_is_begun_where_the_one_that_it_ends_is_seen(person: Person) -> None:
    person.page.locator("#new").click()
    person.page.locator("#new-dialog .deck-other").wait_for()
    assert person.page.locator("#scene svg").first.is_visible()
    person.page.locator("#new-dialog .deck-other").click()
    person.page.locator("#moment", has_text="round 1 of 6, turn 1 of 3").wait_for()
