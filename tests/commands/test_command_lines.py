"""Wrong command lines of all scripts: one line, status 2, and nothing left behind."""

from __future__ import annotations

import re
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
from agents.training import preflight
from agents.training.command_defaults import defaults
from agents.training.preflight import check_memory, needed_memory
from agents.training.training_config import TrainConfig, default_config, task_of
from kododo_env.agent_registry import POLICIES
from kododo_env.checks.bounds import bounds_of, check_settings
from kododo_env.commands import tournament as evaluation
from kododo_env.commands.adopt import AdoptConfig
from kododo_env.commands.bench import BenchConfig
from kododo_env.commands.benchmark import BenchmarkConfig
from kododo_env.commands.cli import run_cli
from kododo_env.commands.contest import ContestConfig
from kododo_env.commands.dataset import DatasetConfig
from kododo_env.commands.play import PlayConfig
from kododo_env.commands.puzzles import PuzzlesConfig
from kododo_env.commands.review import AnalyseConfig, ReplayConfig
from kododo_env.search.search import SearchBudget
from kododo_env.system import extras
from tests.command_line import kododo, run

SCRIPTS: dict[str, tuple[type[Any], Callable[[Any], None]]] = {
    "train.py": (TrainConfig, training_run.train),
    "evaluate.py": (EvaluateConfig, evaluate),
    "make_policies.py": (PoliciesConfig, make_policies.make_policies),
}
LONG = "x" * 300
DIGITS = "9" * 30
MANY_DIGITS = "9" * 5000
NESTED = "copies=" + "[" * 5000
NO_CHOICE = [
    "--players", "2", "--rules", "num_colours=2", "copies=[1,1]", "hand_size=1", "plays=[1]",
    "kododo_offset=0", "limit_offset=1", "removed_cards=0",
]  # fmt: skip
SEARCHES = "search:" * 5000 + "heuristic" + ":1" * 5000
CONFIGS = (
    TrainConfig, Recipe, EvaluateConfig, BestResponseConfig, PlayConfig, PoliciesConfig,
    ReplayConfig, SearchBudget, BenchConfig, ContestConfig, DatasetConfig, AdoptConfig,
    BenchmarkConfig, AnalyseConfig, PuzzlesConfig,
)  # fmt: skip
Lines = list[tuple[list[str], str]]
"""Command lines, each with words of its error message."""

# The bounds of all numbers are tested below; here are examples of their messages.
TRAIN: Lines = [
    (["--run-dir", "r\udcff"], "--run-dir must be valid UTF-8, got 'r"),
    (["--minutes", "0"], "--minutes must be above 0 and at most 525600, not 0.0"),
    (["--learning-rate", "nan"], "--learning-rate must be a finite number, not nan"),
    (["--steps", MANY_DIGITS], "--steps"),
    (["--steps", "1e6"], "--steps"),
    (["--steps", ""], "--steps"),
    (["--seed", "-1"], "--seed must be 0 to 4294967295"),
    (["--seed", "²"], "--seed"),
    (["--games", "3"], "games must be at least 4"),
    (["--num-envs", "900000", "--width", "4096"], "memory"),
    # the game
    (["--recipe", "poker"], "--recipe must be one of 'game', 'scratch', not 'poker'"),
    (["--rules", NESTED], ""),
    (["--rules", f"target_score={MANY_DIGITS}"], ""),
    (["--rules", "num_players=3"], "--rules cannot set num_players"),
    (["--rules", "variant=" + "x" * 100_000], "variant must be"),
    (["--rules", "colour=3"], "unknown rule 'colour'"),
    (["--rules", ""], "--rules expects name=value"),
    (["--rules", "variant=\nlong"], ""),
    (["--rules", "target_score=NaN"], ""),
    (["--rules", "copies=null"], ""),
    (["--players", DIGITS], "2 to 5 players, not 9"),
    (["--players", "two"], "--players"),
    (["--game", "poker"], "unknown game 'poker'"),
    (["--game", "kododo\n"], "unknown game"),
    (["--game", "\x1b[31mkododo"], "unknown game"),
    (["--game", "x" * 100_000], "unknown game"),
    (["--expert", "nobody\x00"], "unknown agent"),
    (["--expert", ","], "expert must name a player, or be empty, got ','"),
    (["--imitation-temperature", "1e-308"], "imitation_temperature must be 0, or 0.001 or more"),
    (["--width", "2048"], "bytes of weights, but a policy file can have at most 33,554,432"),
    (NO_CHOICE, "no player ever has a choice"),
    (["--opponents", "heuristic", "nobody"], "unknown agent 'nobody'"),
    (["--opponents", ""], "unknown agent"),
    (["--opponents", "no.py:Bot"], "bot no.py:Bot: file not found: no.py"),
    (["--reward", "best"], "--reward takes score, margin, win, margin+win, module:function or"),
    (["--reward", "no.such:part"], "--reward no.such:part cannot be imported: ModuleNotFoundError"),
    (["--reward", "no.py:part"], "file not found: no.py"),
    (["--reward", "math:pi"], "--reward math:pi: no function or class pi"),
    (["--reward", "builtins:len"], "--reward builtins:len fails: TypeError"),
    (["--reward", "win", "--margin-weight", "1"], "--margin-weight"),
    (["--network", "Net"], "--network takes module:Class or file.py:Class, got 'Net'"),
    (["--network", "builtins:print"], "torch.nn.Module"),
    (["--network", "torch.nn:Identity"], "--network torch.nn:Identity has no trainable weights"),
    (["--network", "torch.nn:Linear"], "--network torch.nn:Linear cannot be made: TypeError"),
    (["--engine", "ray", "--network", "torch.nn:Linear"], "--network: a cluster does not have"),
    # the folder
    (["--run-dir", ""], ""),
    (["--run-dir", LONG], "File name too long"),
    (["--run-dir", f"new/{LONG}"], "File name too long"),
    (["--run-dir", "a\x00b"], ""),
    (["--run-dir", "a-file"], "cannot write to the folder a-file: it is a file"),
    (["--run-dir", "a-file/run"], "cannot write to the folder"),
    (["--run-dir", "/proc/none"], "cannot write to the folder"),
    (["--run-dir", "a-run"], "holds a run already"),
    (["--run-dir", "new", "--resume"], "no checkpoint"),
    (["--run-dir", "a-folder", "--resume"], "no checkpoint"),
    (["--run-dir", LONG, "--resume"], ""),
    (["--resume"], "--resume needs --run-dir"),
    # unknown arguments
    (["--learning_rat", "1"], ""),
    (["--resume=maybe"], ""),
    (["stray"], ""),
    (["\x00"], ""),
    (["--minutes", "1", "--steps", "1"], "minutes or steps, not both"),
]

SOME = ["--agents", "random", "greedy", "--games", "40", "--workers", "1"]
POLICY = ["--best-response", "kododo-2p"]
EVALUATE: Lines = [
    ([], "--best-response POLICY"),
    (["--agents"], ""),
    (["--agents", "random"], "two agents"),
    (["--agents", "random", "random"], "'random' is named twice"),
    (["--agents", "random", "greedy", "--json", "a.meta.json"], "metadata of a policy"),
    (["--agents", "./x.onnx", "x.onnx"], "named twice"),
    (["--agents", "kododo-4p", str(POLICIES / "kododo-4p.onnx")], "named twice"),
    (["--agents", "random", "nobody"], "unknown agent 'nobody'; choose from random, greedy"),
    (["--agents", "random", ""], "unknown agent"),
    (["--agents", "random", "\udcff"], "unknown agent"),
    (["--agents", "random", "x" * 100_000], "unknown agent"),
    (["--agents", "random", "kododo-3p"], "3 players"),
    (["--agents", "random", "combi_combo-4p"], "game combi_combo"),
    (["--agents", "random", "level-6"], "unknown level 'level-6'"),
    (["--agents", "random", "a-folder"], "got the folder a-folder"),
    (["--agents", "random", "no.onnx"], "cannot read policy file no.onnx: No such file"),
    (["--agents", "random", f"{LONG}.onnx"], "File name too long"),
    (["--agents", "random", "a\x00b.onnx"], ""),
    (["--agents", "random", "a-folder.onnx"], ""),
    (["--agents", "random", "a-loop.onnx"], ""),
    (["--agents", "random", "unreadable.onnx"], ""),
    (["--agents", "random", "empty.onnx"], ""),
    (["--agents", "random", "text.onnx"], "text.onnx is not a policy file"),
    (["--agents", "random", "no.such:Bot"], "cannot be imported: ModuleNotFoundError"),
    (["--agents", "random", "no.py:Bot"], "bot no.py:Bot: file not found: no.py"),
    (["--agents", "random", "\x00.py:Bot"], ""),
    (["--agents", "random", f"{LONG}.py:Bot"], ""),
    (["--agents", "random", "bot.py:Bot"], "no Bot in bot.py"),
    (["--agents", "random", "exec:\x00"], ""),
    (["--agents", "random", "exec:2s:"], "program not found: 2s:"),
    (["--agents", "./bot.py:B", "bot.py:B"], "named twice"),
    (["--agents", "random", SEARCHES], ""),
    (["--agents", "random", "search:search:heuristic:4:4"], ""),
    (["--agents", "random", f"search:heuristic:{MANY_DIGITS}"], ""),
    (["--agents", "random", f"search:heuristic:{MANY_DIGITS}ms"], ""),
    (["--agents", "random", "search:heuristic:²"], ""),
    (["--agents", "random", "search::4"], ""),
    (["--agents", *(f"search:heuristic:{worlds}" for worlds in range(1, 2000))], "at most 64"),
    ([*SOME, "--gamse", "3"], "--gamse"),
    (["--agents", "first", "last", "random", "--compare"], "--compare needs two --agents, got 3"),
    ([*SOME, "--compare", "--plot", "x.png"], "--plot cannot be combined with --compare"),
    ([*SOME, "--compare", "--record", "new"], "--record cannot be combined with --compare"),
    ([*SOME, "--compare", "--json", "x.json", "--resume"], "--resume cannot be combined"),
    ([*SOME, "--compare", "--engine", "ray"], "--engine ray"),
    ([*SOME, "--compare", "--among", "nobody"], "unknown agent 'nobody'"),
    ([*SOME, "--compare", "--games", "3"], "games must be at least 4"),
    ([*SOME, "--among", "random"], "--among needs --compare"),
    (["--best-response", "kododo-2p", "--compare"], "--compare"),
    ([*SOME, "--game", "chess"], "unknown game 'chess'"),
    ([*SOME, "--games", "many"], "--games"),
    ([*SOME, "--games", MANY_DIGITS], "--games"),
    ([*SOME, "--games", "3"], "games must be at least 4"),
    ([*SOME, "--workers", "0"], "--workers must be 1 to 512"),
    ([*SOME, "--players", "-1"], "2 to 5 players"),
    ([*SOME, "--rules", "num_players=3", "--players", "3"], "--rules cannot set num_players"),
    ([*SOME, "--rules", "nonsense=1"], "unknown rule 'nonsense' of kododo"),
    ([*SOME, "--rules", "variant=huge"], "'huge'"),
    ([*SOME, "--json", ""], ""),
    ([*SOME, "--json", "out.txt"], "out.txt must end with .json"),
    ([*SOME, "--json", "/no/such/folder/out.json"], "cannot write /no/such/folder/out.json: No"),
    ([*SOME, "--json", "a-folder.json"], "a-folder.json: it is a folder"),
    ([*SOME, "--json", "a-file/a.json"], "cannot write"),
    ([*SOME, "--plot", "out.gif"], "out.gif must end with .png or .svg or .pdf"),
    ([*SOME, "--plot", "/dev/null/out.png"], "cannot write /dev/null/out.png"),
    ([*SOME, "--plot", "a-folder/x/a.png"], "cannot write"),
    ([*SOME, "--record", ""], ""),
    ([*SOME, "--record", "a-file"], ""),
    ([*SOME, "--record", "a-file/records"], ""),
    ([*SOME, "--record", f"new/{LONG}"], "File name too long"),
    ([*SOME, "--record", "a-run/config.json/x.parquet"], "cannot write"),
    ([*SOME, "--record", "/proc/none"], ""),
    (
        [*SOME, "--record", "a.parquet", "--json", "a.json", "--resume"],
        "--resume cannot be combined",
    ),
    ([*SOME, "--record", "a.parquet", "--record-games", "5"], "needs --record FOLDER"),
    ([*SOME, "--record", "a.json", "--json", "a.json"], "--record a.json is also --json"),
    ([*SOME, "--record", "a.svg", "--plot", "a.svg"], "--record a.svg is also --json or --plot"),
    ([*SOME, "--record-games", "5"], "needs --record FOLDER"),
    ([*SOME, "--resume"], "--resume needs --json"),
    (["--agents", "random", "nobody", "--record", "new"], "unknown agent 'nobody'"),
    (["--agents", "random", "nobody", "--record", "a.parquet"], "unknown agent 'nobody'"),
    # options of --best-response without it
    ([*SOME, "--minutes", "1"], "--best-response"),
    ([*SOME, "--seeds", "1"], "--best-response"),
    ([*SOME, "--search", "8"], "--best-response"),
    ([*SOME, "--save", "x.onnx"], "--best-response"),
    # options of a tournament with --best-response
    ([*POLICY, "--agents", "random", "greedy"], "--agents"),
    ([*POLICY, "--game", "kado"], "--game"),
    ([*POLICY, "--players", "2"], "--players"),
    ([*POLICY, "--plot", "out.png"], "--plot"),
    ([*POLICY, "--record", "new"], "--record"),
    ([*POLICY, "--resume"], "--resume"),
    ([*POLICY, "--rules", "variant=long"], "--rules"),
    ([*POLICY, "--minutes", "1", "--steps", "1"], "give minutes or steps, not both"),
    ([*POLICY, "--search", "0ms"], "milliseconds must be above 0"),
    ([*POLICY, "--search", DIGITS], "search:AGENT:BUDGET"),
    ([*POLICY, "--search", ""], "search:AGENT:BUDGET"),
    ([*POLICY, "--search", "fast"], "search:AGENT:BUDGET"),
    ([*POLICY, "--search-games", "0"], "--search-games must be 1 to 10000000"),
    ([*POLICY, "--search-games", "1"], "games must be at least 2"),
    ([*POLICY, "--games", "1"], "games must be at least 2"),
    ([*POLICY, "--json", "out.txt"], "out.txt must end with .json"),
    ([*POLICY, "--save", ""], ""),
    ([*POLICY, "--save", "a-folder"], ""),
    ([*POLICY, "--save", "a-loop.onnx", "--search", "0"], ""),
    ([*POLICY, "--save", "taken.onnx"], "cannot write taken.meta.json: it is a folder"),
    ([*POLICY, "--save", "out.zip"], "out.zip must end with .onnx"),
    ([*POLICY, "--save", "/no/such/folder/out.onnx"], "cannot write /no/such/folder/out.onnx: No"),
    (["--best-response", "policy.onnx", "--save", "policy.onnx"], "is the policy itself"),
    (["--best-response", "heuristic"], "unknown policy 'heuristic'"),
    (["--best-response", "search:kododo-4p:50ms"], "unknown policy 'search:kododo-4p:50ms'"),
    (["--best-response", "search:" * 5000], "unknown policy"),
    (["--best-response", "no.onnx"], "cannot read policy file no.onnx: No such file"),
    (["--best-response", "text.onnx"], "text.onnx is not a policy file"),
    (["--best-response", "a\x00b.onnx"], ""),
    (["--best-response", ""], ""),
]

ONLY = ["--only", "kododo-2p"]
MAKE: Lines = [
    (["--only", "\x00"], "unknown policy"),
    ([*ONLY, "--jobs", "100000"], "--jobs must be 1 to 512"),
    ([*ONLY, "--search", "64"], ""),
    ([*ONLY, "--out", ""], ""),
    ([*ONLY, "--out", f"new/{LONG}"], "File name too long"),
    ([*ONLY, "--runs", "a-file"], "cannot write to the folder"),
    ([*ONLY, "--runs", f"new/{LONG}"], "File name too long"),
    ([*ONLY, "--rules", "num_players=3"], ""),
]

STDIO = ["play", "kododo", "--stdio"]
KODODO: Lines = [
    (["dance"], "unknown command 'dance'; choose from evaluate, "),
    (["--agents"], "unknown command '--agents'"),
    (["evaluate"], "expected at least two agents, got 0"),
    (["evaluate", "--minutes", "5"], ""),
    (["benchmark"], "the following arguments are required: agent"),
    (["benchmark", "nobody"], "unknown agent 'nobody'"),
    (["benchmark", "heuristic", "--players", "9"], "not 9"),
    (["benchmark", "search:heuristic:50ms"], "number of worlds"),
    (["benchmark", "kododo-2p", "--players", "4"], "2 players"),
    (["benchmark", "heuristic", "--resume"], "--resume needs --json"),
    (["benchmark", "heuristic", "--check", "a-file"], "a-file has no valid benchmark"),
    (["benchmark", "heuristic", "--check", "a-file", "--quick"], "--check can be combined only"),
    (["benchmark", "heuristic", "--source", "a link"], "--source needs --json"),
    (["bench", "--players", "9"], "no game allows 9 players"),
    (["bench", "--rounds", "0"], "--rounds must be 1 to 1000"),
    (["play", "--stdio"], "the following arguments are required: game"),
    ([*STDIO, "--terminal"], "--terminal, --stdio and --mcp cannot be combined"),
    ([*STDIO, "--people", "2"], "only one person can play: use --people 1"),
    ([*STDIO, "--people", "0"], "--people must be 1 to 100"),
    ([*STDIO, "--players", "9"], "not 9"),
    (["play", "kododo", "--people", "2", "--lesson"], "a lesson is only for one person"),
    ([*STDIO, "--opponents", "level-x"], "unknown level 'level-x'"),
    ([*STDIO, "--seat", "4"], "0 to 3"),
    ([*STDIO, "--name", "Bo", "Cy"], "names"),
    ([*STDIO, "--hints", "random"], "'random'"),
    (["analyse"], "the following arguments are required: file"),
    (["analyse", "a-file"], "a-file, line 1: not JSON"),
    (["analyse", "none", "--worlds", "15"], "--worlds must be 16 to 100000"),
    (["analyse", "none", "--seat", "-1"], "--seat must be 0 to 100"),
    (["replay", "none", "--seconds", "3"], "--seconds needs --out"),
    (["puzzles"], "the following arguments are required: folder"),
    (["puzzles", "a-folder"], "no records in a-folder"),
    (["puzzles", "a-file"], "a-file is not a folder"),
    (["puzzles", "a-folder", "--per-game", "0"], "--per-game must be 1 to 1000"),
    ([*STDIO, "--keep", "kept"], "--keep cannot be combined with --stdio"),
    ([*STDIO, "--port", "9000"], "--port cannot be combined with --stdio"),
    ([*STDIO, "--host", "0.0.0.0"], "--host cannot be combined with --stdio"),
    ([*STDIO, "--no-browser"], "--no-browser cannot be combined with --stdio"),
    (["contest"], "the following arguments are required: folder"),
    (["contest", "none"], "none is not a folder"),
    (["contest", "a-folder"], "no bots in a-folder"),
    (["contest", "a-folder", "--out", "page.txt"], "page.txt must end with .html"),
    (["contest", "a-folder", "--seconds", "0"], "--seconds must be above 0 and at most 3600"),
    (["contest", "."], "no bot in . can play; a-folder.onnx: cannot read"),
    (["contest", ".", "--players", "9"], "2 to 5 players, not 9"),
]

LINES = [
    (script, *line)
    for script, lines in (
        ("train.py", TRAIN),
        ("evaluate.py", EVALUATE),
        ("make_policies.py", MAKE),
        ("kododo", KODODO),
    )
    for line in lines
]


def shortened(line: list[str]) -> str:
    """Shorten a command line to the name of its test."""
    return " ".join(word if len(word) < 20 else f"{word[:16]}…{len(word)}" for word in line[-4:])


def forbidden(*_: Any, **__: Any) -> Any:
    raise AssertionError("no work may begin")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with files and folders that cannot be used."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").write_text("a file")
    (tmp_path / "a-folder").mkdir()
    (tmp_path / "a-folder.onnx").mkdir()
    (tmp_path / "a-folder.json").mkdir()
    (tmp_path / "taken.meta.json").mkdir()
    (tmp_path / "a-loop.onnx").symlink_to("a-loop.onnx")
    (tmp_path / "unreadable.onnx").symlink_to("/proc/self/mem")
    (tmp_path / "empty.onnx").touch()
    (tmp_path / "text.onnx").write_text("hello")
    (tmp_path / "bot.py").write_text("no_bot = True")
    (tmp_path / "policy.onnx").symlink_to(POLICIES / "kododo-2p.onnx")
    (tmp_path / "a-run").mkdir()
    (tmp_path / "a-run" / "config.json").write_text("{}")
    for script in (evaluation, training_run.Trainer):
        monkeypatch.setattr(script, "run", forbidden)
    monkeypatch.setattr(make_policies, "train_all", forbidden)
    monkeypatch.setattr("agents.commands.best_response.train_best_response", forbidden)
    return tmp_path


@pytest.mark.parametrize(
    ("script", "line", "words"),
    LINES,
    ids=[f"{script} {shortened(line)!r}" for script, line, _ in LINES],
)
def test_a_wrong_command_line_is_one_line_and_leaves_nothing(
    script: str,
    line: list[str],
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(sys, "argv", [script, *line])
    before = sorted(folder.rglob("*"))
    if script == "kododo":
        code, output, error = kododo(monkeypatch, capsys, *line)
    else:
        code, output, error = run(capsys, *SCRIPTS[script], line)
    assert (code, output) == (2, ""), error
    assert re.match(rf"{script}( [a-z]+)?: error: ", error)
    assert words in error
    assert len(error.splitlines()) == 1
    assert error.rstrip("\n").isprintable()
    assert len(error) < 1000
    assert "Traceback" not in error
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    ("line", "library", "words"),
    [
        (
            ["play", "kado"],
            "starlette",
            "starlette: pip install 'kododo-env[play]'",
        ),
        (["play", "kado", "--terminal"], "prompt_toolkit", "needs prompt_toolkit"),
        (
            ["evaluate", *SOME, "--record", "a.parquet"],
            "pyarrow",
            "pyarrow: pip install 'kododo-env[offline]'",
        ),
    ],
)
def test_a_library_that_is_missing_is_told_with_the_way_to_get_it(
    line: list[str],
    library: str,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == library else True)
    before = sorted(folder.rglob("*"))
    code, out, error = kododo(monkeypatch, capsys, *line)
    assert (code, out, error.count("\n")) == (2, "", 1)
    assert words in error
    assert sorted(folder.rglob("*")) == before


# --- memory, and the folder of a run ------------------------------------------------------


def test_a_run_that_memory_does_not_hold_is_refused_by_what_it_needs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    task = task_of(default_config(players=2, num_envs=64))
    needed = needed_memory(task)
    larger = [
        needed_memory(replace(task, recipe=replace(task.recipe, **{name: size})))
        for name, size in (("num_envs", 128), ("width", 512))
    ]
    assert min(larger) > needed
    monkeypatch.setattr(preflight, "_memory", lambda: needed)
    check_memory(task)
    monkeypatch.setattr(preflight, "_memory", lambda: needed - 1)
    before = sorted(folder.rglob("*"))
    code, _, error = run(capsys, *SCRIPTS["train.py"], ["--players", "2", "--num-envs", "64"])
    assert (code, error.count("\n")) == (2, 1)
    assert "GB of memory" in error
    assert sorted(folder.rglob("*")) == before
    monkeypatch.setattr(preflight, "_memory", lambda: None)  # a system without this information
    check_memory(task)


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (MemoryError(), 2, "out of memory"),
        (RecursionError("maximum recursion depth exceeded"), 2, "too deeply nested"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), 2, "out of memory"),
        (ValueError("several\n  words"), 2, "error: several words\n"),
        (FileNotFoundError(2, "No such file", "a.txt"), 2, "error: a.txt: No such file\n"),
        (ImportError("needs onnxruntime"), 2, "error: needs onnxruntime\n"),
        (KeyboardInterrupt(), 130, "\nstopped\n"),
    ],
    ids=lambda error: type(error).__name__ if isinstance(error, BaseException) else "",
)
def test_an_error_that_no_bound_foresaw_leaves_one_line_and_no_folder(
    error: BaseException,
    code: int,
    words: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fails(*_: Any) -> None:
        raise error

    monkeypatch.setattr(training_run.Trainer, "__init__", fails)
    before = sorted(folder.rglob("*"))
    for line in (["--run-dir", "new/deep/run"], [], ["--run-dir", "a-folder"]):
        status, _, message = run(capsys, *SCRIPTS["train.py"], line)
        assert (status, len(message.strip().splitlines())) == (code, 1)
        assert words in message
        assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(("error", "traceback"), [(RuntimeError, ""), (ValueError, "1")])
def test_a_mistake_of_the_program_and_all_errors_on_demand_have_their_traceback(
    error: type[Exception], traceback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mistaken(_: TrainConfig) -> None:
        raise error("of ours")

    monkeypatch.setenv("KODODO_TRACEBACK", traceback)
    with pytest.raises(error, match="of ours"):
        run_cli(TrainConfig, mistaken, [], defaults)


# --- the table of bounds ------------------------------------------------------------------


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_every_number_of_every_script_is_bounded(config: type[Any]) -> None:
    hints = get_type_hints(config)
    numbers = {name for name, hint in hints.items() if {int, float} & {hint, *get_args(hint)}}
    assert numbers - bounds_of(config).keys() <= {"players"}  # its range depends on the game
    assert len(numbers) == len(bounds_of(config).keys() | {"players"} & hints.keys())


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.__name__)
def test_the_bounds_themselves_will_do_and_what_is_beyond_will_not(config: type[Any]) -> None:
    required = {
        "agents": ("random", "greedy"), "best_response": "kododo-2p", "record": Path("records"),
        "file": Path("game.jsonl"), "folder": Path("bots"), "agent": "heuristic",
    }  # fmt: skip
    names = {field.name for field in fields(config)}
    settings: dict[str, Any] = {name: required[name] for name in required if name in names}
    if config is TrainConfig:
        settings = {"game": "kododo", "players": 2, "settings": Recipe(), "engine": "ray"}
    if config is PlayConfig:
        settings = {"game": "kododo"}
    if config is AdoptConfig:
        settings = {"model": Path("model.onnx"), "out": Path("bot.onnx"), "game": "kododo"}
    if config is ReplayConfig:
        settings["out"] = Path("game.svg")
    for name, bound in bounds_of(config).items():
        check_settings(config(**settings, **{name: bound.highest}), flags=True)
        for wrong in (bound.highest + 1, bound.lowest - 1, float("nan"), float("inf"), True, "1"):
            with pytest.raises(ValueError, match=name.replace("_", "[-_]")):
                check_settings(config(**settings, **{name: wrong}), flags=True)
        if bound.above:
            with pytest.raises(ValueError, match=f"above {bound.lowest}"):
                check_settings(config(**settings, **{name: bound.lowest}), flags=True)
