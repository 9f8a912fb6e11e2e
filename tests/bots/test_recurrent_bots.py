"""Bots that keep a memory: row i of a view is the same game, and ``begin`` marks a new deal."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from kododo_env import kado_v0, kododo_v0, make_agent, registry
from kododo_env.arena.benchmark import Benchmark, decision_time
from kododo_env.arena.forfeits import ForfeitingAgent
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.match import play
from kododo_env.arena.tournament import Tournament
from kododo_env.arrays.dtypes import Array, Int64
from kododo_env.core import BatchGame, View
from kododo_env.core.agent import check_forgets
from kododo_env.review.hints import check_adviser
from kododo_env.search.search import SearchAgent
from kododo_env.table.saved_game import resume, saved_game
from kododo_env.table.table import Table
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.arena.players import report_of
from tests.play.people import People

EXAMPLE = Path(__file__).parents[2] / "docs/examples/bots/recurrent.py"
LONG = {"variant": "long", "num_players": 2, "target_score": 40}


class Remembering:
    """Plays the first legal action, and stores all that each seat has seen of each game.

    Attributes:
        observations: By seat and game the observations since the deal.
        num_begins: How often each seat's memory was begun.
    """

    name = "remembering"

    def __init__(self) -> None:
        self.observations: dict[tuple[int, int], list[Array]] = {}
        self.num_begins: Counter[int] = Counter()
        self.num_probability_calls = 0

    def begin(self, view: View) -> None:
        assert view.just_dealt.any()
        self.num_begins[view.player] += 1
        for game in np.flatnonzero(view.just_dealt).tolist():
            self.observations[view.player, game] = []

    def act(self, view: View, rng: np.random.Generator) -> Int64:
        for game, row in enumerate(view.observation):
            self.observations[view.player, game].append(row)
        return view.legal_action_mask.argmax(axis=1)

    def probabilities(self, view: View) -> Array:
        self.num_probability_calls += 1
        return view.legal_action_mask / view.legal_action_mask.sum(axis=1, keepdims=True)

    def lengths(self) -> dict[tuple[int, int], int]:
        return {place: len(memory) for place, memory in self.observations.items()}


# --- matches ----------------------------------------------------------------------------------


def test_a_match_begins_the_memory_of_each_seat_for_each_rotation() -> None:
    alone = Remembering()
    copies = Remembering()
    Match(alone, copies, "kododo", 3, 12).play()
    assert alone.num_begins == {0: 1, 1: 1, 2: 1}
    assert copies.num_begins == {0: 2, 1: 2, 2: 2}
    assert set(alone.lengths().values()) == {21}


def test_a_seat_that_decides_later_is_begun_at_the_deal() -> None:
    """KADO's players decide one after another, so the first decision does not mark a deal."""
    agent = Remembering()
    game = registry.batch_game("kado", 4, 0, num_players=3)
    rng = np.random.default_rng(0)
    for deal in range(1, 3):
        play([agent] * 3, game, game.sample_decks(4, rng), rng)
        assert agent.num_begins == {0: deal, 1: deal, 2: deal}


def test_agents_without_a_memory_are_asked_nothing_more() -> None:
    check_forgets(make_agent("heuristic", "kododo"))
    Match("first", "random", "kododo", 2, 2).play()


def test_the_errors_of_begin_are_the_bots(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(
        "class Bot:\n    def begin(self, view): {}['x']\n    def act(self, view, rng): 0"
    )
    with pytest.raises(ValueError, match=r"bot .*:Bot fails: KeyError: 'x' \(bot.py, line 2\)"):
        Match(f"{bot}:Bot", "random", "kododo", 2, 2).play()
    forfeiting = ForfeitingAgent(make_agent(f"{bot}:Bot", "kododo"), 5)
    game = registry.batch_game("kododo", 1, 0, num_players=2)
    play([forfeiting, forfeiting], game, game.sample_decks(1, game.rng), game.rng)
    assert "KeyError" in forfeiting.faults[0]


def test_agents_around_a_bot_hand_the_deal_on() -> None:
    game = registry.batch_game("kododo", 2, 0, num_players=2)
    bot = Remembering()
    play([ForfeitingAgent(bot, 5)] * 2, game, game.sample_decks(2, game.rng), game.rng)
    assert bot.num_begins == {0: 1, 1: 1}
    assert decision_time(Benchmark(f"{EXAMPLE}:Bot", "kododo", 2, quick=True)) > 0


# --- environments -----------------------------------------------------------------------------


def first_of(mask: Array) -> Int64:
    return np.asarray(mask).argmax(axis=-1)


@pytest.mark.parametrize("module", [kododo_v0, kado_v0])
def test_opponents_of_pettingzoo_are_begun_at_each_deal(module: Any) -> None:
    agent = Remembering()
    env = module.parallel_env(num_players=2, opponents=[None, agent])
    for seed in range(2):
        _, infos = env.reset(seed=seed)
        while env.agents:
            *_, infos = env.step({"player_0": int(first_of(infos["player_0"]["action_mask"]))})
    assert agent.num_begins == {1: 2}


def test_opponents_of_gymnasium_are_begun_at_each_deal() -> None:
    agent = Remembering()
    env = gymnasium.make("kododo_env:kododo/Kododo-v0", num_players=3, opponents=agent)
    for seed in range(2):
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(first_of(info["action_mask"])))
    assert agent.num_begins == {1: 2, 2: 2}


@pytest.mark.parametrize("seat", [1, "random"])
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_opponents_of_a_vector_are_begun_at_each_deal(seat: Any, mode: str) -> None:
    agent = Remembering()
    envs = gymnasium.make_vec(
        "kododo_env:kododo/Kododo-v0", 8, num_players=2, opponents=agent, seat=seat,
        autoreset_mode=mode,
    )  # fmt: skip
    _, info = envs.reset(seed=0)
    ended = 0
    while ended < 3:
        *_, terminated, _, info = envs.step(first_of(info["action_mask"]))
        ended += bool(terminated.all())
    seats = {0} if seat == 1 else {0, 1}
    assert set(agent.num_begins) == seats
    assert set(agent.num_begins.values()) <= {3, 4}


def test_games_that_are_dealt_while_others_go_on_are_told_apart() -> None:
    agent = Remembering()
    game = registry.batch_game("kododo", 12, 5, **LONG)
    envs = BatchVecEnv(game, opponents=[None, agent])
    envs.reset()
    decisions = np.zeros(12, int)  # since the deal of each game
    dealt_alone = False
    for _ in range(100):
        waiting = game.terminated.copy()
        *_, done, _ = envs.step(first_of(envs.action_masks()))
        decisions += 1
        assert list(agent.lengths().values()) == decisions.tolist()
        dealt = (waiting | done) & ~game.terminated
        dealt_alone |= bool(dealt.any() and not dealt.all())
        decisions[dealt] = 0
    assert dealt_alone


# --- tables -----------------------------------------------------------------------------------


def table_with(agent: Remembering, seed: int = 3) -> Table:
    game = registry.batch_game("kododo", 1, 0, num_players=2)
    return Table(game, [None, agent], seed=seed, pictures=False)


def played(table: Table, choices: int) -> People:
    people = People(table)
    for _ in range(choices):
        people.choose()
    return people


def memory_of(agent: Remembering) -> list[list[int]]:
    return [row.tolist() for row in agent.observations[1, 0]]


def test_an_agent_at_a_table_remembers_a_game_in_which_a_person_goes_back() -> None:
    agent = Remembering()
    straight = Remembering()
    table = table_with(agent)
    people = played(table, 5)
    people.say(0, {"type": "again", "step": table.step, "to": 2})
    played(table_with(straight), 2)
    assert memory_of(agent) == memory_of(straight)
    people.choose()
    assert len(memory_of(agent)) == 3


def test_an_agent_at_a_table_remembers_a_game_that_was_kept() -> None:
    agent = Remembering()
    later = Remembering()
    table = table_with(agent)
    played(table, 4)
    resume(table_with(later), saved_game(table))
    assert memory_of(later) == memory_of(agent)
    assert len(memory_of(later)) == 4


@pytest.mark.parametrize("use", [SearchAgent, check_adviser])
def test_who_asks_in_any_order_refuses_a_memory(use: Any) -> None:
    with pytest.raises(ValueError, match="'remembering' keeps a memory of its games"):
        use(Remembering())


# --- the example ------------------------------------------------------------------------------


def test_the_example_plays_in_a_tournament() -> None:
    bot = f"{EXAMPLE}:Bot"
    report = report_of(Tournament("kododo", (bot, "random", "heuristic"), 3, 48), workers=2)
    assert {standing.agent for standing in report.standings} == {bot, "random", "heuristic"}


def moves(bot: Any, games: BatchGame, decks: Array) -> list[list[int]]:
    """Return the bot's actions in seat 1, by step and game."""
    game = games
    rng = np.random.default_rng(0)
    noted: list[list[int]] = []
    first = make_agent("first", game.name)

    class Watching:
        def step(self, actions: Any) -> None:
            noted.append(np.asarray(actions)[:, 1].tolist())

        def end(self) -> None:
            pass

    play([first, bot], game, decks, rng, lambda game: Watching())
    return noted


def test_the_example_plays_each_game_of_a_batch_as_it_plays_it_alone() -> None:
    bot: Any = make_agent(f"{EXAMPLE}:Bot", "kododo")
    games = registry.batch_game("kododo", 6, 0, num_players=2)
    decks = games.sample_decks(6, np.random.default_rng(1))
    together = np.array(moves(bot, games, decks))
    for index, deck in enumerate(decks):
        alone = registry.batch_game("kododo", 1, 0, num_players=2)
        assert np.array_equal(moves(bot, alone, deck[None]), together[:, index : index + 1])
    states = bot.states[1]
    bot.begin(registry.batch_game("kododo", 1, 0, num_players=2).view(1))
    assert states.any()
    assert not bot.states[1].any()
