"""The commands, links and names in the pages are correct."""

from __future__ import annotations

import pkgutil
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kododo_env
from agents.commands.evaluate import EvaluateConfig
from agents.training.training_config import TrainConfig, default_config
from kododo_env import registry
from kododo_env.agent_registry import baselines, policy_tables
from kododo_env.bots.names import is_bot
from kododo_env.commands.adopt import AdoptConfig
from kododo_env.commands.arguments import read_arguments
from kododo_env.commands.benchmark import BenchmarkConfig
from kododo_env.commands.contest import ContestConfig
from kododo_env.commands.dataset import DatasetConfig
from kododo_env.commands.play import PlayConfig, RulesConfig
from kododo_env.commands.puzzles import PuzzlesConfig
from kododo_env.commands.review import AnalyseConfig
from kododo_env.commands.tournament import TournamentConfig
from tests.helpers import play_random
from tests.pages.links import dead_links
from tests.pages.scripts import blocks

ROOT = Path(__file__).parents[2]
ENVIRONMENTS = (ROOT / "docs" / "environments.md").read_text()
PAGES = [
    page
    for folder in ("", ".github/**/", "docs/**/", "notebooks/")
    for page in ROOT.glob(f"{folder}*.md")
]
SCRIPTS: dict[str, type[Any]] = {
    "train.py": TrainConfig, "evaluate.py": EvaluateConfig, "evaluate": TournamentConfig,
    "play": PlayConfig, "rules": RulesConfig, "contest": ContestConfig, "dataset": DatasetConfig,
    "adopt": AdoptConfig, "benchmark": BenchmarkConfig, "analyse": AnalyseConfig,
    "puzzles": PuzzlesConfig,
}  # fmt: skip

all_pages = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


@all_pages
def test_every_make_target_exists(page: Path) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"train", "test", "bench"} < targets
    assert set(re.findall(r"[`\n]make ([a-z-]+)", page.read_text())) <= targets


COMMANDS = [
    line
    for page in PAGES
    for block in blocks("sh", page.read_text())
    for line in block.splitlines()
    if re.match(r"python \w+\.py |kododo ", line)
]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_line_is_understood(command: str) -> None:
    program, script, *arguments = shlex.split(command, comments=True)
    assert program == "kododo" or (ROOT / script).exists()
    kind = SCRIPTS[script]
    default = {"default": default_config()} if kind is TrainConfig else {}
    config = read_arguments(kind, arguments, **default)
    if isinstance(config, TournamentConfig) and config.agents:
        tournament = config.tournament()
        assert tournament.make_game(1).name == config.game
        agents = [name for name in config.agents if not is_bot(name)]
        models = [name.removeprefix("search:").partition(":")[0] for name in agents]
        names = [name for name in models if not name.endswith(".onnx")]
        shipped = {name for name, (game, _) in policy_tables().items() if game == config.game}
        assert set(names) <= {*baselines(config.game), *shipped}


@all_pages
def test_every_link_leads_somewhere(page: Path) -> None:
    """To a file of the project, which is in the sdist as well, and to a heading of it."""
    assert dead_links(page.read_text(), page) == []


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name != "CHANGELOG.md"], ids=lambda p: p.name
)
def test_every_file_that_is_named_is_there(page: Path) -> None:
    """Paths in backticks; those that commands write, or with a variable part, are not meant."""
    named = re.findall(
        r"`((?:agents|benchmarks|docs|kododo_env|tests)/[\w./-]+)`", page.read_text()
    )
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("game", registry.ENVIRONMENT_MODULES)
def test_the_row_of_a_game_is_true(game: str) -> None:
    module = registry.environment_module(game)
    rows = re.findall(r"^\| \[.*\|$", ENVIRONMENTS, re.MULTILINE)
    row = next(row for row in rows if f"games/{game}.md" in row)
    _, _, name, gymnasium_id, players, _, actions, size, steps, _ = row.split("|")
    batch = module.batch_game(500, seed=0)
    assert name.strip() == f"`{game}_v{batch.version}`"
    assert gymnasium_id.strip() == f"`{module.GYMNASIUM_ID}`"
    assert players.strip() == f"{min(module.PLAYERS)}–{max(module.PLAYERS)}"
    assert [int(actions), int(size)] == [batch.num_actions, batch.layout.size]
    # Games of a batch wait for the longest.
    longest = len(play_random(batch, np.random.default_rng(0)))
    assert steps.strip() in (f"{longest}", f"at most {longest}")
    assert batch.layout.dtype == np.uint8
    assert len(rows) == len(registry.ENVIRONMENT_MODULES)


def test_every_stable_name_exists() -> None:
    section = ENVIRONMENTS.partition("## Stable names")[2]
    names = re.findall(r"`kododo_env\.([\w.]+)`", section)
    assert len(names) >= 20
    for name in names:
        assert pkgutil.resolve_name(f"kododo_env.{name}") is not None


def test_the_version_stands_in_one_place() -> None:
    """It is read from there, so that no other is forgotten."""
    places = ("pyproject.toml", "CITATION.cff", "README.md", "kododo_env/__init__.py")
    having = [name for name in places if kododo_env.__version__ in (ROOT / name).read_text()]
    assert having == ["kododo_env/__init__.py"]
