"""Wrong command lines of all scripts: one line, status 2, at once, and nothing left behind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest

from agents.commands import train as training_run
from agents.commands.best_response_config import BestResponseConfig
from agents.commands.evaluate import EvaluateConfig, evaluate
from agents.recipes.recipe import Recipe
from agents.release import make_policies
from agents.release.config import PoliciesConfig
from agents.training import memory
from agents.training.memory import check_memory, needed_memory
from agents.training.training_config import TrainConfig, default_config, task_of
from kododo_env.commands import tournament as evaluation
from kododo_env.commands.cli import run_cli
from kododo_env.commands.play import PlayConfig
from kododo_env.commands.replay import ReplayConfig
from kododo_env.core.bounds import bounds_of
from kododo_env.search.search import SearchBudget
from tests.command_line import run

SCRIPTS: dict[str, tuple[type[Any], Callable[[Any], None]]] = {
    "train.py": (TrainConfig, training_run.train),
    "evaluate.py": (EvaluateConfig, evaluate),
    "make_policies.py": (PoliciesConfig, make_policies.make_policies),
}
LONG = "x" * 300
DIGITS = "9" * 30
NESTED = "copies=" + "[" * 5000
CONFIGS = (
    TrainConfig, Recipe, EvaluateConfig, BestResponseConfig, PlayConfig, PoliciesConfig,
    ReplayConfig, SearchBudget,
)  # fmt: skip

TRAIN = [
    # numbers that are none, or beyond all use
    ["--learning-rate", "inf"],
    ["--learning-rate", "nan"],
    ["--learning-rate", "5"],
    ["--final-learning-rate", "-1e-9"],
    ["--imitation-learning-rate", "inf"],
    ["--imitation-temperature", "inf"],
    ["--temperature", "inf"],
    ["--temperature", "1e30"],
    ["--margin-weight", "nan"],
    ["--margin-weight", "-inf"],
    ["--ent-coef", "nan"],
    ["--final-ent-coef", "inf"],
    ["--clip-range", "inf"],
    ["--muon", "inf"],
    ["--muon", "nan"],
    ["--gamma", "nan"],
    ["--gae-lambda", "1.01"],
    ["--imitation-share", "nan"],
    ["--opponents-share", "inf"],
    ["--minutes", "1e300"],
    ["--minutes", "nan"],
    ["--minutes", "-inf"],
    ["--checkpoint-minutes", "nan"],
    ["--checkpoint-minutes", "inf"],
    ["--steps", "9" * 40],
    ["--steps", "9" * 5000],
    ["--steps", "1e6"],
    ["--steps", ""],
    ["--seed", "1" + "0" * 40],
    ["--seed", "-1"],
    ["--seed", "²"],
    ["--seed", "\u0661"],
    ["--seed=\u0661\u0662"],
    ["--seed", "1_0"],
    ["--learning-rate", "\u0660.\u0661"],
    ["--threads", "100000"],
    ["--evaluations", "1" + "0" * 12],
    ["--games", "1" + "0" * 12],
    ["--games", "3"],  # fewer than a deal of four players has
    ["--n-epochs", DIGITS],
    ["--batch-size", "0"],
    ["--one-hot", DIGITS],
    # what no memory holds
    ["--num-envs", "1000000000"],
    ["--num-envs", "900000", "--width", "4096"],
    ["--width", "1000000"],
    ["--width", "4096", "--depth", "16", "--num-envs", "1000000"],
    ["--depth", "100000"],
    # the game
    ["--rules", NESTED],
    ["--rules", "copies=" + '{"a":' * 5000],
    ["--rules", "target_score=" + "9" * 5000],
    ["--rules", "num_players=3"],
    ["--rules", "num_players=3", "--players", "2"],
    ["--rules", "variant=" + "x" * 100_000],
    ["--rules", "=1"],
    ["--rules", ""],
    ["--rules", "variant=\nlong"],
    ["--rules", "target_score=NaN"],
    ["--rules", "copies=null"],
    ["--players", DIGITS],
    ["--players", "two"],
    ["--game", ""],
    ["--game", "kododo\n"],
    ["--game", "\x1b[31mkododo"],
    ["--game", "котодо"],
    ["--game", "x" * 100_000],
    ["--expert", "nobody\x00"],
    ["--expert", "search:heuristic:" + DIGITS],
    ["--expert", "search:" * 5000 + "heuristic" + ":1" * 5000],
    ["--opponents", "heuristic", "nobody"],
    ["--opponents", ""],
    # where to
    ["--run-dir", ""],
    ["--run-dir", LONG],
    ["--run-dir", f"new/{LONG}"],
    ["--run-dir", "a\x00b"],
    ["--run-dir", "a-file"],
    ["--run-dir", "a-file/run"],
    ["--run-dir", "/proc/none"],
    ["--run-dir", "a-run"],
    ["--run-dir", "new", "--resume"],
    ["--run-dir", "a-folder", "--resume"],
    ["--run-dir", LONG, "--resume"],
    ["--resume"],
    # no such thing
    ["--learning_rat", "1"],
    ["--resume=maybe"],
    ["stray"],
    ["\x00"],
    ["--minutes", "1", "--steps", "1"],
]

SOME = ["--agents", "random", "greedy", "--games", "40", "--workers", "1"]
POLICY = ["--best-response", "kododo-2p"]
EVALUATE = [
    [],
    ["--agents"],
    ["--agents", "random", ""],
    ["--agents", "random", "no\nbody"],
    ["--agents", "random", "niemand-é"],
    ["--agents", "random", "\udcff"],
    ["--agents", "random", "x" * 100_000],
    ["--agents", "random", f"{LONG}.onnx"],
    ["--agents", "random", "a\x00b.onnx"],
    ["--agents", "random", "a-folder.onnx"],
    ["--agents", "random", "a-loop.onnx"],
    ["--agents", "random", "unreadable.onnx"],
    ["--agents", "random", "empty.onnx"],
    ["--agents", "random", "search:" * 5000 + "heuristic" + ":1" * 5000],
    ["--agents", "random", "search:search:heuristic:4:4"],
    ["--agents", "random", f"search:heuristic:{DIGITS}"],
    ["--agents", "random", f"search:heuristic:{DIGITS}ms"],
    ["--agents", "random", "search:heuristic:" + "9" * 5000],
    ["--agents", "random", "search:heuristic:" + "9" * 5000 + "ms"],
    ["--agents", "random", "search:heuristic:²"],
    ["--agents", "random", "search:heuristic:0ms"],
    ["--agents", "random", "search::4"],
    ["--agents", *(f"search:heuristic:{worlds}" for worlds in range(1, 2000))],
    [*SOME, "--games", "1000000000000"],
    [*SOME, "--games", "9" * 5000],
    [*SOME, "--workers", "100000"],
    [*SOME, "--seed", "1" + "0" * 40],
    [*SOME, "--players", DIGITS],
    [*SOME, "--rules", "num_players=3"],
    [*SOME, "--rules", "num_players=3", "--players", "3"],
    [*SOME, "--rules", "variant=long", "--variant", "short"],
    [*SOME, "--rules", "variant=long", "--variant", "long"],
    [*SOME, "--rules", "variant=long", "variant=long"],
    [*SOME, "--rules", NESTED],
    [*SOME, "--variant", ""],
    [*SOME, "--json", ""],
    [*SOME, "--json", f"{LONG}/a.json"],
    [*SOME, "--json", "a\x00b.json"],
    [*SOME, "--json", "a-file/a.json"],
    [*SOME, "--plot", "a\x00b.png"],
    [*SOME, "--plot", "a-folder/x/a.png"],
    [*SOME, "--record", ""],
    [*SOME, "--record", "a-file"],
    [*SOME, "--record", "a-file/records"],
    [*SOME, "--record", f"new/{LONG}"],
    [*SOME, "--record", "a\x00b"],
    [*SOME, "--record", "a-run/config.json/x.parquet"],
    [*SOME, "--record", "/proc/none"],
    [*SOME, "--record", "a.parquet", "--json", "a.json", "--resume"],
    [*SOME, "--record", "a.parquet", "--record-games", "5"],
    [*SOME, "--record-games", "5"],
    [*SOME, "--record", "new", "--record-games", "0"],
    [*SOME, "--record", "new", "--record-games", DIGITS],
    ["--agents", "random", "nobody", "--record", "new"],
    ["--agents", "random", "nobody", "--record", "a.parquet"],
    [*SOME, "--search", "4"],
    [*POLICY, "--agents", "random"],
    [*POLICY, "--record", "new"],
    [*POLICY, "--minutes", "inf"],
    [*POLICY, "--minutes", "1e300"],
    [*POLICY, "--steps", DIGITS],
    [*POLICY, "--threads", "100000"],
    [*POLICY, "--search", DIGITS],
    [*POLICY, "--search", DIGITS + "ms"],
    [*POLICY, "--search", ""],
    [*POLICY, "--search", "fast"],
    [*POLICY, "--search-games", DIGITS],
    [*POLICY, "--games", "1"],
    [*POLICY, "--save", ""],
    [*POLICY, "--save", "a-folder"],
    [*POLICY, "--save", "a-loop.onnx", "--search", "0"],
    ["--best-response", "search:" * 5000],
    ["--best-response", "a\x00b.onnx"],
    ["--best-response", ""],
]

ONLY = ["--only", "kododo-2p"]
MAKE = [
    ["--only", "kododo-9p"],
    ["--only", "\x00"],
    [*ONLY, "--seeds", DIGITS],
    [*ONLY, "--steps", DIGITS],
    [*ONLY, "--jobs", "100000"],
    [*ONLY, "--games", "1000000000000"],
    [*ONLY, "--search", "64"],
    [*ONLY, "--out", ""],
    [*ONLY, "--out", f"new/{LONG}"],
    [*ONLY, "--runs", "a-file"],
    [*ONLY, "--runs", f"new/{LONG}"],
    [*ONLY, "--runs", "a\x00b"],
    [*ONLY, "--rules", "num_players=3"],
]

LINES = [
    *(("train.py", line) for line in TRAIN),
    *(("evaluate.py", line) for line in EVALUATE),
    *(("make_policies.py", line) for line in MAKE),
]


def shortened(line: list[str]) -> str:
    """A command line as the name of its test."""
    return " ".join(word if len(word) < 20 else f"{word[:16]}…{len(word)}" for word in line[-4:])


def begun(*_: Any, **__: Any) -> Any:
    raise AssertionError("it was begun")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where the commands are given: some things that are not what they should be."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").write_text("a file")
    (tmp_path / "a-folder").mkdir()
    (tmp_path / "a-folder.onnx").mkdir()
    (tmp_path / "a-loop.onnx").symlink_to("a-loop.onnx")
    (tmp_path / "unreadable.onnx").symlink_to("/proc/self/mem")
    (tmp_path / "empty.onnx").touch()
    (tmp_path / "a-run").mkdir()
    (tmp_path / "a-run" / "config.json").write_text("{}")
    for script in (evaluation, training_run.Trainer):
        monkeypatch.setattr(script, "run", begun)
    monkeypatch.setattr(make_policies, "train_all", begun)
    monkeypatch.setattr("agents.commands.best_response.train_best_response", begun)
    return tmp_path


@pytest.mark.parametrize(
    ("script", "line"), LINES, ids=[f"{script} {shortened(line)!r}" for script, line in LINES]
)
def test_a_wrong_command_line_is_one_line_and_leaves_nothing(
    script: str,
    line: list[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [script, *line])
    before = sorted(folder.rglob("*"))
    code, said, error = run(capsys, *SCRIPTS[script], line)
    assert (code, said) == (2, ""), error
    assert error.startswith(f"{script}: error: ")
    assert len(error.splitlines()) == 1
    assert error.rstrip("\n").isprintable()
    assert len(error) < 1000
    assert "Traceback" not in error
    assert sorted(folder.rglob("*")) == before


# --- memory, and the folder of a run ------------------------------------------------------


def test_a_run_that_memory_does_not_hold_is_refused_by_what_it_needs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = task_of(default_config(players=2, num_envs=64))
    needed = needed_memory(task)
    larger = [
        needed_memory(replace(task, recipe=replace(task.recipe, **{name: value})))
        for name, value in (("num_envs", 128), ("width", 512))
    ]
    assert min(larger) > needed
    monkeypatch.setattr(memory, "_memory", lambda: needed)
    check_memory(task)
    monkeypatch.setattr(memory, "_memory", lambda: needed - 1)
    before = sorted(folder.rglob("*"))
    code, _, error = run(capsys, *SCRIPTS["train.py"], ["--players", "2", "--num-envs", "64"])
    assert (code, error.count("\n")) == (2, 1)
    assert "GB of memory at least, and the machine has" in error
    assert sorted(folder.rglob("*")) == before
    monkeypatch.setattr(memory, "_memory", lambda: None)  # a system that does not tell
    check_memory(task)


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RecursionError("maximum recursion depth exceeded"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 4 bytes"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_no_bound_foresaw_leaves_one_line_and_no_folder(
    error: Exception,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def too_much(*_: Any) -> None:
        raise error

    monkeypatch.setattr(training_run.Trainer, "__init__", too_much)
    before = sorted(folder.rglob("*"))
    for line in (["--run-dir", "new/deep/run"], [], ["--run-dir", "a-folder"]):
        code, _, said = run(capsys, *SCRIPTS["train.py"], line)
        assert (code, said.count("\n")) == (2, 1)
        assert sorted(folder.rglob("*")) == before


def test_a_mistake_of_the_program_is_not_taken_for_the_users() -> None:
    def mistaken(_: TrainConfig) -> None:
        raise RuntimeError("of ours")

    with pytest.raises(RuntimeError, match="of ours"):
        run_cli(TrainConfig, mistaken, [], training_run.defaults)


# --- the table of bounds ------------------------------------------------------------------


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_every_number_of_every_script_is_bounded(config: type[Any]) -> None:
    hints = get_type_hints(config)
    numbers = {name for name, hint in hints.items() if {int, float} & {hint, *get_args(hint)}}
    assert numbers - bounds_of(config).keys() <= {"players"}  # whose range is each game's
    assert len(numbers) == len(bounds_of(config).keys() | {"players"} & hints.keys())


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_the_bounds_themselves_will_do_and_what_is_beyond_will_not(config: type[Any]) -> None:
    needed = {
        "agents": ("random", "greedy"), "best_response": "kododo-2p", "record": Path("records"),
        "file": Path("game.jsonl"),
    }  # fmt: skip
    names = {each.name for each in fields(config)}
    others: dict[str, Any] = {name: value for name, value in needed.items() if name in names}
    if config is TrainConfig:
        others = {"game": "kododo", "players": 2, "settings": Recipe(), "engine": "ray"}
    if config is PlayConfig:
        others = {"game": "kododo"}
    for name, bound in bounds_of(config).items():
        config(**others, **{name: bound.highest})
        for wrong in (bound.highest + 1, bound.lowest - 1, float("nan"), float("inf"), True, "1"):
            with pytest.raises(ValueError, match=name.replace("_", "[-_]")):
                config(**others, **{name: wrong})
        if bound.above:
            with pytest.raises(ValueError, match=f"above {bound.lowest}"):
                config(**others, **{name: bound.lowest})


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_help_states_the_bounds(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = run(capsys, *SCRIPTS[script], ["--help"])
    assert code == 0
    lines = [line.split(maxsplit=1) for line in said.partition("\nnumbers:\n")[2].splitlines()]
    config = SCRIPTS[script][0]
    assert {name for name, _ in lines} >= {
        f"--{each.name.replace('_', '-')}"
        for each in fields(config)
        if each.name in bounds_of(config)
    }
    assert ["--games", "1 to 10,000,000"] in lines
