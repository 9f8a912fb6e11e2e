"""What the README says can be done as it stands there."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tyro

import kododo_env
from agents.commands.evaluate import EvaluateConfig
from agents.export.onnx_export import export_policy
from agents.networks.network import GameNetwork
from agents.training.training_config import TrainConfig, default_config
from kododo_env import registry
from kododo_env.agent_registry import baselines, policy_tables
from tests.helpers import play_random

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
SCRIPTS = {"train.py": TrainConfig, "evaluate.py": EvaluateConfig}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def title(block: str) -> str:
    """The last import of a block, which tells the dialects apart."""
    return re.findall(r"^(?:import|from) (\S+)", block, re.MULTILINE)[-1]


def put_policies(folder: Path, block: str) -> None:
    """Policy files where a block expects them: a shipped one, or a network that learned nothing."""
    for name in re.findall(r'"([^"]+\.onnx)"', block):
        path, run = folder / name, Path(name).parent.name
        path.parent.mkdir(parents=True)
        shipped = ROOT / "policies" / f"{run}.onnx"
        if shipped.exists():
            shutil.copy(shipped, path)
            continue
        game, players = re.fullmatch(r"(\w+)-(\d)p", run).groups()  # type: ignore[union-attr]
        batch = registry.batch_game(game, 1, num_players=int(players))
        export_policy(GameNetwork(batch.layout, batch.actions, width=16), batch, path)


@pytest.mark.parametrize("block", blocks("python"), ids=title)
def test_a_block_of_code_runs(block: str, tmp_path: Path) -> None:
    put_policies(tmp_path, block)
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", block],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == ("print(" in block)


def test_there_is_a_block_for_every_dialect() -> None:
    assert len(blocks("python")) == 5
    assert all(len(block.splitlines()) <= 12 for block in blocks("python"))


def test_two_commands_are_all_that_a_newcomer_needs() -> None:
    assert blocks("sh")[0].split("\n") == ["make train", "make test", ""]


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert {"train", "test", "bench"} <= set(re.findall(r"make ([a-z]+)", README)) <= targets


COMMANDS = [line for block in blocks("sh") for line in block.splitlines() if ".py" in line]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_line_is_understood(command: str) -> None:
    python, script, *arguments = shlex.split(command)
    assert python == "python"
    assert (ROOT / script).exists()
    kind = SCRIPTS[script]
    default = {"default": default_config()} if kind is TrainConfig else {}
    flags = (tyro.conf.FlagCreatePairsOff,)
    config = tyro.cli(kind, args=arguments, config=flags, **default)
    if isinstance(config, EvaluateConfig):
        tournament = config.tournament()
        assert tournament.make_game(1).name == config.game
        names = [name for name in config.agents if not name.endswith(".onnx")]
        shipped = {name for name, (game, _) in policy_tables().items() if game == config.game}
        assert set(names) <= {*baselines(config.game), *shipped}


def test_every_link_leads_to_a_file() -> None:
    links = re.findall(r"\]\(([^)#]+)", README)
    assert len(links) > 8
    assert [link for link in links if not (ROOT / link).is_file()] == []


@pytest.mark.parametrize("game", registry.DOORS)
def test_the_row_of_a_game_is_true(game: str) -> None:
    door, rows = registry.door(game), re.findall(r"^\| \[.*\|$", README, re.MULTILINE)
    row = next(row for row in rows if f"docs/games/{game}.md" in row)
    _, _, name, gymnasium_id, players, _, actions, size, steps, _ = row.split("|")
    batch = door.batch_game(500, seed=0)
    assert name.strip() == f"`{game}_v{batch.version}`"
    assert gymnasium_id.strip() == f"`{door.GYMNASIUM_ID}`"
    assert players.strip() == f"{min(door.PLAYERS)}–{max(door.PLAYERS)}"
    assert [int(actions), int(size)] == [batch.num_actions, batch.layout.size]
    # Games of a batch wait for the longest.
    longest = len(play_random(batch, np.random.default_rng(0)))
    assert steps.strip() in (f"{longest}", f"at most {longest}")
    assert batch.layout.dtype == np.uint8
    assert len(rows) == len(registry.DOORS)


def test_the_version_to_cite_is_that_of_the_package() -> None:
    assert f"version = {{{kododo_env.__version__}}}" in README
