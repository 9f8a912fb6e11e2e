"""The reveal of a step at normal speed: one stage after another, and nothing before its stage."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from tests.game_tables import GAMES
from tests.play.browser.person import Person, sits
from tests.play.browser.test_page import PHONE, scores, serving
from tests.play.browser.test_screens import set_speed

SENDING = 1200  # milliseconds until a choice is sent
LAYING = 1000  # until the first stage of an evaluation
FOLLOWING = 650  # between two stages
SIZES = """[...document.querySelectorAll("main#game, #table, .seat.drawn, .middle, .seat.holds")]
  .map((element) => element.getBoundingClientRect())
  .flatMap(({ width, height }) => [width, height])"""
REVEALING = "document.getElementById('status').textContent.includes('skip')"


def start_reveal(person: Person) -> None:
    """Play a turn at normal speed, and stop the clock when its reveal begins."""
    page = person.page
    page.clock.install()
    set_speed(person, "normal")
    person.choose()
    page.clock.pause_at(page.evaluate("Date.now() + 500"))
    page.locator("#play").dispatch_event("click")  # a real one waits for the next frame
    page.clock.run_for(SENDING)
    for _ in range(200):
        if page.evaluate(REVEALING):
            return
        page.wait_for_timeout(20)
    raise AssertionError(f"nothing is revealed: {person.see('#status')}")


def news(person: Person) -> list[str]:
    """The visible lines of the story."""
    return [line for line in person.see("#story").splitlines() if line not in ("", "why?")]


@pytest.mark.parametrize("context", [{}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("game", GAMES)
def test_nothing_changes_its_size(browser: Any, game: str, context: dict[str, Any]) -> None:
    with serving(game) as served, sits(browser, served.address, **context) as person:
        person.wait()
        before = person.page.evaluate(SIZES)
        start_reveal(person)
        for _ in range(5):
            assert person.page.evaluate(SIZES) == pytest.approx(before, abs=1)
            person.page.clock.run_for(FOLLOWING)
            if not person.page.evaluate(REVEALING):
                break  # a hand may have grown


def test_the_result_of_a_round_waits_for_its_stages(browser: Any) -> None:
    with serving("kododo", players=4) as served, sits(browser, served.address) as person:
        person.play(2)  # the next turn ends the round
        start_reveal(person)
        step = person.page.clock.run_for
        marks = person.page.locator("#scene .lit, #scene .faded, #scene .mark, #scene .gained")
        assert scores(person) == [0, 0, 0, 0]
        assert marks.count() == 0
        assert len(news(person)) == 4  # who lays what
        step(LAYING)
        assert "6 Kododo cards" in news(person)[-1]
        assert person.page.locator("#scene .meter.lit .mark").inner_text() == "exact"
        assert scores(person) == [0, 0, 0, 0]
        assert person.page.locator("#scene .gained").count() == 0
        step(FOLLOWING)
        assert "Ines takes blue 1: 1 point" in news(person)
        assert scores(person) == [3, 2, 0, 1]
        assert person.page.locator("#hand button:visible").count() == 4
        assert not person.page.locator("#play").is_visible()
        step(FOLLOWING)
        assert "draws" in news(person)[-1]
        assert person.page.locator("#play").is_visible()
        assert person.page.locator("#hand button:visible").count() == 5


def test_a_turn_without_an_evaluation_takes_a_second(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        person.wait()
        start_reveal(person)
        person.page.clock.run_for(LAYING - 10)
        assert person.page.evaluate(REVEALING)
        person.page.clock.run_for(10)
        assert not person.page.evaluate(REVEALING)


@pytest.mark.parametrize("press", ["tap", "key"])
def test_a_tap_or_a_key_skips(browser: Any, press: str) -> None:
    with serving("kododo", players=4) as served, sits(browser, served.address) as person:
        person.play(2)
        start_reveal(person)
        if press == "tap":
            person.page.mouse.click(300, 300)
        else:
            person.page.keyboard.press("Shift")
        assert scores(person) == [3, 2, 0, 1]
        assert person.page.locator("#play").is_visible()
        assert "draws" in news(person)[-1]


# The lines that one sees; all are read aloud.
IN_SIGHT = """[...document.querySelectorAll("#story > li")]
  .filter((line) => line.getBoundingClientRect().height > 9).map((line) => line.innerText).join()"""


def test_a_phone_shows_the_words_of_the_stage(browser: Any) -> None:
    """In a replay as well."""
    with serving("kododo", players=4) as served, sits(browser, served.address, **PHONE) as person:
        page = person.page
        person.play(2)
        start_reveal(person)
        page.locator("#story > li").first.wait_for()
        assert "lays" in page.evaluate(IN_SIGHT)
        page.clock.run_for(LAYING)
        assert "6 Kododo cards" in page.evaluate(IN_SIGHT)
        assert "lays" not in page.evaluate(IN_SIGHT)
        for _ in range(2):
            page.clock.run_for(FOLLOWING)
            assert "takes blue 1: 1 point" in page.evaluate(IN_SIGHT)
        assert page.evaluate("document.querySelector('#story').scrollHeight <= 52")
        page.clock.resume()
        set_speed(person, "fast")
        person.play()
        page.locator("#replay-this").click()
        page.locator("#replay-slider").fill("3")
        assert "takes blue 1: 1 point" in person.see("#replay-story")


def test_a_replay_reveals_its_steps_in_stages(browser: Any) -> None:
    with serving("kododo", players=4) as served, sits(browser, served.address) as person:
        page = person.page
        person.play()
        page.locator("#replay-this").click()
        page.locator("#replay-slider").fill("2")
        set_speed(person, "normal")
        page.clock.install()
        page.clock.pause_at(page.evaluate("Date.now() + 500"))
        page.locator("#replay-play").click()
        page.clock.run_for(1)
        assert scores(person, "#replay-scene") == [0, 0, 0, 0]
        assert "takes" not in person.see("#replay-story")
        page.clock.run_for(LAYING + FOLLOWING)
        assert "takes blue 1: 1 point" in person.see("#replay-story")
        page.clock.run_for(FOLLOWING)
        assert person.see("#replay-step").startswith("step 3 ")
