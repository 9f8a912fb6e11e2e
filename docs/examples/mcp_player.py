"""A program that plays a whole game over the Model Context Protocol.

    pip install '.[mcp]'
    python mcp_player.py [GAME]

Give the tools that it lists to your language model, and let the model call them.
"""

from __future__ import annotations

import asyncio
import random
import sys
from typing import Any

from mcp import Client, StdioServerParameters


def choose(rules: str, position: dict[str, Any]) -> str:
    """Return an action in words. Ask your model here; this example chooses at random."""
    return random.choice(position["actions"])


async def main(game: str) -> None:
    """Play until the game is over, and print its events."""
    command = ["-m", "kododo_env", "play", game, "--mcp"]
    async with Client(StdioServerParameters(command=sys.executable, args=command)) as table:
        print("tools:", ", ".join(tool.name for tool in (await table.list_tools()).tools))
        rules = (await table.call_tool("rules")).content[0].text
        position = (await table.call_tool("look")).structured_content
        while not position["over"]:
            arguments = {"action": choose(rules, position), "step": position["step"]}
            answer = await table.call_tool("act", arguments)
            if answer.is_error:  # for example an illegal action: choose again
                print(answer.content[0].text)
                continue
            position = answer.structured_content
            print(*position["news"], sep="\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "kododo"))
