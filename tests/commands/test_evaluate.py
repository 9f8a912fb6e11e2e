"""evaluate.py as a person runs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kododo_env import registry
from kododo_env.agent_registry import POLICIES, baselines
from kododo_env.arena.duplicates import ChunkResult
from kododo_env.commands import tournament as evaluation
from kododo_env.commands.cli import run_cli
from tests.command_line import cli
from tests.policy.policy_files import changed, write_policy

ROOT = Path(__file__).parents[2]
SOME = ("--agents", "random", "greedy", "--games", "40", "--workers", "1")


def process(*args: str) -> list[str]:
    return [sys.executable, str(ROOT / "evaluate.py"), *args]


# --- what it is for ---------------------------------------------------------------------------


def test_it_prints_a_table_and_writes_json_and_plot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, plot = tmp_path / "out.json", tmp_path / "out.png"
    code, said, err = cli(capsys, *SOME, "--json", str(out), "--plot", str(plot))
    assert (code, err) == (0, "")
    lines = said.splitlines()
    assert lines[0].startswith("kododo, 4 players: 40 games, 10 decks from every seat, seed 0")
    assert {line.split()[0] for line in lines[3:5]} == {"random", "greedy"}
    content = json.loads(out.read_text())
    assert [content[key] for key in ("game", "players", "games", "deals")] == ["kododo", 4, 40, 10]
    assert sum(each["share"]["mean"] for each in content["standings"]) == pytest.approx(0.5)
    assert plot.read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.json", "out.png"]


@pytest.mark.parametrize("game", list(registry.DOORS))
def test_every_game_is_evaluated_alike(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    agents = baselines(game)[:3]
    assert len(agents) > 1, f"{game} has no baseline but random"
    code, said, err = cli(
        capsys, "--game", game, "--agents", *agents, "--games", "12", "--workers", "1"
    )
    assert (code, err) == (0, "")
    assert all(agent in said for agent in agents)


def test_other_rules_are_played(capsys: pytest.CaptureFixture[str]) -> None:
    two = ("--agents", "random", "greedy", "--games", "8", "--workers", "1", "--players", "2")
    short = cli(capsys, *two)[1]
    long = cli(capsys, *two, "--variant", "long")[1]
    assert "kododo, 2 players, variant=long:" in long
    assert long == cli(capsys, *two, "--rules", "variant=long")[1]
    assert short != long


def test_a_policy_file_plays_along(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = write_policy(tmp_path / "one.onnx", "kododo", 3)
    other = write_policy(tmp_path / "other.onnx", "kododo", 3)
    agents = ("random", str(one), str(other))
    code, said, err = cli(
        capsys, "--agents", *agents, "--players", "3", "--games", "12", "--workers", "1"
    )
    assert (code, err) == (0, "")
    assert str(one) in said
    assert str(other) in said


def test_in_a_pipe_there_is_no_bar_and_torch_is_not_imported() -> None:
    script = (
        "import runpy, sys; sys.argv[0] = 'evaluate.py'\n"
        "try: runpy.run_path('evaluate.py', run_name='__main__')\n"
        "except SystemExit as left: assert left.code == 0\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *SOME], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert done.stderr == ""
    assert done.stdout.splitlines()[-1] == "False"


def test_help_explains_itself(capsys: pytest.CaptureFixture[str]) -> None:
    code, said, _ = cli(capsys, "--help")
    assert code == 0
    assert "--best-response" in said


# --- stopped and resumed ----------------------------------------------------------------------


def stopping_after(chunks: int) -> Any:
    """What plays chunks, but is stopped by Ctrl-C."""

    def run(*args: Any) -> Iterator[ChunkResult]:
        for number, result in enumerate(evaluation_run(*args)):
            if number == chunks:
                raise KeyboardInterrupt
            yield result

    return run


evaluation_run = evaluation.run


def test_a_resumed_tournament_equals_an_unbroken_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    unbroken, broken = tmp_path / "unbroken.json", tmp_path / "broken.json"
    assert cli(capsys, *SOME, "--json", str(unbroken))[0] == 0
    monkeypatch.setattr(evaluation, "run", stopping_after(5))
    code, _, err = cli(capsys, *SOME, "--json", str(broken))
    assert code == 130
    assert "--resume" in err
    assert not broken.exists()
    with evaluation.log_of(broken).open("ab") as log:
        log.write(b'{"chunk": 5, "shar')  # killed while it wrote
    played: list[int] = []

    def counting(tournament: Any, chunks: Any, workers: int) -> Iterator[ChunkResult]:
        played.extend(chunk.index for chunk in chunks)
        return evaluation_run(tournament, chunks, workers)

    monkeypatch.setattr(evaluation, "run", counting)
    assert cli(capsys, *SOME, "--json", str(broken), "--resume")[0] == 0
    assert min(played) == 5
    assert broken.read_bytes() == unbroken.read_bytes()
    assert not evaluation.log_of(broken).exists()


def test_a_killed_process_goes_on_where_it_was(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    log = evaluation.log_of(out)
    args = ("--agents", "random", "greedy", "--games", "6000", "--players", "2", "--json", str(out))
    with subprocess.Popen(process(*args, "--workers", "1"), stdout=subprocess.DEVNULL) as killed:
        until = time.monotonic() + 60
        while not (log.exists() and log.read_bytes().count(b"\n") > 2):
            assert killed.poll() is None, "it came to its end before it was killed"
            assert time.monotonic() < until
            time.sleep(0.01)
        killed.send_signal(signal.SIGKILL)
    assert not out.exists()
    subprocess.run(process(*args, "--resume", "--workers", "1"), check=True, capture_output=True)
    resumed = out.read_bytes()
    subprocess.run(process(*args, "--workers", "2"), check=True, capture_output=True)
    assert out.read_bytes() == resumed


@pytest.mark.parametrize("agent", ["{}", "search:{}:1"])
def test_a_changed_policy_is_not_mixed_with_what_was_played(
    agent: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    policy, out = write_policy(tmp_path / "p.onnx", "kododo", 2), tmp_path / "out.json"
    args = (
        "--agents",
        "random",
        agent.format(policy),
        "--players",
        "2",
        "--games",
        "20",
        "--workers",
        "1",
    )
    monkeypatch.setattr(evaluation, "run", stopping_after(3))
    assert cli(capsys, *args, "--json", str(out))[0] == 130
    changed(policy, policy, lambda model: setattr(model, "doc_string", "another one"))
    code, _, err = cli(capsys, *args, "--json", str(out), "--resume")
    assert code == 2
    assert "is of another tournament: files" in err


# --- bad input --------------------------------------------------------------------------------

BAD = [
    ((), "--agents"),
    (("--agents", "random", "nobody"), "unknown agent 'nobody'; kododo has random, greedy"),
    (("--agents", "random"), "name two agents at least"),
    (("--agents", "random", "random"), "'random' is named twice: name each once (two policies"),
    (("--agents", "./x.onnx", "x.onnx"), "named twice"),
    (("--agents", "kododo-4p", str(POLICIES / "kododo-4p.onnx")), "named twice"),
    (("--agents", "random", "no.onnx"), "cannot read policy file no.onnx: No such file"),
    ((*SOME, "--players", "6"), "Kododo is for 2 to 5 players, not 6"),
    ((*SOME, "--players", "-1"), "not -1"),
    ((*SOME, "--game", "chess"), "unknown game 'chess'; choose one of kododo"),
    ((*SOME, "--games", "3"), "4 players need 4 games at least"),
    ((*SOME, "--games", "0"), "not 0"),
    ((*SOME, "--games", "-8"), "not -8"),
    ((*SOME, "--games", "many"), "--games"),
    ((*SOME, "--seed", "-1"), "--seed must be 0 to 4294967295, not -1"),
    ((*SOME, "--workers", "0"), "--workers must be 1 to 512, not 0"),
    ((*SOME, "--variant", "huge"), "'standard' or 'long', not 'huge'"),
    ((*SOME, "--rules", "nonsense=1"), "kododo has no rule 'nonsense'; it has num_players"),
    ((*SOME, "--rules", "variant"), "--rules takes name=value"),
    ((*SOME, "--json", "/no/such/folder/out.json"), "cannot write /no/such/folder/out.json: No"),
    ((*SOME, "--json", "out.txt"), "out.txt must end with .json"),
    ((*SOME, "--plot", "out.gif"), "out.gif must end with .png or .svg or .pdf"),
    ((*SOME, "--plot", "/dev/null/out.png"), "cannot write /dev/null/out.png"),
    ((*SOME, "--resume"), "--resume needs --json"),
    ((*SOME, "--gamse", "3"), "--gamse"),
]


@pytest.mark.parametrize(("args", "words"), BAD, ids=[" ".join(args[-2:]) for args, _ in BAD])
def test_bad_input_is_one_line_and_nothing_is_played(
    args: tuple[str, ...],
    words: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(evaluation, "run", None)
    code, said, err = cli(capsys, *args)
    assert (code, said, err.count("\n")) == (2, "", 1)
    assert words in err
    assert ": error: " in err
    assert "helptext" not in err  # tyro's own message, condensed
    assert list(tmp_path.iterdir()) == []


def test_one_file_is_named_once_where_case_makes_no_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluation.os.path, "normcase", str.lower)  # as Windows has it
    with pytest.raises(ValueError, match="named twice"):
        evaluation.TournamentConfig(agents=("a.onnx", "A.onnx"))


def test_a_folder_is_no_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "out.json"
    folder.mkdir()
    code, _, err = cli(capsys, *SOME, "--json", str(folder))
    assert (code, err.count("\n")) == (2, 1)
    assert "out.json: it is a folder" in err


def test_policies_that_cannot_play_this(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluation, "run", None)  # they are refused before anything is played
    good = write_policy(tmp_path / "three.onnx", "kododo", 3)
    foreign = write_policy(tmp_path / "foreign.onnx", "combi_combo", 4)
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(good.read_bytes()[:200])
    text = tmp_path / "text.onnx"
    text.write_text("hello")
    for path, words in (
        (good, "number of players 3, not 4"),
        (foreign, "game combi_combo, not kododo"),
        (cut, "cut.onnx"),
        (text, "text.onnx is not a policy file, or it is damaged"),
    ):
        code, said, err = cli(capsys, "--agents", "random", str(path), "--games", "40")
        assert (code, said, err.count("\n")) == (2, "", 1)
        assert words in err


def test_an_error_leaves_the_process_with_status_2() -> None:
    done = subprocess.run(process("--agents", "nobody"), capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert done.stderr.startswith("evaluate.py: error: ")
    assert "Traceback" not in done.stderr


def test_a_file_that_could_not_be_finished_is_not_left_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    plot = tmp_path / "out.png"
    plot.write_text("an old one")

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    code, _, err = cli(capsys, *SOME, "--plot", str(plot))
    assert code == 2
    assert "No space left on device" in err
    assert [path.name for path in tmp_path.iterdir()] == ["out.png"]
    assert plot.read_text() == "an old one"


# --- the shared helper ------------------------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """A command line of one argument."""

    number: int = 1
    """A number above 0."""

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError(f"--number must be 1 or more,\nnot {self.number}")


def fails(error: BaseException) -> Any:
    def main(_: Asked) -> None:
        raise error

    return main


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("several\n  words"), 2, "several words\n"),
        (FileNotFoundError(2, "No such file", "a.txt"), 2, "a.txt: No such file\n"),
        (ImportError("needs onnxruntime"), 2, "needs onnxruntime\n"),
        (KeyboardInterrupt(), 130, "stopped\n"),
    ],
)
def test_errors_become_a_line_and_a_status(
    error: BaseException, code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        run_cli(Asked, fails(error), [])
    assert left.value.code == code
    assert capsys.readouterr().err.endswith(words)


def test_errors_can_be_seen_with_their_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KODODO_TRACEBACK", "1")
    with pytest.raises(ValueError, match="why"):
        run_cli(Asked, fails(ValueError("why")), [])


def test_mistakes_that_are_not_the_input_are_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError):
        run_cli(Asked, fails(ZeroDivisionError()), [])


def test_a_dataclass_may_refuse_its_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        run_cli(Asked, lambda _: None, ["--number", "0"])
    assert left.value.code == 2
    assert capsys.readouterr().err.endswith("error: --number must be 1 or more, not 0\n")
