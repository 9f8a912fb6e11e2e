"""The site's script that sorts the leaderboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).parents[3] / "docs" / "site" / "static" / "sort_tables.js"
ROWS = (("b", "0.25 (0.2 to 0.3)"), ("a", "–"), ("c", "1,100"), ("d", "−0.5"))


def test_a_click_sorts_and_another_one_turns_the_order_round(browser: Any) -> None:
    page = browser.new_page()
    rows = "".join(f"<tr><td>{name}</td><td>{number}</td></tr>" for name, number in ROWS)
    head = "<thead><tr><th>agent</th><th>share</th></tr></thead>"
    table = f"<table>{head}<tbody>{rows}</tbody></table>"
    page.set_content(f'<section id="leaderboard">{table}</section>')
    page.add_script_tag(path=SCRIPT)
    orders = []
    for name in ("share", "share", "agent"):
        page.get_by_text(name).click()
        orders.append("".join(page.locator("td:first-child").all_inner_texts()))
    assert orders == ["cbda", "adbc", "dcba"]
    page.close()
