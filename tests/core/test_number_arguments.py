"""Indices, actions, sizes and seeds must be integers in range, in all interfaces.

Similar values were accepted before: ``True`` was action 1, a view of player True was everybody's
observation, and a copy dealt for player 1.5 kept no hand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from agents.ppo.imitation import demonstrate
from agents.ppo.machine import DataParallel
from agents.recipes.recipe import recipe_for
from kododo_env import kododo_v0, registry
from kododo_env.agent_registry import make_agent
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.match import play
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.core import Agent, BatchGame, ObservationLayout, Piece, RandomAgent
from kododo_env.core.agent import joint_action
from kododo_env.registry import picture_of, words_of
from kododo_env.search.search import SearchAgent, SearchBudget
from kododo_env.wrappers import SingleSeatEnv
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.core.calls import ANY_SIZE, CALLS, env_for, good_size, is_whole, names_for, refusal
from tests.game_tables import GAMES
from tests.helpers import nested

for_every_game = pytest.mark.parametrize("game", GAMES)
NO_NUMBERS = [
    True, np.True_, np.array(True), 1.0, np.float64(1), "1", [1], 1j, "no", object(), None,
]  # fmt: skip
EDGES = [-1, np.int64(-1), np.int8(-1), 0, 2, 3, 4, 5, 2**70, 2**100]
NUMBERS = [1, np.int64(1), np.uint8(1), np.array(1)]


def batch(game: str) -> BatchGame:
    return registry.batch_game(game, 3, 0, num_players=4)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# --- batches and what is around them --------------------------------------------------


@for_every_game
@pytest.mark.parametrize("call", [call for call, (_, message) in CALLS.items() if message])
def test_a_number_is_whole_and_in_range(game: str, call: str) -> None:
    """Regression: ``describe_action(-1)`` described the last action."""
    last = batch(game).num_actions
    env = env_for(call, batch(game), 0)
    for value in (*NO_NUMBERS, *EDGES, *NUMBERS, last - 1, last):
        if CALLS[call][0] is good_size and is_whole(value, 4, ANY_SIZE):
            continue  # this many games could be made
        message = refusal(call, env, value)
        if not message:
            env = env_for(call, batch(game), 0)
        kind = ".*" if is_whole(value, -1, ANY_SIZE) else "an integer"
        pattern = f"illegal action of|{re.escape(CALLS[call][1])}.* must be {kind}, not "
        assert not message or re.match(pattern, message)


OTHER_KINDS = {"bool": "bool", "float": "float64", "str": "<U", "complex": "complex128"}
NO_ROWS = ["0", "np.array(0)", "None", "[[0], [0, 0]]", "legal[:-1]"]
NO_GAMES = ["[0, -1]", "[3]", "[[0, 1]]", "1", "[]", "np.zeros(0, int)"]
ONLY_LIKE_GAMES = ["[True, False, True]", "np.array([True, False, True])", "[0, True]", "['0']"]
TRUE = ["put(legal, True)", "put(legal, np.True_)", "put(legal, np.array(True))"]
INDICES = [call for call in CALLS if re.match(r"vec\.(get|set|env_is|action)", call)]
STEPS = ["parallel.step(v)", "parallel_random.step(v)"]
REFUSED: list[tuple[list[str], list[str], str]] = [
    (["game.step(v)"], TRUE, "actions of {game} must be integers, not bool"),  # numpy makes it 1
    (["game.step(v)"], ["legal.astype('O')"], "actions of {game} must be integers, not object"),
    (["game.step(v)"], NO_ROWS, "actions of {game} must "),
    (["game.reset(decks=v)"], ["put(deck, True)"], "decks of {game} must be integers, not bool"),
    (["game.reset(decks=v)"], ["deck / 1"], "decks of {game} must be integers, not float64"),
    (["game.reset(decks=v)"], ["[[1], [1, 2], [1]]"], "decks of {game} must "),
    (
        ["game.observe(v)"], ["128", "'x'", "[1]", "np.array(1)", "np.array([1, None])"],
        "out must be an array",
    ),
    (["game.take(v)"], NO_GAMES, "games must be (one or more of 0 to 2|integers), not"),
    # Regression: a mask of games was used as the indices 0 and 1.
    (["game.take(v)"], [*ONLY_LIKE_GAMES, "[0.0]", "None"], "games must be integers, not "),
    (
        STEPS, [f"put(legal, {value})" for value in ("True", "1.0", "'1'", "None", "[1]", "1j")],
        "the action of player_3 must be an integer, not ",
    ),
    (STEPS, ["put(legal, -1)", "put(legal, 2**100)"], "the action of player_3 must be 0 to .*"),
    (
        ["vec.step(v)"], [*NO_ROWS, "legal == legal", "legal / 1", "put(legal, True)"], "actions ",
    ),
    (INDICES, ["True", "1.0", "[0, True]", "[0.5]", "'0'", "legal == legal"], "indices must be "),
    (INDICES, ["12", "-1", "[0, 12]", "[-1]"], "indices must be .*0 to 11"),
]  # fmt: skip
for kind, dtype_name in OTHER_KINDS.items():
    arrays = [f"legal.astype({kind!r})", f"legal.astype({kind!r}).tolist()"]
    REFUSED.append(
        (["game.step(v)"], arrays, f"actions of {{game}} must be integers, not {dtype_name}")
    )


@for_every_game
@pytest.mark.parametrize(("calls", "values", "pattern"), REFUSED)
def test_other_values_are_refused(
    calls: list[str], values: list[str], pattern: str, game: str
) -> None:
    for call in calls:
        env = env_for(call, batch(game), 0)
        for value in values:
            message = refusal(call, env, eval(value, {"np": np, **names_for(env)}))
            assert re.match(pattern.format(game=game), message), value


DEPTHS = [1, 2, 3, 31, 32, 33, 34, 63, 64, 65, 66, 5000]  # about numpy's limits on dimensions


@for_every_game
def test_lists_in_lists_are_refused_at_any_depth(game: str) -> None:
    """Regression: a list nested 33 to 64 deep raised numpy's RuntimeError."""
    for call in CALLS:
        env = env_for(call, batch(game), 0)
        for depth in DEPTHS:
            one_index = depth == 1 and (call in INDICES or "take" in call)
            assert bool(refusal(call, env, nested(depth))) != one_index, call


@for_every_game
def test_numbers_of_any_library_are_the_same_number(game: str) -> None:
    game_batch = batch(game)
    vec = BatchVecEnv(batch(game))
    for number in NUMBERS:
        view = game_batch.view(number)
        seat = SingleSeatEnv(game_batch.fresh(1), number).seat
        assert (type(view.player), type(seat), seat) == (int, int, 1)
        assert np.array_equal(view.observation, game_batch.observe()[:, 1])
        for call in (
            picture_of(game_batch).text,
            picture_of(game_batch).svg,
            words_of(game_batch).describe_action,
        ):
            assert call(number) == call(1)
    for games in ([2, 0], (2, 0), np.array([2, 0], np.uint8), np.array([2, 0])):
        assert np.array_equal(game_batch.take(games).observe(), game_batch.observe()[[2, 0]])
        assert vec.action_masks(games).shape == (2, game_batch.num_actions)
    assert vec.get_attr("player", 1) == vec.get_attr("player", np.int64(1)) == [1]
    legal = game_batch.legal_action_mask().argmax(axis=2)
    for actions in (legal, legal.tolist(), legal.astype(np.uint8)):
        game_batch.clone().step(actions)
    for name in ("parallel", "parallel_random"):
        env = env_for(name, game_batch, 0)
        kinds = zip(
            (int, np.int64, np.uint8, np.array), names_for(env)["legal"].items(), strict=True
        )
        env.step({agent: kind(action) for kind, (agent, action) in kinds})


class Foolish(Agent):
    """Plays bools."""

    name = "foolish"

    def act(self, view: Any, _: np.random.Generator) -> Any:
        return np.ones(view.num_envs, np.bool_)


@for_every_game
def test_agents_play_whole_numbers_wherever_they_are_asked(game: str) -> None:
    """Regression: ``joint_action`` silently converted bools to integers."""
    game_batch = batch(game)
    message = "agent 'foolish' must be integers.*bool"
    seats = [Foolish()] * game_batch.num_players
    for call in (
        lambda: joint_action([seats[0]] * game_batch.num_players, game_batch, rng()),
        lambda: play(seats, game_batch, game_batch.sample_decks(3, rng()), rng()),
        lambda: SearchAgent(seats[0]).act(game_batch.view(0), rng()),
        lambda: demonstrate(seats[0], game_batch, rng(), 0.0),
        lambda: finish(SingleSeatEnv(game_batch.fresh(1, 0), 0, seats[1:])),
        lambda: finish(BatchVecEnv(game_batch, opponents=[None, *seats[1:]])),
    ):
        refused(call, message)


# --- options --------------------------------------------------------------------------

NO_NAMES = [["score"], {}, {"score": 1}, {"score"}, np.array("raise"), np.array(["ansi"]), b"win"]
NO_NAMES += [float("nan"), 33, slice(1), "x" * 100_000, "ansi\n", object()]
EVERYWHERE = ["reward", "render_mode", "illegal_action", "action_mask", "observation_dtype"]
EVERYWHERE += ["opponents", "normalize"]
ENVIRONMENT_MODULES: dict[str, Callable[..., Any]] = {
    "batch_game": lambda game, **options: registry.batch_game(game, 1, **options),
    "parallel_env": lambda game, **options: registry.environment_module(game).parallel_env(
        **options
    ),
    "env": lambda game, **options: registry.environment_module(game).env(**options),
    "make": lambda game, **options: gymnasium.make(gymnasium_id(game), **options),
    "make_vec": lambda game, **options: gymnasium.make_vec(gymnasium_id(game), 2, **options),
    "vec": lambda game, **options: BatchVecEnv(batch(game), **options),
}
CHOSEN = [(module, option) for module in list(ENVIRONMENT_MODULES)[1:] for option in EVERYWHERE]
CHOSEN += [("make_vec", "autoreset_mode"), ("make_vec", "seat"), ("make", "seat")]
CHOSEN += [("parallel_env", "record"), ("env", "record")]


def gymnasium_id(game: str) -> str:
    return f"kododo_env:{registry.environment_module(game).GYMNASIUM_ID}"


@for_every_game
@pytest.mark.parametrize(("module", "option"), CHOSEN)
def test_an_option_is_one_of_those_that_there_are(
    module: str, option: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: an unhashable option raised TypeError, and messages repeated long text."""
    monkeypatch.chdir(tmp_path)
    Path("ansi\n").touch()  # so that no records can be written there
    for wrong in NO_NAMES:
        refused(lambda: ENVIRONMENT_MODULES[module](game, **{option: wrong}), r"\A[^\n]{20,500}\Z")  # noqa: B023


@pytest.mark.parametrize(
    "find",
    [
        registry.environment_module,
        lambda name: make_agent(name, "kododo"),
        lambda name: make_agent("random", name),
        lambda name: recipe_for("kododo", 4, name),
        lambda name: kododo_v0.batch_game(1, variant=name),
    ],
)
def test_so_is_a_name(find: Callable[[Any], Any]) -> None:
    for wrong in NO_NAMES:
        refused(lambda: find(wrong), r"\A[^\n]{20,500}\Z")  # noqa: B023


@for_every_game
@pytest.mark.parametrize("module", list(ENVIRONMENT_MODULES)[:-1])
def test_an_option_that_there_is_not_is_named_with_those_that_there_are(
    module: str, game: str
) -> None:
    with pytest.raises(TypeError, match=r"option 'nonsense'; choose from .+$") as error:
        ENVIRONMENT_MODULES[module](game, nonsense=1)
    options = str(error.value).partition("choose from ")[2].partition(" was raised")[0].split(", ")
    rules = {rule.name for rule in fields(registry.batch_game(game, 1).rules)}
    options_of_door = {"batch_game": {"seed"}, "parallel_env": {"record"}, "env": {"record"}}
    assert rules | options_of_door.get(module, {"seat", "reward", "render_mode"}) <= {*options}
    assert ("seed" in options) == (module == "batch_game")  # elsewhere it is that of reset
    assert len({*options}) == len(options)


def finish(env: Any) -> None:
    """Play a game of a wrapper to its end."""
    env.reset()
    for _ in range(1000):
        env.step(env.action_masks().argmax(axis=-1))


# --- agents ---------------------------------------------------------------------------


TWO = RandomAgent(), RandomAgent()
PAIR = "random", "heuristic"
TAKING: list[tuple[Callable[[Any], Any], str, int, str]] = [
    (lambda n: SearchBudget(worlds=n), "worlds", 0, "worlds must be 1 to 100000, not 0"),
    (DataParallel, "threads", 0, "threads must be at least 1, not 0"),
    (lambda n: Match(*TWO, "kododo", n).play(), "players", 9, "players"),
    (lambda n: Match(*TWO, "kododo", 2, n).play(), "games", 1, "games must be at least 2"),
    (
        lambda n: Match(*TWO, "kododo", 2, 8, n).play(),
        "seed",
        -1,
        "seed must be at least 0",
    ),
    (lambda n: Tournament("kododo", PAIR, 2, 80, n), "seed", -1, "seed must be at least 0"),
    (lambda n: Tournament("kododo", PAIR, 2, n), "games", 1, "games"),
    (lambda n: Tournament("kododo", PAIR, n), "players", 9, "players"),
    (
        lambda n: [*run(Tournament("kododo", PAIR, 2, 80), [], n)],
        "workers",
        0,
        "workers must be at least 1",
    ),
]


@pytest.mark.parametrize(("use", "name", "beyond", "message"), TAKING)
def test_agents_take_whole_numbers_in_range(
    use: Callable[[Any], Any], name: str, beyond: int, message: str
) -> None:
    for bad in (True, 1.5, "3", np.float64(2)):
        refused(lambda bad=bad: use(bad), f"{name} must be an integer, not ")
    refused(lambda: use(beyond), message)


def test_numpys_numbers_in_a_tournament_become_pythons() -> None:
    """Regression: the results could not be written as JSON."""
    rules = {"target_score": np.int64(7), "copies": np.array([5, 6, 5, 2, 1, 1]), "variant": "long"}
    names = "random", "heuristic"
    numpys = Tournament("kododo", names, *(np.int64([2, 80, 3])), rules=rules)
    assert (numpys.players, numpys.games, numpys.seed) == (2, 80, 3)
    numbers_json = json.dumps([numpys.players, numpys.games, numpys.seed, dict(numpys.rules)])
    assert json.loads(numbers_json) == [
        2,
        80,
        3,
        {**rules, "target_score": 7, "copies": [5, 6, 5, 2, 1, 1]},
    ]


def test_layouts_are_made_of_whole_numbers() -> None:
    """Regression: numpy numbers in a layout broke its fingerprint."""
    piece = Piece("hand", (np.int64(2),), np.int64(9), "", ("slot",))  # type: ignore[arg-type]
    plain_piece = Piece("hand", (2,), 9, "", ("slot",))
    assert (
        ObservationLayout((piece,)).fingerprint() == ObservationLayout((plain_piece,)).fingerprint()
    )
