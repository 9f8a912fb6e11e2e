"""Games in the static page's Python, run by node, equal games played here.

``python -m tests.play.static.test_in_node 256`` compares this many games per table.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import policy_path, shipped
from tests.game_tables import TABLES
from tests.play.static import game_hashes
from tests.play.static.folder import build_with_numpy
from tests.policy.test_ties import unlucky_games
from tests.policy_exports import from_elsewhere

HERE = Path(__file__).parent
AT_TABLES = (("kododo", 4), ("combi_combo", 4), ("kado", 3))


def in_pyodide(site: Path, calls: list[Any]) -> list[Any]:
    """Return the results of ``played.all_of`` in the folder's Python."""
    command = ["node", HERE / "in_pyodide.mjs", site, HERE / "game_hashes.py", json.dumps(calls)]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    answers: list[Any] = json.loads(done.stdout)
    return answers


def answers_here(calls: list[Any]) -> list[Any]:
    """Return the same results from this Python."""
    answers: list[Any] = json.loads(game_hashes.all_of(json.dumps(calls)))
    return answers


def games_of(number: int) -> list[Any]:
    """Return calls for games of every table."""
    return [["games", [game, players, number, 7]] for game, players in TABLES]


GAMES = games_of(8)
SCRIPTED = [["messages", [*table, ["heuristic"], "heuristic", 3]] for table in AT_TABLES]
CHOICES = [["choices", [name, 3]] for name in shipped()]
LEARNED = [["messages", [*table, [], None, 3]] for table in AT_TABLES]
BACK = ["looked_back", ["kododo", 2, ["variant=long"], 3]]


def by_elsewhere(policy: str) -> list[Any]:
    """Return calls for games with a custom policy, by its name or file: alone, and at a table."""
    return [["choices", [policy, 3]], ["messages", ["kado", 2, [policy], policy, 3]]]


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a network without a value and with operators that shipped policies do not use."""
    folder = tmp_path_factory.mktemp("elsewhere")
    return from_elsewhere(registry.batch_game("kado", 1, num_players=2), folder / "elsewhere.onnx")


@pytest.fixture(scope="module")
def pyodide_answers(
    site: Path, elsewhere: Path, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """All results that the tests need, from one start of Pyodide."""
    calls = [*GAMES, *CHOICES, *SCRIPTED, *LEARNED, BACK, *by_elsewhere(elsewhere.stem)]
    folder = tmp_path_factory.mktemp("site") / "site"
    shutil.copytree(site, folder)
    shutil.copy(elsewhere, folder / "policies")
    answers = in_pyodide(folder, calls)
    return {json.dumps(ask): answer for ask, answer in zip(calls, answers, strict=True)}


def test_whole_games_are_the_same_bit_for_bit(pyodide_answers: dict[str, Any]) -> None:
    assert [pyodide_answers[json.dumps(ask)] for ask in GAMES] == answers_here(GAMES)


def test_policies_choose_alike(pyodide_answers: dict[str, Any]) -> None:
    """Each shipped policy plays the same whole games by numpy there and by onnxruntime here.

    Games with a choice close to the tie threshold are excluded.
    """
    for ask, expected in zip(CHOICES, answers_here(CHOICES), strict=True):
        name, number = ask[1]
        unlucky = unlucky_games(policy_path(name), number)
        games = zip(pyodide_answers[json.dumps(ask)], expected, unlucky, strict=True)
        compared = [answer == game for answer, game, close in games if not close]
        assert compared, name
        assert all(compared), name


@pytest.mark.parametrize("calls", [SCRIPTED, LEARNED], ids=["scripted", "learned"])
def test_a_table_says_the_same(pyodide_answers: dict[str, Any], calls: list[Any]) -> None:
    """Positions and hints are equal; numbers in hints up to their last bits."""
    for ask, expected in zip(calls, answers_here(calls), strict=True):
        answer = pyodide_answers[json.dumps(ask)]
        assert answer["said"] == expected["said"]
        assert len(expected["hints"]) > 10
        np.testing.assert_allclose(answer["hints"], expected["hints"], rtol=0, atol=1e-4)


def test_a_game_is_looked_back_at_with_a_model_that_is_fitted(
    pyodide_answers: dict[str, Any],
) -> None:
    """Regression: the fit used a part of numpy that the page does not have."""
    (expected,) = answers_here([BACK])
    answer = pyodide_answers[json.dumps(BACK)]
    assert (
        (answer["by"], answer["worlds"])
        == (expected["by"], expected["worlds"])
        == ("heuristic", 27)
    )
    # Scripted players may break near-ties between two actions differently there.
    np.testing.assert_allclose(answer["chances"], expected["chances"], rtol=0, atol=0.05)


def test_a_file_from_elsewhere_is_played_and_advises_alike(
    pyodide_answers: dict[str, Any], elsewhere: Path
) -> None:
    choices, reply = (pyodide_answers[json.dumps(ask)] for ask in by_elsewhere(elsewhere.stem))
    expected_choices, expected = answers_here(by_elsewhere(str(elsewhere)))
    assert choices == expected_choices
    assert reply["said"] == expected["said"]
    np.testing.assert_allclose(reply["hints"], expected["hints"], rtol=0, atol=1e-4)


def main(number: int) -> None:
    """Compare many games."""
    with TemporaryDirectory() as scratch:
        site = Path(scratch) / "site"
        build_with_numpy(site)
        for ask in games_of(number):
            (answer,) = in_pyodide(site, [ask])
            (expected,) = answers_here([ask])
            print(*ask[1], answer[:16], "equal" if answer == expected else "NOT EQUAL", flush=True)


if __name__ == "__main__":
    if not shutil.which("node"):
        sys.exit("node is not installed")
    main(int(sys.argv[1]))
