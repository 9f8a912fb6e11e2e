"""A game in a separately installed package, used with all parts of the project.

The steps are those of CONTRIBUTING.md, "Adding a game". The project does not know the game; the
package registers it by an entry point.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

import kododo_env
from kododo_env import registry
from kododo_env.agent_registry import baselines, make_agent
from kododo_env.arena.head_to_head import Match
from kododo_env.arena.tournament import Tournament
from kododo_env.core.agent import random_legal_actions
from kododo_env.gymnasium_ids import register
from kododo_env.records import parse_record, record_games
from kododo_env.review.analysis import analyse
from kododo_env.testing import check_batch_game, check_parallel_env
from kododo_env.wrappers.sb3 import BatchVecEnv
from tests.command_line import cli, train_py
from tests.helpers import random_actions
from tests.packaging.bare_environment import run

ROOT = Path(__file__).parents[2]
PROJECT = Path(__file__).parent
GAME = "high_card"
PACKAGE = "high_card"
ID = "high_card.high_card_v0:high_card/HighCard-v0"
OFFLINE = ("--quiet", "--no-deps", "--no-index", "--no-build-isolation")
SHORT = (
    "--steps", "1", "--num-envs", "64", "--width", "16", "--games", "30", "--evaluations", "1",
    "--threads", "1",
)  # fmt: skip


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder into which the game's package is installed, from a copy."""
    folder = tmp_path_factory.mktemp("toy")
    project = shutil.copytree(PROJECT, folder / "project")
    pip = (sys.executable, "-m", "pip", "install", *OFFLINE)
    run(*pip, "--target", folder / "site", project, cwd=folder)
    return folder / "site"


@pytest.fixture(autouse=True)
def path(installed: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.syspath_prepend(installed)
    yield
    id = ID.partition(":")[2]
    for registered in (gymnasium.registry, *pettingzoo_registries()):
        registered.pop(id, None)
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_it_is_found_when_it_is_asked_for() -> None:
    assert registry.batch_game("kado", 1).name == "kado"
    assert PACKAGE not in sys.modules
    assert registry.batch_game(GAME, 1).name == GAME
    with pytest.raises(ValueError, match=r"unknown game 'nonsense'; .* kado, high_card$"):
        registry.environment_module("nonsense")


@pytest.mark.filterwarnings("ignore:Observation:UserWarning")  # PettingZoo's, of dictionaries
@pytest.mark.parametrize("players", [2, 3])
def test_it_conforms(players: int) -> None:
    module = registry.environment_module(GAME)
    check_batch_game(module.batch_game, rules={"num_players": players}, places=4)
    check_parallel_env(lambda: module.parallel_env(num_players=players))
    parallel_api_test(module.parallel_env(num_players=players), num_cycles=20)
    api_test(module.env(num_players=players), num_cycles=20)


def test_gymnasium_makes_it() -> None:
    check_env(gymnasium.make(ID, num_players=3).unwrapped)
    envs = gymnasium.make_vec(ID, num_envs=5, num_players=3, opponents="thrifty")
    observations, _ = envs.reset(seed=0)
    assert len(observations["observation"]) == 5


def pettingzoo_registries() -> list[dict[str, Any]]:
    """PettingZoo's registries, which exist since 1.27."""
    names = ("parallel_registry", "aec_registry")
    return [getattr(pettingzoo, name) for name in names if hasattr(pettingzoo, name)]


@pytest.mark.skipif(not pettingzoo_registries(), reason="PettingZoo has none before 1.27")
def test_pettingzoo_makes_it_once_its_module_is_imported() -> None:
    registry.environment_module(GAME)
    for kind in ("parallel", "aec"):
        env = pettingzoo.make(kind, ID.partition(":")[2], num_players=2, max_cycles=2)
        assert (env.game.name, env.max_cycles) == (GAME, 2)


def test_every_seat_of_it_is_a_slot_of_a_vec_env() -> None:
    slots = BatchVecEnv(registry.batch_game(GAME, 5, seed=0))
    slots.reset()
    masks = np.array(slots.env_method("action_masks"))
    _, rewards, *_ = slots.step(random_legal_actions(masks, np.random.default_rng(0)))
    assert rewards.shape == (15,)


def test_a_game_of_it_is_analysed() -> None:
    """Uses an agent without hints, in a game without descriptions and policies."""
    game = registry.batch_game(GAME, 1, seed=1)
    rng = np.random.default_rng(0)
    (recorder,) = record_games(game, lambda batch: random_actions(batch, rng))
    record = parse_record(recorder.text())
    for adviser, name in ((None, "thrifty"), ("search:thrifty:8",) * 2):
        analysis = analyse(record, adviser and make_agent(adviser, GAME), worlds=16)
        assert analysis.adviser == name
        assert analysis.probabilities[-1, :, 0].tolist() == record.lines[-1]["outcome"]


def test_its_scripted_players_are_found_beside_its_module() -> None:
    assert baselines(GAME) == ("random", "thrifty")
    thrifty = make_agent("thrifty", GAME)
    assert Match(thrifty, "random", GAME, 3, 12_000).play().share.low > 1 / 3


def test_nobody_is_measured_alone_at_a_table() -> None:
    """Regression: a game for one player caused a division by zero."""
    assert registry.batch_game(GAME, 1, num_players=1).num_players == 1
    with pytest.raises(ValueError, match="players must be at least 2, not 1"):
        Match("random", "thrifty", GAME, 1, 40)
    with pytest.raises(ValueError, match="players must be at least 2, not 1"):
        Tournament(GAME, ("random", "thrifty"), 1, 40)


def test_train_export_load_and_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ("--game", GAME, "--players", "3")
    code, output, error = train_py(capsys, (*options, *SHORT, "--run-dir", "run"))
    assert code == 0, error
    assert "thrifty" in output
    policy = kododo_env.load(tmp_path / "run" / "policy.onnx")
    view = registry.batch_game(GAME, 5, seed=0, num_players=3).view(1)
    chosen = policy.act(view, np.random.default_rng(0))
    assert np.take_along_axis(view.legal_action_mask, chosen[:, None], axis=1).all()
    code, table, error = cli(
        capsys, *options, "--agents", "random", "run/policy.onnx",
        "--games", "300", "--workers", "1", "--json", "table.json",
    )  # fmt: skip
    assert code == 0, error
    assert re.search(r"^ *\d* *(run/)?policy", table, re.MULTILINE)
    assert json.loads((tmp_path / "table.json").read_text())


def test_the_command_plays_and_evaluates_it(installed: Path, tmp_path: Path) -> None:
    player = "docs/examples/stdio_player.py"
    output = python(installed, tmp_path, player, GAME, "--opponents", "thrifty", "--players", "2")
    assert "the game is over: player_" in output
    agents = ("--agents", "random", "thrifty", "--games", "20", "--workers", "2")
    table = (f"--game={GAME}", "--players", "3", *agents)
    assert "parity 0.333" in python(installed, tmp_path, "kododo_env", "evaluate", *table)


BROKEN = {
    "nowhere.game_v0": "package broken: nowhere.game_v0: ModuleNotFoundError: No module named",
    "json:": "package broken: json:: ModuleNotFoundError: No module ",
    "json": "json is not an environment module: it lacks GYMNASIUM_ID, PLAYERS",
}


@pytest.mark.parametrize("value", BROKEN)
def test_a_broken_package_breaks_its_own_game_alone(
    value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(pretended(tmp_path, "broken", f"torn = {value}"))
    registry.environment_module("kado")
    registry.environment_module(GAME)
    with pytest.raises(ValueError, match=rf"\A[^\n]*{re.escape(BROKEN[value])}[^\n]*\Z"):
        registry.environment_module("torn")


def test_a_game_without_scripted_players_says_which_module_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(pretended(tmp_path, "bare", f"bare = {PACKAGE}.high_card_v0"))
    with pytest.raises(ValueError, match=r"'bare' .* high_card\.baselines\.bare: "):
        make_agent("random", "bare")


def test_neither_of_two_packages_that_take_one_name_is_preferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The names of built-in games cannot be taken."""
    lines = f"{GAME} = json\nkado = json"
    monkeypatch.syspath_prepend(pretended(tmp_path, "copycat", lines))
    registry.environment_module("kado")
    with pytest.raises(ValueError, match="copycat and high-card both have a game 'high_card'"):
        registry.environment_module(GAME)


@pytest.mark.parametrize("name", ["High Card", "high-card", "a,b", "Poker", "a.b", "4x"])
def test_a_game_has_a_name_that_can_be_a_modules_a_files_and_a_policys(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(pretended(tmp_path, "odd", f"{name} = {PACKAGE}.high_card_v0"))
    with pytest.raises(ValueError, match=f"package odd: name of a game.*{name!r}"):
        registry.environment_module(name)
    with pytest.raises(ValueError, match=f"^name of a game.*{name!r}"):
        register(name, "poker/Poker-v0")


def test_a_game_is_called_as_its_batch_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: records and policies had the name of a missing game."""
    monkeypatch.syspath_prepend(pretended(tmp_path, "odd", f"poker = {PACKAGE}.high_card_v0"))
    with pytest.raises(ValueError, match="'poker' must have the same name, got 'high_card'"):
        registry.batch_game("poker", 1)


@pytest.mark.parametrize("id", ["", "a b-v0", "Poker", "a:b/Poker-v0", "kododo/Kado-v0", None])
def test_an_id_is_gymnasiums_and_not_ours(id: Any) -> None:
    """Regression: the module created another game, or none."""
    with pytest.raises(ValueError, match="id of poker must be like poker/Name-v0"):
        register("poker", id)


@pytest.mark.parametrize("name", ["", "my bot", "a,b", "a:b", "search:x", "Heuristic", None])
def test_an_agent_has_a_name_of_its_own(name: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Regression: some agents were not found."""
    module = registry.beside(GAME, f"baselines.{GAME}")
    monkeypatch.setitem(module.BASELINES, name, module.ThriftyAgent)
    with pytest.raises(ValueError, match=rf"^agent name.*{name}"):
        make_agent("thrifty", GAME)


def pretended(folder: Path, package: str, lines: str) -> Path:
    """Return a folder with the metadata of an installed package with these entry points."""
    info = folder / f"{package}-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{lines}\n")
    return folder


def python(installed: Path, cwd: Path, program: str, *arguments: str) -> str:
    """Return the output of a script or module with the game's package installed."""
    script = [str(ROOT / program)] if program.endswith(".py") else ["-m", program]
    path = f"{installed}:{ROOT}"
    return run(sys.executable, *script, *arguments, cwd=cwd, PYTHONPATH=path, MPLBACKEND="Agg")
