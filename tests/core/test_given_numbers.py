"""Indices, actions, sizes and seeds that somebody gives are whole numbers in range, everywhere.

What only looks like one used to go through: ``True`` was action 1, a view of player True was
everybody's observation, and a copy dealt for player 1.5 kept nobody's hand.
"""

from __future__ import annotations

import json
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
from kododo_env.arena.duplicates import play
from kododo_env.arena.match import Match
from kododo_env.arena.tournament import Tournament
from kododo_env.arena.workers import run
from kododo_env.core import (
    ActionPiece,
    BatchGame,
    ObservationLayout,
    Piece,
    RandomAgent,
    SlotPiece,
)
from kododo_env.core.agent import joint_action
from kododo_env.search.search import SearchAgent, SearchBudget
from kododo_env.wrappers import SingleSeatEnv
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.doors import GAMES
from tests.helpers import differences, random_actions

each_game = pytest.mark.parametrize("game", GAMES)
NO_NUMBERS = [True, np.True_, np.array(True), 1.0, np.float64(1), "1", None, [1], 1j]
NUMBERS = [1, np.int64(1), np.uint8(1), np.array(1)]
Use = Callable[[BatchGame, Any], Any]


def batch(game: str) -> BatchGame:
    return registry.batch_game(game, 3, 0)


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def refused(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)


# --- a batch of games -----------------------------------------------------------------

PLAYERS: dict[str, Use] = {
    "view": lambda game, player: game.view(player),
    "determinize": lambda game, player: game.determinize(player, rng(), 1),
    "text": lambda game, player: game.text(0, player),
    "svg": lambda game, player: game.svg(0, player),
}
INDICES: dict[str, Use] = {
    "text": lambda game, index: game.text(index),
    "svg": lambda game, index: game.svg(index),
}
COUNTS: dict[str, Use] = {
    "num_envs": lambda game, num: registry.batch_game(game.name, num),
    "num": lambda game, num: game.sample_decks(num, rng()),
    "samples": lambda game, num: game.view(0).determinize(rng(), num),
}
SEEDS: dict[str, Use] = {
    "batch_game": lambda game, seed: registry.batch_game(game.name, 2, seed),
    "fresh": lambda game, seed: game.fresh(1, seed),
    "reset": lambda game, seed: game.reset(seed),
    "parallel": lambda game, seed: registry.door(game.name).parallel_env().reset(seed),
    "aec": lambda game, seed: registry.door(game.name).env().reset(seed),
    "single": lambda game, seed: SingleSeatEnv(game.fresh(1)).reset(seed=seed),
    "vec": lambda game, seed: BatchVecEnv(game).seed(seed),
}


def uses(table: dict[str, Use]) -> Any:
    return pytest.mark.parametrize("use", table.values(), ids=table)


@each_game
@uses(PLAYERS)
def test_a_player_is_a_whole_number(game: str, use: Use) -> None:
    one = batch(game)
    for player in NO_NUMBERS:
        if player is not None:  # text and svg show everything then
            refused(lambda player=player: use(one, player), "player must be a whole number, not ")
    for player in (-1, one.num_players, np.int64(-1), 2**100):
        said = f"player must be 0 to {one.num_players - 1}, not {player}"
        refused(lambda player=player: use(one, player), said)
    for player in NUMBERS:
        use(one, player)


@each_game
def test_a_view_says_its_player_as_a_plain_number(game: str) -> None:
    one = batch(game)
    for player in NUMBERS:
        view = one.view(player)
        assert type(view.player) is int
        assert np.array_equal(view.observation, one.observe()[:, 1])


@each_game
@uses(INDICES)
def test_the_index_of_a_game_is_a_whole_number(game: str, use: Use) -> None:
    one = batch(game)
    for index in NO_NUMBERS:
        refused(lambda index=index: use(one, index), "index must be a whole number, not ")
    for index in (-1, 3, 2**100):
        refused(lambda index=index: use(one, index), f"index must be 0 to 2, not {index}")
    assert all(use(one, index) == use(one, 1) for index in NUMBERS)


@each_game
@pytest.mark.parametrize("name", COUNTS)
def test_a_count_is_a_whole_number_from_1(game: str, name: str) -> None:
    one, use = batch(game), COUNTS[name]
    for num in NO_NUMBERS:
        refused(lambda num=num: use(one, num), f"{name} must be a whole number, not ")
    for num in (0, -1, np.int8(-1)):
        refused(lambda num=num: use(one, num), f"{name} must be 1 or more, not {num}")
    for num in NUMBERS:
        use(one, num)


@each_game
@uses(SEEDS)
def test_a_seed_is_a_whole_number_from_0_or_none(game: str, use: Use) -> None:
    one = batch(game)
    one.step(random_actions(one, rng()))
    before = one.state()
    for seed in NO_NUMBERS:
        if seed is not None:
            refused(lambda seed=seed: use(one, seed), "seed must be a whole number, not ")
    for seed in (-1, np.int64(-1)):
        refused(lambda seed=seed: use(one, seed), "seed must be 0 or more, not -1")
    assert differences(before, one.state()) == []
    for seed in (*NUMBERS, None, 0, 2**70):
        use(one, seed)


@each_game
def test_the_meaning_of_no_action_is_not_told(game: str) -> None:
    """``describe_action(-1)`` described the last one."""
    one = batch(game)
    for action in NO_NUMBERS:
        refused(lambda action=action: one.describe_action(action), "action must be a whole number")
    for action in (-1, one.num_actions):
        said = f"action must be 0 to {one.num_actions - 1}, not {action}"
        refused(lambda action=action: one.describe_action(action), said)
    assert {one.describe_action(action) for action in NUMBERS} == {one.describe_action(1)}


@each_game
@pytest.mark.parametrize("games", [[0, -1], [3], [[0, 1]], 1, [], np.zeros(0, np.int64)], ids=repr)
def test_only_games_that_there_are_can_be_taken(game: str, games: Any) -> None:
    refused(lambda: batch(game).take(games), "games must be (one or more of 0 to 2|integers), not")


@each_game
@pytest.mark.parametrize(
    "games", [[True, False, True], np.array([True, False, True]), [0, True], [0.0], ["0"], None]
)
def test_games_are_taken_by_whole_numbers(game: str, games: Any) -> None:
    """A mask of games was taken for the games 0 and 1."""
    refused(lambda: batch(game).take(games), "games must be integers, not ")


@each_game
def test_games_are_taken_by_integers_of_any_kind(game: str) -> None:
    one = batch(game)
    for games in ([2, 0], (2, 0), np.array([2, 0], np.uint8), np.array([2, 0])):
        taken = one.take(games)
        assert np.array_equal(taken.observe(), one.observe()[[2, 0]])


@each_game
@pytest.mark.parametrize(
    ("wrong", "kind"),
    [(bool, "bool"), (float, "float64"), (str, "<U"), (object, "object"), (complex, "complex128")],
)
def test_arrays_of_what_only_looks_like_actions_are_refused(
    game: str, wrong: type, kind: str
) -> None:
    one = batch(game)
    actions = one.legal_action_mask().argmax(axis=2)
    before = one.state()
    bad = np.zeros_like(actions).astype(wrong)
    refused(lambda: one.step(bad), f"actions of {game} must be integers, not {kind}")
    if wrong is not object:
        refused(lambda: one.step(bad.tolist()), f"actions of {game} must be integers, not {kind}")
    assert differences(before, one.state()) == []
    one.step(actions.tolist())


@each_game
@pytest.mark.parametrize("truth", [True, np.True_, np.array(True)], ids=repr)
def test_a_truth_value_among_actions_is_refused(game: str, truth: Any) -> None:
    """numpy makes a 1 of it when it stands among numbers."""
    one = batch(game)
    actions = one.legal_action_mask().argmax(axis=2).tolist()
    actions[1][0] = truth
    refused(lambda: one.step(actions), f"actions of {game} must be integers, not bool")


@each_game
@pytest.mark.parametrize("out", [128, "x", [1], np.array(1), np.array([1, None])])
def test_observations_are_written_into_arrays_of_their_shape(game: str, out: Any) -> None:
    with pytest.raises(ValueError, match="out must be an array of the shape"):
        registry.batch_game(game, 1, 0).observe(out=out)


@each_game
@pytest.mark.parametrize("actions", [0, np.array(0), None, [[0], [0, 0]]], ids=repr)
def test_actions_are_an_array_of_the_right_shape(game: str, actions: Any) -> None:
    refused(lambda: batch(game).step(actions), f"actions of {game} must ")


@each_game
def test_decks_hold_whole_numbers(game: str) -> None:
    one = batch(game)
    decks = one.sample_decks(3, rng()).reshape(3, -1, len(one.cards))[:, 0].tolist()
    decks[0][0] = True
    refused(lambda: one.reset(decks=decks), f"decks of {game} must be integers, not bool")
    refused(lambda: one.reset(decks=[[1], [1, 2], [1]]), f"decks of {game} must ")


# --- wrappers -------------------------------------------------------------------------

NO_ACTIONS = [*NO_NUMBERS, "no", object()]


@each_game
@pytest.mark.parametrize("illegal_action", ["raise", "random"])
def test_a_parallel_env_takes_whole_numbers_only(game: str, illegal_action: str) -> None:
    env = registry.door(game).parallel_env(illegal_action=illegal_action)
    env.reset(seed=0)
    before = env.game.state()
    for bad in NO_ACTIONS:
        actions = dict.fromkeys(env.agents, 0) | {"player_1": bad}
        said = "the action of player_1 must be a whole number, not "
        refused(lambda actions=actions: env.step(actions), said)
    for bad in (-1, env.game.num_actions, 2**100):
        actions = dict.fromkeys(env.agents, 0) | {"player_1": bad}
        refused(lambda actions=actions: env.step(actions), f"player_1 must be 0 to .*, not {bad}")
    assert differences(before, env.game.state()) == []
    legal = env.game.legal_action_mask()[0].argmax(axis=1)
    kinds = (int, np.int64, np.uint8, np.array, int)
    env.step({name: kind(a) for name, kind, a in zip(env.agents, kinds, legal, strict=False)})


@each_game
@pytest.mark.parametrize("illegal_action", ["raise", "random"])
def test_an_aec_env_takes_whole_numbers_only(game: str, illegal_action: str) -> None:
    env = registry.door(game).env(illegal_action=illegal_action)
    env.reset(seed=0)
    for bad in NO_ACTIONS:
        if bad is not None:
            refused(lambda bad=bad: env.step(bad), "must be a whole number, not ")
    refused(lambda: env.step(-1), "must be 0 to ")
    env.step(np.int64(env.observe(env.agent_selection)["action_mask"].argmax()))


@each_game
@pytest.mark.parametrize("illegal_action", ["raise", "random"])
def test_a_gymnasium_env_takes_whole_numbers_only(game: str, illegal_action: str) -> None:
    door = registry.door(game)
    env = gymnasium.make(f"kododo_env:{door.GYMNASIUM_ID}", illegal_action=illegal_action).unwrapped
    env.reset(seed=0)
    for bad in NO_ACTIONS:
        refused(lambda bad=bad: env.step(bad), "must be a whole number, not ")
    refused(lambda: env.step(-1), "must be 0 to ")
    env.step(np.int64(np.asarray(env.get_wrapper_attr("action_masks")()).argmax()))


@each_game
def test_a_seat_is_a_whole_number(game: str) -> None:
    one = registry.batch_game(game, 1)
    for seat in (True, 1.0, np.True_, None, "first", [0]):
        refused(
            lambda seat=seat: SingleSeatEnv(one, seat),
            "a seat that is not 'random' must be a whole number, not ",
        )
    for seat in (-1, one.num_players):
        refused(lambda seat=seat: SingleSeatEnv(one, seat), "a seat .* must be 0 to .*, not ")
    for seat in NUMBERS:
        env = SingleSeatEnv(one, seat)
        assert type(env.seat) is int
        assert env.seat == 1


@each_game
def test_a_vec_env_takes_whole_numbers_only(game: str) -> None:
    env = BatchVecEnv(batch(game))
    env.reset()
    size, legal = env.num_envs, env.action_masks().argmax(axis=1)
    before = env.game.state()
    for bad in (np.ones(size, bool), np.ones(size), [True] + [0] * (size - 1), legal[:-1], 0):
        env.step_async(bad)
        refused(env.step_wait, "actions ")
    assert differences(before, env.game.state()) == []
    env.step(legal.tolist())
    for bad in (True, 1.0, [0, True], [0.5], "0", np.array([True] * size)):
        for call in (
            env.action_masks,
            lambda bad=bad: env.get_attr("player", bad),
            lambda bad=bad: env.env_is_wrapped(gymnasium.Wrapper, bad),
            lambda bad=bad: env.set_attr("note", 1, bad),
        ):
            arguments = (bad,) if call == env.action_masks else ()
            refused(lambda call=call, a=arguments: call(*a), "indices must be ")
    for bad in (size, -1, [0, size], [-1]):
        refused(lambda bad=bad: env.get_attr("player", bad), f"indices must be .*0 to {size - 1}")
    assert env.get_attr("player", 1) == env.get_attr("player", np.int64(1)) == [1]
    assert env.action_masks([0, 2]).shape == env.action_masks(np.array([0, 2])).shape


class Foolish:
    """Plays truth values."""

    name = "foolish"

    def act(self, view: Any, _: np.random.Generator) -> Any:
        return np.ones(view.num_envs, np.bool_)


@each_game
def test_agents_play_whole_numbers_wherever_they_are_asked(game: str) -> None:
    """Where everybody is asked at once, what they play was turned into integers in silence."""
    one, said = batch(game), "what agent 'foolish' plays must be integers, not bool"
    seats = [Foolish()] * one.num_players
    for call in (
        lambda: joint_action([seats[0]] * one.num_players, one, rng()),
        lambda: play(seats, one, one.sample_decks(3, rng()), rng()),
        lambda: SearchAgent(seats[0]).act(one.view(0), rng()),
        lambda: demonstrate(seats[0], one, rng(), 0.0),
        lambda: finish(SingleSeatEnv(one.fresh(1, 0), 0, seats[1:])),
        lambda: finish(BatchVecEnv(one, opponents=[None, *seats[1:]])),
    ):
        refused(call, said)


# --- options --------------------------------------------------------------------------

NO_NAMES = [["score"], {}, {"score": 1}, {"score"}, np.array("raise"), np.array(["ansi"]), b"win"]
NO_NAMES += [float("nan"), 33, slice(1), "x" * 100_000, "ansi\n", object()]
EVERYWHERE = ["reward", "render_mode", "illegal_action", "action_mask", "observation_dtype"]
EVERYWHERE += ["opponents", "normalize"]
DOORS: dict[str, Callable[..., Any]] = {
    "batch_game": lambda game, **options: registry.batch_game(game, 1, **options),
    "parallel_env": lambda game, **options: registry.door(game).parallel_env(**options),
    "env": lambda game, **options: registry.door(game).env(**options),
    "make": lambda game, **options: gymnasium.make(gymnasium_id(game), **options),
    "make_vec": lambda game, **options: gymnasium.make_vec(gymnasium_id(game), 2, **options),
    "vec": lambda game, **options: BatchVecEnv(batch(game), **options),
}
CHOSEN = [(door, option) for door in list(DOORS)[1:] for option in EVERYWHERE]
CHOSEN += [("make_vec", "autoreset_mode"), ("make_vec", "seat"), ("make", "seat")]
CHOSEN += [("parallel_env", "record"), ("env", "record")]


def gymnasium_id(game: str) -> str:
    return f"kododo_env:{registry.door(game).GYMNASIUM_ID}"


@each_game
@pytest.mark.parametrize(("door", "option"), CHOSEN)
def test_an_option_is_one_of_those_that_there_are(
    door: str, option: str, game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be looked up in a dictionary was a TypeError, and long text came back whole."""
    monkeypatch.chdir(tmp_path)
    Path("ansi\n").touch()  # so that no records can be written there
    for wrong in NO_NAMES:
        refused(lambda: DOORS[door](game, **{option: wrong}), r"\A[^\n]{20,500}\Z")  # noqa: B023


@pytest.mark.parametrize(
    "find",
    [
        registry.door,
        lambda name: make_agent(name, "kododo"),
        lambda name: make_agent("random", name),
        lambda name: recipe_for("kododo", 4, name),
        lambda name: kododo_v0.batch_game(1, variant=name),
    ],
)
def test_so_is_a_name(find: Callable[[Any], Any]) -> None:
    for wrong in NO_NAMES:
        refused(lambda: find(wrong), r"\A[^\n]{20,500}\Z")  # noqa: B023


@each_game
@pytest.mark.parametrize("door", list(DOORS)[:-1])
def test_an_option_that_there_is_not_is_named_with_those_that_there_are(
    door: str, game: str
) -> None:
    with pytest.raises(TypeError, match=r"^there is no option 'nonsense'; there are .+$") as error:
        DOORS[door](game, nonsense=1)
    told = str(error.value).partition("there are ")[2].partition(" was raised")[0].split(", ")
    rules = {each.name for each in fields(registry.batch_game(game, 1).rules)}
    own = {"batch_game": {"seed"}, "parallel_env": {"record"}, "env": {"record"}}
    assert rules | own.get(door, {"seat", "seed", "reward", "render_mode"}) <= {*told}
    assert len({*told}) == len(told)


def finish(env: Any) -> None:
    """Play a game of a wrapper to its end."""
    env.reset()
    for _ in range(1000):
        env.step(env.action_masks().argmax(axis=-1))


# --- agents ---------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [True, 1.5, "3", np.float64(2)], ids=repr)
def test_agents_take_whole_numbers_only(bad: Any) -> None:
    two = RandomAgent(), RandomAgent()
    names = "random", "heuristic"
    for call, name in (
        (lambda: SearchBudget(worlds=bad), "worlds"),
        (lambda: DataParallel(bad), "threads"),
        (lambda: Match(*two, "kododo", bad).play(), "players"),
        (lambda: Match(*two, "kododo", 2, bad).play(), "games"),
        (lambda: Match(*two, "kododo", 2, 8, bad).play(), "seed"),
        (lambda: Tournament("kododo", names, 2, 80, bad), "seed"),
        (lambda: Tournament("kododo", names, 2, bad), "games"),
        (lambda: Tournament("kododo", names, bad), "players"),
        (lambda: list(run(Tournament("kododo", names, 2, 80), [], bad)), "workers"),
    ):
        refused(call, f"{name} must be a whole number, not ")


def test_numpys_numbers_in_a_tournament_become_pythons() -> None:
    """They made its results impossible to write, as JSON."""
    rules = {"target_score": np.int64(7), "copies": np.array([5, 6, 5, 2, 1, 1]), "variant": "long"}
    names = "random", "heuristic"
    numpys = Tournament("kododo", names, *(np.int64([2, 80, 3])), rules=rules)
    assert (numpys.players, numpys.games, numpys.seed) == (2, 80, 3)
    told = json.dumps([numpys.players, numpys.games, numpys.seed, dict(numpys.rules)])
    assert json.loads(told) == [
        2,
        80,
        3,
        {**rules, "target_score": 7, "copies": [5, 6, 5, 2, 1, 1]},
    ]


def test_layouts_are_made_of_whole_numbers() -> None:
    """numpy's numbers in a layout made its fingerprint fail."""
    piece = Piece("hand", (np.int64(2),), np.int64(9), "", ("slot",))  # type: ignore[arg-type]
    same = Piece("hand", (2,), 9, "", ("slot",))
    assert ObservationLayout((piece,)).fingerprint() == ObservationLayout((same,)).fingerprint()
    for call in (
        lambda: Piece("hand", (), True, ""),
        lambda: Piece("hand", (), 0, ""),
        lambda: Piece("hand", (1.5,), 1, "", ("slot",)),  # type: ignore[arg-type]
        lambda: ActionPiece("give", (0,), ("seat",)),
        lambda: SlotPiece("card", "hand", 1.0, 1),  # type: ignore[arg-type]
        lambda: SlotPiece("card", "hand", 5, 3),
        lambda: SlotPiece("card", "hand", 300, 1),
    ):
        refused(call, "must be ")


def test_numbers_of_agents_are_in_range() -> None:
    two = RandomAgent(), RandomAgent()
    for call, said in (
        (lambda: SearchBudget(worlds=0), "worlds must be 1 to 100000, not 0"),
        (lambda: DataParallel(0), "threads must be 1 or more, not 0"),
        (lambda: Match(*two, "kododo", 2, 8, -1).play(), "seed must be 0 or more, not -1"),
        (lambda: Match(*two, "kododo", 2, 1).play(), "2 players need 2 games at least"),
    ):
        refused(call, said)
