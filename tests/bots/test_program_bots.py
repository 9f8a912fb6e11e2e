"""Bots that are programs: any language, time limits, and no processes after the match."""

from __future__ import annotations

import copy
import gc
import io
import json
import pickle
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from kododo_env import kododo_v0, make_agent, registry
from kododo_env.arena.head_to_head import Match
from kododo_env.bots import program
from kododo_env.play.stdio import play_lines
from kododo_env.table.factory import make_table

NODE = f"node {Path(__file__).parents[2] / 'docs/examples/bots/last.mjs'}"
# A bot whose argument selects its behaviour; it records its process id.
BOT = """
import json, os, sys, time
way = sys.argv[1]
if len(sys.argv) > 2:
    open(f"{sys.argv[2]}/{os.getpid()}", "w").close()
for line in sys.stdin:
    position = json.loads(line)
    step = position["step"] - (way == "stale")
    if way == "late":
        time.sleep(60)
    if way == "gone":
        sys.exit(3)
    if way == "looks" and "error" not in position:
        print(json.dumps({"type": "look"}), flush=True)
        way = "plays"
        continue
    if "error" in position:
        way = "plays" if way == "corrects" else way
        print(json.dumps({"type": "look"}) if way == "plays" else "", flush=True)
        print("nonsense", flush=True) if way != "plays" else None
        continue
    action = {"illegal": 99, "corrects": "I would rather not"}.get(way)
    action = position["actions"][0]["words"].upper() if action is None else action
    print(json.dumps({"type": "act", "step": step, "action": action}), flush=True)
"""


@pytest.fixture
def bot(tmp_path: Path) -> str:
    (tmp_path / "bot.py").write_text(BOT)
    return f"{shlex.quote(sys.executable)} {tmp_path / 'bot.py'}"


def act(name: str, seat: int = 0, games: int = 2) -> list[int]:
    view = registry.batch_game("kododo", games, 0, num_players=2).view(seat)
    return make_agent(name, "kododo").act(view, np.random.default_rng(0)).tolist()


def alive(process: int) -> bool:
    """Return whether a process runs; it may be a zombie of a parent that does not wait."""
    try:
        return psutil.Process(process).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_bot_in_another_language_plays_a_match_as_it_plays_at_a_table() -> None:
    arguments = ("random", "kododo", 3, 12)
    report = Match(f"exec:{NODE}", *arguments, least_chunks=2).play(2)
    assert report == Match("last", *arguments, least_chunks=2).play()
    table = make_table("kododo", 3, ["random"], seed=0, pictures=False)
    with subprocess.Popen(
        shlex.split(NODE), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def lines() -> Iterator[bytes]:
            while not table.stage.over:
                yield process.stdout.readline()  # type: ignore[union-attr]

        with io.TextIOWrapper(process.stdin) as out:
            play_lines(table, lines(), out)
    assert table.stage.over


@pytest.mark.parametrize("way", ["plays", "looks", "corrects"])
def test_words_of_any_size_a_second_look_and_a_second_probability_are_as_at_a_table(
    way: str, bot: str
) -> None:
    assert act(f"exec:{bot} {way}", games=3) == act("first", games=3)


def test_what_it_is_sent_has_all_fields_of_a_position(tmp_path: Path) -> None:
    (tmp_path / "bot.sh").write_text(f"head -1 > {tmp_path}/sent")
    with pytest.raises(ValueError, match="closed its output"):
        act(f"exec:sh {tmp_path}/bot.sh")
    message: dict[str, Any] = json.loads((tmp_path / "sent").read_text())
    position = make_table("kododo", 2, ["random"], pictures=False).talk(0, {"type": "look"})[0][0]
    assert message.keys() == position.keys()
    assert message["players"][0].keys() == position["players"][0].keys()
    assert (message["players"][0]["name"], message["log"]) == ("player_0", [])


def test_it_is_told_the_types_that_a_bot_may_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Regression: the error listed the message types of people."""
    monkeypatch.setattr(program, "MOST_REFUSED", 1)
    (tmp_path / "bot.sh").write_text("""read -r line; echo '{"type": "rules"}'; read -r line""")
    with pytest.raises(ValueError, match="'rules'; choose from act, look"):
        act(f"exec:sh {tmp_path}/bot.sh")


@pytest.mark.parametrize(
    ("way", "message"),
    [
        ("late", r"did not respond within 0\.1 s"),
        ("gone", r"has closed its output \(status 3\)"),
        ("illegal", "sent 3 invalid responses; .*not JSON, or truncated: b'nonsense"),
        ("stale", "sent 1 invalid response; .*step must be 1, not 0"),
    ],
)
def test_a_bot_that_is_late_gone_or_illegal_ends_the_match_with_its_name(
    way: str, message: str, bot: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(program, "START", 3.0)
    monkeypatch.setattr(program, "MOST_REFUSED", 1 if way == "stale" else 3)
    name = f"exec:0.1s:{bot} {way} {tmp_path}"
    with pytest.raises(ValueError, match=f"^bot {name} as player_0 {message}"):
        Match(name, "random", "kododo", 2, 2).play()
    (process,) = (int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal())
    assert not alive(process)


@pytest.mark.parametrize("workers", [1, 2])
def test_each_seat_and_worker_has_a_process_which_ends_with_the_match(
    workers: int, bot: str, tmp_path: Path
) -> None:
    name = f"exec:{bot} plays {tmp_path}"
    Match(name, "random", "kododo", 2, 8, least_chunks=4).play(workers)
    processes = [int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()]
    assert 2 <= len(processes) <= 2 * workers
    assert not any(map(alive, processes))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda agent: pickle.loads(pickle.dumps(agent))])
def test_a_copy_has_processes_of_its_own_which_end_with_it(
    copied: Callable[[Any], Any], bot: str, tmp_path: Path
) -> None:
    """Regression: a bot that had played could not be copied, and copies' processes stayed."""
    original = make_agent(f"exec:{bot} plays {tmp_path}", "kododo")
    view = kododo_v0.batch_game(1).view(0)
    rng = np.random.default_rng(0)
    chosen = original.act(view, rng)
    duplicate = copied(original)
    assert np.array_equal(duplicate.act(view, rng), chosen)
    processes = {int(path.name) for path in tmp_path.iterdir() if path.name.isdecimal()}
    assert len(processes) == 2
    del duplicate
    gc.collect()
    assert len([*filter(alive, processes)]) == 1
    assert np.array_equal(original.act(view, rng), chosen)


def test_a_process_that_does_not_read_on_and_its_own_are_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shell's child has the pipes too: waiting for their end would take a minute."""
    monkeypatch.setattr(program, "START", 0.5)
    start = time.monotonic()
    with pytest.raises(ValueError, match="did not respond"):
        act(f"exec:0.1s:sh -c 'sleep 60 & echo $! > {tmp_path}/child; wait'")
    gc.collect()
    assert not alive(int((tmp_path / "child").read_text()))
    assert time.monotonic() - start < 30


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("exec:", "expected exec:CMD, got 'exec:'"),
        ("exec:0.0s:true", "limit must be greater than 0"),
        ("exec:no-such-program x", "not found: no-such-program"),
        ("exec:sh 'a", "command: No closing quotation"),
    ],
)
def test_a_program_that_is_not_there_is_told_before_the_match(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_agent(name, "kododo")
