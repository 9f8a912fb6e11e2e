"""The table: the messages it accepts and sends, and to whom."""

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
from kododo_env.records import parse_record, replay
from kododo_env.review import replay as replay_module
from kododo_env.rules_arguments import parse_rules
from kododo_env.table.factory import make_table
from kododo_env.table.table import Table
from tests.game_tables import EXTREMES, GAMES
from tests.helpers import differences
from tests.play.people import People, malformed, state_of
from tests.records.games import recorded
from tests.toy_game.high_card.game import HighCard, Rules


def sitting(game: str = "kododo", people: int = 1, **options: Any) -> People:
    settings = {"opponents": ["random"], "hints": "heuristic", "seed": 1} | options
    return People(make_table(game, people=people, **settings))


def only(answer: list[dict[str, Any]]) -> dict[str, Any]:
    (message,) = answer
    return message


def refused(people: People, seat: int, message: object, words: str) -> None:
    """Assert that a message gets this error and changes nothing."""
    before = state_of(people.table)
    last = dict(people.last)
    answer = only(people.say(seat, message))
    assert answer["type"] == "error"
    assert words in answer["error"]
    assert "\n" not in answer["error"]
    assert differences(before, state_of(people.table)) == []
    assert last == people.last


class Even(RandomAgent):
    """Rates all legal actions equally, up to the last bits."""

    def __init__(self, noise: float = 0) -> None:
        self._noise = noise

    def probabilities(self, view: View) -> np.ndarray:
        probabilities = view.legal_action_mask / view.legal_action_mask.sum(axis=1, keepdims=True)
        return probabilities + self._noise * np.arange(view.num_actions)


# --- whole games --------------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), EXTREMES)
@pytest.mark.parametrize("num_people", [1, 2])
def test_whole_games_and_their_records(game: str, players: int, num_people: int) -> None:
    opponents = ["random"] if players > num_people else []
    people = sitting(game, num_people, players=players, opponents=opponents)
    people.play()
    last = people.last[num_people - 1]
    answer = only(people.say(0, {"type": "record"}))
    record = parse_record(answer["record"])
    *_, end = replay(record)
    assert end.scores[0].tolist() == [player["score"] for player in last["players"]]
    assert record.players == [player["name"] for player in last["players"]]
    replay_message = only(people.say(0, {"type": "replay", "record": answer["record"]}))
    assert len(replay_message["steps"]) == len(record.lines) + 1
    assert replay_message["steps"][-1]["scores"] == end.scores[0].tolist()
    assert replay_message["steps"][-1]["lines"][-1] == last["log"][-1]["lines"][-1]
    assert last["log"][-1]["events"][-1]["text"] == last["result"]


def test_a_game_that_tells_nothing_in_words_is_played_as_well() -> None:
    people = People(Table(HighCard(1, Rules()), [None, RandomAgent(), None], seed=0))
    assert people.last[0]["hand"] == []
    assert {action["kind"] for action in people.last[0]["actions"]}
    people.play()
    assert people.last[2]["log"][-1]["events"][0]["text"] == people.last[0]["result"]


def test_talk_says_every_step_for_itself() -> None:
    # With two agents of three, several steps follow a person's choice in KADO.
    table = make_table("kado", 3, ["random"], seed=1, pictures=False)
    message = table.talk(0, {"type": "look"})[0][-1]
    longest = 0
    while not message["over"]:
        act = {"type": "act", "step": message["step"], "action": message["actions"][0]["action"]}
        messages = table.talk(0, act)[0]
        steps = [reply["step"] for reply in messages]
        assert steps == list(range(steps[0], steps[0] + len(steps)))
        assert [len(reply["log"]) for reply in messages] == steps
        message = messages[-1]
        longest = max(longest, len(messages))
    assert longest > 3


# --- choosing -----------------------------------------------------------------------------


def test_an_action_is_chosen_by_its_number_or_its_words() -> None:
    by_number = sitting()
    by_words = sitting()
    for _ in range(6):
        action = by_number.last[0]["actions"][-1]
        by_number.act(0, action["action"])
        by_words.act(0, f"  {action['words'].upper()} ")
    assert by_number.last == by_words.last
    assert by_number.table.step == 6


def test_a_second_tab_a_late_message_and_another_step_do_nothing() -> None:
    people = sitting(people=2)
    action = people.last[0]["actions"][0]["action"]
    act = {"type": "act", "step": 0, "action": action}
    people.say(0, act)
    assert people.table.step == 0  # player_1 has not chosen
    refused(people, 0, act, "you have chosen already: lay ")
    refused(people, 0, act | {"action": action + 1}, "you have chosen already: lay ")
    people.act(1, action)
    assert people.table.step == 1
    refused(people, 0, act, "expected step 1, got step 0")
    refused(people, 1, act | {"step": 2}, "expected step 1, got step 2")


def test_a_choice_is_seen_when_all_have_chosen() -> None:
    people = sitting(people=2)
    words = people.last[0]["actions"][0]["words"]
    before = people.last[1]
    people.act(0, people.last[0]["actions"][0]["action"])
    assert people.last[0]["chosen"] is not None
    assert people.last[0]["actions"] == []
    assert people.last[1] == before | {"waiting_for": [1]}
    people.act(1, people.last[1]["actions"][0]["action"])
    assert people.last[1]["log"][0]["lines"][0] == f"player_0 {words.replace('lay', 'lays')}"


def test_a_player_with_nothing_to_decide_is_not_waited_for_and_cannot_act() -> None:
    people = sitting("kado", people=2, players=2, opponents=[])
    assert people.last[1]["actions"] == []
    assert people.last[1]["waiting_for"] == [0]
    refused(people, 1, {"type": "act", "step": 0, "action": 0}, "you have nothing to decide now")
    refused(people, 1, {"type": "hint", "step": 0}, "you have nothing to decide now")


def test_an_illegal_action_is_refused_with_those_that_are_legal() -> None:
    people = sitting()
    for action in (99, -1, 0, 10**30, "dance", ""):
        refused(people, 0, {"type": "act", "step": 0, "action": action}, "; choose from 5: lay ")


@pytest.mark.parametrize("game", GAMES)
def test_a_typed_action_is_understood_in_the_readers_language(game: str) -> None:
    people = sitting(game)
    people.say(0, {"type": "speak", "language": "de"})
    for _ in range(6):
        for action in people.last[0]["actions"]:
            forms = [" ".join(reversed(action["short"].split())), action["words"].upper()]
            for text in forms:
                answer = only(
                    people.say(
                        0, {"type": "interpret", "step": people.last[0]["step"], "text": text}
                    )
                )
                assert answer["text"] == action["words"]
        people.choose()


def test_a_line_that_is_no_action_is_answered_by_what_can_be_typed() -> None:
    people = sitting()
    forms = [action["short"] for action in people.last[0]["actions"]]
    first, _, _ = forms[0].partition(" ")
    for text, start in (
        ("", "You can type "),
        ("4", "'4' cannot be played"),
        (first, "only a part"),
    ):
        answer = only(people.say(0, {"type": "interpret", "step": 0, "text": text}))
        assert answer["action"] is None
        assert start in answer["text"]
        assert forms[0] in answer["text"]
        assert (forms[-1] in answer["text"]) == (text != first)
    people.act(0, forms[0])
    refused(people, 0, {"type": "interpret", "step": 0, "text": forms[0]}, "expected step")


def test_a_stranger_has_no_seat() -> None:
    table = sitting().table
    for seat in (1, 7, -1):
        with pytest.raises(ValueError, match="person must be one of"):
            table.hear(seat, {"type": "look"})


# --- taking back, and trying again --------------------------------------------------------


def test_a_choice_is_taken_back_until_it_is_revealed() -> None:
    people = sitting(people=2)
    first, *_, last = people.last[0]["actions"]
    before = dict(people.last)
    back = {"type": "take_back", "step": 0}
    refused(people, 0, back, "you have no choice to take back")
    people.act(0, first["action"])
    refused(people, 1, back, "you have no choice to take back")
    people.say(0, back)
    assert people.last == before
    people.act(0, last["action"])
    people.act(1, first["action"])
    assert people.last[1]["log"][0]["lines"][0].startswith(
        last["words"].replace("lay", "player_0 lays")
    )
    refused(people, 0, back, "expected step 1, got step 0")


def test_a_game_is_ended_at_any_of_its_steps() -> None:
    """Regression: while slow agents played on, `New game` was rejected as too late."""
    people = sitting()
    people.choose()
    assert people.table.step == 1
    people.say(0, {"type": "new", "step": 0, "deck": "same"})
    assert (people.table.game.first, people.last[0]["log"]) == (2, [])
    refused(people, 0, {"type": "new", "step": 1, "deck": "same"}, "got step 1")


def course(people: People, choices: list[int]) -> list[dict[str, Any]]:
    """Return the positions after these choices, without what differs between repetitions."""
    positions = []
    for choice in choices:
        people.act(0, people.last[0]["actions"][choice]["action"])
        positions.append({**people.last[0], "step": 0, "counts": None, "log": lines_of(people)})
    return positions


def lines_of(people: People) -> list[list[str]]:
    return [entry["lines"] for entry in people.last[0]["log"]]


@pytest.mark.parametrize("game", GAMES)
def test_a_game_is_tried_again_from_an_earlier_step_and_then_does_not_count(game: str) -> None:
    people = sitting(game)
    course(people, [0, 1])
    before = people.last[0]
    step = people.table.step
    first = course(people, [0, 1, 0])
    last = people.table.step
    people.say(0, {"type": "again", "step": last, "to": step})
    assert people.last[0] == before | {"step": last + 1, "counts": False}
    assert course(people, [0, 1, 0]) == first  # the randomness is repeated as well
    people.say(0, {"type": "again", "step": people.table.step, "to": last + 1})
    assert course(people, [1])[0]["log"] != first[0]["log"]
    people.play()
    record = parse_record(only(people.say(0, {"type": "record"}))["record"])
    *_, end = replay(record)
    assert end.scores[0].tolist() == [player["score"] for player in people.last[0]["players"]]
    assert len(record.lines) == len(people.last[0]["log"])
    assert not people.last[0]["counts"]
    people.say(0, {"type": "new", "step": people.table.step, "deck": "other"})
    assert people.last[0]["counts"]


def test_nobody_goes_back_where_others_play_or_to_where_this_game_was_not() -> None:
    people = sitting()
    course(people, [0, 0])
    assert [entry["again"] for entry in people.last[0]["log"]] == [True, True]
    request = {"type": "again", "step": 2, "to": 2}
    refused(people, 0, request, "to must be a step played in this game, not 2")
    people.say(0, {"type": "new", "step": 2, "deck": "other"})
    refused(people, 0, request | {"step": 3, "to": 1}, "to must be a step")
    people = sitting(people=2)
    people.choose()
    assert not people.last[0]["log"][0]["again"]
    refused(people, 0, request | {"step": 1, "to": 0}, "other people are playing")


def test_an_analysis_that_fails_is_told_once_and_given_up() -> None:
    """Regression: it went on for ever, reporting its progress."""

    class OneAtATime(FirstAgent):
        def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
            if view.num_envs > 1:
                raise ValueError("one at a time, please")
            return super().act(view, rng)

        def action_values(self, view: View) -> np.ndarray:
            return np.zeros((view.num_envs, view.num_actions))

    game = registry.batch_game("kododo", 1, num_players=2)
    table = Table(game, [None, FirstAgent()], OneAtATime(), seed=0)
    People(table).play()
    for _ in range(2):
        messages = table.talk(0, {"type": "analyse"})[0]
        assert messages[-1]["error"] == "one at a time, please"
        assert table.play_on() == {}


def test_a_game_that_is_over_is_analysed_piece_by_piece_while_others_are_heard() -> None:
    people = sitting("combi_combo", people=2)
    table = people.table
    table.worlds = 16
    refused(people, 0, {"type": "analyse"}, "wait until the game is over")
    people.play()
    progress = only(table.hear(0, {"type": "analyse"})[0])
    assert progress == {"type": "analysing", "step": table.step, "share": 0}
    shares = []
    replies = table.play_on()
    while only(replies[0])["type"] == "analysing":
        shares.append(only(replies[0])["share"])
        assert only(table.hear(1, {"type": "look"})[1]) == people.last[1]
        replies = table.play_on()
    analysis = only(replies[0])
    assert shares == sorted(shares)
    assert 0 < shares[0] < shares[-1] <= 1
    assert table.play_on() == {}
    assert only(table.hear(0, {"type": "analyse"})[0]) == analysis
    assert len(analysis["chances"]) == len(people.last[0]["log"]) + 1
    assert analysis["chances"][-1] == [people.last[0]["players"][0]["won"]] * 3
    assert 0 < len(analysis["choices"]) <= 3
    for choice in analysis["choices"]:
        assert (
            choice["to"] == people.last[0]["log"][choice["step"] - 1]["step"] == choice["step"] - 1
        )
        assert len(choice["scene"]["seats"]) == len(people.last[0]["players"])
    people.say(0, {"type": "new", "step": table.step, "deck": "same"})
    refused(people, 0, {"type": "analyse"}, "wait until the game is over")


# --- reloading, new games -----------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_a_player_who_reloads_sees_the_last_position_again(game: str) -> None:
    people = sitting(game, people=2)
    for _ in range(5):
        people.choose()
        for seat in (0, 1):
            position = people.last[seat]
            assert only(people.say(seat, '{"type": "look"}')) == position


def test_a_new_game_has_the_same_cards_or_others() -> None:
    people = sitting()
    first = people.last[0]["text"]
    people.play()
    over = people.table.step
    people.say(0, {"type": "new", "step": over, "deck": "same"})
    position = people.last[0]
    assert (position["text"], position["log"], position["over"]) == (first, [], False)
    late = {"type": "new", "step": over, "deck": "other"}
    refused(people, 0, late, f"expected step {over + 1}, got step {over}")
    refused(people, 0, {"type": "record"}, "wait until the game is over")
    people.say(0, {"type": "new", "step": over + 1, "deck": "other"})
    assert people.last[0]["text"] != first
    people.play()
    record = parse_record(only(people.say(0, {"type": "record"}))["record"])
    assert len(record.lines) == 18


def test_nobody_ends_a_game_that_others_play() -> None:
    people = sitting(people=2)
    new = {"type": "new", "step": 0, "deck": "other"}
    people.say(0, new)
    people.say(0, new)
    assert people.table.step == 0
    assert people.last[1]["ask_for_new"] == [0]
    people.say(1, new)
    assert people.table.step == 1
    assert people.last[0]["ask_for_new"] == []
    people.play()
    people.say(0, {"type": "new", "step": people.table.step, "deck": "other"})  # one is enough now
    assert not people.last[1]["over"]


# --- hints, records -----------------------------------------------------------------------


def test_a_hint_has_the_probabilities_of_a_policy_and_its_value() -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    people = sitting(hints=None)
    hint = only(people.say(0, {"type": "hint", "step": 0}))
    probabilities = [action["probability"] for action in hint["actions"]]
    assert hint["by"] == "kododo-4p"
    assert isinstance(hint["value"], float)
    assert sum(probabilities) == pytest.approx(1, abs=1e-5)
    assert probabilities == pytest.approx(sorted(probabilities, reverse=True), abs=1e-4)
    reasons = [reason for action in hint["actions"] for reason in action["reasons"]]
    assert {"key", "theme", "rule", "text", "parts"} <= reasons[0].keys()
    offered = {action["action"]: action["words"] for action in people.last[0]["actions"]}
    assert {action["action"]: action["words"] for action in hint["actions"]} == offered


@pytest.mark.parametrize("noise", [-1e-7, 0, 1e-7])
def test_a_hint_names_equals_by_their_numbers(noise: float) -> None:
    """The policy's own choice comes first, whatever the last bit of a probability."""
    game = registry.batch_game("kododo", 1, seed=0)
    people = People(Table(game, [None, *[RandomAgent()] * 3], Even(noise)))
    hint = only(people.say(0, {"type": "hint", "step": 0}))
    legal = game.view(0).legal_action_mask[0].nonzero()[0]
    assert [action["action"] for action in hint["actions"]] == legal.tolist()


@pytest.mark.parametrize("game", GAMES)
def test_a_scripted_player_hints_by_the_values_of_actions(game: str) -> None:
    people = sitting(game)
    hint = only(people.say(0, {"type": "hint", "step": people.table.step}))
    agent = make_agent("heuristic", game)
    view = people.table.game.batch.view(0)
    values = agent.action_values(view)[:, 0]  # type: ignore[attr-defined]
    assert {action["action"]: action["value"] for action in hint["actions"]} == {
        action: pytest.approx(values[action])
        for action in np.flatnonzero(view.legal_action_mask[0])
    }


def test_hints_are_refused_where_there_are_none() -> None:
    game = registry.batch_game("kododo", 1, seed=0)
    people = People(Table(game, [None, *[RandomAgent()] * 3]))
    assert people.last[0]["hints"] is False
    refused(people, 0, {"type": "hint", "step": 0}, "this table gives no hints")


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_plays_the_same_deal_when_it_is_over(game: str) -> None:
    """With the same randomness of the others, as if a person had made its choices."""
    asks, people = (sitting(game, opponents=["random"], hints="greedy") for _ in range(2))
    refused(people, 0, {"type": "par"}, "a bot plays the same deal when the game is over")
    people.play()
    par = only(people.say(0, {"type": "par"}))
    table = asks.table
    bot: list[Agent | None] = [
        make_agent("greedy", game),
        *[None] * (table.game.batch.num_players - 1),
    ]
    while not asks.last[0]["over"]:
        rng = np.random.default_rng([table.game.seed, len(table.game.past), 1])
        asks.act(0, int(joint_action(bot, table.game.batch, rng)[0, 0]))
    assert par["by"] == "greedy"
    assert par["scores"] == [player["score"] for player in asks.last[0]["players"]]
    assert par["won"] == [player["won"] for player in asks.last[0]["players"]]
    assert "deal" not in sitting(game).last[0]  # the deal would reveal all cards
    assert asks.last[0]["deal"] == people.last[0]["deal"]


def test_the_command_of_a_deal_deals_it_again() -> None:
    rules = {"variant": "long", "target_score": 30}
    people = sitting("kododo", players=3, opponents=["greedy", "random"], rules=rules)
    people.play()
    deal = people.last[0]["deal"]
    assert deal["command"] == (
        "python -m kododo_env play kododo --players 3 --opponents greedy random "
        "--rules variant=long target_score=30 --seed 1"
    )
    parsed_rules = parse_rules(deal["command"].split(" --rules ")[1].split(" --seed ")[0].split())
    sitting("kododo", players=3, opponents=["greedy", "random"], rules=parsed_rules)
    people.say(0, {"type": "new", "step": people.table.step, "deck": "other"})
    people.play()
    other_seed = people.last[0]["deal"]["seed"]
    replayed = sitting(
        "kododo", players=3, opponents=["greedy", "random"], rules=rules, seed=other_seed
    )
    assert replayed.last[0]["hand"] != sitting("kododo", players=3).last[0]["hand"]
    people.say(0, {"type": "new", "step": people.table.step, "deck": "same"})
    assert replayed.last[0]["hand"] == people.last[0]["hand"]


def test_the_command_of_a_deal_names_agents_as_they_were_given(tmp_path: Path) -> None:
    """Regression: random.onnx became the agent random, and a bot's class an unknown name."""
    file = tmp_path / "random.onnx"
    bot = tmp_path / "bot.py"
    shutil.copy(policy_path("kado-3p"), file)
    bot.write_text(
        "from kododo_env.core.agent import RandomAgent\n"
        "class Fun(RandomAgent):\n"
        "    name = 'Fun bot'\n"
    )
    opponents = [f"{bot}:Fun", str(file)]
    people = sitting("kado", players=3, opponents=opponents, rotate=True, seat=1)
    people.say(1, {"type": "new", "step": people.table.step, "deck": "other"})
    people.play()
    words = shlex.split(people.last[1]["deal"]["command"])
    assert words[words.index("--opponents") + 1 : words.index("--seat")] == opponents
    assert "--rules" not in words  # the default rules


def test_a_record_that_is_none_is_refused_with_its_line() -> None:
    people = sitting()
    people.play()
    record = only(people.say(0, {"type": "record"}))["record"]
    lines = record.splitlines(keepends=True)
    short = "".join(lines[:-1])
    refused(people, 0, {"type": "replay", "record": short}, "line 18: the record is truncated")
    wrong = "".join([*lines[:5], lines[5].replace('"actions": [', '"actions": [9'), *lines[6:]])
    refused(people, 0, {"type": "replay", "record": wrong}, "line 6: ")
    refused(people, 0, {"type": "replay", "record": ""}, "line 1: ")


def test_a_record_is_shown_piece_by_piece_while_others_are_heard_and_play() -> None:
    """Regression: one message blocked the table until its whole record was shown."""
    people = sitting("kododo", people=2)
    record = recorded(registry.batch_game("kado", 1))[0].text()
    request = {"type": "replay", "record": record}
    assert people.table.hear(0, request) == {0: []}
    assert people.table.hear(0, request) == {0: []}  # it is shown once
    for step in range(8):
        assert people.table.play_on() == {0: []}
        position = people.last[1]
        act = {"type": "act", "step": step, "action": position["actions"][0]["action"]}
        people.table.hear(0, act)
        people.take(people.table.hear(1, act))
        people.take(people.table.play_on())
    *empty, last = iter(people.table.play_on, {})
    assert people.table.step == 8
    assert empty == [{0: []}] * (len(record.splitlines()) - 9)
    assert len(only(last[0])["steps"]) == len(record.splitlines())


def test_a_record_that_is_too_long_for_a_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: a megabyte of lines blocked the table and took much memory."""
    people = sitting()
    rules = dataclasses.asdict(kododo_v0.Rules.tiny()) | {"variant": "long", "target_score": 250}
    record = recorded(registry.batch_game("kododo", 1, **rules))[0].text()
    lines = len(record.splitlines())
    monkeypatch.setattr(replay_module, "MOST_STEPS", lines - 2)
    refused(people, 0, {"type": "replay", "record": record}, "too long for a table")
    monkeypatch.setattr(replay_module, "MOST_STEPS", lines - 1)
    message = only(people.say(0, {"type": "replay", "record": record}))
    assert len(message["steps"]) == lines


def test_a_bot_plays_the_same_deal_piece_by_piece_while_others_are_heard() -> None:
    people = sitting("combi_combo", people=2, hints="heuristic")
    people.play()
    expected = only(people.say(0, {"type": "par"}))
    table = people.table
    assert table.hear(0, {"type": "par"}) == {0: []}
    while (replies := table.play_on()) == {0: []}:
        assert only(table.hear(1, {"type": "look"})[1]) == people.last[1]
    assert replies == {0: [expected]}
    table.hear(0, {"type": "par"})
    table.hear(1, {"type": "new", "step": table.step, "deck": "other"})
    assert "when the game is over" in only(table.play_on()[0])["error"]


# --- malformed messages -------------------------------------------------------------------


def test_twenty_thousand_malformed_messages_change_nothing() -> None:
    people = sitting(people=2)
    rng = np.random.default_rng(0)
    for _ in range(4):
        people.choose()
    before = state_of(people.table)
    kinds = []
    people._listener = lambda seat, message: kinds.append((seat, message["type"]))
    for _ in range(20_000):
        message = malformed(rng)
        only(people.say(1, message))
    assert set(kinds) == {(1, "error")}
    assert differences(before, state_of(people.table)) == []
    people.play()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("{", "not JSON, or truncated: '{'"),
        (b"\xff", "not JSON, or truncated: b'\\xff'"),
        ("[" * 100_000, "JSON must be nested at most"),
        ("1" * 10_000, "limit"),
        ("[]", "expected a JSON object"),
        ([], "must be an object"),
        ({}, "message type None; choose from look, act, speak, rename, take_back, again, "),
        ({"type": "look", "x": 1}, "unknown field 'x'; expected type"),
        ({"type": "act", "step": 0}, "missing field 'action'"),
        ({"type": "act", "step": "0", "action": 5}, "step must be "),
        ({"type": "act", "step": True, "action": 5}, "step must be "),
        ({"type": "act", "step": 0, "action": 5.0}, "action must be an integer or a string"),
        ({"type": "act", "step": -1, "action": 5}, "step must be 0 to "),
        ({"type": "new", "step": 0, "deck": "old"}, "deck must be one of same, other, not 'old'"),
        ({"type": "speak", "language": ["en"]}, "language must be one of en, de, fr, not ['en']"),
        ({"type": "replay", "record": 5}, "record must be a string, not 5"),
    ],
)
def test_the_error_says_what_was_wrong(message: object, words: str) -> None:
    refused(sitting(), 0, message, words)


# --- making a table -----------------------------------------------------------------------


class Broken:
    """Plays an illegal action."""

    name = "broken"

    def act(self, view: Any, rng: Any) -> Any:
        return np.full(view.num_envs, 99)


def test_an_agent_that_fails_loses_nothing() -> None:
    table = Table(registry.batch_game("kododo", 1), [None, Broken(), Broken(), Broken()], seed=0)
    people = People(table)
    with pytest.raises(ValueError, match="illegal action in kododo"):
        people.act(0, people.last[0]["actions"][0]["action"])
    assert (table.step, table.stage.waiting_for) == (0, [])
    assert only(table.hear(0, {"type": "look"})[0])["chosen"] is not None


@pytest.mark.parametrize(
    ("probabilities", "value", "words"),
    [
        (None, [0.5], "must return 15 finite numbers for a hint, not None"),
        (
            [[1.0], [2.0, 3.0]],
            [0.5],
            "must return 15 finite numbers for a hint, not [[1.0], [2.0, 3.0]]",
        ),
        ([[np.nan] * 15], [0.5], "must return 15 finite numbers for a hint, not [[nan"),
        ([[-1.0] * 15], [0.5], "must return probabilities from 0 to 1, not [[-1.0, "),
        ([[1 / 15] * 15], None, "must return 1 finite numbers for a hint, not None"),
        ([[1 / 15] * 15], [0.5], ""),
    ],
)
def test_a_hint_of_no_numbers_is_an_error_like_others(
    probabilities: Any, value: Any, words: str
) -> None:
    """Regression: it ended the connection, or the terminal, with a traceback."""
    adviser: Any = Broken()
    adviser.probabilities = lambda view: probabilities
    adviser.value = lambda view: value
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
            r"expected 3 opponents \(4 players, 1 of them people\), or one for all seats, got 2",
        ),
        ({"people": 4}, "expected 0 opponents "),
        ({"opponents": ["dance"]}, "unknown agent 'dance'"),
        ({"opponents": ["kado-4p"]}, "cannot play this game"),
        ({"hints": "random"}, "agent 'random' cannot give hints"),
        ({"rules": {"x": 1}}, "unknown rule 'x'"),
    ],
)
def test_a_table_that_cannot_be_is_refused(options: dict[str, Any], words: str) -> None:
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    with pytest.raises(ValueError, match=words):
        sitting(**options)


def test_a_table_has_one_game_and_a_person() -> None:
    random = RandomAgent()
    for num_envs, agents, words in [
        (2, [None] * 4, "a batch of one game, not of 2"),
        (1, [None] * 3, "expected 4 agents, one per seat, got 3"),
        (1, [random] * 4, "at least one person"),
    ]:
        with pytest.raises(ValueError, match=words):
            Table(registry.batch_game("kododo", num_envs), agents)


def test_under_rules_without_a_policy_the_best_scripted_player_plays() -> None:
    table = make_table("kododo", rules={"hand_size": 6, "removed_cards": 12}, seed=0)
    names = [player["name"] for player in table.talk(0, {"type": "look"})[0][0]["players"]]
    assert names == ["person", *["heuristic"] * 3]
