"""A contest of bots: kododo contest."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from kododo_env import registry
from kododo_env.agent_registry import POLICIES, make_agent
from kododo_env.arena.forfeits import MOST_FAULTS, ForfeitingAgent
from kododo_env.core import View
from tests.command_line import kododo

GOOD = "def act(self, view, rng): return view.legal_action_mask.argmax(axis=1)"
RARELY = """
        if view.num_envs == 2 and view.steps_played == 3: raise KeyError("<b>three</b>")
        return view.legal_action_mask.argmax(axis=1)"""
BOTS = {
    "anna.py": GOOD,
    "ben.py": f"def act(self, view, rng):{RARELY}",
    "loops.py": "def act(self, view, rng):\n        while True: pass",
    "gone.py": "def act(self, view, rng): import os; os._exit(0)",
    "stubborn.py": """def act(self, view, rng):
        import time
        while True:
            try: time.sleep(60)
            except: pass""",
    "late.py": "def act(self, view, rng): import time; time.sleep(60)",
    "_helper.py": "this is no bot",
}


def test_a_folder_of_bots_becomes_a_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "bots"
    page = tmp_path / "page.html"
    folder.mkdir()
    for name, act in BOTS.items():
        (folder / name).write_text(f"class Bot:\n    {act}\n")
    (folder / "wrong.py").write_text("print(1 / 0)")
    (folder / "other.onnx").symlink_to(POLICIES / "kado-2p.onnx")
    program = f"exec:{sys.executable} _none.py"  # a program, and no class in a file
    (folder / "bots.txt").write_text(f"# programs\n\nexec:sh cat.sh\nlast\n{program}\n")
    (folder / "cat.sh").write_text("cat")
    options = ("--players", "2", "--games", "80", "--seconds", "0.2", "--workers", "2")
    args = ("contest", str(folder), *options, "--out", str(page))
    code, out, err = kododo(monkeypatch, capsys, *args)
    assert (code, err) == (0, "")
    assert re.search(r"ben.py: \d+ faults, the first: bot ben.py:Bot fails: KeyError: '<b>", out)
    for left_out in (
        "late.py did not play: bot late.py:Bot as player_0 ",
        "loops.py did not play: bot loops.py:Bot as player_0 ",
        "stubborn.py did not play: its process ended",
        "gone.py did not play: its process ended",
        "wrong.py did not play: bot wrong.py:Bot cannot be imported: ZeroDivisionError",
        "other.onnx did not play: ",
        "exec:sh cat.sh did not play: bot exec:sh cat.sh as player_",
        f"{program} did not play: bot {program} as player_",
    ):
        assert left_out in out
    text = page.read_text()
    assert text.index("anna.py") < text.index("Did not play") < text.index("loops.py")
    assert "<svg" in text
    assert "KeyError: &#x27;&lt;b&gt;three" in text
    assert "_helper.py" not in text


def test_a_bot_that_ends_its_process_is_named_with_those_at_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ends = """def act(self, view, rng):
        if view.num_envs > 1: import os; os._exit(3)
        return view.legal_action_mask.argmax(axis=1)"""
    for name, act in {"anna.py": GOOD, "ends.py": ends}.items():
        (tmp_path / name).write_text(f"class Bot:\n    {act}\n")
    options = ("--players", "2", "--games", "80", "--workers", "1")
    args = ("contest", str(tmp_path), *options, "--out", str(tmp_path / "a.html"))
    code, _, err = kododo(monkeypatch, capsys, *args)
    assert code == 2
    assert err.startswith("kododo contest: error: a worker ended while anna.py and ends.py played")
    assert err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="files cannot have such names there")
def test_a_file_is_a_file_whatever_its_name_looks_like(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first name was once run as a command, and others were searches."""
    folder = tmp_path / "bots"
    folder.mkdir()
    names = ['exec:sh -c "touch ran" .onnx', "search:kododo-2p:1.onnx", "flat:0.onnx"]
    for name in names:
        (folder / name).symlink_to(POLICIES / "kododo-2p.onnx")
    (folder / "exec:sh.py").write_text(f"class Bot:\n    {GOOD}\n")
    (folder / "bots.txt").write_text("exec:sh.py\n")
    options = (
        "--players",
        "2",
        "--games",
        "80",
        "--workers",
        "1",
        "--out",
        str(tmp_path / "a.html"),
    )
    code, out, err = kododo(monkeypatch, capsys, "contest", str(folder), *options)
    assert (code, err) == (0, "")
    for name in (*names, "exec:sh.py"):
        assert f"./{name} " in out
    assert out.count("did not play") == 1
    assert "exec:sh.py did not play: bot exec:sh.py: " in out
    assert not (folder / "ran").exists()


def test_all_that_a_bot_s_code_can_raise_is_a_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each of these errors once ended the contest, most with a traceback."""
    (tmp_path / "anna.py").write_text(f"class Bot:\n    {GOOD}\n")
    bots = {
        "wordless": "class E(Exception):\n    def __str__(self): raise KeyError",
        "outside": "class E(BaseException): pass",
        "interrupt": "E = KeyboardInterrupt",
        "array": "class E:\n    def __array__(self, *args, **named): raise KeyError",
    }
    for name, error in bots.items():
        way = "return E()" if name == "array" else "raise E()"
        first = "view.legal_action_mask.argmax(axis=1)"
        (tmp_path / f"{name}.py").write_text(
            f"{error}\nclass Bot:\n    def act(self, view, rng):\n"
            f"        if view.num_envs > 1: {way}\n        return {first}\n"
        )
    options = ("--players", "2", "--games", "120", "--out", str(tmp_path / "a.html"))
    code, out, err = kododo(monkeypatch, capsys, "contest", str(tmp_path), *options)
    assert (code, err) == (0, "")
    for name in bots:
        assert re.search(rf"{name}\.py: \d+ faults, the first: bot {name}\.py:Bot", out)


class Sometimes:
    """Plays the first legal action, or raises an error."""

    name = "sometimes"
    error: Exception | None = None

    def act(self, view: View, rng: np.random.Generator) -> np.ndarray:
        if self.error is not None:
            raise self.error
        return view.legal_action_mask.argmax(axis=1)


def test_a_fault_costs_a_turn_and_the_third_one_the_table() -> None:
    view = registry.batch_game("kododo", 200, 0, num_players=2).view(0)
    agent = Sometimes()
    rng = np.random.default_rng(0)
    bot = ForfeitingAgent(agent, 5)
    first = make_agent("first", "kododo").act(view, rng)

    def by_itself() -> bool:
        return bool((bot.act(view, rng) == first).all())

    assert by_itself()
    for faults in range(MOST_FAULTS):
        agent.error = ValueError("a fault")
        assert not by_itself()
        agent.error = None
        assert bot.faults == ["a fault"] * (faults + 1)
        assert by_itself() == (faults + 1 < MOST_FAULTS)
    bot.faults = []
    assert by_itself()
    agent.error = KeyError("of a program, which make_agent would have told")
    with pytest.raises(KeyError):
        bot.act(view, rng)
