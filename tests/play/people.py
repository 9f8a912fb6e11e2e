"""Simulated people at a table, who see only messages and choose at random."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from kododo_env.bots.messages import to_json
from kododo_env.table.table import Replies, Table

Listener = Callable[[int, dict[str, Any]], None]


class People:
    """All people at a table.

    Args:
        table: The table.
        seed: The seed of their choices.
        listener: Called with the seat and every message to it.
    """

    def __init__(self, table: Table, seed: int = 0, listener: Listener | None = None) -> None:
        self.table = table
        self._rng = np.random.default_rng(seed)
        self._listener = listener
        self.last: dict[int, dict[str, Any]] = {}
        for seat in table.people:
            self.say(seat, {"type": "look"})

    def say(self, seat: int, message: object) -> list[dict[str, Any]]:
        """Send a message and play on, step by step; returns what the seat receives."""
        replies = self.table.hear(seat, message)
        messages = self.take(replies).get(seat, [])
        while replies := self.table.play_on():
            messages += self.take(replies).get(seat, [])
        return messages

    def take(self, replies: Replies) -> Replies:
        """Take a message as it comes over the wire."""
        for seat, messages in replies.items():
            for message in messages:
                received = json.loads(to_json(message))
                if received["type"] == "position":
                    self.last[seat] = received
                if self._listener:
                    self._listener(seat, received)
        return replies

    def act(self, seat: int, action: int | str) -> list[dict[str, Any]]:
        """Choose an action in the last position seen."""
        return self.say(seat, {"type": "act", "step": self.last[seat]["step"], "action": action})

    def choose(self) -> bool:
        """Let everybody who must choose do so; returns False when the game is over."""
        for seat in self.table.people:
            if actions := self.last[seat]["actions"]:
                answer = self.act(seat, self._rng.choice(actions)["action"])
                assert [message["type"] for message in answer if message["type"] == "error"] == []
        return not any(position["over"] for position in self.last.values())

    def play(self) -> None:
        """Play to the end."""
        steps = 0
        while self.choose():
            steps += 1
            assert steps < 500, "this game does not end"


def state_of(table: Table) -> dict[str, Any]:
    """Return everything at the table that can change."""
    attributes = vars(table) | vars(table.game)
    for name in ("game", "batch", "agents", "players"):
        del attributes[name]
    return {
        "table": json.loads(json.dumps(attributes, default=str, skipkeys=True)),
        "game": table.game.batch.state(),
    }


ODD: list[Any] = [
    None, True, False, -1, 1.5, 1e300, 10**40, "", "look", "\0", "\ud800", "é", [], [[]], {},
    {"a": 1}, "act", "same", "0", [0], {"type": "look"}, "x" * 5000,
]  # fmt: skip


def malformed(rng: np.random.Generator) -> object:
    """Return a malformed message: odd JSON, odd, missing or extra fields, or broken text."""
    whole: list[dict[str, Any]] = [
        {"type": "act", "step": 0, "action": 5}, {"type": "hint", "step": 0},
        {"type": "new", "step": 0, "deck": "other"}, {"type": "replay", "record": "{}"},
    ]  # fmt: skip
    message = dict(whole[rng.integers(len(whole))])
    name = list(message)[rng.integers(len(message))]
    odd = ODD[rng.integers(len(ODD))]
    match rng.integers(6):
        case 0:
            return odd if odd != {"type": "look"} else [odd]
        case 1:
            del message[name]
        case 2:
            message[str(odd)[:20] + "?"] = odd
        case 3:
            return json.dumps(message)[: rng.integers(1, len(json.dumps(message)))]
        case 4:
            return rng.bytes(int(rng.integers(1, 40)))
        case _:
            message[name] = [odd]
    return message if rng.random() < 0.5 else json.dumps(message)
