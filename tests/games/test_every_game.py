"""Guarantees of all games, for all games of the registry and all numbers of players.

The conformance tests of PettingZoo and Gymnasium, and whole episodes in these interfaces and in
stable-baselines3's, run over the same games in test_pettingzoo, test_gymnasium and test_sb3.
test_docs and test_transcripts require a page and a transcript of each game. A new game in the
registry is included in all of them automatically.
"""

from __future__ import annotations

import inspect
import json
import re
from functools import cache
from io import StringIO
from pathlib import Path
from token import NAME, STRING
from tokenize import generate_tokens
from types import ModuleType
from typing import Any, cast

import gymnasium
import numpy as np
import numpy.typing as npt
import pytest

from kododo_env import registry
from kododo_env.arrays import rows
from kododo_env.core import BatchGame, SlotPiece
from kododo_env.core.capabilities import UndoSupport
from kododo_env.registry import words_of
from kododo_env.testing import check_batch_game
from tests.game_tables import GAMES, TABLES
from tests.games.rules_strategies import AT_THE_BOUNDS
from tests.helpers import assert_same_state, play_random

ROOT = Path(__file__).parents[2]
LAYOUTS = Path(__file__).with_name("layouts.json")

per_game = pytest.mark.parametrize("game", GAMES)
per_table = pytest.mark.parametrize(("game", "players"), TABLES)


def batch(game: str, players: int, num_envs: int = 3, seed: int = 0) -> BatchGame:
    return registry.batch_game(game, num_envs, seed, num_players=players)


@cache
def length(game: str, players: int) -> int:
    """Return the number of steps of a batch from deal to end with one seed."""
    return len(play_random(batch(game, players), np.random.default_rng(0)))


def positions(game: str, players: int, num_envs: int = 3) -> list[BatchGame]:
    """Return batches after the deal, at a third, at two thirds, before the end and at the end."""
    steps = length(game, players)
    batches = []
    for stop in (0, steps // 3, 2 * steps // 3, steps - 1, steps):
        batches.append(batch(game, players, num_envs))
        play_random(batches[-1], np.random.default_rng(0), stop)
    return batches


# --- environment modules
# ----------------------------------------------------------------------------


@per_game
def test_the_module_has_what_every_module_has(game: str) -> None:
    module = cast("ModuleType", registry.environment_module(game))
    assert sorted(module.__all__) == [
        "GYMNASIUM_ID",
        "PLAYERS",
        "batch_game",
        "env",
        "parallel_env",
    ]
    assert list(module.PLAYERS) == sorted(set(module.PLAYERS))
    assert min(module.PLAYERS) >= 2
    single = module.batch_game(1)
    name = f"{single.name}_v{single.version}"
    assert single.name == game
    assert module.__name__.endswith(f".{name}")
    assert module.GYMNASIUM_ID.endswith(f"-v{single.version}")
    assert module.GYMNASIUM_ID in gymnasium.registry
    assert {module.parallel_env().metadata["name"], module.env().metadata["name"]} == {name}


@per_table
def test_all_modules_open_the_same_game(game: str, players: int) -> None:
    module = registry.environment_module(game)
    rules = batch(game, players).rules
    options = {name: getattr(rules, name) for name in inspect.signature(type(rules)).parameters}
    assert options["num_players"] == players
    assert module.batch_game(1, **options).rules == rules
    for env in (module.parallel_env(**options), module.env(**options)):
        assert env.game.rules == rules
    single = gymnasium.make(f"kododo_env:{module.GYMNASIUM_ID}", **options)
    assert cast("Any", single.unwrapped).game.rules == rules
    with pytest.raises(AttributeError):
        rules.num_players = players + 1


@per_game
def test_other_numbers_of_players_are_refused(game: str) -> None:
    module = registry.environment_module(game)
    for players in set(range(-1, 9)) - set(module.PLAYERS):
        for make in (
            lambda **rules: module.batch_game(2, **rules),
            module.parallel_env,
            module.env,
            lambda **rules: gymnasium.make(f"kododo_env:{module.GYMNASIUM_ID}", **rules),
        ):
            with pytest.raises(ValueError, match=rf"players, not {players}") as caught:
                make(num_players=players)
            assert "\n" not in str(caught.value)


# --- what any batch game promises -----------------------------------------------------


@per_table
def test_the_game_keeps_its_promises(game: str, players: int) -> None:
    """Whole games, masks, scores, copies, hidden cards, ...: see docs/extending.md."""
    check_batch_game(
        registry.environment_module(game).batch_game, rules={"num_players": players}, places=3
    )


@per_game
def test_every_array_holds_its_numbers_at_the_bounds(game: str) -> None:
    check_batch_game(
        registry.environment_module(game).batch_game, any_rules=AT_THE_BOUNDS[game], only=["bounds"]
    )


@per_game
def test_games_in_several_blocks_are_the_same_games(
    game: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr(rows, "GAMES_AT_A_TIME", 2)
    rows.blocks.cache_clear()
    request.addfinalizer(rows.blocks.cache_clear)
    assert len(rows.blocks(5)) == 3  # the kit plays five games in a batch, and each alone
    check_batch_game(registry.environment_module(game).batch_game, only=["batches"])


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int64, np.uint8, np.float32])
def test_the_victory_is_decided_by_keys_of_any_dtype_and_sign(
    dtype: npt.DTypeLike, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: players without the lead got int32's minimum, which numpy 2.5 rejects in int16.

    A negative key of those who lead was then below that, and nobody had won.
    """
    played = batch(GAMES[0], 4, num_envs=2)
    kind = np.dtype(dtype)
    lowest = 0 if kind.kind == "u" else -5 if kind.kind == "f" else np.iinfo(kind).min
    first = np.array([[3, lowest], [3, lowest], [3, lowest], [lowest, lowest]], dtype)
    second = np.array([[lowest, 7], [lowest + 1, 7], [lowest + 1, 1], [9, 2]], dtype)
    monkeypatch.setattr(played, "_standing", lambda: (first, second))
    assert played.outcome().tolist() == [[0, 0.5, 0.5, 0], [0.5, 0.5, 0, 0]]


@per_table
def test_steps_taken_back_lead_here_again(game: str, players: int) -> None:
    for played in positions(game, players, num_envs=100):
        if not isinstance(played, UndoSupport):
            assert played.view(0).undoable_steps == 0
            continue
        before = played.clone()
        rng = np.random.default_rng(0)
        assert played.view(0).undoable_steps == played.undoable_steps
        past: list[tuple[Any, Any]] = [(played.clone(), None)]
        for _ in range(played.undoable_steps):
            past.append(past[-1][0].before_last_step(rng))
        with pytest.raises(ValueError, match=f"{game}.*undoable_steps is 0"):
            past[-1][0].before_last_step(rng)
        replayed = past[-1][0]
        assert replayed.steps_played == played.steps_played - played.undoable_steps
        for _, candidates in past[:0:-1]:
            replayed.step(candidates.argmax(axis=2))
        assert_same_state(played, before)
        for batch_of_games in (replayed, played):
            assert np.array_equal(batch_of_games.observe(), before.observe())
            play_random(batch_of_games, np.random.default_rng(1))
        assert np.array_equal(replayed.observe(), played.observe())
        assert np.array_equal(replayed.outcome(), played.outcome())


# --- what is promised to policies -----------------------------------------------------


def layout_facts(game: str) -> dict[str, Any]:
    """Return the facts on which policies and training depend, by number of players."""
    facts: dict[str, Any] = {
        "version": batch(game, registry.environment_module(game).PLAYERS[0]).version
    }
    for players in registry.environment_module(game).PLAYERS:
        table = batch(game, players)
        facts[str(players)] = [
            table.layout.fingerprint(), table.num_actions, repr(table.layout.symmetry),
            table.layout.tied_axes, [repr(piece) for piece in table.actions.pieces],
        ]  # fmt: skip
    return facts


@per_game
def test_observation_and_actions_are_those_of_the_version(game: str) -> None:
    layouts = json.loads(LAYOUTS.read_text())
    assert json.loads(json.dumps(layout_facts(game))) == layouts.get(game), (
        "observations, their symmetry or actions have changed: raise the game's version (see "
        "Versions in CONTRIBUTING.md), then run python -m tests.games.test_every_game"
    )


@per_game
def test_knowledge_takes_little_memory(game: str) -> None:
    kind: Any = type(registry.batch_game(game, 1))
    for rules in AT_THE_BOUNDS[game]:
        knowledge = kind(1, rules)._knowledge()
        wide = {name: array.dtype for name, array in knowledge.items() if array.itemsize > 2}
        assert wide == {}


@per_table
def test_every_action_has_words_of_its_own(game: str, players: int) -> None:
    table = batch(game, players)
    words = [words_of(table).describe_action(action) for action in range(table.num_actions)]
    assert all(sentence and "\n" not in sentence for sentence in words)
    assert len(set(words)) == len(words)
    assert table.actions.size == table.num_actions
    slots = [piece for piece in table.actions.pieces if isinstance(piece, SlotPiece)]
    assert all(table.layout.piece(piece.hand).axes for piece in slots)


# --- only here is a game named --------------------------------------------------------

OF_ONE_GAME = tuple(
    pattern.format(game=game)
    for game in GAMES
    for pattern in (
        "kododo_env/games/{game}/*",
        "kododo_env/games/{game}/text/*",
        "kododo_env/{game}_v*.py",
        "kododo_env/baselines/{game}*.py",
        "agents/recipes/{game}.py",
        "agents/release/{game}_*.py",
    )
)
OF_ALL_GAMES = (
    "kododo_env/registry.py",
    # The default game.
    "agents/training/training_config.py",
    "kododo_env/commands/tournament.py",
    # The command, which has the name of the first game.
    "kododo_env/commands/console.py",
    # It reads hidden cards, which each game stores in its own way.
    "benchmarks/search_ceilings.py",
    # The game with a reference loop in C.
    "benchmarks/speed/reference_loop.py",
    # The game of the Ray benchmark.
    "benchmarks/bench_ray.py",
    # The small game that is solved.
    "benchmarks/exact_truth.py",
    # The game whose heuristic has fitted tables.
    "benchmarks/kododo_fitting.py",
    # One game with small networks and one with large ones.
    "benchmarks/devices.py",
    "benchmarks/libraries.py",
    "benchmarks/library_curve.py",
    "benchmarks/recipe_curve.py",
)
PACKAGE = ("kododo_env", "kododo-env", "kododo-bench", "kododo adopt", "KODODO_")


def mentions(source: str) -> list[str]:
    """Return the lines of a module that name a game, without comments and docstrings."""
    named = []
    for token in generate_tokens(StringIO(source).readline):
        if token.type in (NAME, STRING) and not token.string.startswith('"""'):
            word = token.string.lower()
            for package_name in PACKAGE:
                word = word.replace(package_name.lower(), "")
            if any(game.replace("_", "") in re.sub("[_-]", "", word) for game in GAMES):
                named.append(f"line {token.start[0]}: {token.string}")
    return named


def test_no_shared_file_names_a_game() -> None:
    named: dict[str, list[str]] = {}
    for folder in ("kododo_env", "agents", "benchmarks", "."):
        for path in (ROOT / folder).glob("**/*.py" if folder != "." else "*.py"):
            relative = path.relative_to(ROOT)
            if not any(relative.match(allowed) for allowed in (*OF_ONE_GAME, *OF_ALL_GAMES)):
                named[str(relative)] = mentions(path.read_text())
    assert len(named) > 30
    assert {path: lines for path, lines in named.items() if lines} == {}


if __name__ == "__main__":
    facts = {game: layout_facts(game) for game in GAMES}
    LAYOUTS.write_text(json.dumps(facts, indent=2) + "\n")
