"""PettingZoo environments of every game: PettingZoo's own tests, and further ones."""

from __future__ import annotations

from dataclasses import fields
from functools import partial
from importlib.util import find_spec
from inspect import Parameter, getdoc, signature
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test
from pettingzoo.utils import aec_to_parallel

from kododo_env import pettingzoo_ids, registry
from kododo_env.core.rewards import REWARDS
from kododo_env.environments import TABLE_DEFAULTS, TableOptions
from kododo_env.gymnasium_ids import register_all
from kododo_env.testing import check_parallel_env
from kododo_env.wrappers import AECGame, ParallelGame
from tests.game_tables import EXTREMES, GAMES, TABLES
from tests.toy_game.high_card import high_card_v0
from tests.wrappers.interfaces import AEC, Parallel, earned, printed


def parallel(game: str, players: int, **options: Any) -> ParallelGame:
    return Parallel(game, players, **options).env


def aec(game: str, players: int, **options: Any) -> AECGame:
    return AEC(game, players, **options).env


def legal(mask: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


# --- PettingZoo's own tests -------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_parallel_api(game: str, players: int) -> None:
    parallel_api_test(parallel(game, players), num_cycles=200)


# PettingZoo warns about dictionary observations except in a list of its own games.
@pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be")
@pytest.mark.filterwarnings("ignore:Observation is not a NumPy array")
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_aec_api(game: str, players: int) -> None:
    api_test(aec(game, players), num_cycles=200)


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_parallel_seed(game: str, players: int) -> None:
    parallel_seed_test(lambda: parallel(game, players, illegal_action="random"))


# --- PettingZoo's registry ----------------------------------------------------------------

has_registry = pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry from 1.27 on"
)


@has_registry
@pytest.mark.parametrize(("game", "players"), TABLES)
@pytest.mark.parametrize(("kind", "wrapper"), [("parallel", ParallelGame), ("aec", AECGame)])
def test_pettingzoo_makes_every_game(kind: Any, wrapper: Any, game: str, players: int) -> None:
    """Regression: ``make`` raised NamespaceNotFound."""
    id = registry.environment_module(game).GYMNASIUM_ID
    env = pettingzoo.make(kind, id, num_players=players, reward="win", max_cycles=3)
    assert type(env) is wrapper
    assert (env.game.name, env.game.num_players, env.max_cycles) == (game, players, 3)
    assert pettingzoo.make(kind, id).max_cycles is None
    assert pettingzoo.make(kind, id, max_cycles=-1).max_cycles is None
    assert pettingzoo.spec(kind, id).make(max_cycles=-1).max_cycles is None
    with pytest.raises(TypeError, match=r"'players'.*num_players"):
        pettingzoo.make(kind, id, players=players)


@has_registry
@pytest.mark.parametrize(
    "imports",
    [
        "import pettingzoo, kododo_env",
        "import kododo_env, pettingzoo",
        "from kododo_env import kado_v0; import pettingzoo",
        "import kododo_env.wrappers, pettingzoo",
        "import kododo_env, pettingzoo.env_registry.registration",
    ],
)
def test_registered_in_any_order_and_once(imports: str) -> None:
    """A second import or a reload registers nothing again, which would cause a warning."""
    reload_code = """
import importlib, sys
importlib.reload(sys.modules["kododo_env"])
for name in [name for name in sys.modules if name.partition(".")[0] == "kododo_env"]:
    del sys.modules[name]
import kododo_env
print(pettingzoo.make("parallel", "kododo/Kododo-v0"), pettingzoo.make("aec", "kododo/Kado"))
"""
    assert printed(f"{imports}\n{reload_code}", "-Werror::UserWarning") == "kododo_v0 kado_v0"


def test_a_pettingzoo_without_a_registry_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    monkeypatch.delattr(pettingzoo, "parallel_registry", raising=False)
    register_all(pettingzoo_ids.register)
    assert parallel("kado", 3).reset(seed=0)


# --- truncation ---------------------------------------------------------------------------

CYCLES = 5


def episode(env: ParallelGame) -> list[Any]:
    """Return the results of each step of random legal play."""
    rng = np.random.default_rng(0)
    results = []
    observations, _ = env.reset(seed=3)
    while env.agents:
        actions = {name: legal(observations[name]["action_mask"], rng) for name in env.agents}
        results.append(env.step(actions))
        observations = results[-1][0]
    return results


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_an_episode_is_truncated_after_max_cycles(game: str, players: int, reward: Any) -> None:
    """It equals the beginning of the whole episode, and all rewards so far have been paid."""
    env = parallel(game, players, reward=reward, max_cycles=CYCLES)
    cut = episode(env)
    whole = episode(parallel(game, players, reward=reward))
    assert (len(cut), env.agents, env.game.steps_played) == (CYCLES, [], CYCLES)
    observations, _, terminations, truncations, infos = cut.pop()
    names = env.possible_agents
    assert terminations == dict.fromkeys(names, False)
    assert truncations == dict.fromkeys(names, True)
    assert data_equivalence(cut, whole[: CYCLES - 1])
    assert data_equivalence((observations, infos), whole[CYCLES - 1][::4])
    masks = [observations[name]["action_mask"] for name in names]
    assert np.array_equal(masks, env.game.legal_action_mask()[0])
    assert np.sum(masks, axis=1).max() > 1
    paid = {name: sum(result[1][name] for result in episode(env)) for name in names}
    expected = earned(reward, env.game.scores[0].astype(float))
    assert [*paid.values()] == pytest.approx(expected.tolist(), abs=1e-4)
    with pytest.raises(RuntimeError, match=r"is over; call reset\(\)"):
        env.step(dict.fromkeys(names, 0))


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_aec_is_truncated_after_the_same_joint_step(game: str, players: int, reward: Any) -> None:
    env = aec(game, players, reward=reward, max_cycles=CYCLES)
    rng = np.random.default_rng(0)
    for _ in range(2):
        env.reset(seed=3)
        returns = dict.fromkeys(env.possible_agents, 0.0)
        truncated_agents = []
        for name in env.agent_iter():
            observation, gained, terminated, truncated, info = env.last()
            assert not terminated
            returns[name] += gained
            assert observation is not None
            assert observation["action_mask"].any()
            assert np.array_equal(observation["action_mask"], info["action_mask"])
            if truncated:
                truncated_agents.append(name)
            env.step(None if truncated else legal(observation["action_mask"], rng))
        assert truncated_agents == env.possible_agents
        assert env.game.steps_played == CYCLES
        assert not env.game.terminated.any()
        expected = earned(reward, env.game.scores[0].astype(float))
        assert [*returns.values()] == pytest.approx(expected.tolist(), abs=1e-4)
        with pytest.raises(RuntimeError, match=r"is over; call reset\(\)"):
            env.step(None)


def test_points_are_paid_before_the_cut() -> None:
    """Nine steps are three rounds of Kododo, which are scored, so that rewards are not all 0."""
    env = parallel("kododo", 4, max_cycles=9)
    assert sum(sum(result[1].values()) for result in episode(env)) == env.game.scores.sum() > 0


@pytest.mark.parametrize("make", [parallel, aec])
@pytest.mark.parametrize("limit", [18, 19, None, -1])
def test_a_game_that_ends_by_itself_is_terminated_alone(make: Any, limit: int | None) -> None:
    """Kododo with four players has 18 steps."""
    env = make("kododo", 4, max_cycles=limit)
    rng = np.random.default_rng(0)
    if make is parallel:
        *_, (_, _, terminations, truncations, _) = episode(env)
    else:
        env.reset(seed=0)
        while not any([*env.terminations.values(), *env.truncations.values()]):
            env.step(legal(env.last()[0]["action_mask"], rng))
        terminations = env.terminations
        truncations = env.truncations
    assert (set(terminations.values()), set(truncations.values())) == ({True}, {False})
    assert env.game.terminated.all()


@pytest.mark.parametrize("game", ["kododo", "combi_combo"])
def test_pettingzoos_own_test_of_max_cycles(game: str) -> None:
    """Not KADO, whose players choose one after another: this test needs all to be asked."""
    module = registry.environment_module(game)
    max_cycles_test(
        SimpleNamespace(
            parallel_env=partial(module.parallel_env, illegal_action="random"),
            env=partial(module.env, illegal_action="random"),
        )
    )


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo warns about dictionaries
@pytest.mark.parametrize(("game", "players"), TABLES)
def test_a_truncated_environment_keeps_its_promises(game: str, players: int) -> None:
    check_parallel_env(lambda: parallel(game, players, max_cycles=CYCLES))
    parallel_api_test(parallel(game, players, max_cycles=CYCLES), num_cycles=30)
    api_test(aec(game, players, max_cycles=CYCLES), num_cycles=30)


# --- what is given out -------------------------------------------------------------------


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_environment_keeps_its_promises(game: str, players: int) -> None:
    """Whole episodes, masks, buffers, copies, ...: see docs/extending.md.

    Each deck has two cards swapped, so that some agents cannot distinguish some decks.
    """
    batch = registry.environment_module(game).batch_game(1, num_players=players)
    decks = batch.sample_decks(1, np.random.default_rng(0)).repeat(12, axis=0)
    for deck, places in zip(decks[1:], combinations(range(-2, -30, -5), 2), strict=False):
        deck[list(places)] = deck[list(places[::-1])]
    resets = [{"seed": 0, "options": {"deck": deck}} for deck in decks]
    check_parallel_env(lambda: parallel(game, players), skip=["infos"])
    report = check_parallel_env(lambda: parallel(game, players), only=["infos"], resets=resets)
    assert not report.findings[-1].note.startswith("0 infos")


@pytest.mark.parametrize("make", [parallel, aec])
def test_attributes_that_pettingzoo_reads(make: Any) -> None:
    env = make("kado", 3, render_mode="ansi")
    assert env.metadata == {
        "name": "kado_v0",
        "render_modes": ["human", "ansi", *(["rgb_array"] if find_spec("resvg_py") else [])],
        "render_fps": 1,
        "is_parallelizable": make is parallel,
    }
    assert env.render_mode == "ansi"
    assert env.agents == []
    assert env.possible_agents == ["player_0", "player_1", "player_2"]
    assert str(env) == "kado_v0"
    env.close()
    mask = env.observation_space("player_0")["action_mask"]
    assert (mask.low.min(), mask.high.max(), mask.dtype) == (0, 1, np.dtype(np.int8))


def test_pettingzoo_does_not_make_it_parallel_where_players_are_not_asked() -> None:
    """Regression: it was declared parallelizable, but KADO failed at its first turn."""
    with pytest.raises(AssertionError, match="is_parallelizable"):
        aec_to_parallel(aec("kado", 3))


# --- one player after the other -----------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
def test_aec_rewards_are_those_since_the_last_choice(game: str) -> None:
    env = aec(game, 4)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        assert info["action_mask"].flags.c_contiguous
        assert type(reward) is float
        returns[name] += reward
        assert observation is not None
        env.step(None if terminated else legal(observation["action_mask"], rng))
    assert list(returns.values()) == env.game.scores[0].tolist()


def test_an_illegal_choice_is_told_at_the_next_turn_of_its_agent() -> None:
    """Regression: in KADO other players' steps in between cleared half of the marks."""
    env = aec("kado", 3, illegal_action="random")
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    wrong: set[str] = set()
    for name in env.agent_iter():
        observation, _, terminated, _, info = env.last()
        assert info.get("illegal_action", False) == (name in wrong)
        wrong.discard(name)
        action = int(rng.integers(env.game.num_actions))
        if not (terminated or observation["action_mask"][action]):
            wrong.add(name)
        env.step(None if terminated else action)


@pytest.mark.parametrize("game", GAMES)
def test_choices_are_not_seen_before_all_have_chosen(game: str) -> None:
    env = aec(game, 4)
    rng = np.random.default_rng(0)
    env.reset(seed=0)
    while not env.terminations[env.agent_selection]:
        players = np.flatnonzero(env.game.deciding()[0])
        before = {name: env.observe(name) for name in env.possible_agents}
        for player in players:
            name = env.possible_agents[player]
            assert env.agent_selection == name
            observations = {name: env.observe(name) for name in env.possible_agents}
            assert data_equivalence(observations, before, exact=True)
            assert set(env.rewards.values()) == {0.0} or player == players[0]
            env.step(legal(before[name]["action_mask"], rng))


def test_aec_takes_nothing_but_none_once_the_game_is_over() -> None:
    env = aec("kododo", 2)
    rng = np.random.default_rng(0)
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
    with pytest.raises(RuntimeError, match=r"is over; call reset\(\)"):
        env.step(None)


def test_aec_has_nothing_to_tell_before_reset() -> None:
    env = aec("kododo", 2)
    for call in (env.last, lambda: env.observe("player_0")):
        with pytest.raises(RuntimeError, match="has not begun"):
            call()


# --- options --------------------------------------------------------------------------


def test_a_module_takes_every_option_of_the_wrapper_and_every_field_of_the_rules() -> None:
    """Regression: the toy game's environment module lacked five of them."""
    modules = [*map(registry.environment_module, GAMES), high_card_v0]
    defaults = {
        name: parameter.default for name, parameter in signature(ParallelGame).parameters.items()
    }
    del defaults["game"]
    assert defaults.keys() == TableOptions.__annotations__.keys()
    for module in modules:
        rules = {field.name for field in fields(type(module.batch_game(1).rules))}
        named = {*signature(module.parallel_env).parameters} - {*module.Options.__annotations__}
        assert module.Options.__annotations__.keys() | named == defaults.keys() | rules
        assert module.RulesOptions.__annotations__.keys() | named == rules
        for make in (module.parallel_env, module.env):
            assert make(**defaults).metadata["name"] == module.__name__.rpartition(".")[2]


@pytest.mark.parametrize("module", [*map(registry.environment_module, GAMES), high_card_v0])
def test_help_lists_every_option(module: Any) -> None:
    """Regression: it only showed ``**options``."""
    rules = {field.name: field.default for field in fields(type(module.batch_game(1).rules))}
    table = {
        name: parameter.default for name, parameter in signature(ParallelGame).parameters.items()
    }
    del table["game"]
    assert table == TABLE_DEFAULTS
    of_batch = {"num_envs": Parameter.empty, "seed": None}
    for make, expected in (
        (module.parallel_env, rules | table), (module.env, rules | table),
        (module.batch_game, rules | of_batch),
    ):  # fmt: skip
        parameters = signature(make).parameters
        assert {name: parameter.default for name, parameter in parameters.items()} == expected
        assert all(isinstance(parameter.annotation, str) for parameter in parameters.values())
    for make in (module.parallel_env, module.batch_game) if module is not high_card_v0 else ():
        text = getdoc(make) or ""
        assert "**" not in text
        for name in signature(make).parameters:
            assert f"\n    {name}: " in text


@pytest.mark.parametrize("module", [parallel, aec])
@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_the_state_is_what_all_know_together(game: str, normalize: bool, module: Any) -> None:
    env = module(game, 4, normalize=normalize)
    with pytest.raises(RuntimeError, match=r"has not begun; call reset\(\)"):
        env.state()
    env.reset(seed=3)
    state = env.state()
    assert env.state_space.contains(state)
    expected = env.game.observe()[0] / (env.game.layout.maxima if normalize else 1)
    assert np.allclose(state.reshape(4, -1), expected, atol=1e-6)
    state[:] = 0
    assert env.state().any()


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo warns about dictionaries
@pytest.mark.parametrize("opponents", ["random", [None, "heuristic", None, "random"]])
@pytest.mark.parametrize("game", GAMES)
def test_with_opponents_it_is_still_an_environment(game: str, opponents: Any) -> None:
    env = parallel(game, 4, opponents=opponents)
    parallel_api_test(env, num_cycles=30)
    api_test(aec(game, 4, opponents=opponents), num_cycles=30)
    names = ["player_0"] if opponents == "random" else ["player_0", "player_2"]
    assert env.possible_agents == names
    assert env.state_space.shape == (4 * env.game.layout.size,)


def test_each_agent_has_spaces_of_its_own() -> None:
    """Seeding the space of one agent does not seed that of another."""
    drawn = []
    for seeds in ((1,), (1, 2)):
        env = registry.environment_module("kododo").parallel_env(num_players=2)
        agents = [env.observation_space(agent) for agent in env.possible_agents]
        for seed, space in zip(seeds, agents, strict=False):
            space.seed(seed)
        drawn.append(agents[0].sample()["observation"].tolist())
    assert drawn[0] == drawn[1]
