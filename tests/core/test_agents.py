"""Random legal play, the protocols of agents, and joint actions."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import POLICIES, baselines, load, make_agent
from kododo_env.core import BatchGame, View
from kododo_env.core.agent import (
    TIE,
    ActionValueAgent,
    Agent,
    FirstAgent,
    LastAgent,
    ProbabilisticAgent,
    RandomAgent,
    best_legal,
    check_agents,
    first_of_best,
    joint_action,
    over_seats,
    random_legal_actions,
    ranks,
)
from kododo_env.core.view import JoinedView, own_facts
from kododo_env.policy.numpy_session import NumpySession
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.game_tables import GAMES, TABLES
from tests.helpers import play_random


class Last:
    """Plays the last legal action and records the seats and generators of its calls."""

    name = "last"

    def __init__(self) -> None:
        self.seats_asked: list[int] = []
        self.rngs: list[np.random.Generator] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        self.seats_asked.append(view.player)
        self.rngs.append(rng)
        mask = view.legal_action_mask
        return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def test_every_legal_action_has_the_same_probability_and_no_other_has_one() -> None:
    mask = np.array([[True, False, True, True], [False, True, False, False]])
    chosen = random_legal_actions(np.broadcast_to(mask, (30_000, 2, 4)), np.random.default_rng(0))
    assert chosen.shape == (30_000, 2)
    count = np.bincount(chosen[:, 0], minlength=4)
    assert count[1] == 0
    # Three bins of 10,000 with a standard deviation of 82 each.
    assert (abs(count[[0, 2, 3]] - 10_000) < 450).all()
    assert (chosen[:, 1] == 1).all()


def test_the_first_of_those_that_are_as_good_as_the_best_is_chosen() -> None:
    values = np.array([[0, 1 - 0.9 * TIE, 1], [0, 1 - 1.1 * TIE, 1], [1, -np.inf, 1]])
    assert first_of_best(values).tolist() == [1, 2, 0]
    assert first_of_best(values.astype(np.float32)).tolist() == [1, 2, 0]


def test_equals_are_ranked_by_their_numbers() -> None:
    """Small noise does not change the ranks, and rank 0 is the action that is played."""
    values = np.array([[0.5, 1, 2, 1 + 0.9 * TIE, 0.5], [1, 2, 3, 4, 5], [3, 3, 3, 3, 3]])
    expected_ranks = [[3, 1, 0, 2, 4], [4, 3, 2, 1, 0], [0, 1, 2, 3, 4]]
    noise = np.random.default_rng(0).uniform(-1e-6, 1e-6, (100, *values.shape))
    assert (ranks(values + noise) == expected_ranks).all()
    assert ranks(values[0]).tolist() == expected_ranks[0]
    assert (ranks(values[:1, :1]).tolist(), ranks(values).dtype) == ([[0]], np.dtype(np.int64))
    chain = np.array([0, 0.9 * TIE, 1.8 * TIE])  # each within TIE of the next
    assert ranks(chain).tolist() == [2, 0, 1]
    assert first_of_best(chain) == 1


def test_a_single_mask_gives_a_single_action() -> None:
    assert random_legal_actions(np.array([False, False, True]), np.random.default_rng(0)) == 2


@pytest.mark.parametrize(
    "shape", [*((n,) for n in range(1, 99, 2)), *((1, 1, n) for n in range(2, 99, 2)),
              (0, 5), (3, 5), (5, 5), (2, 2, 5), (100, 3, 7)],
)  # fmt: skip
def test_few_and_many_choices_are_drawn_alike(shape: tuple[int, ...]) -> None:
    """The same random numbers give the same actions for any shape and code path."""
    masks, rng, expected_rng = (np.random.default_rng(seed) for seed in (0, 1, 1))
    mask = masks.random(shape) < 0.4
    mask[..., masks.integers(shape[-1])] = True
    for _ in range(2):
        chosen = random_legal_actions(mask, rng)
        count = mask.cumsum(axis=-1)
        assert np.array_equal(
            chosen, (count > expected_rng.integers(count[..., -1:])).argmax(axis=-1)
        )
        assert np.shape(chosen) == shape[:-1]
        assert chosen.dtype == np.int64
    assert rng.bit_generator.state == expected_rng.bit_generator.state


def test_the_random_agent_plays_what_its_view_allows() -> None:
    game = registry.batch_game("kododo", 50, 0)
    view = game.view(2)
    chosen = RandomAgent().act(view, np.random.default_rng(3))
    expected_actions = random_legal_actions(view.legal_action_mask, np.random.default_rng(3))
    assert np.array_equal(chosen, expected_actions)
    assert len(set(chosen.tolist())) > 5


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_an_agent_is_asked_where_it_decides_and_the_others_are_filled_in(
    game: str, players: int
) -> None:
    played = registry.batch_game(game, 3, 0, num_players=players)
    choices = np.random.default_rng(0)
    while not played.terminated.all():
        agent = Last()
        rng = np.random.default_rng(1)
        before = played.state()
        chosen = joint_action([agent] * played.num_players, played, rng)
        mask = played.legal_action_mask()
        deciding = played.deciding()
        assert agent.seats_asked == np.flatnonzero(deciding.any(axis=0)).tolist()
        assert all(agent_rng is rng for agent_rng in agent.rngs)
        last = mask.shape[2] - 1 - mask[:, :, ::-1].argmax(axis=2)
        assert np.array_equal(chosen, last)
        assert played.steps_played == before["steps_played"]
        play_random(played, choices, 1)


def test_a_seat_without_agent_has_its_first_legal_action() -> None:
    game = registry.batch_game("combi_combo", 40, 0, num_players=4)
    agent = Last()
    chosen = joint_action([None, agent, None, None], game, np.random.default_rng(0))
    mask = game.legal_action_mask()
    assert agent.seats_asked == [1]
    assert len(np.unique(mask[:, 0].argmax(axis=1))) > 1  # each game has its own
    assert np.array_equal(chosen[:, [0, 2, 3]], mask[:, [0, 2, 3]].argmax(axis=2))
    assert (chosen[:, 1] > mask[:, 1].argmax(axis=1)).all()
    chosen[:] = 0  # it is the caller's own
    assert np.array_equal(mask, game.legal_action_mask())


@pytest.mark.parametrize("game", ["kododo", "combi_combo", "kado"])
def test_a_policy_that_is_asked_for_all_seats_at_once_plays_as_if_asked_for_each(
    game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    played = registry.batch_game(game, 7, 0, num_players=4)
    policy = load(f"{game}-4p")
    choices = np.random.default_rng(0)
    policy.temperature = 0.5  # type: ignore[attr-defined]
    mixed_agents = [RandomAgent(), RandomAgent(), policy, policy]
    batch_sizes: list[int] = []
    act = type(policy).act

    def counted(self: Any, view: View, rng: np.random.Generator) -> np.ndarray:
        batch_sizes.append(view.num_envs)
        return act(self, view, rng)

    monkeypatch.setattr(type(policy), "act", counted)
    together = set()
    while not played.terminated.all():
        for agents in ([policy] * 4, mixed_agents):
            chosen = []
            for by_row in (True, False):
                monkeypatch.setattr(policy, "by_row", by_row)
                batch_sizes.clear()
                chosen.append(joint_action(agents, played, np.random.default_rng(1), first=2))
                together.add(max(batch_sizes, default=0) // played.num_envs)
                assert by_row or set(batch_sizes) <= {played.num_envs}
            assert np.array_equal(*chosen)
        play_random(played, choices, 1)
    assert 2 in together


def test_answers_of_any_shape_are_told_apart_by_seats() -> None:
    game = registry.batch_game("kododo", 3, 0)
    policy = make_agent("kododo-4p", "kododo")
    assert isinstance(policy, ProbabilisticAgent)
    together = over_seats(policy.probabilities, policy, game, [2, 0])
    assert together.shape == (2, 3, game.num_actions)
    one_by_one = [policy.probabilities(game.view(seat)) for seat in (2, 0)]
    assert np.allclose(together, one_by_one, atol=1e-5)


def test_a_view_of_several_seats_shows_one_after_the_other_and_deals_no_worlds() -> None:
    game = registry.batch_game("kododo", 3, 0)
    joined = JoinedView(game, [2, 0])
    views = [game.view(2), game.view(0)]
    assert (joined.num_envs, joined.player) == (6, 2)
    assert np.array_equal(joined.observation, np.vstack([view.observation for view in views]))
    assert np.array_equal(
        joined.legal_action_mask, np.vstack([view.legal_action_mask for view in views])
    )
    with pytest.raises(TypeError, match="one player"):
        joined.determinize(np.random.default_rng(0), 1)
    play_random(game, np.random.default_rng(0), 1)
    with pytest.raises(RuntimeError, match="earlier turn"):
        JoinedView.observation.fget(joined)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("first", "order"), [(0, [0, 1, 2, 3]), (2, [2, 3, 0, 1]), (4, [0, 1, 2, 3])]
)
def test_agents_are_asked_in_turn_order_from_a_seat_on(first: int, order: list[int]) -> None:
    game = registry.batch_game("kododo", 2, 0)
    agent = Last()
    joint_action([agent] * 4, game, np.random.default_rng(0), first)
    assert agent.seats_asked == order


class Numbered(ActionValueAgent):
    """Values an action by its number, plays the best legal one, and records its generator."""

    name = "numbered"

    def action_values(self, view: View) -> np.ndarray:
        return np.tile(np.arange(view.num_actions, dtype=float)[:, None] - 99, view.num_envs)

    def choose(self, values: np.ndarray, view: View, rng: np.random.Generator) -> np.ndarray:
        self.rng = rng
        return best_legal(values, view)


def test_an_agent_with_action_values_plays_by_them() -> None:
    view = registry.batch_game("combi_combo", 40, seed=0, num_players=4).view(1)
    agent = Numbered()
    rng = np.random.default_rng(0)
    assert (agent.act(view, rng) == Last().act(view, rng)).all()
    assert agent.rng is rng


@pytest.mark.parametrize("game", GAMES)
def test_the_first_and_the_last_legal_action_are_played_by_two_agents(game: str) -> None:
    """They are not registered as baselines, but kits and fuzzers use them."""
    game_batch = registry.batch_game(game, 4, 0)
    rng = np.random.default_rng(0)
    for _ in range(6):
        legal = [np.flatnonzero(row) for row in game_batch.legal_action_mask()[:, 1]]
        assert FirstAgent().act(game_batch.view(1), rng).tolist() == [
            actions[0] for actions in legal
        ]
        assert LastAgent().act(game_batch.view(1), rng).tolist() == [
            actions[-1] for actions in legal
        ]
        play_random(game_batch, rng, 1)


def test_a_view_names_the_facts_that_a_game_has_added_and_nobody_writes_into_them() -> None:
    view = registry.batch_game("kododo", 3, 0).view(1)
    facts = own_facts(view)
    assert list(facts) == ["hand", "last_table", "table", "turn"]
    assert facts["hand"] is view.hand
    for array in (view.hand, view.scores, view.observation, view.legal_action_mask):
        assert not array.flags.writeable


def test_an_agent_that_can_check_is_asked_about_the_game() -> None:
    checked_games: list[BatchGame] = []

    class Checking(RandomAgent):
        def check(self, game: BatchGame) -> None:
            checked_games.append(game)

    game = registry.batch_game("kododo", 1)
    check_agents(game, [Checking(), None, RandomAgent()])
    assert checked_games == [game]


def test_an_agent_that_answers_later_is_refused() -> None:
    """Regression: the agent was called, and Python warned of a coroutine never awaited."""

    class Later:
        name = "later"

        async def act(self, view: View, rng: np.random.Generator) -> Any:
            return view.legal_action_mask.argmax(axis=1)

    later: Any = Later()
    with pytest.raises(ValueError, match=r"'later'.*asynchronous"):
        check_agents(registry.batch_game("kododo", 1, 0), [later])


def test_as_many_agents_as_seats() -> None:
    game = registry.batch_game("kododo", 2, 0)
    with pytest.raises(ValueError, match=r"4 .*3$"):
        joint_action([Last()] * 3, game, np.random.default_rng(0))


# --- threads --------------------------------------------------------------------------


def agents_of(game: str) -> list[Agent]:
    """The scripted players of a game, its policy by both sessions, and a search."""
    slow = load(f"{game}-4p")
    assert isinstance(slow, OnnxAgent)
    slow._session = NumpySession((POLICIES / f"{game}-4p.onnx").read_bytes(), 1, None)
    names = [*baselines(game), f"{game}-4p", "search:random:4"]
    return [*(make_agent(name, game) for name in names), slow]


@pytest.mark.parametrize("game", GAMES)
def test_threads_with_a_batch_each_play_as_one_thread_does(game: str) -> None:
    """The threads share the agents, and with them the memory bound by a policy's session."""
    agents = agents_of(game)

    def played(seed: int) -> list[list[float]]:
        batch = registry.batch_game(game, 2, seed, num_players=4)
        rng = np.random.default_rng(seed)
        history: list[list[float]] = []
        while len(history) < 16 and not batch.terminated.all():
            first = seed + len(history)
            seats = [agents[(first + seat) % len(agents)] for seat in range(4)]
            batch.step(joint_action(seats, batch, rng))
            history.append([*batch.rewards.ravel().tolist(), *batch.observe().ravel().tolist()])
        return history

    seeds = range(4)
    switch_interval = sys.getswitchinterval()
    sequential = [played(seed) for seed in seeds]
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(4) as pool:
            several = [*pool.map(played, seeds)]
    finally:
        sys.setswitchinterval(switch_interval)
    assert several == sequential
