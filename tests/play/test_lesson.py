"""The first lesson of each game: its sentences are true, and the game waits for its end."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from kododo_env.bots.messages import to_json
from kododo_env.commands.play import PlayConfig, usual_opponents
from kododo_env.core.agent import RandomAgent
from kododo_env.play.worker import LOOK, SharedDevice
from kododo_env.registry import lesson_of
from kododo_env.rendering import languages
from kododo_env.table.factory import make_table
from kododo_env.table.table import Table
from tests.command_line import kododo
from tests.game_tables import GAMES
from tests.play.test_worker import replies_to
from tests.toy_game.high_card.game import HighCard, Rules

# What the lesson's texts refer to, step by step, must be true of the table.
CLAIMS = {
    "kododo": {
        1: ["blue 3", "would score now: blue"],
        2: ["blue 5", "out at 6"],
        3: ["blue 6 out", "scored: green"],
        4: ["yellow 2", "violet 3"],
        5: ["orange 3", "violet 4"],
        6: ["orange 4", "violet 4", "yellow 3", "scored: yellow"],
        7: ["Kododo cards (*): 3; exactly 5 score"],
        8: ["Kododo cards (*): 4", "would score now: orange"],
        9: ["orange 5", "scored: Kododo cards"],
    },
    "combi_combo": {
        0: ["Y4 Y4"],
        1: ["B1 B2 B3 B4", "        4   3  -1", "B2", "G2", "V2", "R2"],
        2: ["B4 B4", "B1", "G1", "B3", "Y3", "O3", "R3"],
        3: ["player_0     11   3        4   3   0   1"],
    },
    "kado": {
        0: ["KADO: turn 4 of 12, player_0 deals", "PG3  PR5", "to be given: HR1"],
        1: ["to be given: SG5"],
        2: ["the dealer's card is not: plush, red"],
        3: ["player_0 may challenge player_1", "CV3  CB2"],
        5: ["player_0 may challenge player_2", "PB4  SO1", "SV3", "CB3"],
        6: ["1 perfect,"],
        7: ["player_0: 33 points"],
    },
}


PLAYERS = {f"player_{seat}": f"player_{seat}" for seat in range(4)}


def taught(game: str, **options: Any) -> Table:
    return make_table(game, opponents=["random"], seed=1, pictures=False, **options)


def say(table: Table, kind: str, **fields: Any) -> dict[str, Any]:
    """Send a message for the current step and return the last response."""
    return table.talk(0, {"type": kind, "step": table.step, **fields})[0][-1]


def go_on(table: Table, position: dict[str, Any], choice: int = 0) -> dict[str, Any]:
    """Do what the lesson asks for."""
    return say(table, "act", action=position["lesson"]["wanted"][choice])


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_to_its_end_shows_what_it_tells(game: str) -> None:
    table = taught(game)
    lesson = lesson_of(table.game.batch)
    position = say(table, "lesson")
    claims = CLAIMS[game]
    for number, step in enumerate((*lesson.steps, None)):
        assert all(claim in position["text"] for claim in claims.get(number, [])), number
        words = position["lesson"]
        assert (words["step"], words["of"]) == (number, len(lesson.steps))
        for sign in lesson.steps[number - 1].signs if number else ():
            assert sign.key in [event["key"] for event in words["shown"]], (number, sign)
        if step is None:
            break
        assert not any(script.lines for script in table.lesson._scripts)  # type: ignore[union-attr]
        assert words["text"] == languages.say(step.text, **PLAYERS)
        assert words["wanted"]
        position = go_on(table, position, choice=len(words["wanted"]) - 1)
    assert (words["over"], words["text"]) == (True, languages.say(lesson.end))
    assert position["actions"] == position["waiting_for"] == []
    # Regression: a choice after the end raised an error.
    assert say(table, "act", action=0)["error"].startswith("the lesson is over: leave it, or begin")
    assert table.talk(0, {"type": "look"})[0][-1] == position
    say(table, "leave")
    assert say(table, "leave")["error"] == "there is no lesson to leave"


@pytest.mark.parametrize("game", GAMES)
def test_another_choice_is_answered_kindly_and_changes_nothing(game: str) -> None:
    table = taught(game)
    position = say(table, "lesson")
    other_action = next(
        action
        for action in position["actions"]
        if action["action"] not in position["lesson"]["wanted"]
    )
    answer = say(table, "act", action=other_action["action"])
    assert answer["error"].startswith(
        f"in a game you may {other_action['words']}; in this lesson, please"
    )
    assert say(table, "act", action=999)["type"] == "error"
    assert "no record" in table.talk(0, {"type": "record"})[0][-1]["error"]
    assert table.talk(0, {"type": "look"})[0][-1] == position


def test_the_game_at_the_table_waits_and_no_step_comes_back() -> None:
    table = taught("kododo")
    before = say(table, "act", action=5)
    first = say(table, "lesson")
    steps = [first["step"], go_on(table, first)["step"]]
    assert table.hear(0, {"type": "leave", "step": first["step"]})[0][0]["type"] == "error"
    after = say(table, "leave")
    assert [before["step"], *steps, after["step"]] == [1, 2, 3, 4]
    assert after | {"step": 1} == before
    assert (after["lesson"], after["teaches"]) == (None, True)
    say(table, "lesson")
    position = say(table, "new", deck="same")
    assert (position["lesson"], position["log"]) == (None, [])
    assert say(table, "act", action=5)["hand"] == before["hand"]


def test_who_has_no_lesson() -> None:
    table = Table(HighCard(1, Rules()), [None, RandomAgent(), None], seed=0)
    assert say(table, "lesson")["error"] == "high_card has no lesson"
    several = taught("kododo", people=2)
    assert say(several, "lesson")["error"].startswith("a lesson is only for one person")
    assert several.talk(0, {"type": "look"})[0][0]["teaches"] is False


def test_everybody_in_a_lesson_has_a_name() -> None:
    """Regression: the lesson called all players player_0 and so on, even the named person."""
    table = make_table("kado", opponents=["random"], seed=1, names=["Nora"])
    position = say(table, "lesson")
    names = [player["called"] for player in position["players"]]
    assert names[0] == "Nora"
    assert f"give it to {names[1]}" in position["lesson"]["text"]
    wrong = next(
        action
        for action in position["actions"]
        if action["action"] not in position["lesson"]["wanted"]
    )
    errors = say(table, "act", action=wrong["action"])["error"]
    assert names[1] in errors
    while not position["lesson"]["over"]:
        words = [event["text"] for event in position["lesson"]["shown"]]
        words += [position["lesson"]["text"], *position["moment"]]
        assert not any("player_" in text for text in words)
        position = go_on(table, position)
    table.talk(0, {"type": "rename", "name": "Nils"})
    assert say(table, "leave")["players"][0]["called"] == "Nils"


def test_the_command_begins_with_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO()))
    status, out, _ = kododo(
        monkeypatch, capsys, "play", "kado", "--lesson", "--stdio", "--opponents", "random"
    )
    assert (status, json.loads(out)["lesson"]["step"]) == (0, 0)


def test_in_a_worker_a_page_that_is_loaded_again_goes_on_with_the_lesson() -> None:
    table = SharedDevice("combi_combo", 4, ["random"], lesson=True)
    position = replies_to(table, LOOK)[-1]
    assert position["lesson"]["step"] == 0
    act = {"type": "act", "step": position["step"], "action": position["lesson"]["wanted"][0]}
    position = replies_to(table, to_json(act))[-1]
    restored = SharedDevice("combi_combo", 4, ["random"], table.saved_game(), lesson=True)
    assert replies_to(restored, LOOK)[-1] == position
    message = replies_to(restored, {"type": "leave", "step": position["step"]})[-1]
    assert message["lesson"] is None
    new_game = {"type": "new", "step": message["step"], "deck": "other"}
    new_position = replies_to(restored, new_game)[-1]
    content = json.loads(restored.saved_game())
    assert (content["first"], content["done"]) == (new_position["step"], [])
    on = SharedDevice("combi_combo", 4, ["random"], restored.saved_game(), lesson=True)
    assert replies_to(on, LOOK)[-1] == new_position


@pytest.mark.parametrize(
    ("settings", "opponents"),
    [
        ({}, ("level-2",)),
        ({"lesson": True}, ("level-1",)),
        ({"stdio": True}, ()),
        ({"rules": ("variant=long",)}, ()),  # levels are for the default rules
        ({"players": 2, "people": 2}, ()),
    ],
)
def test_people_who_choose_no_opponents_get_medium_ones_and_easy_ones_after_the_lesson(
    settings: dict[str, Any], opponents: tuple[str, ...]
) -> None:
    config = PlayConfig(game="kododo", **settings)
    assert usual_opponents(config) == opponents
