"""What a screen reader says of the page, and in which order."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from tests.game_tables import GAMES
from tests.play.browser.person import sits
from tests.play.browser.test_page import FEWEST, serving
from tests.play.browser.test_screens import set_speed

# Notes the lines that are added to the news, as a screen reader says them: those on display.
LISTEN = """() => {
  window.heard = [];
  const isDisplayed = (line) => line.checkVisibility({ visibilityProperty: true });
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) {
      for (const line of addedNodes) {
        if (line.matches?.("#story > li") && isDisplayed(line)) {
          window.heard.push(line.firstChild.textContent);
        }
      }
    }
  }).observe(document.getElementById("story"), { childList: true });
}"""
PHONE = {"width": 390, "height": 844}


@pytest.mark.parametrize(
    ("game", "view"),
    [*((game, PHONE) for game in GAMES), ("kododo", {"width": 1280, "height": 800})],
)
def test_every_line_of_a_game_is_announced_once_and_in_order(
    browser: Any, game: str, view: dict[str, int]
) -> None:
    with (
        serving(game, players=FEWEST[game]) as served,
        sits(browser, served.address, viewport=view) as person,
    ):
        person.wait()
        person.page.evaluate(LISTEN)
        person.play()
        log = served.table._position(0)["log"]
        lines = [event["text"] for entry in log for event in entry["events"]]
        name = served.table.stage.display_names[0]
        heard = [line.replace(" (you)", "") for line in person.page.evaluate("heard")]
        assert heard == lines
        assert name in " ".join(heard)


@pytest.mark.parametrize("view", [PHONE, {"width": 1280, "height": 800}])
def test_a_reveal_is_announced_stage_by_stage(browser: Any, view: dict[str, int]) -> None:
    with serving("kododo") as served, sits(browser, served.address, viewport=view) as person:
        person.play(2)
        person.page.evaluate(LISTEN)
        set_speed(person, "normal")
        person.choose()
        person.page.locator("#play").click()
        person.page.locator("#story li").first.wait_for()
        person.page.wait_for_function(
            "() => document.querySelector('#moment').textContent.includes('round 2')"
        )
        person.wait()
        events = served.table._position(0)["log"][-1]["events"]
        heard = [line.replace(" (you)", "") for line in person.page.evaluate("heard")]
        assert heard == [event["text"] for event in events]


@pytest.mark.parametrize("game", GAMES)
def test_ones_own_cards_come_before_the_other_seats(browser: Any, game: str) -> None:
    """In the order of Tab and of reading, during and after the reveal of a step."""
    is_first = """(() => {
      const seats = [...document.querySelectorAll("#scene .seat")];
      return seats.length > 1 && seats[0].id === "choose" && seats[0].contains(hand);
    })()"""
    with serving(game) as served, sits(browser, served.address) as person:
        for _ in range(3):
            person.wait()
            assert person.page.evaluate(is_first)
            person.page.evaluate("document.activeElement.blur()")
            stops = []
            while not stops or not stops[-1].endswith("choose"):
                person.page.keyboard.press("Tab")
                stops.append(
                    person.page.evaluate(
                        "(document.activeElement.closest('nav, .skip, .seat') ?? {}).id ?? 'other'"
                    )
                )
                assert len(stops) < 9
            assert stops[-1] == "choose"
            person.play(1)
