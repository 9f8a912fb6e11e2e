"""docs/records.md: its code runs, and its tables name the fields that there are."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from kododo_env import registry
from kododo_env.records import Decisions, record_games
from kododo_env.records.header import FORMAT, FORMAT_VERSION
from tests.helpers import random_actions

PAGE = (Path(__file__).parents[2] / "docs" / "records.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("last", range(len(BLOCKS)))
def test_its_code_runs(
    last: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if "DecisionFile" in BLOCKS[last]:
        pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in BLOCKS[: last + 1]:  # one goes on from the other
        capsys.readouterr()
        exec(block, names)
    said = capsys.readouterr().out
    promised = re.findall(r"print\(.*\)  # (.+)$", BLOCKS[last], re.MULTILINE)
    assert "game over" in said if not promised else said.splitlines() == promised


def test_its_tables_name_all_fields() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    rng = game.rng
    text = record_games(game, lambda batch: random_actions(batch, rng))[0].text()
    header, *_, last = map(json.loads, text.splitlines())
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|[^|]*\|", PAGE, re.MULTILINE))))
    assert named >= {*header, *last, *(each.name for each in fields(Decisions)), "agent"}
    assert f'`"{FORMAT}"`, {FORMAT_VERSION}' in PAGE
