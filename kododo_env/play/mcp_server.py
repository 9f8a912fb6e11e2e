"""A table as a server of the Model Context Protocol: a language model, or any client, has a seat.

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
    """A server whose tools play one seat; ``run`` serves it on stdin and stdout.

    Args:
        table: With one person.

    Raises:
        ValueError: The table has several people.
    """
    seat = only_person(table)
    server = MCPServer("kododo_env", instructions=HOW)
    told = -1  # the last step of which the client has been told

    def talk(message: Message) -> Message:
        """Say something to the table; its last answer."""
        answer = table.talk(seat, message)[seat][-1]
        if answer["type"] == "error":
            raise ToolError(answer["error"])
        return answer

    def seen(message: Message) -> dict[str, Any]:
        """The position after a message, in words."""
        nonlocal told
        position = talk(message)
        new = [each for each in position["log"] if each["step"] > told]
        news = [line for each in new for line in each["lines"]]
        told = new[-1]["step"] if new else told
        words = [each["words"] for each in position["actions"]]
        fields = ("step", "over", "result", "text")
        known = {name: position[name] for name in fields if name in position}
        return known | {"you": f"player_{position['you']}", "news": news, "actions": words}

    # They never wait, so that one call is over before the next one begins, as a table wants it.
    async def rules() -> str:
        """The rules of the game at this table."""
        return str(talk({"type": "rules"})["text"])

    async def look() -> dict[str, Any]:
        """The position as you see it, what has happened since you last saw it, and your actions."""
        return seen({"type": "look"})

    async def act(action: str, step: int) -> dict[str, Any]:
        """Choose one of your actions by its words, in the step of the position that you saw."""
        number = action.isascii() and action.isdecimal() and len(action) < 10  # errors name it so
        given = int(action) if number else action
        return seen({"type": "act", "step": step, "action": given})

    async def hint() -> dict[str, Any]:
        """What an agent would do in your seat, the best first."""
        return talk({"type": "hint", "step": table.step})

    async def new_game(same_cards: bool = False) -> dict[str, Any]:
        """Deal a new game, which ends the one that is played."""
        deck = "same" if same_cards else "other"
        return seen({"type": "new", "step": table.step, "deck": deck})

    for tool in (rules, look, act, hint, new_game):
        server.add_tool(tool)
    return server
