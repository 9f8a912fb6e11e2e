"""A program that plays one seat of a game: ``python docs/examples/stdio_player.py kododo``.

``choose`` is a placeholder for a language model or another player. It gets the position as text and
the legal actions in words, and returns one of them. If the answer is not legal, it is called again
with the error.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from typing import Any


def choose(position: dict[str, Any], error: str | None) -> str:
    """Return an action in words. The first answer in each game is wrong, to show an error."""
    if position["step"] == 0 and error is None:
        return "I would rather not"
    return str(random.choice(position["actions"])["words"])


command = [sys.executable, "-m", "kododo_env", "play", *sys.argv[1:], "--stdio"]
table = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
assert table.stdin is not None
assert table.stdout is not None
position: dict[str, Any] = {}
for line in table.stdout:
    message = json.loads(line)
    error = message.get("error")
    if error:
        print("refused:", error)
    else:
        position = message
    if position["over"]:
        break
    if position["actions"]:
        answer = choose(position, error)
        act = {"type": "act", "step": position["step"], "action": answer}
        print(json.dumps(act), file=table.stdin, flush=True)
if position:  # otherwise the command has printed an error to stderr
    print(position["text"], position["result"], sep="\n")
table.stdin.close()
sys.exit(table.wait())
