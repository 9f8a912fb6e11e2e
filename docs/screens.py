"""Take pictures of the page of this checkout and of another revision, and show them side by side.

``python -m docs.screens --before REV --out FOLDER`` plays one game of each kind in Chromium and
takes pictures at its start, during a reveal, at a guess and at the end, on screens of all sizes,
light and dark. ``FOLDER/index.html`` shows both revisions. ``--before FOLDER`` takes the earlier
pictures from a folder that this command wrote. ``--pages`` renews those of the documentation.
"""

from __future__ import annotations

import argparse
import html
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

TREE = Path(__file__).resolve().parents[1]
PLAYERS = {"kododo": 4, "combi_combo": 4, "kado": 3}
# The last one is a page of 1280 by 800 at 200 %.
SIZES = ["360x740", "390x844", "844x390", "768x1024", "1280x800", "1920x1080", "640x400"]
THEMES = ["light", "dark"]
MOMENTS = ["start", "reveal", "guess", "end"]
SEED = 3
INTO_REVEAL = {"kododo": 1600, "combi_combo": 700, "kado": 700}
"""Milliseconds from the step to the picture of its reveal."""
LATEST_REVEAL = 4  # the turn whose reveal is taken if no earlier one brings points
FIRST_GUESS = 10  # the choice from which on a guess is taken, so that all have some cards
TURNS = 100  # more than any game has
IMAGES = TREE / "docs" / "images"
# The pictures of the documentation, by name.
PAGES = {
    "play_kododo.png": "kododo/reveal-1280x800-light.png",
    "play_kado_phone.png": "kado/guess-390x844-light.png",
}
SETTING = """(speed) => {
  const setting = document.getElementById("setting-speed");
  setting.value = speed;
  setting.dispatchEvent(new Event("change"));
}"""
# A redraw at another size restarts the animations of a style sheet.
FREEZE = """(time) => {
  for (const animation of document.getAnimations()) {
    animation.pause();
    if (animation instanceof CSSAnimation) animation.currentTime = time;
  }
}"""
THAW = "document.getAnimations().forEach((animation) => animation.play())"
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
PAGE = """<!doctype html><meta charset="utf-8"><title>The page before and after</title>
<style>
body { background: #777; font: 15px sans-serif; margin: 12px; }
section { display: flex; flex-wrap: wrap; gap: 10px; }
figure { margin: 0; }
img { background: #999; display: block; max-height: 620px; max-width: 46vw; }
</style>
"""


@contextmanager
def checkout(revision: str) -> Iterator[Path]:
    """The files of a revision in a temporary folder."""
    command = ["git", "-C", str(TREE), "archive", "--format=tar", revision]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout
    with TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        yield Path(folder)


@contextmanager
def table_address(tree: Path, game: str) -> Iterator[str]:
    """The address of a seat at a table that is served by the code in ``tree``."""
    options = f"--players {PLAYERS[game]} --seed {SEED} --name Nora --no-browser --port 0"
    command = [sys.executable, "-u", "-m", "kododo_env", "play", game, *options.split()]
    environment = os.environ | {"PYTHONPATH": str(tree)}
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        try:
            first_line = server.stdout.readline()
            yield first_line.split(maxsplit=1)[1].strip()
        finally:
            server.terminate()


class Player:
    """Somebody who plays a game in a browser and takes pictures of it."""

    def __init__(self, page: Any, out: Path, sizes: list[str]) -> None:
        self.page = page
        self.position: dict[str, Any] = {}
        self._out = out
        self._sizes = sizes
        self._moments: set[str] = set()
        page.on("websocket", lambda socket: socket.on("framereceived", self._hear))

    def _hear(self, frame: str | bytes) -> None:
        message = json.loads(frame)
        if message["type"] == "position":
            self.position = message

    def take(self, moment: str) -> None:
        """Take pictures of a moment at all sizes, unless they have been taken."""
        if moment in self._moments:
            return
        self._moments.add(moment)
        for size in self._sizes:
            width, height = map(int, size.split("x"))
            self.page.set_viewport_size({"width": width, "height": height})
            for theme in THEMES:
                self.page.emulate_media(color_scheme=theme)
                self.page.evaluate("scrollTo(0, 0)")
                self.page.wait_for_timeout(100)  # the page reacts to its new size
                if moment == "reveal":
                    self.page.evaluate(FREEZE, INTO_REVEAL[self.position["game"]])
                self.page.screenshot(path=self._out / f"{moment}-{size}-{theme}.png")

    def wait(self) -> None:
        """Wait for one's turn, or for the end of the game."""
        self.page.locator("#play:visible, #over:visible").first.wait_for()

    def choose(self) -> None:
        """Choose cards, one option of each axis, or the first place."""
        ready = self.page.locator("#play[aria-disabled=false]")
        for selector in ("#hand button", "[data-action]"):
            for button in self.page.locator(selector).all():
                if ready.count():
                    return
                if button.is_visible():
                    button.dispatch_event("click")
        for axis in self.page.locator(".axes [role=group]").all():
            axis.locator("button").first.click()

    def play_on(self) -> None:
        """Play the next turn; take pictures of the first reveal that brings points."""
        step = self.position["step"]
        self.choose()
        self.page.locator("#play").click()
        while self.position["step"] == step:
            self.page.wait_for_timeout(20)
        events = self.position["log"][-1]["events"]
        scores = any("points" in event for event in events)
        if "reveal" not in self._moments and (scores or step + 1 >= LATEST_REVEAL):
            self.page.wait_for_timeout(INTO_REVEAL[self.position["game"]])
            self.page.clock.pause_at(self.page.evaluate("Date.now() + 1"))
            self.take("reveal")
            self.page.evaluate(THAW)
            self.page.clock.resume()
            self.page.evaluate(SETTING, "fast")

    def play(self) -> None:
        self.wait()
        self.page.evaluate(SETTING, "normal")
        self.take("start")
        for turn in range(TURNS):
            guesses = any(action["kind"] == "guess" for action in self.position["actions"])
            if guesses and turn >= FIRST_GUESS:
                self.take("guess")
            if self.page.locator("#over").is_visible():
                break
            self.play_on()
            self.wait()
        self.take("end")


def take_pictures(browser: Any, tree: Path, out: Path, games: list[str], sizes: list[str]) -> None:
    """Take pictures of whole games, as ``out/GAME/MOMENT-SIZE-THEME.png``."""
    for game in games:
        (out / game).mkdir(parents=True, exist_ok=True)
        with table_address(tree, game) as address:
            context = browser.new_context()
            page = context.new_page()
            page.clock.install()
            player = Player(page, out / game, sizes)
            page.goto(address)
            player.play()
            context.close()


def write_index(out: Path, names: list[str], games: list[str], sizes: list[str]) -> None:
    """Write ``out/index.html``, which shows the pictures of some folders side by side."""
    parts = [PAGE]
    for game in games:
        for moment in MOMENTS:
            for size in sizes:
                if not any(
                    (out / name / game / f"{moment}-{size}-light.png").exists() for name in names
                ):
                    continue
                parts.append(f"<h2>{html.escape(game)}, {moment}, {size}</h2><section>")
                for theme in THEMES:
                    for name in names:
                        path = f"{name}/{game}/{moment}-{size}-{theme}.png"
                        picture = f'<img src="{path}" loading="lazy" alt="{path}">'
                        caption = f"<figcaption>{name}, {theme}</figcaption>"
                        parts.append(f'<figure>{caption}<a href="{path}">{picture}</a></figure>')
                parts.append("</section>")
    (out / "index.html").write_text("\n".join(parts), encoding="utf-8")


def write_images(folder: Path) -> None:
    """Write the pictures of the documentation, with few colours to keep them small."""
    from PIL import Image

    for name, picture in PAGES.items():
        with Image.open(folder / picture) as image:
            image.convert("RGB").quantize(256, dither=Image.Dither.NONE).save(
                IMAGES / name, optimize=True
            )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", help="a revision, or a folder with its pictures")
    parser.add_argument("--out", type=Path, default=TREE / "build" / "screens")
    parser.add_argument("--games", nargs="*", default=[*PLAYERS], choices=[*PLAYERS])
    parser.add_argument("--sizes", nargs="*", default=SIZES)
    parser.add_argument("--pages", action="store_true", help="renew the documentation's pictures")
    options = parser.parse_args(arguments)
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        if options.before and Path(options.before).is_dir():
            shutil.copytree(options.before, options.out / "before", dirs_exist_ok=True)
        elif options.before:
            with checkout(options.before) as tree:
                take_pictures(browser, tree, options.out / "before", options.games, options.sizes)
        take_pictures(browser, TREE, options.out / "after", options.games, options.sizes)
        browser.close()
    write_index(options.out, ["before", "after"], options.games, options.sizes)
    if options.pages:
        write_images(options.out / "after")
    print(options.out / "index.html")


if __name__ == "__main__":
    main()
