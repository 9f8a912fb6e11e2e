"""The shipped policies: training, selection, measurement and description."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.recipes.recipe import recipe_for, shipped_steps
from agents.release import config as policy_config
from agents.release import make_policies as maker
from agents.release import strength as policy_strength
from agents.release.card import card, index
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.make_policies import is_finished, make_policies, train_all
from agents.training.response_training import BestResponse
from agents.training.training_config import default_config
from kododo_env import agent_registry as registry
from kododo_env.arena.head_to_head import Match, MatchResult
from kododo_env.arena.intervals import Estimate
from kododo_env.held_out import HELD_OUT_POLICIES, held_out, held_out_policies
from kododo_env.policy.onnx_agent import OnnxAgent
from kododo_env.system.files import fingerprint
from tests.helpers import InProcessExecutor

ROOT = Path(__file__).parents[2]
NAME = "kododo-2p"
RESPONSE_GAIN = policy_strength.response_gain
SMALL_NETWORK = {"num_envs": 16, "batch_size": 256, "width": 16, "depth": 1}
ATTACK = {
    "share": {"mean": 0.55, "low": 0.5, "high": 0.6},
    "gain": {"mean": 0.05, "low": 0.0, "high": 0.1},
    "games": 1000,
}
RESPONSES = [ATTACK | {"steps": 2_000_000, "seed": seed} for seed in (8, 9)]
TEAM = ATTACK | {"steps": 2_000_000, "seed": 8, "gain": {"mean": 0.03, "low": 0.0, "high": 0.1}}
OPPONENTS = {"validation": ("greedy", "flat:random:2"), "test": ("follow", "flat:greedy:2")}
EXPLOITED = {
    "best_response": ATTACK | {"each": RESPONSES},
    "search": ATTACK | {"budget": "64"},
    "teams": [TEAM],
}


@pytest.fixture(scope="module")
def finished_config(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoliciesConfig]:
    """One update of a small network, few games, and attackers that are not played."""
    folder = tmp_path_factory.mktemp("made")
    config = PoliciesConfig(
        only=(NAME,), seeds=1, steps=1, jobs=1, out=folder / "out", runs=folder / "runs",
        games=40, search_games=2,
    )  # fmt: skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy_config, "default_config", partial(default_config, **SMALL_NETWORK))
        patch.setattr(policy_strength, "response_gain", lambda *_: 0.0)
        patch.setattr(policy_strength, "exploitability", lambda _: EXPLOITED)
        for module in (maker, policy_strength):
            patch.setattr(module, "population", lambda *table: OPPONENTS[table[-1]])
        patch.setattr(maker, "worker_pool", lambda _: InProcessExecutor())
        make_policies(config)
        yield config


def job_of(config: PoliciesConfig) -> PolicyJob:
    """The first policy that is to be made."""
    return config.policies()[0]


def numbers(config: PoliciesConfig) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((config.out / f"{NAME}.json").read_text())
    return content


# --- the whole ----------------------------------------------------------------------------


def test_a_policy_its_numbers_and_its_card_are_written(finished_config: PoliciesConfig) -> None:
    names = {path.name for path in finished_config.out.iterdir()}
    endings = (".onnx", ".meta.json", ".json", ".md")
    assert names == {*(f"{NAME}{ending}" for ending in endings), "README.md"}
    data = numbers(finished_config)
    agent = OnnxAgent(finished_config.out / f"{NAME}.onnx")
    assert agent.temperature == data["temperature"]
    assert data["temperature"] in data["choice"]["temperatures"]
    assert agent.metadata.results == data["shares"]["alone"]
    assert data["training"].items() >= agent.metadata.training.items()
    assert data["file"]["sha256"] == fingerprint(finished_config.out / f"{NAME}.onnx")
    assert list(data["shares"]["alone"]) == list(registry.baselines("kododo"))
    assert data["choice"]["opponents"] == ["greedy"]
    unknown = data["unknown"]["members"]
    assert {name: member["games"] for name, member in unknown.items()} == {
        "follow": 10,
        "flat:greedy:2": 2,
    }
    worst = min(unknown.values(), key=lambda member: member["mean"])
    assert unknown[data["unknown"]["worst"]["name"]] == worst
    assert data["unknown"]["mean"]["mean"] == sum(member["mean"] for member in unknown.values()) / 2
    assert data["exploitability"] == EXPLOITED
    assert data["training"]["curve"]


def test_no_recipe_learns_from_a_held_out_player() -> None:
    for job in PoliciesConfig().policies():
        recipe = recipe_for(job.game, job.players)
        kept_out = {*held_out(job.game, job.players), *held_out_policies()}
        assert len(kept_out) >= 3
        for name in (recipe.expert, *recipe.opponents):
            assert not kept_out & {name, registry.search_parts(name)[1]}
            assert HELD_OUT_POLICIES.name not in Path(name).parts  # nor by its file


def test_nothing_is_done_twice(
    finished_config: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path.name: path.read_bytes() for path in finished_config.out.iterdir()}

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("this was done before")

    monkeypatch.setattr(maker, "_train", never)
    monkeypatch.setattr(Match, "play", never)
    make_policies(finished_config)
    assert {path.name: path.read_bytes() for path in finished_config.out.iterdir()} == before
    with pytest.raises(AssertionError, match="done before"):
        make_policies(replace(finished_config, games=60))


# --- training -----------------------------------------------------------------------------


def test_the_runs_are_those_of_the_recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_config, "default_config", default_config)  # as it is
    config = PoliciesConfig()
    assert {job.name for job in config.policies()} == set(registry.policy_tables())
    for job in config.policies():
        runs = job.runs()
        assert [run.run_dir for run in runs] == [job.folder / f"seed-{seed}" for seed in range(3)]
        assert [run.seed for run in runs] == [0, 1, 2]
        for run in runs:
            assert (run.steps, run.threads) == (shipped_steps(job.game, job.players), 1)
            assert run.settings == recipe_for(job.game, job.players)
            assert run.run_dir is not None
            assert run.resume == (run.run_dir / "checkpoint.zip").exists()


def test_a_folder_with_another_run_is_refused(
    finished_config: PoliciesConfig, tmp_path: Path
) -> None:
    (run,) = job_of(finished_config).runs()
    assert is_finished(run)
    with pytest.raises(ValueError, match=r"with other settings \(see steps in its config.json\)"):
        train_all(job_of(replace(finished_config, steps=5)).runs(), 1)
    settings = replace(run.settings, width=24)
    with pytest.raises(ValueError, match=r"with other settings \(see task in its config.json\)"):
        is_finished(replace(run, settings=settings))


# --- choosing -----------------------------------------------------------------------------


def test_the_choice_is_worth_most(
    finished_config: PoliciesConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed 1 has the higher shares; at temperature 0 a best response takes most of that back."""
    job = job_of(replace(finished_config, seeds=2, runs=tmp_path))
    for path in job.candidates.values():
        path.parent.mkdir(parents=True)
        shutil.copy(job_of(finished_config).candidates[0], path)
    gains = {0.0: 0.2, 0.1: 0.02, 0.25: -0.3}  # a negative gain counts as 0

    def played(match: Match) -> MatchResult:
        assert isinstance(match.agent, OnnxAgent)
        assert ":" not in str(match.copies)
        share = (
            0.6 if match.agent.path == job.candidates[1] else 0.5
        ) - match.agent.temperature / 5
        return MatchResult(*[Estimate(share, 0, 1)] * 3, *[np.array([share])] * 3)

    monkeypatch.setattr(Match, "play", played)
    monkeypatch.setattr(
        policy_strength, "response_gain", lambda agent, *_: gains[agent.temperature]
    )
    choice = policy_strength.choose(job)
    assert (choice["seed"], choice["temperature"], choice["opponents"]) == (1, 0.1, ["greedy"])
    assert len(choice["candidates"]) == 3 * len(policy_strength.TEMPERATURES)  # and their mean
    gain_by_temperature = {
        candidate["temperature"]: candidate["gain"]
        for candidate in choice["candidates"]
        if candidate["gain"]
    }
    assert gain_by_temperature == gains


def test_a_best_response_gains_what_it_wins(
    finished_config: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(policy_strength, "response_gain", RESPONSE_GAIN)
    policy = OnnxAgent(finished_config.out / f"{NAME}.onnx")

    def trained(_: OnnxAgent, steps: int, seed: int) -> BestResponse:
        assert (steps, seed) == (7, policy_strength.CHOICE_RESPONSE_SEED)
        return BestResponse(registry.make_agent("random", "kododo"), {})  # type: ignore[arg-type]

    monkeypatch.setattr(policy_strength, "train_best_response", trained)
    random = Match("random", policy, "kododo", 2, 100, policy_strength.CHOICE_DEALS).play().share
    assert policy_strength.response_gain(policy, 7, 100) == random.mean - 0.5 < 0


def test_published_policies_are_measured_again_without_their_runs(
    finished_config: PoliciesConfig, tmp_path: Path
) -> None:
    changes = {
        "out": tmp_path / "out",
        "runs": tmp_path / "none",
        "games": 60,
        "remeasure": ("shares", "unknown"),
    }
    with pytest.raises(ValueError, match="--games must be at least 8"):
        replace(finished_config, games=7)
    with pytest.raises(ValueError, match=r"--remeasure needs .*kododo-2p\.onnx"):
        replace(finished_config, **changes)
    shutil.copytree(finished_config.out, tmp_path / "out")
    with pytest.raises(ValueError, match="--remeasure takes shares, unknown, exploitability"):
        replace(finished_config, **changes | {"remeasure": ("choice",)})
    repeated = replace(finished_config, **changes)
    make_policies(repeated)
    before = numbers(finished_config)
    after = numbers(repeated)
    assert {n for n in before if before[n] != after[n]} == {"shares", "unknown", "file"}
    assert after["shares"]["games"] == 60
    assert OnnxAgent(repeated.out / f"{NAME}.onnx").metadata.results == after["shares"]["alone"]
    assert not repeated.runs.exists()


# --- the cache ----------------------------------------------------------------------------


# --- the cards ----------------------------------------------------------------------------


def test_the_card_has_the_numbers_in_whole_tables(finished_config: PoliciesConfig) -> None:
    data = numbers(finished_config)
    text = card(data)
    for name, result in data["shares"]["alone"].items():
        assert f"| {name} | {result['share']['mean']:.3f} (" in text
    assert "| 1,000 | 0.550 (0.500 to 0.600) | +0.050 (+0.000 to +0.100) |" in text
    for page in (text, index([data])):
        for table in re.findall(r"(?:^\|.*\|\n)+", page, re.MULTILINE):
            assert len({line.count("|") for line in table.splitlines()}) == 1, table
