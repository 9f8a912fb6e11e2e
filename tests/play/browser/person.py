"""A person before a page, for tests: they see what is shown, click, tap and press keys."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from kododo_env.play.messages import to_json
from kododo_env.play.table import Said, Table
from tests.play.test_hidden import Watch

AT_ONCE = """localStorage.setItem("table-settings", '{"speed": "fast", "theme": "THEME"}')"""
TURN = "#play:visible, #over:visible"


class Person:
    """One tab of a browser.

    Attributes:
        page: Playwright's.
        heard: Every text that came over the WebSocket.
        wrong: What the browser complained of.
        asked: Every address that was asked for.
    """

    def __init__(self, page: Any, seed: int = 0) -> None:
        self.page, self._rng = page, np.random.default_rng(seed)
        self.heard: list[str] = []
        self.wrong: list[str] = []
        self.asked: list[str] = []
        page.on("websocket", lambda socket: socket.on("framereceived", self._hear))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: self.wrong.append(said.text))
        # A worker asks too, of which only the context tells.
        page.context.on("request", lambda request: self.asked.append(request.url))

    def _hear(self, text: str) -> None:
        self.heard.append(text)

    def see(self, selector: str) -> str:
        """The text of what is shown."""
        return str(self.page.locator(selector).inner_text())

    @property
    def over(self) -> bool:
        return bool(self.page.locator("#over").is_visible())

    def wait(self) -> None:
        """Wait for one's turn, or for the end."""
        self.page.locator(TURN).first.wait_for()

    def some(self, selector: str) -> Any:
        found = self.page.locator(selector)
        return found.nth(int(self._rng.integers(found.count())))

    def choose(self, press: str = "click") -> None:
        """Choose something, whatever there is, and not yet play it."""
        page = self.page
        if page.locator("#hand button").count():
            for place in self._rng.permutation(page.locator("#hand button").count()):
                getattr(page.locator("#hand button").nth(int(place)), press)()
                if page.locator("#play[aria-disabled=false]").count():
                    break
        elif page.locator(".axes").count() and self._rng.random() < 0.7:
            for axis in range(page.locator(".axes [role=group]").count()):
                getattr(self.some(f".axes [role=group] >> nth={axis} >> button"), press)()
        elif page.locator("#picture [data-action]").count():
            getattr(self.some("#picture [data-action]"), press)()
        else:
            getattr(self.some("#options button[data-action]"), press)()

    def play(self, steps: int = 1000, press: str = "click") -> None:
        """Play this many steps, or to the end."""
        for _ in range(steps):
            self.wait()
            if self.over:
                return
            self.choose(press)
            getattr(self.page.locator("#play"), press)()
        self.wait()


@contextmanager
def visits(
    browser: Any, address: str, path: str, theme: str, patience: int, **context: Any
) -> Iterator[Person]:
    """Somebody before a page; at the end nothing may have gone wrong in their browser.

    Args:
        browser: Playwright's.
        address: Of the only host that may be asked for anything.
        path: The page.
        theme: Of the settings.
        patience: Milliseconds until something must have happened.
        **context: Further arguments of the browser's context.
    """
    opened = browser.new_context(reduced_motion="reduce", accept_downloads=True, **context)
    opened.set_default_timeout(patience)
    opened.add_init_script(AT_ONCE.replace("THEME", theme))
    person = Person(opened.new_page())
    person.page.goto(f"http://{address}/{path}")
    try:
        yield person
        assert person.wrong == []
        assert {each.split("/")[2] for each in person.asked if each.startswith("http")} == {address}
    finally:
        opened.close()


def sits(
    browser: Any, address: str, token: str = "one", theme: str = "auto", **context: Any
) -> AbstractContextManager[Person]:
    """Somebody who has opened the link of a seat; see ``visits``."""
    return visits(browser, address, f"#{token}", theme, 20_000, **context)


class Wire:
    """Looks through what a table says, as it says it.

    Attributes:
        watch: Cards that were told to somebody who cannot know them.
        said: Each message for each seat, as JSON.
    """

    def __init__(self, table: Table) -> None:
        self.watch = Watch(table._game, table.people)
        self.said: dict[int, Counter[str]] = {seat: Counter() for seat in table.people}
        self._hear, self._play_on = table.hear, table.play_on
        table.hear = lambda seat, message: self._note(self._hear(seat, message))  # type: ignore[method-assign]
        table.play_on = lambda: self._note(self._play_on())  # type: ignore[method-assign]

    def _note(self, said: Said) -> Said:
        for seat, messages in said.items():
            for message in messages:
                self.said[seat][to_json(message)] += 1
                if message["type"] not in ("record", "replay"):  # there is one when all is over
                    self.watch(seat, message)
        return said

    def check(self, *tabs: tuple[int, Person]) -> None:
        """Nothing came that the table had not said to that seat, and nothing hidden was said."""
        assert self.watch.wrong == []
        for seat, person in tabs:
            assert len(person.heard) >= 2
            assert set(person.heard) <= set(self.said[seat])
