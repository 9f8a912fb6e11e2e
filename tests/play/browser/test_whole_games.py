"""Whole games in the browser: by touch, by the keyboard alone, and by typed moves alone."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from tests.game_tables import GAMES
from tests.play.browser.person import Person, sits
from tests.play.browser.test_page import FEWEST, serving
from tests.play.test_server import Served

LONGEST = 200  # more choices than any of these games has
ANSWER = "document.getElementById('typed-answer').textContent"


CENTRE = """(target) => {
  target.scrollIntoView({ block: "nearest" });
  const { left, top, width, height } = target.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}"""
# Where to tap for an action: at its cards, its button, its place, or one button for each axis.
PLACES = """({ action, cards, at }) => {
  const one = (selector) => [...document.querySelectorAll(selector)].slice(0, 1);
  const axes = Object.entries(at).flatMap(([axis, number]) =>
    one(`#options [data-axis="${axis}"][data-number="${number}"]`));
  const buttons = [...document.querySelectorAll("#hand > button")];
  const chosen = buttons.length ? cards.map((card) => buttons[card]) : axes;
  const targets = chosen.length ? chosen : one(`button[data-action="${action}"]`);
  return targets.map(CENTRE);
}""".replace("CENTRE", CENTRE)


def finishes_by_touch(browser: Any, game: str, **view: Any) -> None:
    """Play a game on a screen for touch, without a mouse or keys."""
    phone = {"has_touch": True, "is_mobile": True}
    served = serving(game, players=FEWEST[game])
    with served, sits(browser, served.address, viewport=view, **phone) as person:
        person.wait()
        while not person.over:
            step = served.table.step
            action = served.table._position(0)["actions"][-1]
            for place in person.page.evaluate(PLACES, action):
                person.page.touchscreen.tap(*place)
            assert person.see("#play-words") == action["words"]
            person.page.touchscreen.tap(*person.page.locator("#play").evaluate(CENTRE))
            wait_for_step(person, served, step)
        assert served.table.stage.over


def wait_for_step(person: Person, served: Served, step: int) -> None:
    """Wait until the table has played on, and the page shows it."""
    for _ in range(1000):
        if served.table.step > step:
            return person.wait()
        person.page.wait_for_timeout(10)
    raise AssertionError(f"nothing was played at step {step}")


@pytest.mark.parametrize("game", GAMES)
def test_by_touch_on_an_upright_phone(browser: Any, game: str) -> None:
    finishes_by_touch(browser, game, width=390, height=844)


@pytest.mark.parametrize("game", GAMES)
def test_by_touch_on_a_phone_that_lies(browser: Any, game: str) -> None:
    finishes_by_touch(browser, game, width=844, height=390)


@pytest.mark.parametrize("game", GAMES)
def test_by_the_keyboard_alone(browser: Any, game: str) -> None:
    with serving(game, players=FEWEST[game]) as served, sits(browser, served.address) as it:
        press = it.page.keyboard.press
        it.wait()
        press("h")
        it.page.locator("#hint-bars li").first.wait_for()
        press("h")
        for _ in range(LONGEST):
            if it.over:
                break
            for key in "123456789":
                press(key)
                if it.page.locator("#play[aria-disabled=false]").count():
                    break
            press("Enter")
            it.wait()
        assert served.table.stage.over
        press("n")
        it.page.locator("#new-dialog").wait_for()
        press("Enter")  # deals other cards
        it.page.locator("#over").wait_for(state="hidden")
        assert not served.table.stage.over


def type_line(person: Person, text: str) -> str:
    """Type a line where the focus is, and return the answer."""
    person.page.evaluate("document.getElementById('typed-answer').textContent = ''")
    person.page.keyboard.type(text)
    person.page.keyboard.press("Enter")
    person.page.locator("#typed-answer:not(:empty)").wait_for()
    return str(person.page.evaluate(ANSWER))


@pytest.mark.parametrize("game", GAMES)
def test_by_typed_moves_alone(browser: Any, game: str) -> None:
    """With a screen reader one hears what can be typed, and then what is played."""
    with serving(game, players=FEWEST[game]) as served, sits(browser, served.address) as person:
        person.wait()
        person.page.keyboard.press("/")
        assert served.table._position(0)["actions"][0]["short"] in type_line(person, "")
        for _ in range(LONGEST):
            if person.over:
                break
            step = served.table.step
            action = served.table._position(0)["actions"][0]
            assert type_line(person, action["short"].lower()) == action["words"]
            wait_for_step(person, served, step)
        assert served.table.stage.over
        assert type_line(person, "B3 Y2").startswith("The game is over: ")


def test_a_line_that_is_no_move_plays_nothing_and_keys_are_letters_in_it(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.wait()
        person.page.keyboard.press("/")
        first, _, second = served.table._position(0)["actions"][0]["short"].partition(" ")
        assert type_line(person, "nhs1").startswith("'nhs1' cannot be played now. You can type ")
        assert person.page.locator("dialog[open]").count() == 0
        person.page.locator("#typed-line").fill("")
        assert type_line(person, first).startswith(f"'{first}' is only a part. You can type ")
        assert served.table.step == 0
        person.page.locator("#typed-line").fill("")
        type_line(person, f"{second}, {first}")
        person.page.locator("#story li").first.wait_for()
        assert served.table.step == 1
        assert person.page.evaluate("document.activeElement.id") == "typed-line"


@pytest.mark.parametrize(("width", "is_visible"), [(390, False), (1280, True)])
def test_the_line_is_shown_where_there_is_room_and_always_found_by_its_key(
    browser: Any, width: int, is_visible: bool
) -> None:
    view = {"viewport": {"width": width, "height": 800}}
    with serving("kado") as served, sits(browser, served.address, **view) as person:
        person.wait()
        high = "document.getElementById('typed').clientHeight > 40"
        assert person.page.evaluate(high) == is_visible
        person.set("typing", "off" if is_visible else "on")
        assert person.page.evaluate(high) != is_visible
        person.set("typing", "off")
        person.page.keyboard.press("/")
        assert person.page.evaluate(high)
        assert person.page.evaluate("document.activeElement.id") == "typed-line"
