"""The page on screens of all sizes: visible parts, and targets for touch."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from tests.game_tables import GAMES
from tests.play.browser.person import Person, sits
from tests.play.browser.test_page import serving

SIZES = [(360, 740), (390, 844), (844, 390), (768, 1024), (1280, 800), (1920, 1080)]
ZOOMED = (640, 400)  # a page of 1280 by 800 at 200 %

# Whether all these seats are visible and uncovered.
IN_SIGHT = """(seats) => {
  const places = [0.1, 0.5, 0.9];
  const hit = (x, y, seat) => seat.contains(document.elementFromPoint(x, y));
  return [...document.querySelectorAll(seats)].filter((seat) => seat.checkVisibility())
    .every((seat) => {
      const { left, top, width, height } = seat.getBoundingClientRect();
      const across = (y) => places.every((x) => hit(left + x * width, top + y * height, seat));
      return places.every(across);
    });
}"""
STEPS = "document.getElementById('log-count').textContent"
SMALL = """[...document.querySelectorAll("button, select, input[type=range], summary")]
  .filter((each) => each.checkVisibility()).map((each) => [each, each.getBoundingClientRect()])
  .filter(([each, box]) => Math.min(box.width, box.height) < 44).map(([each]) => each.outerHTML)"""


# The smallest card at each kind of place.
NARROWEST = """() => Object.fromEntries(
  ["#hand", ".seat:not(.you)", "#choose .blocks", ".middle"].map((place) => [place, Math.min(
    ...[...document.querySelectorAll(`${place} .card`)].filter((card) => card.checkVisibility())
      .map((card) => card.getBoundingClientRect().width), 999)]))"""
# Words that are shortened, and what lies outside the page or its seat.
CUT_OFF = """[...document.querySelectorAll("#game :is(.card, .points, .name, button, #status)")]
  .filter((element) => element.checkVisibility() && !element.closest(".unseen, #story, #typed"))
  .filter((element) => {
    const { left, right } = element.getBoundingClientRect();
    const page = { left: 0, right: innerWidth };
    const seat = element.closest(".seat")?.getBoundingClientRect() ?? page;
    const isShortened = !element.matches(".card") && element.scrollWidth > element.clientWidth + 1;
    return left < seat.left - 6 || right > seat.right + 6 || (isShortened && element.clientWidth);
  }).map((element) => element.outerHTML.slice(0, 120))"""


def resize(person: Person, size: tuple[int, int]) -> None:
    """Change the window size, and wait for the next frame, when the page reacts to it."""
    person.page.set_viewport_size({"width": size[0], "height": size[1]})
    person.page.evaluate("new Promise((heard) => requestAnimationFrame(heard))")


def set_speed(person: Person, speed: str) -> None:
    person.page.locator("#setting-speed").evaluate(
        "(choice, speed) => { choice.value = speed; choice.dispatchEvent(new Event('change')); }",
        speed,
    )


@pytest.mark.parametrize("game", ["kododo"])
def test_what_all_seats_reveal_is_in_sight(browser: Any, game: str) -> None:
    """On wide screens also while choosing."""
    with serving(game) as served, sits(browser, served.address) as person:
        person.play(1)
        person.page.set_default_timeout(60_000)
        seats = ".seat"
        for width, height in [*SIZES, ZOOMED]:
            resize(person, (width, height))
            person.wait()
            person.page.evaluate("window.scrollTo(0, 0)")
            set_speed(person, "fast" if width > height else "normal")
            if width > height:
                assert person.page.evaluate(IN_SIGHT, seats), (width, height)
            steps = person.page.evaluate(STEPS)
            person.choose()
            person.page.locator("#play").click()
            if width > height:
                person.page.evaluate("window.scrollTo(0, 0)")
            revealed = f"(steps) => {STEPS} !== steps && ({IN_SIGHT})('{seats}')"
            person.page.wait_for_function(revealed, arg=steps)


@pytest.mark.parametrize("game", GAMES)
def test_ones_hand_is_shown_once_and_buttons_are_large(browser: Any, game: str) -> None:
    with serving(game) as served, sits(browser, served.address) as person:
        person.play(2)
        assert person.page.locator("#choose [data-zone=hand]").count() == 0
        person.page.locator("#hint").click()
        person.page.locator("#hint-bars li").first.wait_for()
        for size in SIZES:
            resize(person, size)
            assert person.page.evaluate(SMALL) == [], size


@pytest.mark.parametrize("game", ["kododo", "combi_combo"])
def test_cards_in_hand_are_large_and_grow_with_the_screen(browser: Any, game: str) -> None:
    """Regression: a width that depended on an undefined variable was not used at all."""
    width = "document.querySelector('#hand .card').getBoundingClientRect().width"
    with serving(game) as served, sits(browser, served.address) as person:
        person.wait()
        widths = {}
        for size in [*SIZES, ZOOMED]:
            resize(person, size)
            widths[size] = person.page.evaluate(width)
        assert min(widths.values()) >= 59
        assert 84 <= widths[1280, 800] < widths[1920, 1080]
        assert 2 * widths[ZOOMED] >= widths[1280, 800]


def test_what_kado_asks_for_is_on_the_screen(browser: Any) -> None:
    """Guesses and places of the own seat, with words that fit on their buttons."""
    bottom = "document.getElementById('choose').getBoundingClientRect().bottom + scrollY"
    too_narrow = """[...document.querySelectorAll("#play, .option")]
      .filter((button) => button.checkVisibility() && button.scrollWidth > button.clientWidth)
      .map((button) => button.outerHTML)"""
    kinds = set()
    with serving("kado", players=3) as served, sits(browser, served.address) as person:
        person.wait()
        while kinds != {"give", "guess", "place"}:
            kind = served.table._position(0)["actions"][0]["kind"]
            kinds.add("guess" if kind == "pass" else kind)
            for size in SIZES:
                resize(person, size)
                if size[1] > 500:  # low screens scroll
                    assert person.page.evaluate(bottom) <= size[1], (kind, size)
                assert person.page.evaluate(too_narrow) == [], (kind, size)
            person.play(1)
            person.wait()


@pytest.mark.parametrize("game", GAMES)
def test_zooming_cuts_nothing_off_and_makes_no_card_smaller(browser: Any, game: str) -> None:
    with serving(game, players=4) as served, sits(browser, served.address) as person:
        person.wait()
        for steps in (0, 3, 9, 1000):
            person.play(steps)
            resize(person, (1280, 800))
            widths = person.page.evaluate(NARROWEST)
            resize(person, ZOOMED)
            zoomed = {place: 2 * width for place, width in person.page.evaluate(NARROWEST).items()}
            assert [place for place in widths if zoomed[place] < widths[place]] == [], steps
            assert person.page.evaluate(CUT_OFF) == [], steps
            assert person.page.evaluate("document.documentElement.scrollWidth") <= ZOOMED[0]


def test_rules_open_at_the_rule_of_a_line_and_focus_comes_back(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        page = person.page
        person.play(3)  # a round, and its evaluation
        page.keyboard.press("Tab")  # moves the focus, so that Enter does not play the choice
        page.locator("#story .why").first.press("Enter")
        page.locator("#rules-text figure svg").first.wait_for()
        assert page.evaluate("document.activeElement.id") == "rules-kododo-number"
        assert page.locator("#rules-kododo-number").bounding_box()["y"] < 200
        page.keyboard.press("Escape")
        assert not page.locator("#rules-dialog").is_visible()
        assert page.evaluate("document.activeElement.className") == "why"
        page.locator("#help").click()
        page.locator("#rules").click()
        assert page.evaluate("document.activeElement.closest('dialog').id") == "rules-dialog"
        page.locator("#rules-section").select_option("end")
        assert "highest total" in person.see("section[aria-labelledby=rules-end]")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.id") == "help"
