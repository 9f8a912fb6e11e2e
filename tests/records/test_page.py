"""docs/records.md: its code runs, and its tables contain all fields."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from kododo_env import registry
from kododo_env.records import Decisions
from kododo_env.records.header import FORMAT, FORMAT_VERSION
from tests.pages.scripts import ROOT, blocks
from tests.records.games import recorded

PAGE = (ROOT / "docs" / "records.md").read_text()


def test_its_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python", PAGE):  # each block continues the previous one
        if "DecisionFile" in block:
            pytest.importorskip("pyarrow", reason="pyarrow is not installed")
        exec(block, names)
        output = capsys.readouterr().out
        promised = re.findall(r"print\(.*\)  # (.+)$", block, re.MULTILINE)
        assert output.splitlines() == promised if promised else output


def test_its_tables_name_all_fields() -> None:
    game = registry.batch_game("kododo", 1, seed=1)
    text = recorded(game)[0].text()
    header, *_, last = map(json.loads, text.splitlines())
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\|[^|]*\|", PAGE, re.MULTILINE))))
    assert named >= {*header, *last, *(field.name for field in fields(Decisions)), "agent"}
    assert f'`"{FORMAT}"`, {FORMAT_VERSION}' in PAGE
