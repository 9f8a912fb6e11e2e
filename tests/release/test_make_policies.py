"""The policies that ship: how they are trained, chosen, measured and described."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import kododo_env
from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.recipes.recipe import Recipe, recipe_for, shipped_steps
from agents.release import config as policy_config
from agents.release import make_policies as maker
from agents.release import strength as policy_measures
from agents.release import training as policy_training
from agents.release.card import card, columns, index, write_cards
from agents.release.config import PoliciesConfig, PolicyJob
from agents.release.make_policies import cached, fingerprint, make_policies, rewrite
from agents.release.met import met, met_in_words, role
from agents.release.strength import choose
from agents.release.training import is_finished, train_all
from agents.training.response_training import BestResponse
from agents.training.run_folder import write_config
from agents.training.training_config import default_config, task_of
from kododo_env import agent_registry as registry
from kododo_env.arena.intervals import Estimate
from kododo_env.arena.match import Match, MatchResult
from kododo_env.arena.workers import worker_pool
from kododo_env.commands.cli import run_cli
from kododo_env.policy.onnx_agent import OnnxAgent
from tests.command_line import assert_refused
from tests.command_line import run as run_command

ROOT = Path(__file__).parents[2]
NAME = "kododo-2p"


def tiny(folder: Path) -> PoliciesConfig:
    """One update of one seed, and so few games that nothing is found out."""
    return PoliciesConfig(
        only=(NAME,), seeds=1, steps=1, jobs=1, out=folder / "out", runs=folder / "runs",
        games=80, search_games=4, exploitability=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PoliciesConfig]:
    """Made with a small network and few games: trainings of the recipe take half a minute."""
    few = {"num_envs": 16, "batch_size": 256, "width": 16, "depth": 1}
    config = tiny(tmp_path_factory.mktemp("made"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(policy_config, "default_config", partial(default_config, **few))
        make_policies(config)
        yield config


def job_of(config: PoliciesConfig) -> PolicyJob:
    """The first policy that is to be made."""
    return config.policies()[0]


def numbers(config: PoliciesConfig) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((config.out / f"{NAME}.json").read_text())
    return found


# --- the whole ----------------------------------------------------------------------------


def test_a_policy_its_numbers_and_its_card_are_written(made: PoliciesConfig) -> None:
    names = {path.name for path in made.out.iterdir()}
    endings = (".onnx", ".meta.json", ".json", ".md")
    assert names == {*(f"{NAME}{ending}" for ending in endings), "README.md"}
    data = numbers(made)
    agent = OnnxAgent(made.out / f"{NAME}.onnx")
    assert agent.temperature == data["temperature"]
    assert data["temperature"] in data["choice"]["temperatures"]
    assert agent.metadata.results == data["shares"]["alone"]
    assert data["training"].items() >= agent.metadata.training.items()
    assert data["file"]["sha256"] == fingerprint(made.out / f"{NAME}.onnx")
    assert list(data["shares"]["alone"]) == list(registry.baselines("kododo"))
    held_out = registry.held_out("kododo", 2)
    assert list(data["shares"]["held_out"]) == list(held_out)
    assert list(data["shares"]["back"]) == [held_out[0], registry.baselines("kododo")[-1]]
    assert data["choice"]["opponents"] == [name for name in held_out if ":" not in name]
    assert data["met"] == met(agent.metadata.training["recipe"])
    # The spread is measured on the deals of the shares, so the chosen seed has the same.
    alone, seeds = data["shares"]["held_out"] | data["shares"]["alone"], data["shares"]["seeds"]
    assert list(seeds) == [*data["choice"]["opponents"], *registry.baselines("kododo")]
    assert seeds == {name: [alone[name]["share"]["mean"]] for name in seeds}
    assert data["exploitability"] is None
    assert data["training"]["curve"]


def test_deals_differ_by_what_they_are_for() -> None:
    """The seeds that train.py measures on are those of its run."""
    of_runs = {seed + more for seed in range(PoliciesConfig().seeds) for more in (1, 2)}
    of_responses = {policy_measures.CHOICE_RESPONSE_SEED, policy_measures.CHOICE_RESPONSE_SEED + 1}
    for seed in range(policy_measures.ATTACKERS["seeds"]):
        of_responses |= {
            policy_measures.RESPONSE_SEED + seed,
            policy_measures.RESPONSE_SEED + seed + 1,
        }
    others = {policy_measures.CHOICE_DEALS, policy_measures.STRENGTH_DEALS}
    assert len(of_runs | of_responses | others) == len(of_runs) + len(of_responses) + len(others)


def test_nobody_who_is_held_out_is_learned_from() -> None:
    for job in PoliciesConfig().policies():
        recipe = recipe_for(job.game, job.players)
        learned_from = [recipe.expert, *recipe.opponents]
        kept_out = {*registry.held_out(job.game, job.players), *registry.strangers()}
        assert len(kept_out) >= 3
        assert not kept_out & {*learned_from}
        models = {registry.search_parts(name)[1] for name in learned_from}
        assert not kept_out & models
        # Nor by its file.
        assert not [name for name in learned_from if registry.STRANGERS.name in Path(name).parts]
        for name in registry.held_out(job.game, job.players):
            assert not role(name, met(asdict(recipe)))


def test_nothing_is_done_twice(made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in made.out.iterdir()}

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("this was done before")

    monkeypatch.setattr(policy_training, "_train", never)
    monkeypatch.setattr(Match, "play", never)
    make_policies(made)
    assert {path.name: path.read_bytes() for path in made.out.iterdir()} == before
    with pytest.raises(AssertionError, match="done before"):
        make_policies(replace(made, games=120))


def test_several_policies_are_measured_at_a_time(made: PoliciesConfig) -> None:
    job = job_of(made)
    found = maker.measure(job)
    with worker_pool(2) as pool:
        assert list(pool.map(maker.measure, [job, job])) == [found] * 2


def test_what_was_found_before_a_crash_is_kept(
    made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(replace(made, games=100, exploitability=True))

    def crash(*_: Any) -> None:
        raise RuntimeError("out of memory")

    monkeypatch.setattr(policy_measures, "response_gain", lambda *_: 0.0)
    monkeypatch.setattr(maker, "exploit", crash)
    with pytest.raises(RuntimeError, match="out of memory"):
        maker.measure(job)
    shares = json.loads((job.folder / "shares.json").read_text())
    assert shares["key"]["games"] == shares["found"]["games"] == 100
    monkeypatch.undo()
    maker.measure(job_of(made))  # as it was, for the other tests


# --- training -----------------------------------------------------------------------------


def test_the_runs_are_those_of_the_recipes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy_config, "default_config", default_config)  # whatever others do
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


def test_a_folder_with_another_run_is_refused(made: PoliciesConfig) -> None:
    (run,) = job_of(made).runs()
    assert is_finished(run)
    with pytest.raises(ValueError, match=r"with other settings \(see steps in its config.json\)"):
        train_all([job_of(replace(made, steps=5))], 1)
    settings = replace(run.settings, width=24)
    with pytest.raises(ValueError, match=r"with other settings \(see task in its config.json\)"):
        is_finished(replace(run, settings=settings))


def copied(made: PoliciesConfig, folder: Path, names: Sequence[str]) -> tuple[PolicyJob, Path]:
    """A run of which only some files are left."""
    job = job_of(replace(made, runs=folder))
    copy = job.folder / "seed-0"
    copy.mkdir(parents=True)
    for name in names:
        shutil.copy(job_of(made).folder / "seed-0" / name, copy / name)
    return job, copy


def test_a_run_without_its_end_goes_on(made: PoliciesConfig, tmp_path: Path) -> None:
    job, run = copied(made, tmp_path, ("checkpoint.zip", "results.json"))
    with pytest.raises(ValueError, match="with other settings"):  # nobody says whose run it is
        is_finished(*job.runs())
    shutil.copy(job_of(made).folder / "seed-0" / "config.json", run)
    assert not is_finished(*job.runs())
    train_all([job], 1)
    assert is_finished(*job.runs())
    assert "goes on from" in run.with_name("seed-0.log").read_text()


def test_a_policy_of_a_run_that_was_stopped_early_is_not_finished(
    made: PoliciesConfig, tmp_path: Path
) -> None:
    _, run = copied(made, tmp_path, ("checkpoint.zip", "policy.onnx", "results.json"))
    (more,) = job_of(replace(made, runs=tmp_path, steps=10_000_000)).runs()
    write_config(run, task_of(more), more)
    assert not is_finished(more)


def test_damaged_settings_are_refused(made: PoliciesConfig, tmp_path: Path) -> None:
    job, run = copied(made, tmp_path, ("checkpoint.zip",))
    for text in ("{", "[]", "[1]", "{}", "3", "[" * 100_000, "9" * 5000):
        (run / "config.json").write_text(text)
        with pytest.raises(ValueError, match="holds a run with other settings") as error:
            is_finished(*job.runs())
        assert str(error.value).isprintable()


def test_a_run_that_fails_is_named_with_its_error(made: PoliciesConfig, tmp_path: Path) -> None:
    job = job_of(replace(made, runs=tmp_path))
    (job.folder / "seed-0").mkdir(parents=True)
    (job.folder / "seed-0" / "config.json").write_text("{}")
    with pytest.raises(ChildProcessError, match=r"seed-0 failed: .*seed-0 holds a run already"):
        train_all([job], 1)


def test_ctrl_c_ends_the_runs_with_their_checkpoints(tmp_path: Path) -> None:
    """A terminal sends it to all processes; who trains waits until its starter tells it."""
    command = [
        sys.executable, "-m", "agents.release.make_policies",
        "--only", NAME, "--seeds", "1", "--jobs", "1", "--steps", "100000000",
        "--out", str(tmp_path / "out"), "--runs", str(tmp_path / "runs"),
        "--games", "80",
    ]  # fmt: skip
    started = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    folder = tmp_path / "runs" / NAME / "seed-0"
    patience = time.monotonic() + 120
    while not list(folder.glob("tensorboard/*")) and time.monotonic() < patience:
        time.sleep(0.1)
    time.sleep(0.5)
    os.killpg(started.pid, signal.SIGINT)
    _, error = started.communicate(timeout=120)
    assert started.returncode == 130, error
    assert error.strip() == "stopped"
    assert (folder / "checkpoint.zip").exists()
    assert not (tmp_path / "out").exists()


# --- choosing -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exploitability", "chosen"),
    [(True, (1, 0.1)), (False, (1, 0.0))],
    ids=["by share and gain", "by share"],
)
def test_what_is_worth_most_is_chosen(
    exploitability: bool,
    chosen: tuple[int, float],
    made: PoliciesConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Seed 1 has the higher shares; at temperature 0 a best response takes most of that back."""
    job = job_of(replace(made, seeds=2, exploitability=exploitability))
    first, second = job.candidates()
    gains = {0.0: 0.2, 0.1: 0.02, 0.25: -0.3}  # below 0 is nothing to have

    def played(agent: OnnxAgent, *how: Any) -> dict[str, MatchResult]:
        assert list(how[-1]) == [name for name in registry.held_out("kododo", 2) if ":" not in name]
        share = (0.6 if agent.path == second else 0.5) - agent.temperature / 5
        return {name: MatchResult(*[Estimate(share, 0, 1)] * 3) for name in how[-1]}

    second.parent.mkdir(exist_ok=True)
    shutil.copy(first, second)
    monkeypatch.setattr(policy_measures, "against", played)
    monkeypatch.setattr(
        policy_measures, "response_gain", lambda agent, *_: gains[agent.temperature]
    )
    found = choose(job)
    shutil.rmtree(second.parent)
    assert (found["seed"], found["temperature"]) == chosen
    assert len(found["candidates"]) == 2 * len(policy_measures.TEMPERATURES)
    known = {each["temperature"]: each["gain"] for each in found["candidates"] if each["gain"]}
    assert known == (gains if exploitability else {})


def test_a_best_response_gains_what_it_wins(
    made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = OnnxAgent(made.out / f"{NAME}.onnx")

    def trained(_: OnnxAgent, steps: int, seed: int) -> BestResponse:
        assert (steps, seed) == (7, policy_measures.CHOICE_RESPONSE_SEED)
        return BestResponse(registry.make_agent("random", "kododo"), {})  # type: ignore[arg-type]

    monkeypatch.setattr(policy_measures, "train_best_response", trained)
    random = Match("random", policy, "kododo", 2, 100, policy_measures.CHOICE_DEALS).play().share
    assert policy_measures.response_gain(policy, 7, 100) == random.mean - 0.5 < 0


def test_nothing_is_chosen_by_searches() -> None:
    names = ("plain-heuristic", "flat:greedy:16", "search:kododo-4p:50ms", "stranger-kododo-4p")
    assert policy_measures.quick(names) == ["plain-heuristic", "stranger-kododo-4p"]


def test_a_search_plays_fewer_games(made: PoliciesConfig, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("plain-heuristic", "search:greedy:1")
    monkeypatch.setattr(policy_measures, "held_out", lambda *_: names)
    found = policy_measures.strength(job_of(replace(made, search_games=16)))["held_out"]
    assert {name: each["games"] for name, each in found.items()} == dict(
        zip(names, (80, 16), strict=True)
    )


def test_published_policies_are_measured_again_without_their_runs(
    made: PoliciesConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = {"out": tmp_path / "out", "runs": tmp_path / "none", "games": 100, "again": True}
    with pytest.raises(ValueError, match=r"there is no .*kododo-2p.onnx with its .json to"):
        replace(made, **other)
    shutil.copytree(made.out, tmp_path / "out")
    again = replace(made, **other)
    make_policies(again)
    before, after = numbers(made), numbers(again)
    assert {name for name in before if before[name] != after[name]} == {"shares", "file"}
    assert after["shares"]["games"] == 100
    assert after["shares"]["seeds"] == before["shares"]["seeds"]
    assert OnnxAgent(again.out / f"{NAME}.onnx").metadata.results == after["shares"]["alone"]
    assert not again.runs.exists()
    monkeypatch.setattr(maker, "exploit", lambda job: {"of": str(job.chosen)})
    found = maker.measure_again(job_of(replace(again, exploitability=True)))
    assert found["exploitability"] == {"of": str(again.out / f"{NAME}.onnx")}


def test_a_policy_too_large_to_ship_is_refused(
    made: PoliciesConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = made.out / f"{NAME}.onnx"
    monkeypatch.setattr(maker, "LARGEST_POLICY", 1000)
    with pytest.raises(ValueError, match="has 1,000 at most: make the network smaller"):
        rewrite(source, tmp_path / "copy.onnx", OnnxAgent(source).metadata)
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="make the network smaller"):
        maker.measure(job_of(made))


# --- the cache ----------------------------------------------------------------------------


def test_a_result_is_cached_for_what_it_depends_on(tmp_path: Path) -> None:
    path = tmp_path / "found.json"
    assert cached(path, {"games": 1}, lambda: [1, 2]) == [1, 2]
    assert cached(path, {"games": 1}, lambda: [3]) == [1, 2]
    assert cached(path, {"games": 2}, lambda: [3]) == [3]
    path.write_text(path.read_text()[:-10])
    assert cached(path, {"games": 2}, lambda: [4]) == [4]
    path.write_text("[" * 100_000)  # damaged: it is found again
    assert cached(path, {"games": 2}, lambda: [5]) == [5]


def test_the_cards_need_no_torch() -> None:
    """Their JSON was written by the learner's module."""
    code = (
        "import sys, agents.release.card; "
        "print([m for m in ('torch', 'onnx', 'onnxruntime') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# --- the cards ----------------------------------------------------------------------------


def exploited(data: dict[str, Any]) -> dict[str, Any]:
    half = {"mean": 0.55, "low": 0.5, "high": 0.6}
    gain = {"mean": 0.05, "low": 0.0, "high": 0.1}
    who = {"share": half, "gain": gain, "games": 1000}
    each = [who | {"steps": 2_000_000, "seed": seed} for seed in (8, 9)]
    response, search = who | {"each": each}, who | {"budget": "64"}
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
    roles = {"heuristic": "imitated"}
    for name, each in data["shares"]["alone"].items():
        assert f"| {name} | {roles.get(name, 'no')} | 80 | {each['share']['mean']:.3f} (" in text
    for name, each in data["shares"]["held_out"].items():
        mean = f"{each['share']['mean']:.3f}"
        assert f"| {name} | held out | {each['games']} | {mean} (" in text
    for name, share in data["shares"]["back"].items():
        assert f"One {name} against 1 copy of the policy has {share['mean']:.3f} (" in text
    assert f"\nIn training {met_in_words(data['met'])}." in text.replace(". In", ".\nIn")
    assert len(card(exploited(data)).splitlines()) <= 60
    assert "## Exploitability\n\nNot measured." in text
    assert "not measured" in index([data])
    known = exploited(data)
    responses = [f"best response, seed {seed}, 2,000,000 steps" for seed in (8, 9)]
    for title in (*responses, "mean of these", "search, 64 worlds a decision"):
        numbers_of = "1,000 | 0.550 (0.500 to 0.600) | +0.050 (+0.000 to +0.100)"
        assert f"| {title} | {numbers_of} |" in card(known)
    assert "+0.050 (+0.000 to +0.100)" in index([known])
    only = known["exploitability"]["best_response"]["each"][:1]
    known["exploitability"]["best_response"]["each"] = only
    assert "mean of these" not in card(known)


def test_who_is_held_out_is_shown_first_unless_met(made: PoliciesConfig) -> None:
    data = numbers(made)
    first = registry.held_out("kododo", 2)[0]
    result = data["shares"]["held_out"][first]
    stranger = {"share": {"mean": 0.123, "low": 0.1, "high": 0.2}}
    held_out = {first: result, "other": stranger, "flat:x:4": stranger, "stranger-x": stranger}
    data["shares"]["held_out"] = held_out
    shown = columns(data)
    assert list(shown)[1:4] == [f"v held-out {kind}" for kind in ("heuristic", "search", "policy")]
    assert shown["v held-out heuristic"].startswith(f"{result['share']['mean']:.3f} (")
    assert shown["v held-out search"] == shown["v held-out policy"] == "0.123 (0.100 to 0.200)"
    data["met"] = {"imitated": {}, "opponents": {first: 0.5, "flat:x:4": 0.5}, "itself": 0.0}
    shown = columns(data)
    assert shown["v held-out heuristic"].startswith("0.123 (")
    assert shown["v held-out search"] == "–"
    data["shares"]["held_out"] = {first: result}
    assert f"| {first} | opponent | " in card(data)


@pytest.mark.parametrize(
    ("recipe", "words"),
    [
        (Recipe(), "played against itself (100 %)"),
        (
            Recipe(expert="greedy", imitation_share=0.2),
            "it imitated greedy (20 %), then played against itself (80 %)",
        ),
        (
            Recipe(opponents=("a", "b.onnx", "a"), opponents_share=0.3),
            "played against a (20 %) and b.onnx (10 %) and itself (70 %)",
        ),
        (Recipe(opponents=("a",), opponents_share=0.0), "played against itself (100 %)"),
        (
            Recipe(expert="greedy", imitation_share=1.0, opponents=("a",)),
            "it imitated greedy (100 %)",
        ),
    ],
)
def test_whom_a_bot_has_met(recipe: Recipe, words: str) -> None:
    found = met(json.loads(json.dumps(asdict(recipe))))
    assert met_in_words(found) == words
    shares = *found["imitated"].values(), *found["opponents"].values(), found["itself"]
    assert sum(shares) == pytest.approx(1)


def test_the_card_tells_how_it_was_trained(made: PoliciesConfig) -> None:
    data = numbers(made)
    training = OnnxAgent(made.out / f"{NAME}.onnx").metadata.training
    assert data["training"]["recipe"] == training["recipe"]
    text = card(data)
    assert f"\n{training['algorithm']}: seed 0, {training['steps']:,} agent-steps" in text
    assert all(f"`{name}` " in text for name in training["recipe"])
    odd = data | {"training": data["training"] | {"recipe": {"a": [], "b": ["x", "y"], "c": 0.5}}}
    assert "\nSettings: `a` none, `b` x y, `c` 0.5.\n" in card(odd)
    choice = data["choice"]
    by = ", ".join(choice["opponents"])
    assert f"highest mean win share against {by}, in {choice['games']} games each." in text
    choice |= {"responses": {"steps": 3000, "temperatures": 2}}
    assert f"{by}, less what a best response of 3,000 steps gains (to each seed's 2 best" in card(
        data
    )


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
        (
            ("kado-9p", "random", "--game", "kado"),
            "kado has random, greedy, heuristic, builder, or give",
        ),
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
        (["--games", "19"], "--games must be at least 20, not 19"),
        (["--out", "/proc/none"], "cannot write to the folder /proc/none"),
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
    assert_refused(run_command(capsys, PoliciesConfig, make_policies, arguments), said, tmp_path)
