"""``kododo dataset``: decisions of mixed strength, with their card and metadata."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import mlcroissant
import numpy as np
import pytest

from kododo_env.commands.dataset import DatasetConfig, dataset, mixed_field
from kododo_env.held_out import TEST, population
from kododo_env.records import read_decisions

FIELD = ("random", "greedy", "heuristic")


@pytest.mark.filterwarnings("ignore")  # of what mlcroissant stands on
def test_a_folder_has_decisions_and_what_tells_of_them(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    dataset(DatasetConfig(folder, players=3, games=30, agents=FIELD, workers=1))
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["README.md", "croissant.json", "decisions.parquet", "strengths.json"]
    columns = read_decisions(folder / "decisions.parquet")
    card = (folder / "README.md").read_text()
    assert f"# {len(columns['action']):,} decisions of kododo with 3 players" in card
    assert all(f"| {name} " in card for name in FIELD)
    described = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
    assert not described.metadata.issues.errors
    for row, decision in enumerate(islice(described.records("decisions"), 5)):
        assert decision["decisions/action"] == columns["action"][row]
        observation = np.frombuffer(decision["decisions/observation"], np.uint8)
        np.testing.assert_array_equal(observation, columns["observation"][row])


def test_the_half_of_the_population_that_is_reported_stays_unknown() -> None:
    field = mixed_field("kododo", 4)
    assert {"random", "heuristic", "kododo-4p"} < {*field}
    assert any(name.startswith("held-out:kododo-4p-") for name in field)
    assert not {*field} & {*population("kododo", 4, TEST)}


def test_a_run_that_fails_leaves_nothing_that_is_in_the_way(tmp_path: Path) -> None:
    """It once left a log that no run could resume, so the folder was not empty."""
    bot = tmp_path / "bot.py"
    folder = tmp_path / "new"
    bot.write_text(
        "import numpy as np\n"
        "class Bot:\n"
        "    def act(self, view, rng):\n"
        "        assert view.steps_played < 3\n"
        "        return view.legal_action_mask.argmax(axis=1)\n"
    )
    wrong = DatasetConfig(folder, players=3, games=30, agents=(f"{bot}:Bot", "random"), workers=1)
    with pytest.raises(ValueError, match="AssertionError"):
        dataset(wrong)
    assert not folder.exists()


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").touch()
    with pytest.raises(ValueError, match="not empty"):
        dataset(DatasetConfig(tmp_path, agents=FIELD))
    with pytest.raises(ValueError, match=r"kado.*5 players.*population"):
        dataset(DatasetConfig(tmp_path / "new", "kado", 5))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
