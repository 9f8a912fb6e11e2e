"""The page of puzzles in a real browser; it needs no Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from docs.static_page import build
from docs.static_page.puzzles import puzzles_json
from tests.clients.serving import serving
from tests.play.browser.person import Person, assert_axe_finds_nothing, visits

# The elements that are wider than the screen, or than their own box.
CUT_OFF = """() => [...document.querySelectorAll("body, body *")].filter((element) => {
    const box = element.getBoundingClientRect();
    const { clientWidth, scrollWidth, offsetWidth } = element;
    const isShown = box.width > 1 && element.checkVisibility();
    return isShown && (box.left < 0 || box.right > innerWidth + 0.5 ||
      (clientWidth && scrollWidth > offsetWidth + 1 && !element.closest("svg")));
  }).map((element) => element.outerHTML.slice(0, 150))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build._add_page(folder)
    return folder


@contextmanager
def solves(browser: Any, site: Path, **context: Any) -> Iterator[Person]:
    """Open the page as a person."""
    with (
        serving(site) as address,
        visits(browser, address, "puzzles.html", 10_000, **context) as person,
    ):
        person.page.locator("#answers button").first.wait_for()
        yield person


def choose(person: Person, words: str) -> None:
    person.page.get_by_role("button", name=words, exact=True).click()


def another_choice(puzzle: dict[str, Any]) -> dict[str, Any]:
    return next(action for action in puzzle["actions"] if action["words"] != puzzle["best"])


def test_a_puzzle_is_missed_and_another_one_solved(browser: Any, tmp_path: Path) -> None:
    build._add_page(tmp_path)
    first = json.loads(puzzles_json())[0]
    second = first | {"id": "another"}
    third = first | {"id": "third"}
    (tmp_path / "puzzles-en.json").write_text(json.dumps([first, second, third]))
    wrong = another_choice(first)
    with solves(browser, tmp_path) as person:
        page = person.page
        see = person.see
        assert first["players"][first["you"]] in see("#task")
        choose(person, wrong["words"])
        assert see("#answer").startswith(f"Better: {first['best']}.")
        assert f"Your choice: {wrong['words']}." in see("#answer")
        assert f"It wins {first['gains'][0]} games of 100 more" in see("#answer")
        assert all(name in see("#answer") for name in first["missed"])
        assert_axe_finds_nothing(person)
        page.locator("#next").click()
        assert page.url.endswith("#another")  # the next puzzle; none is skipped
        choose(person, second["best"])
        assert see("#answer").startswith("Correct.")
        page.reload()
        marks = page.locator("#list a")
        marks.nth(1).wait_for()
        assert [text.split()[-1] for text in marks.all_inner_texts()[:2]] == ["✗", "✓"]


def test_the_answer_gives_reasons_from_the_rules(browser: Any, site: Path) -> None:
    puzzles = json.loads(puzzles_json())
    limit = next(puzzle for puzzle in puzzles if "limit" in puzzle["themes"])
    wrong = another_choice(limit)
    with solves(browser, site) as person:
        person.page.locator("#theme").select_option("Kododo: limit")
        choose(person, wrong["words"])
        assert "would reach the limit" in person.see("#answer")
        best = next(action for action in limit["actions"] if action["words"] == limit["best"])
        reasons = person.page.locator("#answer li").all_inner_texts()
        assert reasons == [*best["reasons"], *wrong["reasons"]]


def test_puzzles_are_chosen_by_theme(browser: Any, site: Path) -> None:
    puzzles = json.loads(puzzles_json())
    ties = [puzzle["id"] for puzzle in puzzles if "tie" in puzzle["themes"]]
    with solves(browser, site) as person:
        page = person.page
        assert page.locator("#list a").count() == len(puzzles)
        page.locator("#theme").select_option("Kododo: tie")
        links = page.locator("#list a")
        assert [link.get_attribute("href")[1:] for link in links.all()] == ties
        for puzzle in ties:  # the next one has the same theme
            assert page.url.endswith(puzzle)
            page.locator("#answers button").first.click()
            page.locator("#next").click()
        page.locator("#theme").select_option("KADO")
        assert "KADO" in person.see("#title")


def test_a_button_shows_its_cards_and_marks_its_place(browser: Any, site: Path) -> None:
    puzzles = json.loads(puzzles_json())
    with solves(browser, site) as person:
        page = person.page
        for theme, mark in (
            ("Kododo", ".you [data-zone=hand] .card"),
            ("KADO: column", ".you .spot"),
            ("KADO: dealing", ".seat"),
        ):
            page.locator("#theme").select_option(theme)
            url = page.url.partition("#")[2]
            (puzzle,) = (puzzle for puzzle in puzzles if puzzle["id"] == url)
            for place, action in enumerate(puzzle["actions"]):
                button = page.locator("#answers button").nth(place)
                assert button.locator(".card svg").count() == len(action["cards"]) > 0
                assert button.locator("> span").last.inner_text() == action["words"]
                for point, leave in (("hover", "#title"), ("focus", None)):
                    getattr(button, point)()
                    assert page.locator(f"#scene {mark}.pointed").count() == 1, action
                    if leave:
                        page.locator(leave).hover()
                    else:
                        button.blur()
                    assert page.locator(".pointed").count() == 0


@pytest.mark.parametrize("size", [(390, 844), (360, 740), (844, 390), (1280, 800)])
def test_nothing_is_cut_off(browser: Any, site: Path, size: tuple[int, int]) -> None:
    """Regression: on a phone the table was 900 pixels wide."""
    viewport = {"width": size[0], "height": size[1]}
    with solves(browser, site, viewport=viewport, has_touch=size[0] < 900) as person:
        page = person.page
        for puzzle in json.loads(puzzles_json()):
            page.goto(f"{page.url.partition('#')[0]}#{puzzle['id']}")
            page.wait_for_function("(id) => location.hash === `#${id}`", arg=puzzle["id"])
            page.locator("#answers button:not([aria-disabled])").first.wait_for()
            assert page.evaluate(CUT_OFF) == [], puzzle["title"]
            page.locator("#answers button").first.click()
            assert page.evaluate(CUT_OFF) == [], puzzle["title"]
