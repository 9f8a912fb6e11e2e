"""The seats of people, moving to other seats, and the players' names."""

from __future__ import annotations

from typing import Any

import pytest

from kododo_env.records import parse_record, replay
from kododo_env.rendering.svg_table import seats
from kododo_env.table.factory import make_table
from kododo_env.table.names import BOTS, bots_named, people_named
from kododo_env.table.saved_game import resume, saved_game
from kododo_env.table.table import Table


def look(table: Table) -> dict[str, Any]:
    """Return the position of the first person."""
    person = table.people[0]
    return table.talk(person, {"type": "look"})[person][-1]


def test_a_person_has_the_seat_that_they_choose_and_the_others_follow() -> None:
    table = make_table("kododo", 4, ["first", "last", "random"], seat=2, pictures=False)
    position = look(table)
    assert (table.people, position["you"]) == ((2,), 2)
    assert [player["name"] for player in position["players"]] == [
        "last",
        "random",
        "person",
        "first",
    ]
    with pytest.raises(ValueError, match="seat must be 0 to 3, not 4"):
        make_table("kododo", 4, seat=4)


def test_all_move_one_seat_on_with_other_cards_and_not_with_the_same() -> None:
    options: dict[str, Any] = {"seat": 2, "rotate": True, "names": ["Bo"], "pictures": False}
    table = make_table("combi_combo", 4, ["first", "last", "random"], seed=1, **options)
    sat = []
    order = []
    for deck in ("other", "same", "other"):
        position = look(table)
        sat.append(position["you"])
        called = [player["called"] for player in position["players"]]
        order.append(called[called.index("Bo") :] + called[: called.index("Bo")])
        while not look(table)["over"]:
            action = look(table)["actions"][0]["action"]
            table.talk(2, {"type": "act", "step": table.step, "action": action})
        names = parse_record(table.stage.record()).players
        assert names[sat[-1]] == "person"  # as in the command of the deal
        *_, end = replay(parse_record(table.stage.record()))
        assert end.scores[0].tolist() == [player["score"] for player in look(table)["players"]]
        table.talk(2, {"type": "new", "step": table.step, "deck": deck})
    assert sat == [2, 3, 3]
    assert look(table)["you"] == 0
    assert order[0] == order[1] == order[2]


def test_names() -> None:
    position = look(make_table("kododo", 4, people=2, names=["Bo"], pictures=False))
    assert [player["called"] for player in position["players"][:2]] == ["Bo", "Guest 2"]
    bots = [player["called"] for player in position["players"][2:]]
    assert len({*bots} & {*BOTS}) == 2
    assert bots_named(["random"] * 15, ["ada"]) == bots_named(["random"] * 15, ["ADA"])
    assert "Ada" not in bots_named(["random"] * 15, ["ada"])
    assert people_named(["player_1"], 1) == ["player_1"]
    family = "👨\u200d👩\u200d👧"
    persian = "\u0645\u06cc\u200c\u0646\u0627"
    assert people_named([family, f"{persian}\u200c", "\u200d"], 3) == [family, persian, ""]
    with pytest.raises(ValueError, match="must be distinct, not 'Bo', "):
        people_named(["Bo", "b\u200do"], 2)
    # With composed and full-width letters.
    for name, variant in (("Zo\u00eb", "Zoe\u0308"), ("Bo", "\uff22\uff4f"), ("\ufb01ne", "FINE")):
        with pytest.raises(ValueError, match="must be distinct"):
            people_named([name, variant], 2)
    assert "Ada" not in bots_named(["random"] * 15, ["\uff21d\u200da"])
    for agents, num_taken in ((30, 0), (4, 16)):  # more than the 16 friendly names
        assert (
            len({*bots_named(["random"] * agents, BOTS[:num_taken]), *BOTS[:num_taken]})
            == agents + num_taken
        )


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (["Bo", "Cy"], "at most 1 names, one per person, got 2"),
        (["x" * 21], "at most 20 printable characters, not 'x+'"),
        (["a\0b"], "at most 20 printable characters"),
        ([3], "at most 20 printable characters, not 3"),
    ],
)
def test_a_name_that_will_not_do(names: list[Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        make_table("kododo", names=names)


def test_a_bot_of_a_long_command_has_a_seat() -> None:
    """Regression: no record could hold its name, so that there was no table."""
    bot = f"exec:python -c '{'pass;' * 50}'"
    position = look(make_table("kododo", 2, [bot], pictures=False))
    assert position["players"][1]["name"] == bot[:200]


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_player_who_looks_on_sits_below_and_the_next_one_clockwise(players: int) -> None:
    for front in range(players):
        boxes = seats(players, 100, front)
        front_box = boxes[front]
        following = boxes[(front + 1) % players]
        assert front_box.y > 300
        assert players == 4 or front_box.x + front_box.width / 2 == pytest.approx(450)
        assert following.y < 300 or following.x < front_box.x


def test_a_person_enters_a_name_that_later_games_and_other_readers_keep() -> None:
    table = make_table("kododo", 3, ["random"], people=2, names=["Bo"], seed=1)
    bot = look(table)["players"][2]["called"]
    assert called(table, 0) == ["Bo", "Guest 2", bot]
    for person in (0, 1):
        choice = table.talk(person, {"type": "look"})[person][0]["actions"][0]["action"]
        table.talk(person, {"type": "act", "step": 0, "action": choice})
    table.talk(0, {"type": "speak", "language": "de"})
    assert called(table, 0) == ["Bo", "Gast 2", bot]
    replies = table.talk(1, {"type": "rename", "name": " Nora  Ek "})
    for person in (0, 1):
        position = replies[person][-1]
        assert [player["called"] for player in position["players"]] == ["Bo", "Nora Ek", bot]
        assert position["scene"]["seats"][1]["name"] == "Nora Ek"
        assert position["log"][0]["events"][1]["parts"][0]["text"] == "Nora Ek"
        assert position["players"][1]["name"] == "person 2"  # as in records
    assert "Nora Ek" in table.talk(0, {"type": "look"})[0][0]["text"]
    for person in (0, 1):
        table.talk(person, {"type": "new", "step": table.step, "deck": "other"})
    assert called(table, 1) == ["Bo", "Nora Ek", bot]
    table.talk(1, {"type": "rename", "name": ""})
    assert called(table, 1) == ["Bo", "Guest 2", bot]


def called(table: Table, person: int) -> list[str]:
    """Return the names that a person reads."""
    position = table.talk(person, {"type": "look"})[person][-1]
    return [player["called"] for player in position["players"]]


def test_a_name_that_somebody_else_has_is_refused() -> None:
    table = make_table("kododo", 3, ["random"], names=["Bo"], seed=1)
    bot = called(table, 0)[1]
    for name, why in ((bot.upper(), "must be distinct"), ("x" * 21, "at most 20"), (3, "a string")):
        answer = table.talk(0, {"type": "rename", "name": name})[0][-1]
        assert answer["type"] == "error"
        assert why in answer["error"]
    assert called(table, 0)[0] == "Bo"


@pytest.mark.parametrize("games", [1, 2])
def test_a_saved_game_keeps_the_name(games: int) -> None:
    options: dict[str, Any] = {"opponents": ["random"], "seed": 1}
    table = make_table("kododo", 3, **options)
    table.talk(0, {"type": "rename", "name": "No"})
    table.talk(0, {"type": "rename", "name": "Nora"})
    table.talk(0, {"type": "act", "step": 0, "action": 5})
    for _ in range(games - 1):
        table.talk(0, {"type": "new", "step": table.step, "deck": "other"})
    restored = make_table("kododo", 3, **options)
    resume(restored, saved_game(table))
    assert look(restored) == look(table)
    assert look(restored)["players"][0]["called"] == "Nora"
    restored.talk(0, {"type": "new", "step": restored.step, "deck": "other"})
    assert look(restored)["players"][0]["called"] == "Nora"


def test_the_replay_of_the_tables_own_game_has_its_names() -> None:
    """Regression: the players were player_0 and so on."""
    table = make_table("combi_combo", 4, ["random"], names=["Nora"], seed=1)
    while not look(table)["over"]:
        action = look(table)["actions"][0]["action"]
        table.talk(0, {"type": "act", "step": table.step, "action": action})
    names = called(table, 0)
    record = table.talk(0, {"type": "record"})[0][-1]["record"]
    replay_message = table.talk(0, {"type": "replay", "record": record})[0][-1]
    assert replay_message["names"] == names
    assert replay_message["players"] == ["person", "random", "random", "random"]
    last = replay_message["steps"][-1]
    assert [seat["name"] for seat in last["scene"]["seats"]] == names
    assert last["events"][0]["parts"][0]["text"] in names
    other_table = make_table("kododo", 3, ["random"], names=["Nora"], seed=1)
    replay_message = other_table.talk(0, {"type": "replay", "record": record})[0][-1]
    assert replay_message["names"] == ["person", "random", "random 2", "random 3"]
    assert "random 2" in replay_message["steps"][0]["text"]


def test_an_analysis_goes_to_the_person_who_has_moved_on() -> None:
    """Regression: it went to the current seat's number, which nobody listens to."""
    table = make_table("combi_combo", opponents=["greedy"], hints="heuristic", rotate=True, seed=1)
    table.worlds = 16
    table.talk(0, {"type": "new", "step": 0, "deck": "other"})
    while not table.stage.over:
        position = table.talk(0, {"type": "look"})[0][0]
        table.talk(
            0, {"type": "act", "step": table.step, "action": position["actions"][0]["action"]}
        )
    replies = table.talk(0, {"type": "analyse"})
    assert replies.keys() == {0}
    assert replies[0][-1]["type"] == "analysis"
