"""The table: what it hears, what it says, and to whom."""

from __future__ import annotations

import dataclasses
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import kododo_v0, registry
from kododo_env.agent_registry import make_agent, policy_path
from kododo_env.core.agent import Agent, FirstAgent, RandomAgent, joint_action
from kododo_env.core.view import View
from kododo_env.play import replaying
from kododo_env.play.seating import make_table
from kododo_env.play.table import Table
from kododo_env.records import parse_record, replay
from kododo_env.rules_arguments import parse_rules
from tests.doors import EXTREMES, GAMES
from tests.helpers import differences
from tests.play.sitting import Sitting, malformed, state_of
from tests.records.games import recorded
from tests.toy_game.high_card.game import HighCard, Rules


def sitting(game: str = "kododo", people: int = 1, **options: Any) -> Sitting:
    given = {"opponents": ["random"], "hints": "heuristic", "seed": 1} | options
    return Sitting(make_table(game, people=people, **given))


def only(answer: list[dict[str, Any]]) -> dict[str, Any]:
    (message,) = answer
    return message


def refused(said: Sitting, seat: int, message: object, words: str) -> None:
    """It is answered with this error, and nothing is changed."""
    before, last = state_of(said.table), dict(said.last)
    answer = only(said.say(seat, message))
    assert answer["type"] == "error"
    assert words in answer["error"]
    assert "\n" not in answer["error"]
    assert differences(before, state_of(said.table)) == []
    assert last == said.last


class Even(RandomAgent):
    """Finds all legal actions as likely, but for the last bits."""

    def __init__(self, noise: float = 0) -> None:
        self._noise = noise

    def probabilities(self, view: View) -> np.ndarray:
        chances = view.legal_action_mask / view.legal_action_mask.sum(axis=1, keepdims=True)
        return chances + self._noise * np.arange(view.num_actions)


# --- whole games --------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), EXTREMES)
@pytest.mark.parametrize("people", [1, 2])
def test_whole_games_and_their_records(game: str, players: int, people: int) -> None:
    opponents = ["random"] if players > people else []
    said = sitting(game, people, players=players, opponents=opponents)
    said.play()
    last = said.last[people - 1]
    answer = only(said.say(0, {"type": "record"}))
    record = parse_record(answer["record"])
    *_, end = replay(record)
    assert end.scores[0].tolist() == [each["score"] for each in last["players"]]
    assert record.players == [each["name"] for each in last["players"]]
    shown = only(said.say(0, {"type": "replay", "record": answer["record"]}))
    assert len(shown["steps"]) == len(record.lines) + 1
    assert shown["steps"][-1]["scores"] == end.scores[0].tolist()
    assert shown["steps"][-1]["lines"][-1] == last["result"] == last["log"][-1]["lines"][-1]


def test_a_game_that_tells_nothing_in_words_is_played_as_well() -> None:
    said = Sitting(Table(HighCard(1, Rules()), [None, RandomAgent(), None], seed=0))
    assert said.last[0]["hand"] == []
    assert {action["kind"] for action in said.last[0]["actions"]}
    said.play()
    assert said.last[2]["log"][-1]["lines"] == [said.last[0]["result"]]


def test_talk_says_every_step_for_itself() -> None:
    # Two agents of three: after a person's choice in KADO there are several steps to be shown.
    table = make_table("kado", 3, ["random"], seed=1, pictures=False)
    message, longest = table.talk(0, {"type": "look"})[0][-1], 0
    while not message["over"]:
        act = {"type": "act", "step": message["step"], "action": message["actions"][0]["action"]}
        told = table.talk(0, act)[0]
        steps = [each["step"] for each in told]
        assert steps == list(range(steps[0], steps[0] + len(steps)))
        assert [len(each["log"]) for each in told] == steps
        message, longest = told[-1], max(longest, len(told))
    assert longest > 3


# --- choosing -----------------------------------------------------------------------------


def test_an_action_is_chosen_by_its_number_or_its_words() -> None:
    by_number, by_words = sitting(), sitting()
    for _ in range(6):
        action = by_number.last[0]["actions"][-1]
        by_number.act(0, action["action"])
        by_words.act(0, f"  {action['words'].upper()} ")
    assert by_number.last == by_words.last
    assert by_number.table.step == 6


def test_a_second_tab_a_late_message_and_another_step_do_nothing() -> None:
    said = sitting(people=2)
    action = said.last[0]["actions"][0]["action"]
    act = {"type": "act", "step": 0, "action": action}
    said.say(0, act)
    assert said.table.step == 0  # player_1 has not chosen
    refused(said, 0, act, "player_0 has chosen already: lay ")
    refused(said, 0, act | {"action": action + 1}, "player_0 has chosen already: lay ")
    said.act(1, action)
    assert said.table.step == 1
    refused(said, 0, act, "this was for step 0; the table is at 1")
    refused(said, 1, act | {"step": 2}, "this was for step 2; the table is at 1")


def test_a_choice_is_seen_when_all_have_chosen() -> None:
    said = sitting(people=2)
    words, before = said.last[0]["actions"][0]["words"], said.last[1]
    said.act(0, said.last[0]["actions"][0]["action"])
    assert said.last[0]["chosen"] is not None
    assert said.last[0]["actions"] == []
    assert said.last[1] == before | {"waiting_for": [1]}
    said.act(1, said.last[1]["actions"][0]["action"])
    assert said.last[1]["log"][0]["lines"][0] == f"player_0 {words.replace('lay', 'lays')}"


def test_a_player_with_nothing_to_decide_is_not_waited_for_and_cannot_act() -> None:
    said = sitting("kado", people=2, players=2, opponents=[])
    assert said.last[1]["actions"] == []
    assert said.last[1]["waiting_for"] == [0]
    refused(said, 1, {"type": "act", "step": 0, "action": 0}, "player_1 has nothing to decide now")
    refused(said, 1, {"type": "hint", "step": 0}, "player_1 has nothing to decide now")


def test_an_illegal_action_is_refused_with_those_that_are_legal() -> None:
    said = sitting()
    for action in (99, -1, 0, 10**30, "dance", ""):
        refused(said, 0, {"type": "act", "step": 0, "action": action}, "; there are 5: lay ")


def test_a_stranger_has_no_seat() -> None:
    table = sitting().table
    for seat in (1, 7, -1):
        with pytest.raises(ValueError, match="seat must be one of"):
            table.hear(seat, {"type": "look"})


# --- taking back, and trying again --------------------------------------------------------


def test_a_choice_is_taken_back_until_it_is_revealed() -> None:
    said = sitting(people=2)
    first, *_, last = said.last[0]["actions"]
    before, back = dict(said.last), {"type": "take_back", "step": 0}
    refused(said, 0, back, "player_0 has chosen nothing that could be taken back")
    said.act(0, first["action"])
    refused(said, 1, back, "player_1 has chosen nothing that could be taken back")
    said.say(0, back)
    assert said.last == before
    said.act(0, last["action"])
    said.act(1, first["action"])
    assert said.last[1]["log"][0]["lines"][0].startswith(
        last["words"].replace("lay", "player_0 lays")
    )
    refused(said, 0, back, "this was for step 0; the table is at 1")


def test_a_game_is_ended_at_any_of_its_steps() -> None:
    """While slow agents played on, `New game` was too late, and had to be pressed again."""
    said = sitting()
    said.choose()
    assert said.table.step == 1
    said.say(0, {"type": "new", "step": 0, "deck": "same"})
    assert (said.table.first, said.last[0]["log"]) == (2, [])
    refused(said, 0, {"type": "new", "step": 1, "deck": "same"}, "this was for step 1; the table")


def course(said: Sitting, choices: list[int]) -> list[dict[str, Any]]:
    """The positions after each of these choices, without what tells one course from another."""
    seen = []
    for choice in choices:
        said.act(0, said.last[0]["actions"][choice]["action"])
        seen.append({**said.last[0], "step": 0, "counts": None, "log": lines_of(said)})
    return seen


def lines_of(said: Sitting) -> list[list[str]]:
    return [each["lines"] for each in said.last[0]["log"]]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_tried_again_from_an_earlier_step_and_then_does_not_count(game: str) -> None:
    said = sitting(game)
    course(said, [0, 1])
    before, step = said.last[0], said.table.step
    first = course(said, [0, 1, 0])
    last = said.table.step
    said.say(0, {"type": "again", "step": last, "to": step})
    assert said.last[0] == before | {"step": last + 1, "counts": False}
    assert course(said, [0, 1, 0]) == first  # all but the choice is as it was, chance too
    said.say(0, {"type": "again", "step": said.table.step, "to": last + 1})
    assert course(said, [1])[0]["log"] != first[0]["log"]
    said.play()
    record = parse_record(only(said.say(0, {"type": "record"}))["record"])
    *_, end = replay(record)
    assert end.scores[0].tolist() == [each["score"] for each in said.last[0]["players"]]
    assert len(record.lines) == len(said.last[0]["log"])
    assert not said.last[0]["counts"]
    said.say(0, {"type": "new", "step": said.table.step, "deck": "other"})
    assert said.last[0]["counts"]


def test_nobody_goes_back_where_others_play_or_to_where_this_game_was_not() -> None:
    said = sitting()
    course(said, [0, 0])
    assert [each["again"] for each in said.last[0]["log"]] == [True, True]
    again = {"type": "again", "step": 2, "to": 2}
    refused(said, 0, again, "to must be a step of this game that was played, not 2")
    said.say(0, {"type": "new", "step": 2, "deck": "other"})
    refused(said, 0, again | {"step": 3, "to": 1}, "to must be a step of this game")
    said = sitting(people=2)
    said.choose()
    assert not said.last[0]["log"][0]["again"]
    refused(said, 0, again | {"step": 1, "to": 0}, "nobody can go back in it alone")


def test_an_analysis_that_fails_is_told_once_and_given_up() -> None:
    """It went on for ever, saying how far it was."""

    class OneAtATime(FirstAgent):
        def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
            if view.num_envs > 1:
                raise ValueError("one at a time, please")
            return super().act(view, rng)

        def action_values(self, view: View) -> np.ndarray:
            return np.zeros((view.num_envs, view.num_actions))

    game = registry.batch_game("kododo", 1, num_players=2)
    table = Table(game, [None, FirstAgent()], OneAtATime(), seed=0)
    Sitting(table).play()
    for _ in range(2):
        told = table.talk(0, {"type": "analyse"})[0]
        assert told[-1]["error"] == "one at a time, please"
        assert table.play_on() == {}


def test_a_game_that_is_over_is_analysed_piece_by_piece_while_others_are_heard() -> None:
    said = sitting("combi_combo", people=2)
    table, said.table.worlds = said.table, 16
    refused(said, 0, {"type": "analyse"}, "ask for it when the game is over")
    said.play()
    begun = only(table.hear(0, {"type": "analyse"})[0])
    assert begun == {"type": "analysing", "step": table.step, "share": 0}
    shares, said_on = [], table.play_on()
    while only(said_on[0])["type"] == "analysing":
        shares.append(only(said_on[0])["share"])
        assert only(table.hear(1, {"type": "look"})[1]) == said.last[1]
        said_on = table.play_on()
    found = only(said_on[0])
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    assert table.play_on() == {}
    assert only(table.hear(0, {"type": "analyse"})[0]) == found
    assert len(found["chances"]) == len(said.last[0]["log"]) + 1
    assert found["chances"][-1] == [said.last[0]["players"][0]["won"]] * 3
    assert 0 < len(found["choices"]) <= 3
    for choice in found["choices"]:
        assert choice["to"] == said.last[0]["log"][choice["step"] - 1]["step"] == choice["step"] - 1
        assert "<svg" in choice["picture"]
    said.say(0, {"type": "new", "step": table.step, "deck": "same"})
    refused(said, 0, {"type": "analyse"}, "ask for it when the game is over")


# --- reloading, new games -----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_player_who_reloads_sees_the_last_position_again(game: str) -> None:
    said = sitting(game, people=2)
    for _ in range(5):
        said.choose()
        for seat in (0, 1):
            seen = said.last[seat]
            assert only(said.say(seat, '{"type": "look"}')) == seen


def test_a_new_game_has_the_same_cards_or_others() -> None:
    said = sitting()
    first = said.last[0]["text"]
    said.play()
    over = said.table.step
    said.say(0, {"type": "new", "step": over, "deck": "same"})
    again = said.last[0]
    assert (again["text"], again["log"], again["over"]) == (first, [], False)
    late = {"type": "new", "step": over, "deck": "other"}
    refused(said, 0, late, f"this was for step {over}; the table is at {over + 1}")
    refused(said, 0, {"type": "record"}, "ask for it when the game is over")
    said.say(0, {"type": "new", "step": over + 1, "deck": "other"})
    assert said.last[0]["text"] != first
    said.play()
    record = parse_record(only(said.say(0, {"type": "record"}))["record"])
    assert len(record.lines) == 18


def test_nobody_ends_a_game_that_others_play() -> None:
    said = sitting(people=2)
    new = {"type": "new", "step": 0, "deck": "other"}
    said.say(0, new)
    said.say(0, new)
    assert said.table.step == 0
    assert said.last[1]["ask_for_new"] == [0]
    said.say(1, new)
    assert said.table.step == 1
    assert said.last[0]["ask_for_new"] == []
    said.play()
    said.say(0, {"type": "new", "step": said.table.step, "deck": "other"})  # one will do now
    assert not said.last[1]["over"]


# --- hints, records -----------------------------------------------------------------------


def test_a_hint_has_the_probabilities_of_a_policy_and_its_value() -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    said = sitting(hints=None)
    hint = only(said.say(0, {"type": "hint", "step": 0}))
    chances = [each["probability"] for each in hint["actions"]]
    assert hint["by"] == "kododo-4p"
    assert isinstance(hint["value"], float)
    assert sum(chances) == pytest.approx(1, abs=1e-5)
    assert chances == pytest.approx(sorted(chances, reverse=True), abs=1e-4)
    offered = {each["action"]: each["words"] for each in said.last[0]["actions"]}
    assert {each["action"]: each["words"] for each in hint["actions"]} == offered


@pytest.mark.parametrize("noise", [-1e-7, 0, 1e-7])
def test_a_hint_names_equals_by_their_numbers(noise: float) -> None:
    """First comes the action that a policy would play, whatever the last bit of a chance."""
    game = registry.batch_game("kododo", 1, seed=0)
    said = Sitting(Table(game, [None, *[RandomAgent()] * 3], Even(noise)))
    hint = only(said.say(0, {"type": "hint", "step": 0}))
    legal = game.view(0).legal_action_mask[0].nonzero()[0]
    assert [each["action"] for each in hint["actions"]] == legal.tolist()


@pytest.mark.parametrize("game", GAMES)
def test_a_scripted_player_hints_by_the_values_of_actions(game: str) -> None:
    said = sitting(game)
    hint = only(said.say(0, {"type": "hint", "step": said.table.step}))
    agent, view = make_agent("heuristic", game), said.table._game.view(0)
    values = agent.action_values(view)[:, 0]  # type: ignore[attr-defined]
    assert {each["action"]: each["value"] for each in hint["actions"]} == {
        action: pytest.approx(values[action])
        for action in np.flatnonzero(view.legal_action_mask[0])
    }


def test_hints_are_refused_where_there_are_none() -> None:
    game = registry.batch_game("kododo", 1, seed=0)
    said = Sitting(Table(game, [None, *[RandomAgent()] * 3]))
    assert said.last[0]["hints"] is False
    refused(said, 0, {"type": "hint", "step": 0}, "nobody gives hints at this table")


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_same_deal_when_it_is_over(game: str) -> None:
    """Against the same luck of the others, as if a person had chosen as it does."""
    asks, said = (sitting(game, opponents=["random"], hints="greedy") for _ in range(2))
    refused(said, 0, {"type": "par"}, "a bot plays the same deal when the game is over")
    said.play()
    par = only(said.say(0, {"type": "par"}))
    table = asks.table
    bot: list[Agent | None] = [make_agent("greedy", game), *[None] * (table._game.num_players - 1)]
    while not asks.last[0]["over"]:
        rng = np.random.default_rng([table.seed, len(table._past), 1])
        asks.act(0, int(joint_action(bot, table._game, rng)[0, 0]))
    assert par["by"] == "greedy"
    assert par["scores"] == [each["score"] for each in asks.last[0]["players"]]
    assert par["won"] == [each["won"] for each in asks.last[0]["players"]]
    assert "deal" not in sitting(game).last[0]  # it would tell all cards
    assert asks.last[0]["deal"] == said.last[0]["deal"]


def test_the_command_of_a_deal_deals_it_again() -> None:
    rules = {"variant": "long", "target_score": 30}
    said = sitting("kododo", players=3, opponents=["greedy", "random"], rules=rules)
    said.play()
    deal = said.last[0]["deal"]
    assert deal["command"] == (
        "python -m kododo_env play kododo --players 3 --opponents greedy random "
        "--rules variant=long target_score=30 --seed 1"
    )
    told = parse_rules(deal["command"].split(" --rules ")[1].split(" --seed ")[0].split())
    sitting("kododo", players=3, opponents=["greedy", "random"], rules=told)
    said.say(0, {"type": "new", "step": said.table.step, "deck": "other"})
    said.play()
    other = said.last[0]["deal"]["seed"]
    again = sitting("kododo", players=3, opponents=["greedy", "random"], rules=rules, seed=other)
    assert again.last[0]["hand"] != sitting("kododo", players=3).last[0]["hand"]
    said.say(0, {"type": "new", "step": said.table.step, "deck": "same"})
    assert again.last[0]["hand"] == said.last[0]["hand"]


def test_the_command_of_a_deal_names_agents_as_they_were_given(tmp_path: Path) -> None:
    """A file random.onnx became the agent random, and a bot's class a name that nobody knows."""
    file, bot = tmp_path / "random.onnx", tmp_path / "bot.py"
    shutil.copy(policy_path("kado-3p"), file)
    bot.write_text(
        "from kododo_env.core.agent import RandomAgent\n"
        "class Fun(RandomAgent):\n"
        "    name = 'Fun bot'\n"
    )
    given = [f"{bot}:Fun", str(file)]
    said = sitting("kado", players=3, opponents=given, rotate=True, seat=1)
    said.say(1, {"type": "new", "step": said.table.step, "deck": "other"})
    said.play()
    words = shlex.split(said.last[1]["deal"]["command"])
    assert words[words.index("--opponents") + 1 : words.index("--seat")] == given
    assert "--rules" not in words  # they are as they come


def test_a_record_that_is_none_is_refused_with_its_line() -> None:
    said = sitting()
    said.play()
    record = only(said.say(0, {"type": "record"}))["record"]
    lines = record.splitlines(keepends=True)
    short = "".join(lines[:-1])
    refused(said, 0, {"type": "replay", "record": short}, "line 18: the record is cut short")
    wrong = "".join([*lines[:5], lines[5].replace('"actions": [', '"actions": [9'), *lines[6:]])
    refused(said, 0, {"type": "replay", "record": wrong}, "line 6: ")
    refused(said, 0, {"type": "replay", "record": ""}, "line 1: ")


def test_a_record_is_shown_piece_by_piece_while_others_are_heard_and_play() -> None:
    """One message held the table for everybody until its whole record was shown."""
    said = sitting("kododo", people=2)
    record = recorded(registry.batch_game("kado", 1))[0].text()
    pieces = said.table.hear_in_pieces(0, {"type": "replay", "record": record})
    for _ in range(8):
        assert next(pieces) == {}
        said.choose()
    *empty, last = pieces
    assert said.last[1]["step"] >= 8
    assert empty == [{}] * (len(record.splitlines()) - 8)
    assert len(only(last[0])["steps"]) == len(record.splitlines())


def test_a_record_that_is_too_long_for_a_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mebibyte of lines held the table for half a minute, and took 510 MB."""
    said = sitting()
    rules = dataclasses.asdict(kododo_v0.Rules.tiny()) | {"variant": "long", "target_score": 250}
    record = recorded(registry.batch_game("kododo", 1, **rules))[0].text()
    lines = len(record.splitlines())
    monkeypatch.setattr(replaying, "MOST_STEPS", lines - 2)
    refused(said, 0, {"type": "replay", "record": record}, "too long for a table")
    monkeypatch.setattr(replaying, "MOST_STEPS", lines - 1)
    shown = only(said.say(0, {"type": "replay", "record": record}))
    assert len(shown["steps"]) == lines
    monkeypatch.setattr(replaying, "MOST_CHARACTERS", 100_000)
    *pieces, last = said.table.hear_in_pieces(0, {"type": "replay", "record": record})
    assert "too long for a table" in only(last[0])["error"]
    assert len(pieces) < 8  # it is not played on


def test_a_bot_plays_the_same_deal_piece_by_piece_while_others_are_heard() -> None:
    said = sitting("combi_combo", people=2, hints="heuristic")
    said.play()
    wanted = only(said.say(0, {"type": "par"}))
    pieces = said.table.hear_in_pieces(0, {"type": "par"})
    while not (answer := next(pieces)):
        assert only(said.say(1, {"type": "look"})) == said.last[1]
    assert answer == {0: [wanted]}
    pieces = said.table.hear_in_pieces(0, {"type": "par"})
    assert next(pieces) == {}
    said.say(1, {"type": "new", "step": said.table.step, "deck": "other"})
    assert "when the game is over" in only(next(pieces)[0])["error"]


# --- malformed messages -------------------------------------------------------------------


def test_twenty_thousand_malformed_messages_change_nothing() -> None:
    said, rng = sitting(people=2), np.random.default_rng(0)
    for _ in range(4):
        said.choose()
    before, told = state_of(said.table), []
    said._heard = lambda seat, message: told.append((seat, message["type"]))
    for _ in range(20_000):
        message = malformed(rng)
        only(said.say(1, message))
    assert set(told) == {(1, "error")}
    assert differences(before, state_of(said.table)) == []
    said.play()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "a message must be JSON, not '{'"),
        (b"\xff", "a message must be JSON, not b'\\xff'"),
        ("[" * 100_000, "a message must be JSON, and not so deeply nested"),
        ("1" * 10_000, "a message must be JSON, not '111"),
        ("[]", 'a message is an object such as {"type": "look"}, not []'),
        (
            {},
            "the type of a message is one of look, act, speak, take_back, again, rules, hint, new, "
            "record, analyse, par, replay, lesson, leave, not None",
        ),
        ({"type": "look", "x": 1}, "'look' has no field 'x'; it has none besides"),
        ({"type": "act", "step": 0}, "'act' needs the field 'action'"),
        ({"type": "act", "step": "0", "action": 5}, "step must be a whole number, not '0'"),
        ({"type": "act", "step": True, "action": 5}, "step must be a whole number, not True"),
        ({"type": "act", "step": 0, "action": 5.0}, "action must be the number or the words"),
        ({"type": "act", "step": -1, "action": 5}, "step must be 0 to "),
        ({"type": "new", "step": 0, "deck": "old"}, "deck must be 'same' or 'other', not 'old'"),
        ({"type": "speak", "language": ["en"]}, "language must be one of en, de, fr, not ['en']"),
        ({"type": "replay", "record": 5}, "record must be the text of a record, not 5"),
    ],
)
def test_the_error_says_what_was_wrong(message: object, words: str) -> None:
    refused(sitting(), 0, message, words)


# --- making a table -----------------------------------------------------------------------


class Broken:
    """Plays what is not legal."""

    name = "broken"

    def act(self, view: Any, rng: Any) -> Any:
        return np.full(view.num_envs, 99)


def test_an_agent_that_fails_loses_nothing() -> None:
    table = Table(registry.batch_game("kododo", 1), [None, Broken(), Broken(), Broken()], seed=0)
    said = Sitting(table)
    with pytest.raises(ValueError, match="illegal action in kododo"):
        said.act(0, said.last[0]["actions"][0]["action"])
    assert (table.step, table.waiting_for) == (0, [])
    assert only(table.hear(0, {"type": "look"})[0])["chosen"] is not None


@pytest.mark.parametrize(
    ("chances", "value", "words"),
    [
        (None, [0.5], "must give 15 numbers for a hint, not None"),
        ([[1.0], [2.0, 3.0]], [0.5], "must give 15 numbers for a hint, not [[1.0], [2.0, 3.0]]"),
        ([[np.nan] * 15], [0.5], "must give finite numbers for a hint, not [[nan"),
        ([[-1.0] * 15], [0.5], "must give chances of 0 to 1, not [[-1.0, "),
        ([[1 / 15] * 15], None, "must give 1 numbers for a hint, not None"),
        ([[1 / 15] * 15], [0.5], ""),
    ],
)
def test_a_hint_of_no_numbers_is_an_error_like_others(chances: Any, value: Any, words: str) -> None:
    """It ended the connection, or the terminal, with a traceback."""
    adviser: Any = Broken()
    adviser.probabilities, adviser.value = lambda view: chances, lambda view: value
    table = Table(registry.batch_game("kododo", 1), [None, *[Broken()] * 3], adviser, seed=0)
    (answer,) = table.talk(0, {"type": "hint", "step": 0})[0]
    assert words in answer.get("error", "") if words else answer["value"] == 0.5


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"people": 0}, "people must be 1 to 4, not 0"),
        ({"people": 5}, "people must be 1 to 4, not 5"),
        ({"players": 9}, "not 9"),
        (
            {"opponents": ["random"] * 2},
            "leave 3 seats for opponents: name 3, or one for all, not 2",
        ),
        ({"people": 4}, "leave 0 seats for opponents: name 0, or one for all, not 1"),
        ({"opponents": ["dance"]}, "unknown agent 'dance'"),
        ({"opponents": ["kado-4p"]}, "cannot play this game"),
        ({"hints": "random"}, "agent 'random' gives no hints"),
        ({"rules": {"x": 1}}, "kododo has no rule 'x'"),
    ],
)
def test_a_table_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    with pytest.raises(ValueError, match=words):
        sitting(**options)


def test_a_table_has_one_game_and_a_person() -> None:
    random = RandomAgent()
    for num_envs, agents, words in [
        (2, [None] * 4, "a batch of one, not of 2"),
        (1, [None] * 3, "4 seats need as many players, not 3"),
        (1, [random] * 4, "a table needs a person"),
    ]:
        with pytest.raises(ValueError, match=words):
            Table(registry.batch_game("kododo", num_envs), agents)


def test_under_rules_without_a_policy_the_best_scripted_player_plays() -> None:
    table = make_table("kododo", rules={"hand_size": 6, "removed_cards": 12}, seed=0)
    names = [each["name"] for each in table.talk(0, {"type": "look"})[0][0]["players"]]
    assert names == ["person", *["heuristic"] * 3]
