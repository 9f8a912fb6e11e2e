"""Settings of the page: the language, and sounds."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from kododo_env.rendering.languages import translations
from kododo_env.table.factory import make_table
from tests.game_tables import GAMES
from tests.play.browser.person import sits
from tests.play.browser.test_page import serving
from tests.play.browser.test_screens import SIZES, ZOOMED, resize
from tests.play.test_server import Served

SEEN = ("#help-title", "#new span", "#log-count", "#story-title")
CONTEXTS = """window.contexts = 0;
window.AudioContext = class extends AudioContext {
  constructor() { super(); window.contexts += 1; }
};"""


def test_a_language_that_is_chosen_shows_at_once_and_stays(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = make_table("kododo", opponents=["random"], seed=3)
    heard: list[str] = []
    hear = table.hear

    def listening(person: int, message: object) -> Any:
        request = json.loads(message) if isinstance(message, str) else message
        heard.extend([request["language"]] if request["type"] == "speak" else [])
        return hear(person, message)

    monkeypatch.setattr(table, "hear", listening)
    with Served(table) as served, sits(browser, served.address, locale="fr-CH") as person:
        person.play(steps=2)
        keys = ("help.title", "page.new_game", "page.log_count", "page.news")
        for code in ("fr", "en", "de"):
            if code != "fr":  # the language of this browser
                person.set("language", code)
                person.page.locator(f"html[lang={code}]").wait_for(state="attached")
            expected = [translations(code)[key].format(n=2) for key in keys]
            assert [person.page.locator(selector).text_content() for selector in SEEN] == expected
            line = table._position(0)["log"][-1]["lines"][0].removeprefix("player_0")
            person.page.locator("#story li", has_text=line).wait_for()
        person.play(steps=1)
        assert person.see("#log-count") == "alle 3 Schritte"
        assert person.see("#story li.points >> nth=0").split("\n")[0].split()[-1] == "Punkte"
        assert heard == ["fr", "en", "de"]
        settings = person.page.evaluate("localStorage.getItem('table-settings')")
        assert json.loads(settings)["language"] == "de"  # although the browser is French


def test_sounds_are_off_at_first_and_made_when_they_are_switched_on(browser: Any) -> None:
    table = make_table("kododo", opponents=["random"], seed=3)
    with Served(table) as served, sits(browser, served.address) as person:
        person.page.add_init_script(CONTEXTS)
        person.page.reload()
        person.play(steps=1)
        assert person.page.evaluate("window.contexts") == 0
        person.set("sounds", "on")
        person.play(steps=1)
        assert person.page.evaluate("window.contexts") == 1


@pytest.mark.parametrize("game", [game for game in GAMES if game != "combi_combo"])
def test_memory_aids_are_on_the_screen(browser: Any, game: str) -> None:
    with serving(game) as served, sits(browser, served.address) as person:
        person.play(2)
        person.set("memory", "on")
        for size in [*SIZES, ZOOMED]:
            resize(person, size)
            person.page.evaluate("scrollTo(0, 0)")
            button = person.page.locator("#memory-open")
            if button.is_visible():
                button.click()
            box = person.page.locator("#memory-box").bounding_box()
            assert box is not None
            assert min(box["x"], box["y"]) >= 0, size
            assert box["x"] + box["width"] <= size[0], size
            assert box["y"] + box["height"] <= size[1], size
            person.page.keyboard.press("Escape")
