"""The Python table of the static page, which saves what is needed to resume a game."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kododo_env.play.worker import SharedDevice
from kododo_env.records.lines import sealed

LOOK = '{"type": "look"}'


def replies_to(device: SharedDevice, message: dict[str, Any] | str) -> list[dict[str, Any]]:
    """Return all responses to a message, step by step."""
    text = message if isinstance(message, str) else json.dumps(message)
    lines = device.receive(text)
    while next_lines := device.advance():
        lines += next_lines
    return [json.loads(line) for line in lines]


def act(device: SharedDevice, steps: int = 1) -> dict[str, Any]:
    """Choose the first action for some steps; returns the last position."""
    for _ in range(steps):
        position = replies_to(device, LOOK)[-1]
        action = position["actions"][0]["action"]
        replies_to(device, {"type": "act", "step": position["step"], "action": action})
    return replies_to(device, LOOK)[-1]


@pytest.mark.parametrize(("game", "players"), [("kododo", 2), ("combi_combo", 4), ("kado", 3)])
def test_a_page_that_is_loaded_again_goes_on(game: str, players: int) -> None:
    table = SharedDevice(game, players, ["heuristic"])
    position = act(table, 3)
    replies_to(table, {"type": "hint", "step": position["step"]})
    assert replies_to(table, '{"type": "act"}')[0]["type"] == "error"
    restored = SharedDevice(game, players, ["heuristic"], table.saved_game())
    assert replies_to(restored, LOOK)[-1] == position
    assert restored.saved_game() == table.saved_game()
    assert act(restored, 2) == act(table, 2)


@pytest.mark.parametrize(("game", "players"), [("kododo", 2), ("kado", 3)])
def test_a_game_that_was_tried_again_goes_on(game: str, players: int) -> None:
    table = SharedDevice(game, players, ["heuristic"])
    position = act(table, 4)
    to = position["log"][-2]["step"]
    replies_to(table, {"type": "again", "step": position["step"], "to": to})
    position = act(table, 1)
    restored = SharedDevice(game, players, ["heuristic"], table.saved_game())
    assert replies_to(restored, LOOK)[-1] == position
    assert position["counts"] is False
    assert act(restored, 2) == act(table, 2)


def test_a_link_counts_where_a_game_is_kept() -> None:
    """Regression: after another deal the deal of the day, or the lesson, was not given again."""
    table = SharedDevice("kododo", 2, ["greedy"], seed=7)
    dealt = replies_to(table, LOOK)[-1]
    replies_to(table, {"type": "new", "step": 0, "deck": "other"})
    position = act(table, 2)
    saved_game = table.saved_game()
    restored = SharedDevice("kododo", 2, ["greedy"], saved_game, seed=7)
    assert replies_to(restored, LOOK)[-1] == position  # as after a reload
    followed = SharedDevice("kododo", 2, ["greedy"], saved_game, seed=7, by_link=True)
    assert replies_to(followed, LOOK)[-1] == dealt
    lesson = SharedDevice("kododo", 2, ["greedy"], saved_game, lesson=True, by_link=True)
    taught = replies_to(lesson, LOOK)[-1]
    assert taught["lesson"]
    replies_to(lesson, {"type": "leave", "step": taught["step"]})
    assert replies_to(lesson, LOOK)[-1]["hand"] == position["hand"]


def test_new_games_go_on_too() -> None:
    table = SharedDevice("kododo", 3, ["greedy"])
    first = replies_to(table, LOOK)[-1]
    repeated = replies_to(table, {"type": "new", "step": 0, "deck": "same"})[-1]
    assert (repeated["step"], repeated["hand"]) == (1, first["hand"])
    fresh = replies_to(table, {"type": "new", "step": 1, "deck": "other"})[-1]
    assert (fresh["step"], fresh["log"]) == (2, [])
    assert fresh["text"] != first["text"]
    assert replies_to(SharedDevice("kododo", 3, ["greedy"], table.saved_game()), LOOK)[-1] == fresh
    act(table)
    content = json.loads(table.saved_game())
    assert content["first"] == 2
    assert len(content["done"]) == 2  # a choice and a step of this game only
    repeated = replies_to(table, {"type": "new", "step": 3, "deck": "same"})[-1]
    assert (repeated["step"], repeated["hand"]) == (4, fresh["hand"])
    assert (
        replies_to(SharedDevice("kododo", 3, ["greedy"], table.saved_game()), LOOK)[-1] == repeated
    )


def test_a_game_that_was_kept_elsewhere_is_of_no_use() -> None:
    """A saved game of another table or version, or a damaged one, starts a new game."""
    table = SharedDevice("kododo", 3, ["greedy"])
    act(table, 2)
    content = json.loads(table.saved_game())
    changed = [content | {"first": 1}]  # by accident
    changed += [
        sealed(content | change)  # on purpose
        for change in (
            {"seed": content["seed"] + 1}, {"seed": -1}, {"done": content["done"][:1]},
            {"done": [1]}, {"done": 5}, {"done": [[0, {"type": "act"}]]}, {"first": "x"},
            {"stands": 1},
        )
    ]  # fmt: skip
    for text in ("", "{}", "[1, 2]", "[" * 5000, *map(json.dumps, changed)):
        restored = SharedDevice("kododo", 3, ["greedy"], text)
        assert replies_to(restored, LOOK)[-1]["step"] == 0, text
        assert json.loads(restored.saved_game())["seed"] != content["seed"]
    other_table = SharedDevice("kododo", 3, ["random"], table.saved_game())
    assert replies_to(other_table, LOOK)[-1]["step"] == 0


def test_a_seed_is_a_deal() -> None:
    """Another table deals the same cards and opponents, also again after the end."""
    table, other_table = (SharedDevice("kododo", 3, ["random"], seed=20260517) for _ in range(2))
    position = act(table, 4)
    assert act(other_table, 4) == position
    replies_to(table, {"type": "new", "step": position["step"], "deck": "same"})
    assert act(table, 4)["text"] == position["text"]
    with pytest.raises(ValueError, match="seed must be 0 to"):
        SharedDevice("kododo", 3, ["random"], seed=-1)


def test_a_seed_further_rules_a_name_and_a_seat_that_moves_on() -> None:
    options: dict[str, Any] = {
        "names": ["Bo"],
        "rules": ["variant=long"],
        "rotate": True,
        "seat": 1,
    }
    tables = [SharedDevice("kododo", 3, ["greedy"], seed=7, **options) for _ in range(2)]
    first, second = (replies_to(table, LOOK)[-1] for table in tables)
    assert (first, first["you"], first["players"][1]["called"]) == (second, 1, "Bo")
    assert tables[0]._table.game.batch.rules.variant == "long"
    assert replies_to(tables[0], {"type": "new", "step": 0, "deck": "other"})[-1]["you"] == 2
    restored = SharedDevice("kododo", 3, ["greedy"], tables[0].saved_game(), seed=7, **options)
    assert replies_to(restored, LOOK) == replies_to(tables[0], LOOK)
    with pytest.raises(ValueError, match="seed must be an integer"):
        SharedDevice("kododo", 3, seed="x")  # type: ignore[arg-type]


def test_people_at_one_device_see_their_own_positions_when_they_are_there() -> None:
    """The page gets nobody's cards before that person has the device."""
    table = SharedDevice("kododo", 3, ["greedy"], people=2, names=["Bo", "Cy"], seed=1)
    turns = [replies_to(table, LOOK)]
    person = 0
    while not turns[-1][-1].get("over"):
        last = turns[-1][-1]
        if last["type"] == "handover":
            assert last["called"] == ("Bo", "Cy")[last["person"]]
            person = last["person"]
            turns.append(replies_to(table, {"type": "sit", "person": person}))
        else:
            act = {"type": "act", "step": last["step"], "action": last["actions"][0]["action"]}
            turns.append(replies_to(table, act))
        positions = [message for message in turns[-1] if message["type"] == "position"]
        assert {message["you"] for message in positions} <= {person}
    assert [message["type"] for message in turns[0]] == ["handover"]
    handed = sum(message["type"] == "handover" for turn in turns for message in turn)
    assert handed == 1 + 21  # the person who ends a step begins the next one
    restored = SharedDevice(
        "kododo", 3, ["greedy"], table.saved_game(), people=2, names=["Bo", "Cy"]
    )
    (handover,) = replies_to(restored, LOOK)  # after a reload nobody has the device
    assert handover["type"] == "handover"
    (end,) = replies_to(restored, {"type": "sit", "person": person})
    assert end == [message for message in turns[-1] if message["type"] == "position"][-1]
    new = replies_to(restored, {"type": "new", "step": end["step"], "deck": "other"})
    assert (new[0]["you"], new[0]["log"]) == (person, [])


def test_the_one_who_has_the_device_moves_on_with_it() -> None:
    options: dict[str, Any] = {"people": 2, "names": ["Bo", "Cy"], "rotate": True, "seat": 2}
    table = SharedDevice("kododo", 3, ["greedy"], **options)
    (handed,) = replies_to(table, LOOK)
    position = replies_to(table, {"type": "sit", "person": handed["person"]})[0]
    for _ in range(3):
        called = [player["called"] for player in position["players"]]
        new = replies_to(table, {"type": "new", "step": position["step"], "deck": "other"})[0]
        assert new["you"] == (position["you"] + 1) % 3
        assert [player["called"] for player in new["players"]] == [called[-1], *called[:-1]]
        position = new
