"""The population: how it is made, and that its test half is used in no training or selection."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from agents.recipes.recipe import recipe_for
from agents.release import population as maker
from agents.release.population import PopulationConfig, populate
from kododo_env.agent_registry import POLICIES, policy_tables
from kododo_env.held_out import HELD_OUT, SPLITS, TEST, population
from tests.helpers import InProcessExecutor

ROOT = Path(__file__).parents[2]


def test_nothing_that_learns_or_is_chosen_names_the_test_half() -> None:
    ablation = (ROOT / "benchmarks" / "ablation_rows.json").read_text("utf-8")
    for name, (game, players) in policy_tables().items():
        members = {*population(game, players, TEST)}
        recipe = recipe_for(game, players)
        chosen = json.loads((POLICIES / f"{name}.json").read_text("utf-8"))["choice"]["opponents"]
        assert not members & {recipe.expert, *recipe.opponents, *chosen}
        assert not [member for member in members if f'"{member}"' in ablation]


def test_one_command_makes_a_population(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With strengths that are told, and nothing trained: weak players are left out, not copied."""
    config = PopulationConfig(("kododo-2p",), jobs=1, out=tmp_path / "out", runs=tmp_path)
    strengths = {
        "held-out:drawn-1": 0.1, "flat:random:16": 0.1, f"{HELD_OUT}kododo-2p-0": 0.1,
    }  # fmt: skip
    monkeypatch.setattr(maker, "train_all", lambda *_: None)
    monkeypatch.setattr(maker, "rewrite", lambda _, path: path.write_bytes(b"a policy"))
    monkeypatch.setattr(maker, "_strength", lambda name, *_: strengths.get(name, 0.4))
    monkeypatch.setattr(maker, "worker_pool", lambda _: InProcessExecutor())
    populate(config)
    lines = (tmp_path / "out" / "kododo-2p.jsonl").read_text("utf-8").splitlines()
    members = {member["name"]: member for member in map(json.loads, lines)}
    assert len(members) == maker.MEMBERS
    assert not members.keys() & strengths.keys()
    assert Counter(member["half"] for member in members.values()) == dict.fromkeys(SPLITS, 12)
    assert len([*(tmp_path / "out").glob("*.onnx")]) == maker.POLICIES - 1
    with pytest.raises(ValueError, match="unknown policy 'chess'; choose from"):
        PopulationConfig(("chess",))
    with pytest.raises(ValueError, match="--games must be at least 30"):
        PopulationConfig(("kododo-2p", "kododo-3p"), games=29)
