"""People at a table, for tests: they see messages and nothing else, and choose at random."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from kododo_env.play.messages import to_json
from kododo_env.play.table import Said, Table

Heard = Callable[[int, dict[str, Any]], None]


class Sitting:
    """All people of a table.

    Args:
        table: The table.
        seed: Of what they choose.
        heard: Is told of every message to anybody, with the seat.
    """

    def __init__(self, table: Table, seed: int = 0, heard: Heard | None = None) -> None:
        self.table, self._rng, self._heard = table, np.random.default_rng(seed), heard
        self.last: dict[int, dict[str, Any]] = {}
        for seat in table.people:
            self.say(seat, {"type": "look"})

    def say(self, seat: int, message: object) -> list[dict[str, Any]]:
        """Say something and play on, step by step; what the seat is told."""
        said = self.table.hear(seat, message)
        mine = self._take(said).get(seat, [])
        while said := self.table.play_on():
            mine += self._take(said).get(seat, [])
        return mine

    def _take(self, said: Said) -> Said:
        """As the wire brings it."""
        for seat, messages in said.items():
            for message in messages:
                came = json.loads(to_json(message))
                if came["type"] == "position":
                    self.last[seat] = came
                if self._heard:
                    self._heard(seat, came)
        return said

    def act(self, seat: int, action: int | str) -> list[dict[str, Any]]:
        """Choose an action of the position last seen."""
        return self.say(seat, {"type": "act", "step": self.last[seat]["step"], "action": action})

    def choose(self) -> bool:
        """Let everybody who is waited for choose; False when the game is over."""
        for seat in self.table.people:
            if actions := self.last[seat]["actions"]:
                answer = self.act(seat, self._rng.choice(actions)["action"])
                assert [each["type"] for each in answer if each["type"] == "error"] == []
        return not any(position["over"] for position in self.last.values())

    def play(self) -> None:
        """Play to the end."""
        steps = 0
        while self.choose():
            steps += 1
            assert steps < 500, "this game does not end"
