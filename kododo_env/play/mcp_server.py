"""A table as a server of the Model Context Protocol: a language model or any client has a seat.

Protocol and SDK: https://modelcontextprotocol.io.
"""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from kododo_env.bots.messages import Message
from kododo_env.play.stdio import only_person
from kododo_env.play.table import Table

HOW = (
    "A table for one game of cards, at which you have a seat and agents have the others. All "
    "reveal at once: nobody sees what another player chooses for the same step. Read the rules, "
    "then act until the game is over."
)


def mcp_server(table: Table) -> MCPServer:
    """Return a server whose tools play one seat; its ``run`` serves on stdin and stdout.

    Args:
        table: A table with one person.

    Raises:
        ValueError: The table has several people.
    """
    seat = only_person(table)
    server = MCPServer("kododo_env", instructions=HOW)
    last_step = -1  # the last step that the client has been sent

    def talk(message: Message) -> Message:
        """Send a message to the table and return its last response."""
        answer = table.talk(seat, message)[seat][-1]
        if answer["type"] == "error":
            raise ToolError(answer["error"])
        return answer

    def describe_position(message: Message) -> dict[str, Any]:
        """Send a message and return the position after it, in words."""
        nonlocal last_step
        position = talk(message)
        new = [entry for entry in position["log"] if entry["step"] > last_step]
        news = [line for entry in new for line in entry["lines"]]
        last_step = new[-1]["step"] if new else last_step
        words = [action["words"] for action in position["actions"]]
        fields = ("step", "over", "result", "text")
        facts = {name: position[name] for name in fields if name in position}
        return facts | {"you": f"player_{position['you']}", "news": news, "actions": words}

    # The tools never await, so that calls do not overlap, as a table requires.
    async def rules() -> str:
        """The rules of the game at this table."""
        return str(talk({"type": "rules"})["text"])

    async def look() -> dict[str, Any]:
        """The position as you see it, what has happened since you last saw it, and your actions."""
        return describe_position({"type": "look"})

    async def act(action: str, step: int) -> dict[str, Any]:
        """Choose one of your actions by its words, in the step of the position that you saw."""
        number = action.isascii() and action.isdecimal() and len(action) < 10  # as errors list it
        choice = int(action) if number else action
        return describe_position({"type": "act", "step": step, "action": choice})

    async def hint() -> dict[str, Any]:
        """What an agent would do in your seat, the best first."""
        return talk({"type": "hint", "step": table.step})

    async def new_game(same_cards: bool = False) -> dict[str, Any]:
        """Deal a new game, which ends the one that is played."""
        deck = "same" if same_cards else "other"
        return describe_position({"type": "new", "step": table.step, "deck": deck})

    for tool in (rules, look, act, hint, new_game):
        server.add_tool(tool)
    return server
