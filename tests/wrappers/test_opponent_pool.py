"""Opponents that a pool draws at each deal, in every wrapper."""

from __future__ import annotations

import copy
import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kododo_env import kododo_v0
from kododo_env.core import RandomAgent, View
from kododo_env.core.agent import LastAgent, joint_action, joint_action_by_game
from kododo_env.wrappers import OpponentPool
from kododo_env.wrappers.opponent_pool import Lineup
from tests.game_tables import EXTREMES
from tests.helpers import random_actions
from tests.wrappers.interfaces import (
    AEC,
    EVERY_MODE,
    KINDS,
    SB3,
    Disabled,
    FirstActionAgent,
    Interface,
    Parallel,
    SameStep,
    SlotLog,
    Vector,
    play,
)
from tests.wrappers.test_every_wrapper import equal_episodes

all_kinds = pytest.mark.parametrize("kind", KINDS)
MANY = (Vector, SameStep, Disabled, SB3)


class FirstRows:
    """Plays the first legal action, by row, and records how many rows were requested."""

    name = "first rows"
    by_row = True

    def __init__(self) -> None:
        self.rows: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        assert len(view.observation) == len(view.legal_action_mask) == view.num_envs
        self.rows.append(view.num_envs)
        return view.legal_action_mask.argmax(axis=1)


def lineups(table: Interface) -> list[tuple[Any, ...]]:
    """Return the agents in the seats of each game."""
    if isinstance(table, Vector):
        return [*table.env.get_attr("lineup")]
    if isinstance(table, SB3):
        return table.env.get_attr("lineup")[:: len(table.seats)]
    return [table.env.lineup]


def names(table: Interface) -> list[list[str | None]]:
    return [[agent and agent.name for agent in lineup] for lineup in lineups(table)]


# --- drawing --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", EVERY_MODE)
def test_a_pool_draws_at_each_deal_for_each_seat_and_game(kind: Any) -> None:
    table = kind(
        opponents=OpponentPool(
            [FirstActionAgent("a"), FirstActionAgent("b"), FirstActionAgent("c")]
        )
    )
    drawn = []
    for seed in range(12):
        table.reset(seed)
        drawn.append(names(table))
        assert all(lineup[0] is None for lineup in drawn[-1])
        table.step(table.game.legal_action_mask()[:, 0].argmax(axis=1).tolist())
        assert names(table) == drawn[-1]  # until the next deal
    for seat in (1, 2, 3):
        assert {lineup[seat] for game in drawn for lineup in game} == {"a", "b", "c"}
    assert any(len({*lineup[1:]}) > 1 for game in drawn for lineup in game)
    assert kind not in MANY or any(game[0] != game[1] for game in drawn)


@pytest.mark.parametrize("kind", EVERY_MODE)
def test_a_pool_draws_when_games_are_dealt_again(kind: Any) -> None:
    """``BatchVecEnv`` and ``make_vec`` deal automatically."""
    table = kind(
        opponents=OpponentPool([FirstActionAgent("a"), FirstActionAgent("b")]),
        illegal_action="random",
    )
    rng = np.random.default_rng(0)
    drawn = set()
    reply = table.reset(0)
    for _ in range(200):
        if all(reply.over) and kind is Disabled:
            table.env.reset(options={"reset_mask": table.game.terminated})
        elif all(reply.over) and kind not in MANY:
            table.reset()
        reply = table.step(
            rng.integers(table.game.num_actions, size=len(reply.observations)).tolist()
        )
        drawn.add(str(names(table)))
    assert len(drawn) > 4


@pytest.mark.parametrize("kind", MANY)
def test_games_that_are_dealt_together_may_have_the_same_opponents(kind: Any) -> None:
    table = kind(
        opponents=OpponentPool([FirstActionAgent("a"), FirstActionAgent("b")], per="episode")
    )
    drawn = set()
    for seed in range(10):
        table.reset(seed)
        assert all(lineup == names(table)[0] for lineup in names(table))
        drawn.add(str(names(table)[0]))
    assert len(drawn) > 3


def test_games_that_go_on_keep_their_opponents() -> None:
    """In Kododo's long variant games end at different times, and are dealt later."""
    pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")
    from kododo_env.wrappers.sb3 import BatchVecEnv

    game = kododo_v0.batch_game(30, 3, "long", target_score=18)
    env = BatchVecEnv(game, opponents=OpponentPool([FirstActionAgent("a"), FirstActionAgent("b")]))
    env.seed(0)
    env.reset()
    rng = np.random.default_rng(0)
    changed = []
    for _ in range(150):
        before = env.get_attr("lineup")
        env.step(random_actions(game, rng)[:, env.seats].ravel())
        pairs = zip(before, env.get_attr("lineup"), strict=True)
        different = np.array([old != new for old, new in pairs])
        assert not game.terminated[different].any()
        if different.any():
            changed.append(different.mean())
    assert len(changed) > 5
    assert max(changed) < 1


def test_weights_say_how_often_each_is_drawn() -> None:
    pool = OpponentPool(["random", "first", "last"], weights=[3, 0, 1])
    candidates, numbers = pool.draw(np.random.default_rng(0), 1000, 4)
    assert list(candidates) == ["random", "first", "last"]
    assert numbers.shape == (1000, 4)
    assert np.bincount(numbers.ravel(), minlength=3) / 4000 == pytest.approx(
        [0.75, 0, 0.25], abs=0.03
    )


@all_kinds
def test_a_pool_has_some_of_the_seats(kind: Any) -> None:
    pool = OpponentPool(["last"])
    table = kind(opponents=["first", None, pool, "random"])
    assert [*table.env.opponents].count(pool) == 1
    table.reset(0)
    assert names(table)[0] == ["first", None, "last", "random"]


@all_kinds
def test_a_function_draws_for_all_seats_of_the_pool(kind: Any) -> None:
    calls: list[Any] = []

    def draw(rng: np.random.Generator) -> Any:
        calls.append(rng.random())
        return [["first", "last", "random"], "last"][len(calls) % 2]

    table = kind(opponents=OpponentPool(draw))
    calls.clear()
    table.reset(0)
    expected = [[None, "last", "last", "last"], [None, "first", "last", "random"]] * 2
    assert names(table) == expected[: kind.num_envs]
    assert len({*calls}) == kind.num_envs


@pytest.mark.parametrize("seat", [1, "random"])
@pytest.mark.parametrize("kind", EVERY_MODE)
@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_each_game_is_played_by_its_own_opponents(
    game: str, players: int, kind: Any, seat: Any
) -> None:
    """An agent that decides by rows is called for its own games only, any other for all games."""
    rows = FirstRows()
    pool = OpponentPool([rows, LastAgent()])
    options = kind.lineup([pool, None, *[pool] * (players - 2)])
    if kind.one_learner:
        options["seat"] = seat
        options["opponents"] = pool
    table = kind(game, players, illegal_action="random", **options)
    step = table.game.step
    checked = Counter()

    def watched(actions: np.ndarray) -> None:
        mask = table.game.legal_action_mask()
        expected_rows = 0
        for index, lineup in enumerate(lineups(table)):
            for player, agent in enumerate(lineup):
                legal = np.flatnonzero(mask[index, player])
                if agent is not None:
                    assert actions[index, player] == legal[0 if agent is rows else -1]
                    if len(legal) > 1:
                        checked[agent.name] += 1
                    if agent is rows and mask[:, player].sum(axis=1).max() > 1:
                        expected_rows += 1
        assert sum(rows.rows) == expected_rows
        rows.rows.clear()
        step(actions)

    table.game.step = watched
    play(table, np.random.default_rng(0), *range(6))
    assert min(checked["first rows"], checked["last"]) > 5


def test_agents_in_some_games_play_as_they_do_in_all() -> None:
    game = kododo_v0.batch_game(50, 4, seed=0)
    rng = np.random.default_rng(0)
    agents = [FirstRows(), LastAgent()]
    numbers = rng.integers(-1, 2, (50, 4))
    actions = joint_action_by_game(agents, numbers, game, rng)
    for number, agent in enumerate(agents):
        whole = joint_action([agent] * 4, game, rng)
        assert np.array_equal(actions[numbers == number], whole[numbers == number])
    nobody = joint_action([None] * 4, game, rng)
    assert np.array_equal(actions[numbers == -1], nobody[numbers == -1])


@all_kinds
def test_an_agent_with_a_memory_begins_where_it_is_drawn(kind: Any) -> None:
    class Remembers(LastAgent):
        name = "remembers"
        length: dict[int, int]

        def __init__(self) -> None:
            self.length = {}

        def begin(self, view: View) -> None:
            assert view.just_dealt.all()
            self.length[view.player] = 0

        def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
            assert self.length[view.player] == view.steps_played
            self.length[view.player] += 1
            return super().act(view, rng)

    agent = Remembers()
    table = kind(opponents=OpponentPool([agent, "first"]), illegal_action="random")
    play(table, np.random.default_rng(0), *range(4))
    assert {*agent.length} == {1, 2, 3}


# --- randomness and failures ----------------------------------------------------------


@pytest.mark.parametrize("look", [False, True])
@pytest.mark.parametrize("per", ["game", "episode"])
@pytest.mark.parametrize("kind", EVERY_MODE)
def test_the_same_seed_draws_the_same_opponents(kind: Any, per: Any, look: bool) -> None:
    """Whether or not anybody reads the line-up."""

    def run(look: bool) -> list[SlotLog]:
        pool = OpponentPool(["random", "heuristic", "last"], [2, 1, 1], per)
        seat = {"seat": "random"} if kind.one_learner else {}
        table = kind(players=3, illegal_action="random", opponents=pool, **seat)
        if look:
            lineups(table)
            step = table.env.step
            reset = table.env.reset

            def watch(call: Any) -> Any:
                def call_and_look(*args: Any, **options: Any) -> Any:
                    result = call(*args, **options)
                    lineups(table)
                    return result

                return call_and_look

            table.env.step = watch(step)
            table.env.reset = watch(reset)
        return play(table, np.random.default_rng(0), 7, None, 8)

    assert equal_episodes(run(False), run(look))


def test_earlier_draws_do_not_change_the_order_in_which_agents_choose() -> None:
    """Regression: agents that had not played came last, and so drew their random numbers last."""
    pool = OpponentPool(["random", "heuristic", "last"])
    lineup = Lineup([pool, pool], kododo_v0.batch_game(3, 3), np.random.default_rng(0))
    orders = set()
    for earlier in range(20):
        lineup.deal(np.random.default_rng(earlier))
        lineup.deal(np.random.default_rng(7))
        orders.add(tuple(agent.name for agent in lineup.agents))
    assert len(orders) == 1


@pytest.mark.parametrize("way", [pickle, copy])
@pytest.mark.parametrize("kind", [Parallel, AEC, Vector])
def test_a_copy_has_the_opponents_that_were_drawn(kind: Any, way: Any) -> None:
    table = kind(opponents=OpponentPool(["random", "heuristic"]), illegal_action="random")
    table.reset(0)
    twin = copy.copy(table)
    twin.env = copy.deepcopy(table.env) if way is copy else pickle.loads(pickle.dumps(table.env))
    assert names(twin) == names(table)
    episodes = [
        play(candidate, np.random.default_rng(1), None, None) for candidate in (table, twin)
    ]
    assert equal_episodes(*episodes)


@pytest.mark.parametrize(
    ("drawn", "message"),
    [
        ("nobody", "unknown agent 'nobody'"),
        ("kododo-3p", "3p"),
        (5, "must return an agent .* not 5"),
        (None, "must return an agent .* not None"),
        (["first"] * 2, "one agent, or 3, one for each seat of the pool, not 2"),
        (["first", "first", OpponentPool(["first"])], "must return an agent"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_a_function_draws_is_checked(kind: Any, drawn: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        kind(opponents=OpponentPool(lambda rng: drawn))


@pytest.mark.parametrize("kind", EVERY_MODE)
def test_a_function_that_fails_ends_the_episode(kind: Any) -> None:
    fails = False

    def draw(rng: np.random.Generator) -> Any:
        if fails:
            raise KeyError("it fails")
        return "random"

    table = kind(opponents=OpponentPool(draw), illegal_action="random")
    table.step([0] * len(table.reset(0).observations))
    fails = True
    with pytest.raises(KeyError):
        table.reset(1)
    if kind is not SB3:
        with pytest.raises(RuntimeError, match=r"call reset\(\)"):
            table.step([0] * kind.num_envs)
    fails = False
    assert play(table, np.random.default_rng(0), 5)


# --- setting --------------------------------------------------------------------------


@all_kinds
def test_another_pool_can_be_set_during_a_game(kind: Any) -> None:
    old = FirstActionAgent("old")
    new = FirstActionAgent("new")
    table = kind(opponents=OpponentPool([old]))
    table.step([5] * len(table.reset(0).observations))
    table.env.opponents = pool = OpponentPool([new, "last"])
    old.acted_seats.clear()
    table.step(table.game.legal_action_mask()[:, 0].argmax(axis=1).tolist())
    assert old.acted_seats == []
    assert new.acted_seats or kind not in MANY
    assert [*table.env.opponents].count(pool) == 3
    table.env.opponents = table.env.opponents
    table.env.opponents = "heuristic"
    assert names(table)[0] == [None, *["heuristic"] * 3]


@pytest.mark.parametrize("kind", MANY)
def test_another_pool_can_be_set_as_an_attribute(kind: Any) -> None:
    table = kind(opponents="random")
    table.reset(0)
    table.env.set_attr("opponents", OpponentPool(["first", "last"]))
    assert {name for lineup in names(table) for name in lineup} == {None, "first", "last"}
    with pytest.raises(AttributeError, match="lineup"):
        table.env.set_attr("lineup", "first")


@all_kinds
def test_a_pool_that_cannot_play_changes_nothing(kind: Any) -> None:
    table = kind(opponents=OpponentPool(["random"]))
    before = table.env.opponents
    for wrong in ("nobody", "kododo-3p", "combi_combo-4p"):
        for opponents in (
            OpponentPool(["random", wrong]),
            [None, "first", "first", OpponentPool([wrong])],
        ):
            with pytest.raises(ValueError, match=r"unknown agent|3p|combi_combo"):
                table.env.opponents = opponents
            with pytest.raises(ValueError, match=r"unknown agent|3p|combi_combo"):
                kind(opponents=opponents)
    assert table.env.opponents == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "a list of agents"),
        (("random",), "a list of agents"),
        ((RandomAgent(),), "a list of agents"),
        ((RandomAgent,), "a list of agents"),
        (([OpponentPool(["random"])],), "a list of agents"),
        (([None, "random"],), "a list of agents"),
        ((["first", "last"], [1]), "weights must be 2 non-negative numbers"),
        ((["first", "last"], [1, -1]), "weights must be 2 non-negative numbers"),
        ((["first", "last"], [0, 0]), "not all 0"),
        ((["first", "last"], [1, float("nan")]), "weights must be 2 non-negative numbers"),
        ((["first", "last"], [1, float("inf")]), "weights must be 2 non-negative numbers"),
        ((["first", "last"], ["a", "b"]), "weights must be 2 non-negative numbers"),
        ((["first", "last"], {"first": 1}), "weights must be 2 non-negative numbers"),
        ((lambda rng: "first", [1]), "weights need a list"),
        ((["first"], None, "step"), "per must be one of 'game', 'episode', not 'step'"),
    ],
)  # fmt: skip
def test_a_pool_that_is_none_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        OpponentPool(*arguments)


# --- records --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Parallel, AEC])
def test_a_record_names_the_opponents_that_were_drawn(kind: Any, tmp_path: Path) -> None:
    pool = OpponentPool([FirstActionAgent("a"), FirstActionAgent("b")])
    table = kind(opponents=pool, record=tmp_path, illegal_action="random")
    expected = []
    for seed in range(5):
        play(table, np.random.default_rng(0), seed)
        expected.append(["player_0", *names(table)[0][1:]])
    headers = [json.loads(path.read_text().splitlines()[0]) for path in sorted(tmp_path.iterdir())]
    assert [header["players"] for header in headers] == expected


def test_a_pool_says_what_it_has() -> None:
    assert repr(OpponentPool(["first", "last"])) == "<OpponentPool of 2 agents, per game>"
    assert "a function" in repr(OpponentPool(lambda rng: "first", per="episode"))
