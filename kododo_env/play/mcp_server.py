"""A server of the Model Context Protocol, at which a language model plays one seat of a table.

Protocol and SDK: https://modelcontextprotocol.io.
"""

from __future__ import annotations

from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

from kododo_env.bots.messages import Message
from kododo_env.play.stdio import only_person
from kododo_env.table.table import Table

HOW = (
    "A card game in which you have one seat and agents have the others. All players choose at the "
    "same time: nobody sees what another player chooses in the same step. Read the rules, then act "
    "until the game is over."
)


def mcp_server(table: Table) -> MCPServer:
    """Return a server whose tools play one seat; its method ``run`` serves on stdin and stdout.

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
        events = [_facts(event) for entry in new for event in entry["events"]]
        last_step = new[-1]["step"] if new else last_step
        words = [action["words"] for action in position["actions"]]
        fields = ("step", "over", "result", "text")
        facts = {name: position[name] for name in fields if name in position}
        you = f"player_{position['you']}"
        return facts | {"you": you, "news": news, "events": events, "actions": words}

    # A table handles one call at a time: these tools never await, so their calls do not overlap.
    async def rules() -> str:
        """Return the rules of the game."""
        return str(talk({"type": "rules"})["text"])

    async def look() -> dict[str, Any]:
        """Return the position as you see it, your actions, and the news since you last saw it.

        "events" are the news as data.
        """
        return describe_position({"type": "look"})

    async def act(action: str, step: int) -> dict[str, Any]:
        """Choose one of your legal actions by its words; ``step`` is that of the last position."""
        return describe_position({"type": "act", "step": step, "action": action})

    async def hint() -> dict[str, Any]:
        """Return an agent's ratings of your legal actions, best first."""
        return talk({"type": "hint", "step": table.step})

    async def new_game(same_cards: bool = False) -> dict[str, Any]:
        """End the current game and deal a new one."""
        deck = "same" if same_cards else "other"
        return describe_position({"type": "new", "step": table.step, "deck": deck})

    for tool in (rules, look, act, hint, new_game):
        server.add_tool(tool)
    return server


def _facts(event: Message) -> Message:
    """Return an event without its sentence."""
    return {name: fact for name, fact in event.items() if name not in ("text", "parts")}
