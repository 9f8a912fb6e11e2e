"""A client of the Model Context Protocol at the table."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="mcp is not installed")

from mcp import Client

from kododo_env.play.mcp_server import mcp_server
from kododo_env.table.factory import make_table
from tests.game_tables import GAMES

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "mcp_player.py"


async def call_tool(client: Client, tool: str, **arguments: Any) -> Any:
    """Return a tool's response, and whether it is an error."""
    answer = await client.call_tool(tool, arguments)
    return answer.content[0].text if answer.is_error else answer.structured_content  # type: ignore[union-attr]


def test_the_example_plays_a_whole_game() -> None:
    """Only one game: the table's own tests cover every game, and two processes are slow."""
    done = subprocess.run(
        [sys.executable, str(EXAMPLE), GAMES[-1]], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "the game is over: player_" in done.stdout


def test_a_wrong_call_is_answered_in_a_line_and_the_next_one_is_another_probability() -> None:
    table = make_table("kododo", opponents=["random"], seed=0, pictures=False)

    async def play() -> None:
        async with Client(mcp_server(table)) as client:
            position = await call_tool(client, "look")
            wrong = await call_tool(client, "act", action="win", step=0)
            assert "illegal action" in wrong
            assert "got step 9" in await call_tool(
                client, "act", action=position["actions"][0], step=9
            )
            assert "validation error" in await call_tool(
                client, "act", action=position["actions"][0]
            )
            later = await call_tool(client, "act", action="5", step=0)  # as listed in the error
            assert (later["step"], later["you"]) == (1, "player_0")
            assert later["news"][0].startswith("player_0 lays")
            assert later["events"][0].keys() == {"key", "seats", "cards", "rule"}
            assert len(later["events"]) == len(later["news"])
            assert (await call_tool(client, "look"))["news"] == []  # already sent

    asyncio.run(play())


def test_rules_hints_and_a_new_game() -> None:
    table = make_table("kado", opponents=["random"], hints="heuristic", seed=0, pictures=False)

    async def play() -> None:
        async with Client(mcp_server(table)) as client:
            rules = await call_tool(client, "rules")
            assert "twelve turns" in rules["result"]
            position = await call_tool(client, "look")
            hint = await call_tool(client, "hint")
            assert hint["by"] == "heuristic"
            assert hint["actions"][0]["words"] in position["actions"]
            assert "over" in await call_tool(client, "new_game")

    asyncio.run(play())


def test_news_of_a_game_that_others_begin() -> None:
    """Regression: the next game's first steps were taken for those of the last game."""
    table = make_table("kado", opponents=["random"], seed=1, pictures=False, seat=1)

    async def play() -> None:
        async with Client(mcp_server(table)) as client:
            first = (await call_tool(client, "look"))["news"]
            assert (await call_tool(client, "new_game", same_cards=True))["news"] == first != []

    asyncio.run(play())


def test_it_has_one_person() -> None:
    with pytest.raises(ValueError, match="only one person"):
        mcp_server(make_table("kododo", opponents=["random"], people=2, seed=0))
