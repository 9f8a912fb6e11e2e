"""The Gymnasium dialect of every game: one seat learns, agents play the others."""

from __future__ import annotations

import copy
import subprocess
import sys
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, data_equivalence

from kododo_env import kododo_v0, registry
from kododo_env.core import RandomAgent, View
from kododo_env.rendering.pixels import RenderingUnavailable, font_files, pixels
from kododo_env.wrappers import SingleSeatEnv
from kododo_env.wrappers.dealing import own_generator
from tests.doors import ALL_ALIKE, EXTREMES, GAMES, TABLES, forced_deck
from tests.helpers import differences

KODODO = "kododo_env:kododo/Kododo-v0"


class Watcher:
    """Plays the first legal action and remembers who was asked."""

    def __init__(self, name: str = "watcher") -> None:
        self.name = name
        self.asked: list[int] = []

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        assert isinstance(view, View)
        assert isinstance(rng, np.random.Generator)
        assert view.num_envs == 1
        assert (view.legal_action_mask.sum(axis=1) > 1).all()
        self.asked.append(view.player)
        return view.legal_action_mask.argmax(axis=1)


class Answers(Watcher):
    """Gives the same answer to everything."""

    def __init__(self, answer: Any) -> None:
        super().__init__("answers")
        self.answer = answer

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return self.answer


def make(game: str, players: int, **options: Any) -> SingleSeatEnv:
    door = registry.door(game)
    env = gymnasium.make(f"kododo_env:{door.GYMNASIUM_ID}", num_players=players, **options)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    return env.unwrapped


def play(env: SingleSeatEnv, seed: int | None, rng: np.random.Generator) -> list[Any]:
    """A whole episode of legal random play: all that the environment gave out."""
    given: list[Any] = [env.reset(seed=seed)]
    over = False
    while not over:
        action = int(rng.choice(np.flatnonzero(env.action_masks())))
        given.append((action, *env.step(action)))
        over = given[-1][3]
    return given


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_check_env(game: str, players: int) -> None:
    check_env(make(game, players), skip_render_check=players != 4)


@pytest.mark.parametrize("game", GAMES)
def test_registered(game: str) -> None:
    env = gymnasium.make(f"kododo_env:{registry.door(game).GYMNASIUM_ID}")
    assert env.spec is not None
    assert env.spec.id == registry.door(game).GYMNASIUM_ID
    assert env.unwrapped.game.name == game
    assert "ansi" in env.metadata["render_modes"]


PLAIN, PREFIXED = "kododo/Kododo-v0", KODODO
IN_ANY_ORDER = {
    "gymnasium first": ("import gymnasium", "import kododo_env", PLAIN),
    "kododo_env first": ("import kododo_env", "import gymnasium", PLAIN),
    "a door first": ("from kododo_env import kado_v0", "import gymnasium", PLAIN),
    "wrappers first": ("import kododo_env.wrappers", "import gymnasium", PLAIN),
    "a part of gymnasium": ("import kododo_env", "import gymnasium.envs.registration", PLAIN),
    "gymnasium, by prefix": ("import gymnasium", "pass", PREFIXED),
    "kododo_env first, by prefix": ("import kododo_env", "import gymnasium", PREFIXED),
}


@pytest.mark.parametrize("lines", IN_ANY_ORDER.values(), ids=IN_ANY_ORDER)
def test_registered_in_any_order(lines: tuple[str, str, str]) -> None:
    """Importing kododo_env does not import Gymnasium, which learns of the ids all the same."""
    first, second, id = lines
    make = f"import gymnasium as g; print(g.make({id!r}).spec.id, len(g.make_vec({id!r}).reset()))"
    assert printed(f"{first}\n{second}\n{make}") == f"{PLAIN} 2"


def test_importing_needs_no_library() -> None:
    heavy = "numpy gymnasium pettingzoo scipy filelock tyro torch onnxruntime matplotlib agents"
    code = f"import kododo_env, sys; print([m for m in {heavy.split()} if m in sys.modules])"
    assert printed(code) == "[]"


def test_what_was_an_attribute_still_is() -> None:
    """The doors and other parts, without importing them by name."""
    show = "print(k.kado_v0.env(), k.registry.DOORS['kado'], hasattr(k, 'x'))"
    assert printed(f"import kododo_env as k; {show}") == "kado_v0 kododo_env.kado_v0 False"


def printed(code: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_same_seed_gives_the_same_episodes(game: str, players: int) -> None:
    runs = []
    for _ in range(2):
        env, rng = make(game, players, seat="random"), np.random.default_rng(0)
        runs.append([play(env, seed, rng) for seed in (7, None, None)])
    assert data_equivalence(runs[0], runs[1], exact=True)
    assert not data_equivalence(play(env, 8, np.random.default_rng(0)), runs[0][0])


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_every_observation_fits_and_asks_for_a_decision(game: str, players: int) -> None:
    env = make(game, players, seat=players - 1)
    episode = play(env, 1, np.random.default_rng(0))
    for observation, info in [episode[0], *((step[1], step[5]) for step in episode[1:])]:
        assert env.observation_space.contains(observation)
        assert np.array_equal(info["action_mask"], observation["action_mask"])
    for step in episode[1:-1]:
        assert step[5]["action_mask"].sum() > 1
        assert step[3:5] == (False, False)
    assert episode[-1][3:5] == (True, False)


@pytest.mark.parametrize("reward", ["score", "margin", "win"])
@pytest.mark.parametrize(("game", "players"), EXTREMES)
def test_the_reward_is_all_that_was_gained(game: str, players: int, reward: str) -> None:
    env = make(game, players, seat=1, reward=reward)
    rewards = [step[2] for step in play(env, 3, np.random.default_rng(0))[1:]]
    assert {type(each) for each in rewards} == {float}
    scores = env.game.scores[0].astype(float)
    final = {
        "score": scores[1],
        "margin": scores[1] - (scores.sum() - scores[1]) / (players - 1),
        "win": env.game.outcome()[0, 1] - 1 / players,
    }
    assert sum(rewards) == pytest.approx(final[reward], abs=1e-4)


def test_nobody_is_asked_for_forced_moves() -> None:
    # With four cards in hand the last card of the game is the only one that can be laid.
    small = {"hand_size": 4, "removed_cards": 4}
    watcher = Watcher()
    env = make("kododo", 2, opponents=watcher, **small)
    steps = len(play(env, 0, np.random.default_rng(0))) - 1
    rules = env.game.rules
    assert steps == len(watcher.asked) == rules.num_rounds * rules.num_turns - 1
    assert env.game.terminated[0]


@pytest.mark.parametrize(("game", "players"), TABLES)
def test_the_learners_choice_is_what_is_played(game: str, players: int) -> None:
    """And the others' are theirs: the same game as the batch with everybody's actions at once."""
    env, plain = make(game, players, seat=1, opponents=Watcher()), None
    rng, over = np.random.default_rng(1), False
    env.reset(seed=5)
    while not over:
        plain = env.game.clone()
        action = int(np.flatnonzero(env.action_masks())[-1])
        if rng.random() < 0.5:
            action = int(rng.choice(np.flatnonzero(env.action_masks())))
        over = env.step(action)[2]
        everybody = plain.legal_action_mask().argmax(axis=2)
        everybody[0, 1] = action
        plain.step(everybody)
        while not (plain.deciding()[0, 1] or plain.terminated[0]):
            plain.step(plain.legal_action_mask().argmax(axis=2))
        assert np.array_equal(env.game.observe(), plain.observe())


def test_the_learner_sits_in_seat_0_if_nothing_else_is_said() -> None:
    env = SingleSeatEnv(kododo_v0.batch_game(1))
    observation, _ = env.reset(seed=0)
    assert env.seat == 0
    assert np.array_equal(observation["observation"], env.game.observe()[0, 0])


def test_what_is_forced_may_be_any_action() -> None:
    watcher = Watcher()
    env = make("combi_combo", 4, seat=2, opponents=watcher, **ALL_ALIKE)
    env.reset(options={"deck": forced_deck(1)})
    assert env.game.turn == 1
    assert env.game.passed.argmax(axis=2).tolist() == [[1, 2, 3, 0]]
    assert watcher.asked == []
    env.step(env.action_masks().argmax())
    assert watcher.asked == [3, 0, 1]


@pytest.mark.parametrize("seat", [0, 2])
def test_opponents_get_views_of_their_own_seats(seat: int) -> None:
    opponents = [Watcher(), Watcher(), Watcher()]
    env = make("kododo", 4, seat=seat, opponents=opponents)
    steps = len(play(env, 0, np.random.default_rng(0))) - 1
    for place, agent in enumerate(opponents, start=1):
        assert agent.asked == [(seat + place) % 4] * steps


def test_one_opponent_for_all_seats() -> None:
    watcher = Watcher()
    env = make("kododo", 3, opponents=watcher)
    steps = len(play(env, 0, np.random.default_rng(0))) - 1
    assert sorted(watcher.asked) == [1] * steps + [2] * steps


def test_a_random_seat_changes() -> None:
    env = make("kododo", 3, seat="random")
    env.reset(seed=0)
    seats = set()
    for _ in range(30):
        observation, _ = env.reset()
        assert np.array_equal(observation["observation"], env.game.observe()[0, env.seat])
        seats.add(env.seat)
    assert seats == {0, 1, 2}


def test_random_opponents_do_not_follow_from_the_deal() -> None:
    """They draw from a generator of their own: other opponents, same cards."""
    decks = []
    for opponents in (None, Watcher()):
        env = make("kododo", 3, opponents=opponents)
        rng = np.random.default_rng(0)
        play(env, 4, rng)
        env.reset()
        decks.append(env.game.hands)
    assert np.array_equal(*decks)


@pytest.mark.parametrize("env", [make("kododo", 4), SingleSeatEnv(kododo_v0.batch_game(1))])
def test_illegal_actions_are_replaced_and_told(env: SingleSeatEnv) -> None:
    env.reset(seed=0)
    info = env.step(0)[4]  # a single card, where a pair must be laid
    assert info["illegal_action"] is True
    assert (env.game.table[0] >= 0).sum(axis=1).tolist() == [2, 2, 2, 2]
    assert "illegal_action" not in env.step(0)[4]
    env.reset(seed=0)
    assert "illegal_action" not in env.step(5)[4]


def test_a_wrapper_draws_what_it_always_drew_from_a_seed() -> None:
    """Opponents and replaced actions follow from it, in every version."""
    assert own_generator(5).integers(1000, size=4).tolist() == [132, 774, 778, 470]
    assert own_generator(6).integers(1000, size=4).tolist() != [132, 774, 778, 470]


def test_illegal_actions_raise_on_request() -> None:
    env = make("kododo", 4, illegal_action="raise")
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"illegal action of player 0: 0 .*legal now: 5, 6"):
        env.step(0)
    env.step(5)


@pytest.mark.parametrize("illegal_action", ["raise", "random"])
@pytest.mark.parametrize("action", [15, -1, 5.0, None])
def test_what_is_no_action_always_raises(illegal_action: str, action: Any) -> None:
    env = make("kododo", 4, illegal_action=illegal_action)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="the action of player 0 must be"):
        env.step(action)


def test_calls_at_the_wrong_time() -> None:
    env = SingleSeatEnv(kododo_v0.batch_game(1))
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(5)
    play(env, 0, np.random.default_rng(0))
    with pytest.raises(RuntimeError, match=r"call reset\(\)"):
        env.step(0)
    env.reset()
    env.step(5)


def test_action_masks_as_sb3_contrib_asks_for_them() -> None:
    utils = pytest.importorskip("sb3_contrib.common.maskable.utils")
    env = gymnasium.make(KODODO)
    observation, _ = env.reset(seed=0)
    assert utils.is_masking_supported(env)
    mask = utils.get_action_masks(env)
    assert mask.dtype == np.bool_
    assert np.array_equal(mask, observation["action_mask"])
    mask[:] = False
    assert utils.get_action_masks(env).any()


def test_rendering_shows_what_the_learner_may_know() -> None:
    env = make("kododo", 4, seat=2, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == env.game.text(0, 2)
    assert env.render() != env.game.text(0)


def test_pixels_show_what_the_learner_may_know() -> None:
    pytest.importorskip("resvg_py", reason="drawing pixels is an extra")
    env = make("kododo", 4, seat=2, render_mode="rgb_array")
    env.reset(seed=0)
    drawn = env.render()
    assert drawn.dtype == np.uint8
    assert np.array_equal(drawn, pixels(env.game.svg(0, 2)))
    assert not np.array_equal(drawn, pixels(env.game.svg(0)))


@pytest.mark.parametrize("library", ["resvg_py", "matplotlib", "PIL"])
@pytest.mark.parametrize(
    "make_one",
    [
        partial(gymnasium.make, KODODO), partial(gymnasium.make_vec, KODODO, 2),
        kododo_v0.parallel_env, kododo_v0.env,
    ],
)  # fmt: skip
def test_where_pixels_cannot_be_drawn_no_mode_promises_them(
    make_one: Any, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They were a mode everywhere, and refused when the first picture was drawn."""
    font_files.cache_clear()
    monkeypatch.setitem(sys.modules, library, None)
    env = make_one()
    assert env.metadata["render_modes"] == ["ansi"]
    with pytest.raises(RenderingUnavailable, match=r"pip install 'kododo-env\[render\]'"):
        make_one(render_mode="rgb_array")
    if isinstance(env.unwrapped, SingleSeatEnv):
        check_env(env.unwrapped)


def test_copies_play_on_alike() -> None:
    env = make("kododo", 3)
    env.reset(seed=0)
    other = copy.deepcopy(env)
    runs = [play(each, None, np.random.default_rng(0)) for each in (env, other)]
    assert data_equivalence(*runs, exact=True)


def test_gymnasiums_own_vector_environment() -> None:
    envs = gymnasium.make_vec(KODODO, num_envs=2, num_players=3)
    envs.reset(seed=0)
    for _ in range(25):
        observations, rewards, *_ = envs.step(envs.action_space.sample())
    assert observations["action_mask"].shape == (2, 15)
    assert rewards.shape == (2,)
    envs.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": RandomAgent}, "opponents must be None, an agent"),
        ({"opponents": "nobody"}, "unknown agent 'nobody'; kododo has random, greedy"),
        ({"opponents": "kododo-3p"}, "kododo-3p"),
        ({"opponents": 5}, "opponents must be None, an agent"),
        ({"opponents": [RandomAgent(), None, RandomAgent()]}, "opponents must be None, an agent"),
        ({"opponents": [RandomAgent()] * 4}, "3 opponents, one for each other seat, not 4"),
        ({"opponents": []}, "3 opponents, one for each other seat, not 0"),
        ({"seat": 4}, "a seat that is not 'random' must be 0 to 3, not 4"),
        ({"seat": -1}, "a seat that is not 'random' must be 0 to 3, not -1"),
        ({"seat": "first"}, "a seat that is not 'random' must be a whole number, not 'first'"),
        ({"reward": "glory"}, "unknown reward 'glory'"),
        ({"illegal_action": "pass"}, "illegal_action must be 'raise' or 'random'"),
        ({"num_players": 6}, "2 to 5 players, not 6"),
    ],
)
def test_bad_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gymnasium.make(KODODO, **{"num_players": 4, **options})


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (5, "agent 'answers' must play 1 actions, one for each game"),
        (np.array([5.0]), "what agent 'answers' plays must be integers, not float64"),
        (np.array([5, 5]), "agent 'answers' must play 1 actions, one for each game"),
        (np.array([0]), "player 1, action 0"),
    ],
)
def test_opponents_that_do_not_play(answer: Any, message: str) -> None:
    env = make("kododo", 2, opponents=Answers(answer))
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(5)


def test_a_batch_is_refused() -> None:
    with pytest.raises(ValueError, match="one game is wanted, not a batch of 3"):
        SingleSeatEnv(kododo_v0.batch_game(3))


@pytest.mark.parametrize("options", [{"deck": [0]}, {"deck": 0}, "deck", 5, ["deck"]])
def test_a_refused_reset_changes_nothing(options: Any) -> None:
    """The generator that Gymnasium keeps was seeded before the deck was looked at."""
    env = SingleSeatEnv(kododo_v0.batch_game(1))
    env.reset(seed=1)
    before, generator = env.game.state(), env.np_random.bit_generator.state
    with pytest.raises(ValueError, match=r"^(options must be a dictionary|.*deck.* must )"):
        env.reset(seed=2, options=options)
    assert differences(before, env.game.state()) == []
    assert env.np_random.bit_generator.state == generator


def test_opponents_by_name() -> None:
    env = make("kododo", 4, opponents=["heuristic", "kododo-4p", RandomAgent()])
    assert [agent.name for agent in env.opponents] == ["heuristic", "kododo-4p", "random"]
    play(env, 0, np.random.default_rng(0))


def test_opponents_that_search() -> None:
    pytest.importorskip("scipy", reason="search is an extra")
    searching = make("kododo", 2, opponents="search:heuristic:2")
    play(searching, 0, np.random.default_rng(0))


def test_observations_as_other_libraries_want_them() -> None:
    env = make("kododo", 4, action_mask="info", observation_dtype="float32", normalize=True)
    check_env(env, skip_render_check=True)
    observation, info = env.reset(seed=0)
    assert isinstance(env.observation_space, gymnasium.spaces.Box)
    assert (observation.dtype, observation.max() <= 1) == (np.float32, True)
    assert np.array_equal(info["action_mask"], env.action_masks())
