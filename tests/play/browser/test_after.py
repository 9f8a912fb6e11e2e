"""Undoing a choice, reviewing a game, and repeating a step."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from kododo_env.registry import words_of
from kododo_env.table.factory import make_table
from tests.game_tables import GAMES
from tests.play.browser.person import assert_axe_finds_nothing, sits
from tests.play.browser.test_page import PHONE, scores, serving
from tests.play.browser.test_screens import SIZES, SMALL, resize, set_speed
from tests.play.test_server import Served


def test_a_choice_lies_face_down_for_a_moment_and_can_be_taken_back(browser: Any) -> None:
    with serving("kododo") as served, sits(browser, served.address) as person:
        page = person.page
        person.wait()
        set_speed(person, "slow")
        person.choose()
        words = person.see("#play-words")
        page.locator("#play").click()
        assert person.see("#status").startswith(f"You have chosen: {words}.")
        page.locator("#take-back").click()
        assert person.see("#play-words") == words  # the choice is kept
        page.keyboard.press("Enter")
        page.keyboard.press("u")
        page.wait_for_timeout(50)
        assert person.see("#play-words") == words
        assert served.table.step == 0
        page.keyboard.press("Enter")
        assert served.table.step == 0
        page.keyboard.press("x")  # any key ends the delay
        page.locator("#story li").first.wait_for()
        assert served.table.step == 1
        assert page.locator("#take-back").is_hidden()


def test_what_another_person_waits_for_is_taken_back(browser: Any) -> None:
    with (
        serving("kododo", people=2, players=2, opponents=[]) as served,
        sits(browser, served.address, "two") as second_person,
        sits(browser, served.address, "one") as first_person,
    ):
        first_person.wait()
        first_person.choose()
        first_person.page.locator("#play").click()
        first_person.page.locator("#take-back").click()
        first_person.page.locator("#status.turn").wait_for()
        assert served.table.stage.waiting_for == [0, 1]
        set_speed(first_person, "slow")
        first_person.choose()
        first_person.page.locator("#play").click()
        second_person.wait()
        second_person.choose()
        second_person.page.locator("#play").click()
        first_person.page.locator("#scene", has_not_text="is choosing").wait_for()
        # The other player's choice does not change it.
        assert first_person.see("#status").startswith("You have chosen: ")
        assert served.table.stage.waiting_for == [0]
        first_person.page.keyboard.press("x")
        first_person.page.locator("#story li").first.wait_for()


def test_a_choice_comes_back_if_the_connection_is_lost_before_it_is_sent(browser: Any) -> None:
    """Regression: the choice was lost, but the page went on showing it as made."""
    table = make_table("kododo", opponents=["random"], seed=1)
    with Served(table) as first, sits(browser, first.address) as person:
        person.wait()
        set_speed(person, "slow")
        person.choose()
        words = person.see("#play-words")
        person.page.locator("#play").click()
        first.__exit__()
        person.page.locator("#status", has_text="The connection was lost").wait_for()
        person.page.keyboard.press("x")  # any key ends the delay
        with Served(table, int(first.address.split(":")[1])):
            person.page.locator("#status.turn").wait_for()
            assert person.see("#play-words") == words
            person.page.keyboard.press("Enter")
            person.page.keyboard.press("x")
            person.page.locator("#story li").first.wait_for()
            person.wrong = [line for line in person.wrong if "WebSocket connection" not in line]


def test_after_the_game_one_looks_back_and_tries_again(browser: Any) -> None:
    with serving("combi_combo") as served, sits(browser, served.address) as person:
        page = person.page
        served.table.worlds = 16
        person.play()
        steps = len(served.table.game.past)
        page.locator("#look-back").click()
        page.locator("#look-back-found article").first.wait_for()
        analysis = served.table.game.analyses[0]
        assert page.locator("#look-back-found article").count() == len(analysis.choices)
        assert analysis.choices[0].advised_words in person.see("article >> nth=0")
        assert "Your chance to win: " in str(
            page.locator("#look-back-chart svg").get_attribute("aria-label")
        )
        assert page.locator("#look-back-found tbody tr").count() == steps + 1
        assert_axe_finds_nothing(person)
        for size in SIZES:
            resize(person, size)
            wide = page.evaluate("document.getElementById('look-back-dialog').scrollWidth")
            assert wide <= size[0]
            assert page.evaluate(SMALL) == [], size
        page.keyboard.press("Escape")  # the analysis is shown at once when reopened
        page.locator("#look-back").click()
        page.locator("#look-back-found .again").first.click()
        page.locator("#again").click()
        page.locator("#again-note").wait_for()
        assert page.locator("#look-back-dialog").is_hidden()
        assert len(served.table.game.past) == analysis.choices[0].step - 1
        person.play(1)
        page.locator("#log-count").click()
        assert page.evaluate(SMALL) == []
        person.play()
        assert not served.table._position(0)["counts"]
        page.evaluate("localStorage.removeItem('table-statistics')")  # clear the result
        page.reload()
        person.wait()
        page.locator("#over .deck-same").click()
        person.page.locator("#play").wait_for()
        person.play()
        assert served.table._position(0)["counts"]
        page.locator("#settings").click()
        page.locator("#statistics").click()
        assert page.locator("#statistics-none").is_visible()  # a repeated deal does not count


@pytest.mark.parametrize("context", [{}, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("game", GAMES)
def test_a_score_sheet_ranks_the_players(browser: Any, game: str, context: dict[str, Any]) -> None:
    with serving(game) as served, sits(browser, served.address, **context) as person:
        page = person.page
        person.wait()
        assert page.locator("#sheet").is_hidden()
        person.play()
        stage = served.table.stage
        sheet = words_of(stage.batch).score_sheet(stage.rewards)
        ranking = sorted(range(stage.batch.num_players), key=lambda seat: sheet["ranks"][seat])
        head, *lines = [
            row.locator("th, td").all_inner_texts() for row in page.locator("#sheet tr").all()
        ]
        assert [name.split("\n")[1] for name in head[1:]] == [
            served.table.stage.text_names[seat] for seat in ranking
        ]
        numbers = {name: [int(number) for number in cells] for name, *cells in lines}
        total = numbers["total"]
        assert total == [scores(person)[seat] for seat in ranking]
        for row in sheet["rows"]:
            assert numbers[row["name"]] == [row["numbers"][seat] for seat in ranking]
        assert any(name.startswith("tie-break") for name in numbers) == (len(set(total)) < 4)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        if game == "kado":  # each tableau shows the points of its rows and columns
            boards = page.locator("#scene .grid")
            sums = [
                sum(map(int, board.locator(".sum").all_inner_texts())) for board in boards.all()
            ]
            perfects = sheet["rows"][2]["numbers"]
            assert sorted(map(sum, zip(sums, perfects, strict=True))) == sorted(total)
