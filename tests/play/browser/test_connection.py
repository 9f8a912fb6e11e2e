"""Connections of the page behind a proxy, after sleep and over plain HTTP."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
pytest.importorskip("websockets", reason="websockets is not installed")

from starlette.applications import Starlette
from starlette.routing import Mount

from kododo_env.play import server
from kododo_env.table.factory import make_table
from tests.play.browser.person import Person, sits, visits
from tests.play.test_server import Served

# Suppresses the page's own attempts to reconnect, which wait half a second or longer.
NO_WAITING = """() => {
  const soon = window.setTimeout;
  window.setTimeout = (call, wait, ...given) => (wait >= 500 ? 0 : soon(call, wait, ...given));
}"""


def combi_table(people: int = 1) -> Any:
    return make_table("combi_combo", opponents=["random"], hints="heuristic", people=people, seed=1)


def test_the_page_may_lie_at_a_path_of_another_server(
    browser: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the WebSocket was opened at the root of the host."""
    making = server.make_app

    def mounted(*arguments: Any) -> Starlette:
        return Starlette(routes=[Mount("/club/table", making(*arguments))])

    monkeypatch.setattr(server, "make_app", mounted)
    with (
        Served(combi_table()) as served,
        visits(browser, served.address, "club/table/#one", 20_000) as person,
    ):
        person.play(2)
        assert served.table.step == 2


@pytest.mark.parametrize("event", ["online", "pageshow", "visibilitychange"])
def test_a_page_that_comes_back_does_not_wait(browser: Any, event: str) -> None:
    """Regression: a phone waited up to eight seconds."""
    table = combi_table()
    with Served(table) as first, sits(browser, first.address) as person:
        person.play(1)
        person.page.evaluate(NO_WAITING)
        first.__exit__()
        person.page.locator("#status", has_text="The connection was lost").wait_for()
        opened: list[Any] = []
        person.page.on("websocket", lambda socket: opened.append(socket.url))
        tell = "(event) => (event[0] === 'v' ? document : window).dispatchEvent(new Event(event))"
        with Served(table, int(first.address.split(":")[1])):
            person.page.evaluate(tell, event)
            person.page.locator("#status.turn").wait_for()
            person.page.evaluate(tell, event)  # while connected, no second connection is opened
            person.play(1)
            assert table.step == 2
            assert len(opened) == 1
            person.wrong = [line for line in person.wrong if "WebSocket connection" not in line]


def test_two_taps_do_not_zoom(browser: Any) -> None:
    with Served(combi_table()) as served, sits(browser, served.address) as person:
        person.wait()
        style = "getComputedStyle(document.documentElement).touchAction"
        assert person.page.evaluate(style) == "manipulation"


def copies(person: Person) -> str:
    """Return the button's text after it was asked to copy a line."""
    person.page.locator("#share-copy").click()
    person.page.locator("#share-copy", has_not_text="Copy").wait_for()
    return person.see("#share-copy")


def test_a_line_is_copied_where_the_browser_has_no_clipboard_for_the_page(browser: Any) -> None:
    """Regression: over plain http the page told a phone to press Ctrl-C."""
    with Served(combi_table()) as served, sits(browser, served.address) as person:
        page = person.page
        person.play()
        page.locator("#share").click()
        line = page.locator("#share-text").input_value()
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.evaluate(
            """document.addEventListener("copy", () => {
                const { value, selectionStart, selectionEnd } = document.activeElement;
                window.copied = value.slice(selectionStart, selectionEnd);
            })"""
        )
        assert copies(person) == "Copied"
        assert page.evaluate("window.copied") == line
        page.evaluate("() => { document.execCommand = () => false; }")
        page.evaluate("() => { navigator.share = async ({ text }) => { window.shared = text; }; }")
        for closing in ("#share-dialog .primary", "#share"):
            page.locator(closing).click()
        assert copies(person) == "Shared"
        assert page.evaluate("window.shared") == line
        page.evaluate("() => { navigator.share = undefined; }")
        for closing in ("#share-dialog .primary", "#share"):
            page.locator(closing).click()
        assert copies(person) == "Press Ctrl-C"
