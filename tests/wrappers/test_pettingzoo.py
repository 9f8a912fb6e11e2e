"""The PettingZoo dialects of every game: PettingZoo's own tests, and what those leave out."""

from __future__ import annotations

import pickle
from dataclasses import fields
from importlib.util import find_spec
from inspect import signature
from itertools import combinations
from typing import Any

import cloudpickle
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils import aec_to_parallel

from kododo_env import kododo_v0, registry
from kododo_env.core import View
from kododo_env.doors import TableOptions
from kododo_env.testing import check_parallel_env
from kododo_env.wrappers import AECGame, ParallelGame
from tests.doors import ALL_ALIKE, EXTREMES, GAMES, TABLES, forced_deck
from tests.toy_game import high_card_v0

Episode = list[tuple[Any, ...]]


def parallel(game: str, players: int, **options: Any) -> ParallelGame:
    env = registry.door(game).parallel_env(num_players=players, **options)
    assert isinstance(env, ParallelGame)
    return env


def aec(game: str, players: int, **options: Any) -> AECGame:
    env = registry.door(game).env(num_players=players, **options)
    assert isinstance(env, AECGame)
    return env


def legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def choose(observations: dict[str, Any], rng: np.random.Generator) -> dict[str, int]:
    return {name: legal(seen["action_mask"], rng) for name, seen in observations.items()}


def play(env: ParallelGame, seed: int | None, rng: np.random.Generator) -> Episode:
    """A whole episode of legal random play: all that the environment gave out."""
    observations, infos = env.reset(seed=seed)
    episode: Episode = [(observations, infos)]
    while env.agents:
        actions = choose(observations, rng)
        step = env.step(actions)
        observations = step[0]
        episode.append((actions, *step))
    return episode


def ends(episode: Episode) -> Any:
    """What everybody sees when a game is over."""
    return episode[-1][1]


# --- PettingZoo's own tests -------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_parallel_api(game: str, players: int) -> None:
    parallel_api_test(parallel(game, players), num_cycles=200)


# PettingZoo warns of dictionaries, which it lists for its own games by name.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_aec_api(game: str, players: int) -> None:
    api_test(aec(game, players), num_cycles=200)


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_parallel_seed(game: str, players: int) -> None:
    parallel_seed_test(lambda: parallel(game, players, illegal_action="random"))


# --- seeds, over whole episodes ---------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_same_seed_gives_the_same_episodes(game: str, players: int) -> None:
    runs = []
    for _ in range(2):
        env, rng = parallel(game, players), np.random.default_rng(0)
        runs.append([play(env, seed, rng) for seed in (7, None, None)])
    assert data_equivalence(runs[0], runs[1], exact=True)


@pytest.mark.parametrize("game", GAMES)
def test_another_seed_or_none_gives_another_game(game: str) -> None:
    env, rng = parallel(game, 4), np.random.default_rng(0)
    episodes = [play(env, seed, rng) for seed in (1, 2, None, None)]
    episodes += [play(parallel(game, 4), None, rng) for _ in range(2)]
    for one in range(len(episodes)):
        for other in range(one):
            assert not data_equivalence(ends(episodes[one]), ends(episodes[other]))


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_same_seed_with_unmasked_actions(game: str, players: int) -> None:
    runs = []
    for _ in range(2):
        env = parallel(game, players, illegal_action="random")
        run: list[Any] = [env.reset(seed=3)]
        for name in env.possible_agents:
            env.action_space(name).seed(5)
        while env.agents:
            run.append(env.step({name: env.action_space(name).sample() for name in env.agents}))
        runs.append(run)
    assert data_equivalence(runs[0], runs[1], exact=True)


# --- what is given out -------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_environment_keeps_its_promises(game: str, players: int) -> None:
    """Whole episodes, masks, buffers, copies, ...: see docs/testing.md.

    Of the decks each has two cards swapped, so that some agents cannot tell some apart.
    """
    one = registry.door(game).batch_game(1, num_players=players)
    decks = one.sample_decks(1, np.random.default_rng(0)).repeat(12, axis=0)
    for deck, places in zip(decks[1:], combinations(range(-2, -30, -5), 2), strict=False):
        deck[list(places)] = deck[list(places[::-1])]
    resets = [{"seed": 0, "options": {"deck": deck}} for deck in decks]
    check_parallel_env(lambda: parallel(game, players), skip=["infos"])
    report = check_parallel_env(lambda: parallel(game, players), only=["infos"], resets=resets)
    assert not report.findings[-1].note.startswith("0 infos")


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_what_is_given_out_is_as_other_libraries_want_it(game: str, players: int) -> None:
    env = parallel(game, players)
    episode = play(env, 0, np.random.default_rng(0))
    assert env.possible_agents == [f"player_{player}" for player in range(players)]
    for observations, infos in [episode[0], *((step[1], step[5]) for step in episode[1:])]:
        for name in env.possible_agents:
            assert observations[name]["observation"].dtype == env.game.layout.dtype
            assert all(array.flags.c_contiguous for array in observations[name].values())
            assert list(infos[name]) == ["action_mask"]
    for step in episode[1:]:
        assert all(list(given) == env.possible_agents for given in step[1:])
        assert {type(reward) for reward in step[2].values()} == {float}
        assert list(step[4].values()) == [False] * players
    assert env.agents == []


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_rewards_add_up(game: str, players: int) -> None:
    returns = {}
    for reward in ("score", "margin", "win"):
        env = parallel(game, players, reward=reward)
        steps = play(env, 11, np.random.default_rng(0))[1:]
        returns[reward] = np.array([list(step[2].values()) for step in steps]).sum(axis=0)
        scores, shares = env.game.scores[0], env.game.outcome()[0]
    assert np.array_equal(returns["score"], scores)
    others = (scores.sum() - scores) / (players - 1)
    assert returns["margin"] == pytest.approx(scores - others, abs=1e-4)
    assert returns["win"] == pytest.approx(shares - 1 / players)
    assert returns["margin"].sum() == pytest.approx(0, abs=1e-4)
    assert returns["win"].sum() == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("make", [parallel, aec])
def test_what_pettingzoo_reads_of_an_environment(make: Any) -> None:
    env = make("kado", 3, render_mode="ansi")
    assert env.metadata == {
        "name": "kado_v0",
        "render_modes": ["ansi", "rgb_array"] if find_spec("resvg_py") else ["ansi"],
        "render_fps": 1,
        "is_parallelizable": make is parallel,
    }
    assert env.render_mode == "ansi"
    assert env.agents == []
    mask = env.observation_space("player_0")["action_mask"]
    assert (mask.low.min(), mask.high.max(), mask.dtype) == (0, 1, np.dtype(np.int8))


def test_pettingzoo_does_not_make_it_parallel_where_players_are_not_asked() -> None:
    """It was promised, and failed at KADO's first turn: PettingZoo asks all agents in a cycle."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(aec("kado", 3))


def test_a_reward_of_ones_own() -> None:
    env = parallel("kododo", 3, reward=lambda game: game.rewards * 2 + 1)
    plain = parallel("kododo", 3)
    env.reset(seed=0)
    observations, _ = plain.reset(seed=0)
    rng = np.random.default_rng(0)
    for _ in range(6):
        actions = choose(observations, rng)
        observations, rewards, *_ = plain.step(actions)
        doubled = env.step(actions)[1]
        assert doubled == {name: 2 * reward + 1 for name, reward in rewards.items()}


def test_a_deck_can_be_given() -> None:
    env = parallel("kododo", 2)
    deck = env.game.sample_decks(1, np.random.default_rng(4))[0]
    env.reset(options={"deck": deck})
    assert env.game.hands[0, 0].tolist() == sorted(deck[:5].tolist())
    with pytest.raises(ValueError, match="deck"):
        env.reset(options={"deck": deck[1:]})


@pytest.mark.parametrize("copy", [pickle, cloudpickle])
@pytest.mark.parametrize("game", GAMES)
def test_pickled_copies_play_on_alike(game: str, copy: Any) -> None:
    env, rng = parallel(game, 4), np.random.default_rng(0)
    observations, _ = env.reset(seed=0)
    env.step(choose(observations, rng))
    other = copy.loads(copy.dumps(env))
    assert data_equivalence(play(env, None, np.random.default_rng(1)),
                            play(other, None, np.random.default_rng(1)), exact=True)  # fmt: skip
    sequential = aec(game, 4)
    sequential.reset(seed=0)
    assert data_equivalence(copy.loads(copy.dumps(sequential)).last(), sequential.last())


def test_rendering() -> None:
    env = parallel("kododo", 4, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == env.game.text()
    env = parallel("kododo", 4)
    env.reset(seed=0)
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None
    env.close()
    assert str(env) == "kododo_v0"


# --- one player after the other -----------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_aec_and_parallel_are_the_same_game(game: str, players: int) -> None:
    one, other = aec(game, players), parallel(game, players)
    rng = np.random.default_rng(2)
    one.reset(seed=2)
    observations, infos = other.reset(seed=2)
    returns = dict.fromkeys(other.possible_agents, 0.0)
    while other.agents:
        masks = {name: seen["action_mask"] for name, seen in observations.items()}
        asked = [name for name, mask in masks.items() if mask.sum() > 1]
        actions = {name: int(mask.argmax()) for name, mask in masks.items()}
        for name in asked:
            assert one.agent_selection == name
            seen, _, terminated, truncated, info = one.last()
            assert data_equivalence(seen, observations[name], exact=True)
            assert data_equivalence(info, infos[name], exact=True)
            assert not terminated
            assert not truncated
            actions[name] = legal(masks[name], rng)
            one.step(actions[name])
        observations, rewards, *_, infos = other.step(actions)
        returns = {name: returns[name] + reward for name, reward in rewards.items()}
    for name in one.possible_agents:
        assert one.agent_selection == name
        seen, _, terminated, truncated, _ = one.last()
        assert (terminated, truncated) == (True, False)
        assert data_equivalence(seen, observations[name], exact=True)
        one.step(None)
    assert one.agents == []
    assert np.array_equal(one.game.scores, other.game.scores)
    assert list(returns.values()) == other.game.scores[0].tolist()


@pytest.mark.parametrize("game", GAMES)
def test_aec_rewards_are_those_since_the_last_choice(game: str) -> None:
    env, rng = aec(game, 4), np.random.default_rng(0)
    env.reset(seed=0)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        seen, reward, terminated, _, info = env.last()
        assert info["action_mask"].flags.c_contiguous
        assert type(reward) is float
        returns[name] += reward
        assert seen is not None
        env.step(None if terminated else legal(seen["action_mask"], rng))
    assert list(returns.values()) == env.game.scores[0].tolist()


@pytest.mark.parametrize("game", GAMES)
def test_choices_are_not_seen_before_all_have_chosen(game: str) -> None:
    env, rng = aec(game, 4), np.random.default_rng(0)
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        asked = np.flatnonzero(env.game.deciding()[0])
        before = {name: env.observe(name) for name in env.possible_agents}
        for player in asked:
            name = env.possible_agents[player]
            assert env.agent_selection == name
            seen = {name: env.observe(name) for name in env.possible_agents}
            assert data_equivalence(seen, before, exact=True)
            assert set(env.rewards.values()) == {0.0} or player == asked[0]
            env.step(legal(before[name]["action_mask"], rng))


def test_aec_passes_over_forced_steps() -> None:
    # With four cards in hand the last card of the game is the only one that can be laid.
    small = {"hand_size": 4, "removed_cards": 4}
    env, every = kododo_v0.env(2, **small), parallel("kododo", 2, **small)
    rng = np.random.default_rng(0)
    asked, returns = 0, dict.fromkeys(env.possible_agents, 0.0)
    env.reset(seed=0)
    for name in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        assert terminated or seen["action_mask"].sum() > 1
        asked += not terminated
        returns[name] += reward
        env.step(None if terminated else legal(seen["action_mask"], rng))
    steps = len(play(every, 0, np.random.default_rng(0))) - 1
    assert asked == 2 * (steps - 1)
    assert list(returns.values()) == env.game.scores[0].tolist()


def test_aec_takes_nothing_but_none_once_the_game_is_over() -> None:
    env, rng = aec("kododo", 2), np.random.default_rng(0)
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        env.step(legal(env.last()[0]["action_mask"], rng))
    for bad in (0, 5):
        with pytest.raises(ValueError, match="the only valid action is None"):
            env.step(bad)
    assert env.agents == env.possible_agents
    env.step(None)
    env.step(None)
    assert env.agents == []


def test_aec_plays_what_is_forced_whatever_action_it_is() -> None:
    env = aec("combi_combo", 4, **ALL_ALIKE)
    env.reset(options={"deck": forced_deck(1)})
    assert env.game.turn == 1
    assert env.game.passed.argmax(axis=2).tolist() == [[1, 2, 3, 0]]


def test_aec_tells_of_replaced_actions() -> None:
    env = kododo_v0.env(3, illegal_action="random")
    env.reset(seed=0)
    env.step(0)  # a single card, where a pair must be laid
    assert "illegal_action" not in env.last()[4]
    env.step(5)
    env.step(5)
    assert [env.infos[name].get("illegal_action") for name in env.agents] == [True, None, None]
    for _ in range(3):
        env.step(0)
    assert [env.infos[name].get("illegal_action") for name in env.agents] == [None] * 3


# --- bad input ----------------------------------------------------------------------------

PAIRS = {"player_0": 5, "player_1": 6, "player_2": 7}


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ({"player_0": 5, "player_1": 6}, "missing of player_2"),
        ({**PAIRS, "player_3": 5}, "no such agent: player_3"),
        ({"player_0": 5, "player_1": 6, "player_9": 7}, "missing of player_2"),
        ({}, "missing of player_0, player_1, player_2"),
        ({**PAIRS, "player_1": 15}, "15"),
        ({**PAIRS, "player_1": -1}, "-1"),
        ({**PAIRS, "player_1": 6.0}, "player_1 must be a whole number, not 6.0"),
        ({**PAIRS, "player_1": None}, "player_1 must be a whole number, not None"),
    ],
)
@pytest.mark.parametrize("illegal_action", ["raise", "random"])
def test_bad_actions(actions: dict[str, Any], message: str, illegal_action: str) -> None:
    env = parallel("kododo", 3, illegal_action=illegal_action)
    env.reset(seed=0)
    before = env.game.state()
    with pytest.raises(ValueError, match=message):
        env.step(actions)
    assert data_equivalence(env.game.state(), before, exact=True)
    env.step(PAIRS)


def test_illegal_action_raises() -> None:
    env = parallel("kododo", 3)
    env.reset(seed=0)
    before = env.game.state()
    with pytest.raises(ValueError, match=r"player 1, action 2 .*legal now: 5, 6"):
        env.step({**PAIRS, "player_1": 2})
    assert data_equivalence(env.game.state(), before, exact=True)
    sequential = aec("kododo", 3)
    sequential.reset(seed=0)
    sequential.step(5)
    with pytest.raises(ValueError, match=r"player_1: 2 .*legal now: 5, 6"):
        sequential.step(2)
    for bad in (15, -1, None, 5.0):
        with pytest.raises(ValueError, match="player_1 must be"):
            sequential.step(bad)
    assert sequential.agent_selection == "player_1"
    sequential.step(5)


def test_illegal_action_can_be_replaced() -> None:
    env, other = (parallel("kododo", 3, illegal_action="random") for _ in range(2))
    env.reset(seed=0)
    other.reset(seed=0)
    infos = env.step({**PAIRS, "player_1": 2})[4]
    assert [infos[name].get("illegal_action") for name in env.agents] == [None, True, None]
    assert (env.game.table[0] >= 0).sum(axis=1).tolist() == [2, 2, 2]
    infos = other.step(PAIRS)[4]
    assert [infos[name].get("illegal_action") for name in env.agents] == [None] * 3
    # The generator that deals goes on as if nothing had happened.
    assert env.game.rng.bit_generator.state == other.game.rng.bit_generator.state
    seconds = [each.reset()[0] for each in (env, other)]
    assert data_equivalence(*seconds, exact=True)


def test_replacements_differ() -> None:
    env = parallel("kododo", 2, illegal_action="random")
    tables = set()
    for seed in range(20):
        env.reset(seed=0)
        env._choices.seed(seed)
        env.step(dict.fromkeys(env.agents, 0))
        tables.add(env.game.table.tobytes())
    assert len(tables) > 5


@pytest.mark.parametrize("make", [parallel, aec])
def test_calls_at_the_wrong_time(make: Any) -> None:
    env = make("kododo", 2)
    with pytest.raises(RuntimeError, match=r"has not begun; call reset\(\)"):
        env.step({})
    env.reset(seed=0)
    rng = np.random.default_rng(0)
    while env.agents:
        if make is parallel:
            masks = env.game.legal_action_mask()[0]
            env.step({name: legal(mask, rng) for name, mask in zip(env.agents, masks, strict=True)})
        else:
            seen, _, terminated, _, _ = env.last()
            env.step(None if terminated else legal(seen["action_mask"], rng))
    with pytest.raises(RuntimeError, match=r"is over; call reset\(\)"):
        env.step({})
    env.reset()
    assert env.agents == env.possible_agents


def test_aec_has_nothing_to_tell_before_reset() -> None:
    env = aec("kododo", 2)
    for call in (env.last, lambda: env.observe("player_0")):
        with pytest.raises(RuntimeError, match="has not begun"):
            call()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"render_mode": "human"}, "render_mode 'human'; choose one of None, 'ansi', 'rgb_array'"),
        ({"illegal_action": "pass"}, "illegal_action must be 'raise' or 'random', not 'pass'"),
        ({"reward": "glory"}, "unknown reward 'glory'"),
    ],
)
@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("make", [parallel, aec])
def test_unknown_options(make: Any, game: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(game, 4, **options)


@pytest.mark.parametrize("wrapper", [ParallelGame, AECGame])
def test_a_batch_is_refused(wrapper: Any) -> None:
    with pytest.raises(ValueError, match="one game is wanted, not a batch of 2"):
        wrapper(kododo_v0.batch_game(2))


# --- options --------------------------------------------------------------------------


def test_a_door_takes_every_option_of_the_wrapper_and_every_field_of_the_rules() -> None:
    """The toy game's door lacked five of them, and nothing noticed."""
    doors = [*map(registry.door, GAMES), high_card_v0]
    given = {name: each.default for name, each in signature(ParallelGame).parameters.items()}
    del given["game"]
    assert given.keys() == TableOptions.__annotations__.keys()
    for door in doors:
        rules = {each.name for each in fields(type(door.batch_game(1).rules))}
        named = {*signature(door.parallel_env).parameters} - {"options"}
        assert door.Options.__annotations__.keys() | named == given.keys() | rules
        assert door.RulesOptions.__annotations__.keys() | named == rules
        for make in (door.parallel_env, door.env):
            assert make(**given).metadata["name"] == door.__name__.rpartition(".")[2]


@pytest.mark.parametrize("door", [parallel, aec])
@pytest.mark.parametrize("game", GAMES)
def test_observations_as_floats_from_0_to_1(game: str, door: Any) -> None:
    plain, other = door(game, 4), door(game, 4, normalize=True)
    for env in (plain, other):
        env.reset(seed=0)
    for name in plain.possible_agents:
        if isinstance(plain, AECGame):
            seen, scaled = plain.observe(name), other.observe(name)
        else:
            seen, scaled = (env.reset(seed=0)[0][name] for env in (plain, other))
        assert other.observation_space(name).contains(scaled)
        assert scaled["observation"].dtype == np.float32
        maxima = plain.game.layout.maxima
        assert np.allclose(scaled["observation"], seen["observation"] / maxima, atol=1e-6)
        assert np.array_equal(scaled["action_mask"], seen["action_mask"])


@pytest.mark.parametrize("game", GAMES)
def test_masks_in_the_info_alone(game: str) -> None:
    env = parallel(game, 4, action_mask="info", observation_dtype="int32")
    observations, infos = env.reset(seed=0)
    for name, numbers in observations.items():
        assert env.observation_space(name).contains(numbers)
        assert numbers.dtype == np.int32
        assert infos[name]["action_mask"].shape == (env.game.num_actions,)
    turns = aec(game, 4, action_mask="info")
    turns.reset(seed=0)
    observation, *_, info = turns.last()
    assert turns.observation_space("player_0").contains(observation)
    assert info["action_mask"].sum() > 1


def test_masks_in_the_observation_alone() -> None:
    env = parallel("kododo", 4, action_mask="observation")
    observations, infos = env.reset(seed=0)
    assert set(observations["player_0"]) == {"observation", "action_mask"}
    assert infos == {name: {} for name in env.possible_agents}


@pytest.mark.parametrize("door", [parallel, aec])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_the_state_is_what_all_know_together(game: str, normalize: bool, door: Any) -> None:
    env = door(game, 4, normalize=normalize)
    with pytest.raises(RuntimeError, match=r"has not begun; call reset\(\)"):
        env.state()
    env.reset(seed=3)
    state = env.state()
    assert env.state_space.contains(state)
    expected = env.game.observe()[0] / (env.game.layout.maxima if normalize else 1)
    assert np.allclose(state.reshape(4, -1), expected, atol=1e-6)
    state[:] = 0
    assert env.state().any()


def test_an_illegal_action_names_the_option_that_helps() -> None:
    env = parallel("kododo", 4)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"without masks\? illegal_action='random' plays a legal"):
        env.step(dict.fromkeys(env.agents, 0))


class First:
    """Plays the first legal action."""

    name = "first"

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        return view.legal_action_mask.argmax(axis=1)


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo's, of dictionaries
@pytest.mark.parametrize("opponents", ["random", [None, "heuristic", None, "random"]])
@pytest.mark.parametrize("game", GAMES)
def test_with_opponents_it_is_still_an_environment(game: str, opponents: Any) -> None:
    env = parallel(game, 4, opponents=opponents)
    parallel_api_test(env, num_cycles=30)
    api_test(aec(game, 4, opponents=opponents), num_cycles=30)
    names = ["player_0"] if opponents == "random" else ["player_0", "player_2"]
    assert env.possible_agents == names
    assert env.state_space.shape == (4 * env.game.layout.size,)


@pytest.mark.parametrize("game", GAMES)
def test_opponents_play_as_agents_would(game: str) -> None:
    """The same game, whether the others' first legal actions are ours or an opponent's."""
    whole, part = parallel(game, 4), parallel(game, 4, opponents=[First(), None, First(), None])
    turns = aec(game, 4, opponents=[First(), None, First(), None])
    seen, _ = whole.reset(seed=2)
    given, _ = part.reset(seed=2)
    turns.reset(seed=2)
    rng, gained = np.random.default_rng(0), dict.fromkeys(part.possible_agents, 0.0)
    while part.agents:
        chosen = choose(given, rng)
        for name in [name for name in part.agents if given[name]["action_mask"].sum() > 1]:
            assert turns.agent_selection == name
            assert data_equivalence(turns.observe(name), given[name])
            turns.step(chosen[name])
        everybody = {name: int(each["action_mask"].argmax()) for name, each in seen.items()}
        seen, rewards, *_ = whole.step(everybody | chosen)
        given, own, *_ = part.step(chosen)
        assert own == {name: rewards[name] for name in own}
        assert data_equivalence(given, {name: seen[name] for name in given})
        gained = {name: gained[name] + own[name] for name in gained}
    assert turns.game.terminated[0]
    assert np.array_equal(turns.game.scores, part.game.scores)


@pytest.mark.parametrize(
    ("opponents", "message"),
    [
        ("nobody", "unknown agent 'nobody'; kododo has random, greedy"),
        (["random"] * 4, "opponents play all seats; leave None where the learner sits"),
        ([None, "random"], "opponents must be 4, one for each seat, None for a learner; not 2"),
    ],
)
def test_bad_opponents(opponents: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parallel("kododo", 4, opponents=opponents)
