"""A simulated person at a page: they see what is shown, click, tap and press keys."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import numpy as np

from docs.static_page.npm import members, stored
from tests.play.static.folder import AXE

# Somebody who has been here before.
AT_ONCE = """localStorage["table-settings"] ??= '{"speed": "fast", "visited": true}'"""
FIRST_VISIT = """localStorage["table-settings"] = '{"speed": "fast"}'"""
# Letters in the pictures of cards and players are not labels.
AXE_FINDS = """async () => {
  const rule = "label-content-name-mismatch";
  const all = await axe.run({ rules: { [rule]: { enabled: false } } });
  const labels = await axe.run({ exclude: [["#hand"], ["#scene .spot"]] }, { runOnly: [rule] });
  return [...all.violations, ...labels.violations].map(({ id, nodes }) =>
    [id, ...nodes.map((node) => node.html.slice(0, 150))]);
}"""
AXE_SCREENS = [
    ("light", 1280, 800),
    ("dark", 1280, 800),
    ("light", 390, 844),
    ("dark", 640, 400),  # 1280 x 800 at 200 %
]
TURN = "#play:visible, #over:visible"


class Person:
    """One tab of a browser.

    Attributes:
        page: Playwright's page.
        wrong: Errors and warnings of the browser.
        requests: The URLs of all requests.
    """

    def __init__(self, page: Any, seed: int = 0) -> None:
        self.page = page
        self._rng = np.random.default_rng(seed)
        self.wrong: list[str] = []
        self.requests: list[str] = []
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda message: self.wrong.append(message.text))
        # Only the context also reports the requests of workers.
        page.context.on("request", lambda request: self.requests.append(request.url))

    def see(self, selector: str) -> str:
        """Return the visible text."""
        return str(self.page.locator(selector).inner_text())

    @property
    def over(self) -> bool:
        return bool(self.page.locator("#over").is_visible())

    def wait(self) -> None:
        """Wait for one's turn, or for the end of the game."""
        self.page.locator(TURN).first.wait_for()

    def pick(self, selector: str) -> Any:
        elements = self.page.locator(selector)
        return elements.nth(int(self._rng.integers(elements.count())))

    def choose(self, press: str = "click") -> None:
        """Choose any action without playing it yet."""
        page = self.page
        if page.locator("#hand button").count():
            for place in self._rng.permutation(page.locator("#hand button").count()):
                getattr(page.locator("#hand button").nth(int(place)), press)()
                if page.locator("#play[aria-disabled=false]").count():
                    break
        elif page.locator(".axes").count() and self._rng.random() < 0.7:
            for axis in range(page.locator(".axes [role=group]").count()):
                getattr(self.pick(f".axes [role=group] >> nth={axis} >> button"), press)()
        elif page.locator("#scene .spot[data-action]").count():
            getattr(self.pick("#scene .spot[data-action]"), press)()
        else:
            getattr(self.pick("#options button[data-action]"), press)()

    def set(self, setting: str, value: str) -> None:
        """Change a setting in its dialog."""
        self.page.locator("#settings").click()
        self.page.locator(f"#setting-{setting}").select_option(value)
        self.page.locator("#settings-dialog .primary").click()

    def learn(self, press: str = "click") -> None:
        """Do what the lesson asks for, which is marked, and wait for its next words."""
        marked = self.page.locator("#game .wanted")
        marked.first.wait_for()
        before = self.see("#lesson-step")
        for place in range(marked.count()):
            getattr(marked.nth(place), press)()
        getattr(self.page.locator("#play"), press)()
        self.page.wait_for_function(
            "(before) => document.getElementById('lesson-step').innerText !== before", arg=before
        )

    def play(self, steps: int = 1000, press: str = "click") -> None:
        """Play this many steps, or to the end."""
        for _ in range(steps):
            self.wait()
            if self.over:
                return
            self.choose(press)
            getattr(self.page.locator("#play"), press)()
        self.wait()


def assert_axe_finds_nothing(person: Person, screens: Sequence[Any] = AXE_SCREENS) -> None:
    """Check the page with axe-core on screens of several sizes, if it has been fetched."""
    if not stored(AXE).exists():
        return
    page = person.page
    size = page.viewport_size
    page.evaluate(members(AXE, ["axe.min.js"])["axe.min.js"].decode())
    for theme, width, height in screens:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": height})
        findings = page.evaluate(AXE_FINDS)
        assert not findings, f"{theme}, {width} x {height}: {findings}"
    page.set_viewport_size(size)
    page.emulate_media(color_scheme="light")


@contextmanager
def visits(
    browser: Any, address: str, path: str, patience: int, **context: Any
) -> Iterator[Person]:
    """Open a page as a person; at the end the browser must not have reported errors.

    Args:
        browser: Playwright's browser.
        address: The URL of the only host that may receive requests.
        path: The page.
        patience: The timeout in milliseconds.
        **context: Further arguments of the browser's context.
    """
    opened = browser.new_context(reduced_motion="reduce", accept_downloads=True, **context)
    opened.set_default_timeout(patience)
    opened.add_init_script(AT_ONCE)
    person = Person(opened.new_page())
    person.page.goto(f"http://{address}/{path}")
    try:
        yield person
        assert person.wrong == []
        assert {url.split("/")[2] for url in person.requests if url.startswith("http")} == {address}
    finally:
        opened.close()


def sits(
    browser: Any, address: str, token: str = "one", **context: Any
) -> AbstractContextManager[Person]:
    """Open the link of a seat as a person; see ``visits``."""
    return visits(browser, address, f"#{token}", 20_000, **context)
