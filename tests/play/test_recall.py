"""Looking at earlier steps of a game, as the reader saw them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kododo_env.table.factory import make_table
from kododo_env.table.saved_game import resume, saved_game
from kododo_env.table.table import Table
from tests.game_tables import GAMES
from tests.play.people import People

TABLE_FIELDS = ("title", "moment", "text", "scene")


def recall(table: Table, person: int, to: int) -> dict[str, Any]:
    (message,) = table.hear(person, {"type": "recall", "to": to})[person]
    return message


@pytest.mark.parametrize("game", GAMES)
def test_each_earlier_step_is_told_as_it_was(game: str) -> None:
    positions: dict[int, dict[str, Any]] = {}

    def note(seat: int, message: dict[str, Any]) -> None:
        if message["type"] == "position":
            positions[message["step"]] = message

    options: dict[str, Any] = {"opponents": ["random"], "seed": 3}
    people = People(make_table(game, **options), listener=note)
    for _ in range(6):
        people.choose()
    table = people.table
    before = saved_game(table)
    restored = make_table(game, **options)
    resume(restored, before)
    last = people.last[0]
    assert len(last["log"]) == table.step > 5
    for index, entry in enumerate(last["log"]):
        message = recall(table, 0, entry["step"])
        position = positions[entry["step"]]
        for name in TABLE_FIELDS:
            assert message[name] == position[name]
        assert message["scores"] == [player["score"] for player in position["players"]]
        assert message["events"] == (last["log"][index - 1]["events"] if index else [])
        # The page may have been loaded again, and the table as well.
        assert recall(restored, 0, entry["step"]) == message
    assert saved_game(table) == before
    assert people.say(0, {"type": "look"})[-1] == last


def test_hidden_cards_stay_hidden() -> None:
    people = People(make_table("kado", 3, people=2, opponents=["random"], seed=3))
    for _ in range(4):
        people.choose()
    first, second = (recall(people.table, person, 1) for person in (0, 1))
    dealt = [card["words"] for card in first["scene"]["middle"][1]["cards"]]
    assert dealt
    assert dealt[0] not in json.dumps(second)


@pytest.mark.parametrize("to", [7, 2])
def test_steps_of_other_games_and_of_the_future_are_refused(to: int) -> None:
    table = make_table("kododo", 3, ["random"], seed=1)
    table.talk(0, {"type": "act", "step": 0, "action": 5})
    table.talk(0, {"type": "act", "step": 1, "action": 5})
    table.talk(0, {"type": "new", "step": 2, "deck": "other"})
    assert recall(table, 0, to)["error"] == f"to must be a step played in this game, not {to}"
