"""The table of the static page as Python: it keeps what goes on with a game."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kododo_env.play.worker import WorkerTable
from kododo_env.records.lines import sealed

LOOK = '{"type": "look"}'


def said(table: WorkerTable, message: dict[str, Any] | str) -> list[dict[str, Any]]:
    """All that is said to a message, step by step."""
    text = message if isinstance(message, str) else json.dumps(message)
    lines = table.hear(text)
    while more := table.play_on():
        lines += more
    return [json.loads(line) for line in lines]


def act(table: WorkerTable, steps: int = 1) -> dict[str, Any]:
    """Choose the first action for some steps; the last position."""
    for _ in range(steps):
        position = said(table, LOOK)[-1]
        action = position["actions"][0]["action"]
        said(table, {"type": "act", "step": position["step"], "action": action})
    return said(table, LOOK)[-1]


@pytest.mark.parametrize(("game", "players"), [("kododo", 2), ("combi_combo", 4), ("kado", 3)])
def test_a_page_that_is_loaded_again_goes_on(game: str, players: int) -> None:
    table = WorkerTable(game, players, ["heuristic"])
    position = act(table, 3)
    said(table, {"type": "hint", "step": position["step"]})
    assert said(table, '{"type": "act"}')[0]["type"] == "error"
    again = WorkerTable(game, players, ["heuristic"], table.saved_game())
    assert said(again, LOOK)[-1] == position
    assert again.saved_game() == table.saved_game()
    assert act(again, 2) == act(table, 2)


@pytest.mark.parametrize(("game", "players"), [("kododo", 2), ("kado", 3)])
def test_a_game_that_was_tried_again_goes_on(game: str, players: int) -> None:
    table = WorkerTable(game, players, ["heuristic"])
    position = act(table, 4)
    to = position["log"][-2]["step"]
    said(table, {"type": "again", "step": position["step"], "to": to})
    position = act(table, 1)
    again = WorkerTable(game, players, ["heuristic"], table.saved_game())
    assert said(again, LOOK)[-1] == position
    assert position["counts"] is False
    assert act(again, 2) == act(table, 2)


def test_a_link_counts_where_a_game_is_kept() -> None:
    """The deal of the day was not dealt again after other cards, and no second lesson given."""
    table = WorkerTable("kododo", 2, ["greedy"], seed=7)
    dealt = said(table, LOOK)[-1]
    said(table, {"type": "new", "step": 0, "deck": "other"})
    position, kept = act(table, 2), table.saved_game()
    again = WorkerTable("kododo", 2, ["greedy"], kept, seed=7)
    assert said(again, LOOK)[-1] == position  # it was loaded again
    followed = WorkerTable("kododo", 2, ["greedy"], kept, seed=7, by_link=True)
    assert said(followed, LOOK)[-1] == dealt
    lesson = WorkerTable("kododo", 2, ["greedy"], kept, lesson=True, by_link=True)
    taught = said(lesson, LOOK)[-1]
    assert taught["lesson"]
    said(lesson, {"type": "leave", "step": taught["step"]})
    assert said(lesson, LOOK)[-1]["hand"] == position["hand"]


def test_new_games_go_on_too() -> None:
    table = WorkerTable("kododo", 3, ["greedy"])
    first = said(table, LOOK)[-1]
    same = said(table, {"type": "new", "step": 0, "deck": "same"})[-1]
    assert (same["step"], same["hand"]) == (1, first["hand"])
    other = said(table, {"type": "new", "step": 1, "deck": "other"})[-1]
    assert (other["step"], other["log"]) == (2, [])
    assert other["text"] != first["text"]
    assert said(WorkerTable("kododo", 3, ["greedy"], table.saved_game()), LOOK)[-1] == other
    act(table)
    kept = json.loads(table.saved_game())
    assert kept["first"] == 2
    assert len(kept["done"]) == 2  # a choice and a step, and not what was done before
    same = said(table, {"type": "new", "step": 3, "deck": "same"})[-1]
    assert (same["step"], same["hand"]) == (4, other["hand"])
    assert said(WorkerTable("kododo", 3, ["greedy"], table.saved_game()), LOOK)[-1] == same


def test_a_game_that_was_kept_elsewhere_is_of_no_use() -> None:
    """Of another table, of another version, damaged: a new game begins."""
    table = WorkerTable("kododo", 3, ["greedy"])
    act(table, 2)
    kept = json.loads(table.saved_game())
    changed = [kept | {"first": 1}]  # by accident
    changed += [
        sealed(kept | each)  # on purpose
        for each in (
            {"seed": kept["seed"] + 1}, {"seed": -1}, {"done": kept["done"][:1]}, {"done": [1]},
            {"done": 5}, {"done": [[0, {"type": "act"}]]}, {"first": "x"}, {"stands": 1},
        )
    ]  # fmt: skip
    for text in ("", "{}", "[1, 2]", "[" * 5000, *map(json.dumps, changed)):
        again = WorkerTable("kododo", 3, ["greedy"], text)
        assert said(again, LOOK)[-1]["step"] == 0, text
        assert json.loads(again.saved_game())["seed"] != kept["seed"]
    other = WorkerTable("kododo", 3, ["random"], table.saved_game())
    assert said(other, LOOK)[-1]["step"] == 0


def test_a_seed_is_a_deal() -> None:
    """The same cards and opponents at another table, and so again after the end."""
    table, other = (WorkerTable("kododo", 3, ["random"], seed=20260517) for _ in range(2))
    position = act(table, 4)
    assert act(other, 4) == position
    said(table, {"type": "new", "step": position["step"], "deck": "same"})
    assert act(table, 4)["text"] == position["text"]
    with pytest.raises(ValueError, match="seed must be 0 to"):
        WorkerTable("kododo", 3, ["random"], seed=-1)


def test_a_seed_further_rules_a_name_and_a_seat_that_moves_on() -> None:
    more: dict[str, Any] = {"names": ["Bo"], "rules": ["variant=long"], "rotate": True, "seat": 1}
    tables = [WorkerTable("kododo", 3, ["greedy"], seed=7, **more) for _ in range(2)]
    one, other = (said(table, LOOK)[-1] for table in tables)
    assert (one, one["you"], one["players"][1]["called"]) == (other, 1, "Bo")
    assert tables[0]._table.table._game.rules.variant == "long"
    assert said(tables[0], {"type": "new", "step": 0, "deck": "other"})[-1]["you"] == 2
    again = WorkerTable("kododo", 3, ["greedy"], tables[0].saved_game(), seed=7, **more)
    assert said(again, LOOK) == said(tables[0], LOOK)
    with pytest.raises(ValueError, match="seed must be a whole number"):
        WorkerTable("kododo", 3, seed="x")  # type: ignore[arg-type]


def test_people_at_one_device_see_their_own_positions_when_they_are_there() -> None:
    """Nothing of the others' cards is sent to a page before they say that they have it."""
    table = WorkerTable("kododo", 3, ["greedy"], people=2, names=["Bo", "Cy"], seed=1)
    turns = [said(table, LOOK)]
    here = 0
    while not turns[-1][-1].get("over"):
        last = turns[-1][-1]
        if last["type"] == "handover":
            assert last["called"] == ("Bo", "Cy")[last["person"]]
            here = last["person"]
            turns.append(said(table, {"type": "sit", "person": here}))
        else:
            act = {"type": "act", "step": last["step"], "action": last["actions"][0]["action"]}
            turns.append(said(table, act))
        positions = [each for each in turns[-1] if each["type"] == "position"]
        assert {each["you"] for each in positions} <= {here}
    assert [each["type"] for each in turns[0]] == ["handover"]
    handed = sum(each["type"] == "handover" for turn in turns for each in turn)
    assert handed == 1 + 21  # each step is begun by the person who ended the one before
    again = WorkerTable("kododo", 3, ["greedy"], table.saved_game(), people=2, names=["Bo", "Cy"])
    assert [each["type"] for each in said(again, LOOK)] == ["handover"]  # whoever loads the page
    (end,) = said(again, {"type": "sit", "person": here})
    assert end == [each for each in turns[-1] if each["type"] == "position"][-1]
    new = said(again, {"type": "new", "step": end["step"], "deck": "other"})
    assert (new[0]["you"], new[0]["log"]) == (here, [])


def test_the_one_who_has_the_device_moves_on_with_it() -> None:
    more: dict[str, Any] = {"people": 2, "names": ["Bo", "Cy"], "rotate": True, "seat": 2}
    table = WorkerTable("kododo", 3, ["greedy"], **more)
    (handed,) = said(table, LOOK)
    position = said(table, {"type": "sit", "person": handed["person"]})[0]
    for _ in range(3):
        called = [each["called"] for each in position["players"]]
        new = said(table, {"type": "new", "step": position["step"], "deck": "other"})[0]
        assert new["you"] == (position["you"] + 1) % 3
        assert [each["called"] for each in new["players"]] == [called[-1], *called[:-1]]
        position = new
