"""Make the screenshots of the browser page: ``python -m docs.make_screenshots``; needs Chromium."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image

try:
    from playwright.sync_api import sync_playwright
except ImportError as error:
    raise ImportError("make_screenshots needs playwright: pip install --group dev") from error

IMAGES = Path(__file__).parent / "images"
FAST = """localStorage.setItem("table-settings", '{"speed": "fast"}')"""
WIDE = {"viewport": {"width": 1280, "height": 800}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}

# By file name: the arguments of kododo play, the screen, and the keys that are pressed in order.
PAGES: dict[str, tuple[list[str], dict[str, Any], list[str]]] = {
    "play_kododo": (
        ["kododo", "--seed", "1155"], WIDE,
        ["1", "3", "Enter", "2", "Enter", "4", "Enter", "h"],
    ),
    "play_kado_phone": (
        ["kado", "--players", "3", "--seed", "4"], PHONE,
        ["1", "Enter"] * 17 + ["2"],
    ),
}  # fmt: skip


@contextmanager
def served(arguments: list[str]) -> Iterator[str]:
    """Serve a table within the context; yield the address of a seat."""
    command = [sys.executable, "-m", "kododo_env", "play", *arguments, "--no-browser", "--port=0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as serving:
        assert serving.stdout
        yield serving.stdout.readline().split()[-1]
        serving.terminate()


def draw(browser: Any, name: str) -> None:
    """Play a few moves, and take screenshots."""
    arguments, screen, keys = PAGES[name]
    with served(arguments) as address:
        context = browser.new_context(**screen)
        context.add_init_script(FAST)
        page = context.new_page()
        page.goto(address)
        for key in keys:
            page.locator("#play:visible").wait_for()
            page.keyboard.press(key)
            page.wait_for_timeout(100)
        page.wait_for_timeout(1500)
        page.screenshot(path=IMAGES / f"{name}.png")
        context.close()
    with Image.open(IMAGES / f"{name}.png") as picture:
        picture.convert("RGB").save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        executable = shutil.which("chromium")
        chromium = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name in PAGES:
            draw(chromium, name)
        chromium.close()
