"""The policies that ship: how they are trained, chosen, measured and described."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kododo_env
from agents.commands.cli import run_cli
from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.recipes.recipe import recipe_for, shipped_steps
from agents.release import make_policies as maker
from agents.release import measures as policy_measures
from agents.release import training as policy_training
from agents.release.cache import fingerprint, kept, read_kept
from agents.release.card import card, index, write_cards
from agents.release.config import PoliciesConfig
from agents.release.make_policies import check_size, choose_policy, make_policies, rewrite
from agents.release.measures import Match, choose
from agents.release.training import State, log_of, state_of, train_all
from agents.training.training_config import TrainConfig, default_config
from kododo_env import agent_registry as registry
from kododo_env.arena.intervals import Estimate
from kododo_env.arena.match import MatchResult
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.command_line import assert_refused, run

ROOT = Path(__file__).parents[2]
NAME = "kododo-2p"


def tiny(folder: Path) -> PoliciesConfig:
    """One update of one seed, and so few games that nothing is found out."""
    return PoliciesConfig(
        only=(NAME,), seeds=1, steps=1, jobs=1, out=folder / "out", runs=folder / "runs",
        selection_games=20, games=40, rating_games=100, exploitability=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> PoliciesConfig:
    config = tiny(tmp_path_factory.mktemp("made"))
    make_policies(config)
    return config


def numbers(config: PoliciesConfig) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((config.out / f"{NAME}.json").read_text())
    return found


# --- the whole ----------------------------------------------------------------------------


def test_a_policy_its_numbers_and_its_card_are_written(made: PoliciesConfig) -> None:
    names = {path.name for path in made.out.iterdir()}
    assert names == {f"{NAME}.onnx", f"{NAME}.json", f"{NAME}.md", "README.md"}
    data = numbers(made)
    agent = OnnxAgent(made.out / f"{NAME}.onnx")
    assert agent.temperature == data["temperature"] == data["choice"]["temperature"]
    assert agent.metadata.results == data["shares"]["alone"]
    assert agent.metadata.training["steps"] == data["training"]["runs"][0]["steps"]
    assert data["file"]["sha256"] == fingerprint(made.out / f"{NAME}.onnx")
    assert list(data["shares"]["alone"]) == list(registry.baselines("kododo"))
    assert data["spread"]["shares"]["random"]["std"] is None  # of one seed
    # The spread is measured on the deals of the shares, so the chosen seed has the same.
    alone = data["shares"]["alone"]["greedy"]["share"]["mean"]
    assert data["spread"]["shares"]["greedy"]["shares"] == [alone]
    assert {each["agent"] for each in data["rating"]["standings"]} == {
        NAME, *registry.baselines("kododo"),
    }  # fmt: skip
    assert data["exploitability"] is None
    assert data["training"]["curve"]
    seeds = {data[part]["deals_seed"] for part in ("choice", "shares", "rating")}
    assert len(seeds) == 3


def test_nothing_is_done_twice(made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in made.out.iterdir()}

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("this was done before")

    monkeypatch.setattr(policy_training, "_start", never)
    monkeypatch.setattr(policy_measures, "play_matches", never)
    monkeypatch.setattr(policy_measures, "run", never)
    make_policies(made)
    assert {path.name: path.read_bytes() for path in made.out.iterdir()} == before
    with pytest.raises(AssertionError, match="done before"):
        make_policies(replace(made, games=80))


def test_what_was_found_before_a_crash_is_kept(
    made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    (job,) = replace(made, games=60).policies()
    choice = choose_policy(job)

    def crash(*_: Any) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(maker, "rating", crash)
    changed = replace(job, config=replace(job.config, rating_games=104))
    with pytest.raises(RuntimeError, match="out of memory"):
        maker.measure_policy(changed, choice)
    kept_shares = json.loads((job.folder / "shares.json").read_text())
    assert kept_shares["heading"]["games"] == kept_shares["found"]["games"] == 60
    maker.measure_policy(made.policies()[0], choice)  # as it was, for the other tests


# --- training -----------------------------------------------------------------------------


def a_run(made: PoliciesConfig) -> TrainConfig:
    return made.policies()[0].runs()[0]


def test_the_runs_are_those_of_the_recipes() -> None:
    config = PoliciesConfig()
    assert {job.name for job in config.policies()} == set(registry.policy_tables())
    for job in config.policies():
        runs = job.runs()
        assert [run.seed for run in runs.values()] == list(runs) == [0, 1, 2]
        assert {run.steps for run in runs.values()} == {shipped_steps(job.game, job.players)}
        assert {run.threads for run in runs.values()} == {1}
        assert len({run.run_dir for run in runs.values()}) == 3


def test_a_folder_with_another_run_is_refused(made: PoliciesConfig) -> None:
    run = a_run(made)
    assert state_of(run) is State.FINISHED
    with pytest.raises(ValueError, match=r"with other settings \(steps 1, not 5\): move it away"):
        train_all([replace(run, steps=5)], 1)
    with pytest.raises(ValueError, match="seed 0, not 1"):
        state_of(replace(run, seed=1))
    other = replace(run.settings, width=16)
    width = recipe_for("kododo", 2).width
    with pytest.raises(ValueError, match=f"width {width}, not 16"):
        state_of(replace(run, settings=other))


def test_a_run_without_its_end_goes_on(made: PoliciesConfig, tmp_path: Path) -> None:
    run = a_run(made)
    copy = replace(run, run_dir=tmp_path / "seed-0")
    assert state_of(copy) is State.MISSING
    assert run.run_dir is not None
    (tmp_path / "seed-0").mkdir()
    for name in ("config.json", "checkpoint.zip", "results.json"):
        (tmp_path / "seed-0" / name).write_bytes((run.run_dir / name).read_bytes())
    assert state_of(copy) is State.INTERRUPTED
    train_all([copy], 1)
    assert state_of(copy) is State.FINISHED
    assert "go on with" not in log_of(copy).read_text()


def test_a_policy_of_a_run_that_was_stopped_early_is_not_finished(made: PoliciesConfig) -> None:
    run = a_run(made)
    assert run.run_dir is not None
    path = run.run_dir / "config.json"
    content = path.read_text()
    try:  # as if more had been asked for
        path.write_text(content.replace('"steps": 1,', '"steps": 10000000,'))
        assert state_of(replace(run, steps=10_000_000)) is State.INTERRUPTED
    finally:
        path.write_text(content)


def test_a_damaged_config_is_refused(tmp_path: Path) -> None:
    config = default_config("kododo", 2, steps=1, run_dir=tmp_path)
    for text in ("{", "[]", "{}", "[" * 100_000, "9" * 5000):
        (tmp_path / "config.json").write_text(text)
        (tmp_path / "checkpoint.zip").touch()
        with pytest.raises(ValueError, match="not the config of a run, or is damaged"):
            state_of(config)
    strange = json.dumps({"task": {}, "steps": 1, "threads": "\x1b[31m" + "x" * 100_000})
    (tmp_path / "config.json").write_text(strange)
    with pytest.raises(ValueError, match=r"threads '\\x1b\[31mx+…, not 2") as error:
        state_of(config)
    assert len(str(error.value)) < 1000


def test_a_run_that_fails_is_named_with_its_last_words(tmp_path: Path) -> None:
    config = default_config("kododo", 2, steps=1, run_dir=tmp_path / "seed-0")
    object.__setattr__(config, "threads", 0)  # which train.py refuses
    with pytest.raises(ChildProcessError, match=r"seed-0 failed with status 2 .*--threads must be"):
        train_all([config], 1)


def test_ctrl_c_ends_the_runs_with_their_checkpoints(tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "agents.release.make_policies",
        "--only", NAME, "--seeds", "1", "--jobs", "1", "--steps", "100000000",
        "--out", str(tmp_path / "out"), "--runs", str(tmp_path / "runs"),
        "--selection-games", "20", "--games", "20", "--rating-games", "40",
    ]  # fmt: skip
    started = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    folder = tmp_path / "runs" / NAME / "seed-0"
    patience = time.monotonic() + 120
    while not list(folder.glob("tensorboard/*")) and time.monotonic() < patience:
        time.sleep(0.1)
    time.sleep(0.5)
    started.send_signal(signal.SIGTERM)
    _, error = started.communicate(timeout=120)
    assert started.returncode == 143, error
    assert error.strip() == "stopped"
    assert (folder / "checkpoint.zip").exists()
    assert not (tmp_path / "out").exists()


# --- choosing -----------------------------------------------------------------------------


def test_the_best_mean_share_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    def share(match: Match) -> float:
        """Seed 1 at temperature 0.5 is best on the whole, not against random."""
        if match.copies == "random":
            return 0.9 if match.one == "zero.onnx" else 0.8
        return 0.5 if (match.one, match.temperature) == ("one.onnx", 0.5) else 0.3

    def play(matches: list[Match], workers: int) -> list[MatchResult]:
        return [MatchResult(*[Estimate(share(match), 0, 1)] * 3) for match in matches]

    monkeypatch.setattr(policy_measures, "play_matches", play)
    files = {0: Path("zero.onnx"), 1: Path("one.onnx")}
    found = choose(files, Match("", "", "kado", 3, 40, 7), 1, (0.0, 0.5))
    assert (found["seed"], found["temperature"]) == (1, 0.5)
    others = len(registry.baselines("kado")) - 1
    best = found["candidates"][-1]
    assert best["share"] == pytest.approx((0.8 + others * 0.5) / (1 + others))
    assert len(found["candidates"]) == 4


def test_matches_do_not_depend_on_the_processes(made: PoliciesConfig) -> None:
    table = Match(str(made.out / f"{NAME}.onnx"), "random", "kododo", 2, 20, 3, 0.5)
    matches = [table, replace(table, one="random", copies="greedy")]
    apart, together = (policy_measures.play_matches(matches, workers) for workers in (2, 1))
    assert apart == together


def test_a_policy_too_large_to_ship_is_refused(
    made: PoliciesConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = made.out / f"{NAME}.onnx"
    check_size(source, source.stat().st_size)
    monkeypatch.setattr(maker, "LARGEST", 1000)
    with pytest.raises(ValueError, match="has 1,000 at most: make the network smaller"):
        rewrite(source, tmp_path / "copy.onnx", OnnxAgent(source).metadata)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="make the network smaller"):
        choose_policy(made.policies()[0])


# --- what is kept -------------------------------------------------------------------------


def test_findings_are_kept_under_their_heading(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    assert kept(path, {"games": 1}, lambda: [1, 2]) == [1, 2]
    assert kept(path, {"games": 1}, lambda: [3]) == [1, 2]
    assert kept(path, {"games": 2}, lambda: [3]) == [3]
    path.write_text(path.read_text()[:-10])
    assert read_kept(path, {"games": 2}) is None
    path.write_text("[" * 100_000)  # damaged: it is found again
    assert read_kept(path, {"games": 1}) is None


# --- the cards ----------------------------------------------------------------------------


def exploited(data: dict[str, Any]) -> dict[str, Any]:
    half = {"mean": 0.55, "low": 0.5, "high": 0.6}
    gain = {"mean": 0.05, "low": 0.0, "high": 0.1}
    who = {"share": half, "gain": gain, "games": 1000}
    response, search = who | {"steps": 2_000_000}, who | {"budget": "50ms"}
    return data | {"exploitability": {"best_response": response, "search": search}}


def test_the_card_follows_from_the_numbers_alone(made: PoliciesConfig, tmp_path: Path) -> None:
    content = (made.out / f"{NAME}.json").read_text()
    (tmp_path / f"{NAME}.json").write_text(content)
    write_cards(tmp_path)
    for name in (f"{NAME}.md", "README.md"):
        assert (tmp_path / name).read_text() == (made.out / name).read_text()


def test_the_card_tells_what_is_known(made: PoliciesConfig) -> None:
    data = numbers(made)
    text = card(data)
    shares = data["shares"]["alone"]
    for name, each in shares.items():
        assert f"| {name} | {each['share']['mean']:.3f} (" in text
    assert "## Exploitability\n\nNot measured." in text
    assert "not measured" in index([data])
    known = exploited(data)
    for title in ("best response, 2,000,000 steps", "search, 50 ms a decision"):
        numbers_of = "1,000 | 0.550 (0.500 to 0.600) | +0.050 (+0.000 to +0.100)"
        assert f"| {title} | {numbers_of} |" in card(known)
    assert "0.550 (0.500 to 0.600)" in index([known])


def test_the_card_tells_whom_it_learned_from(made: PoliciesConfig) -> None:
    data = numbers(made)
    recipe = data["training"]["recipe"]
    recipe |= {"teacher": "heuristic", "teacher_share": 0.2, "opponents_share": 0.25}
    recipe["opponents"] = ["heuristic", "heuristic", "follow"]
    recipe["teacher_temperature"] = 0.3
    learned = data["training"]["algorithm"]
    first = f"Imitation of how `heuristic` weighs its actions for 20 % of the steps, then {learned}"
    against = ", in 25 % of its updates against `heuristic` and `follow` by turns"
    assert f"\n{first}{against}, 1 thread" in card(data)
    recipe["opponents"] = []
    assert f"\n{first}, 1 thread" in card(data)
    recipe["teacher_temperature"] = 0.0
    first = f"Imitation of what `heuristic` does for 20 % of the steps, then {learned}"
    assert f"\n{first}, 1 thread" in card(data)
    recipe["teacher"] = ""
    assert f"\n{learned}, 1 thread" in card(data)


def test_all_rows_of_a_table_are_of_one_length(made: PoliciesConfig) -> None:
    data = exploited(numbers(made))
    for text in (card(data), index([data])):
        for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
            assert len({line.count("|") for line in table.splitlines()}) == 1, table


def test_the_three_lines_of_a_card_run(
    made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "POLICIES", made.out)
    (code,) = re.findall(r"```python\n(.*?)```", card(numbers(made)), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    assert names["actions"].shape == (1,)
    assert names["view"].legal_action_mask[0, names["actions"][0]]


# --- by name ------------------------------------------------------------------------------


def test_a_policy_is_found_by_its_name(
    made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "POLICIES", made.out)
    agent = kododo_env.load(NAME)
    assert isinstance(agent, OnnxAgent)
    assert (agent.name, agent.path) == (NAME, made.out / f"{NAME}.onnx")
    status, said = evaluated(capsys, NAME, "random", "--players", "2", "--games", "20")
    assert (status, NAME in said.out) == (0, True)
    with pytest.raises(ValueError, match=f"unknown policy 'kado-9p'.*shipped: {NAME}$"):
        kododo_env.load("kado-9p")


def evaluated(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, Any]:
    """Exit status and output of evaluate.py with these agents, in this process."""
    with pytest.raises(SystemExit) as left:
        run_cli(EvaluateConfig, evaluate, ("--agents", *arguments, "--workers", "1"))
    return left.value.code, capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((NAME, "random", "--players", "3"), "it is for number of players 2, not 3"),
        ((NAME, "random", "--game", "kado", "--players", "2"), "for game kododo, not kado"),
        ((f"search:{NAME}:4", "random", "--players", "3"), "for number of players 2, not 3"),
        ((f"search:{NAME}:0", "random", "--players", "2"), "worlds must be 1 to 100000, not 0"),
        ((f"search:{NAME}:0ms", "random", "--players", "2"), "milliseconds must be above 0"),
        ((NAME, NAME, "--players", "2"), f"agent '{NAME}' is named twice"),
        ((NAME, "random", "--players", "2", "--games", "1"), "2 players need 2 games at least"),
        (("kododo-9p", "random"), f"unknown agent 'kododo-9p'; kododo has random, .*{NAME}, or"),
        (("kado-9p", "random", "--game", "kado"), "kado has random, greedy, heuristic, or give"),
    ],
)
def test_a_policy_that_cannot_play_is_refused_in_one_line(
    made: PoliciesConfig,
    arguments: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(registry, "POLICIES", made.out)
    status, output = evaluated(capsys, *arguments)
    assert (status, output.out) == (2, "")
    assert re.search(said, output.err), output.err
    assert output.err.count("\n") == 1


# --- bad input ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "kododo-9p"], "unknown policy 'kododo-9p'; choose from kododo-2p, "),
        (["--seeds", "0"], "--seeds must be 1 to 1000, not 0"),
        (["--jobs", "0"], "--jobs must be 1 to 512, not 0"),
        (["--steps", "0"], "--steps must be 1 to 1000000000000, not 0"),
        (["--games", "1"], "--games must be at least 5, not 1"),
        (["--rating-games", "4"], "--rating-games must be at least 5, not 4"),
        (["--out", "/proc/none"], "cannot write to the run folder /proc/none"),
    ],
)
def test_bad_arguments_are_one_line_and_status_2(
    arguments: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_refused(run(capsys, PoliciesConfig, make_policies, arguments), said, tmp_path)
