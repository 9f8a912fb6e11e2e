"""What docs/playing.md says is so."""

from __future__ import annotations

from pathlib import Path

from kododo_env.play.messages import FIELDS
from kododo_env.play.seating import make_table

PAGE = (Path(__file__).parents[2] / "docs" / "playing.md").read_text()


def test_the_page_lists_all_messages_and_their_fields() -> None:
    for kind, fields in FIELDS.items():
        row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}` | "))
        assert all(f"`{name}`" in row for name in fields)
    position = make_table("kododo", seed=0).talk(0, {"type": "look"})[0][0]
    table = PAGE[PAGE.index("A `position` does not depend") :]
    for name in {*position, "result"} - {"type"}:
        assert f"`{name}`" in table, name
