"""Killed again and again, and gone on with: what comes of it is what would have come of it."""

from __future__ import annotations

import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np

from kododo_env.commands.tournament import log_of
from tests.faults.equality import differences
from tests.faults.scripts import Fault, Script

# How often each: without mercy at any moment, in the middle of a write, by SIGTERM, by Ctrl-C.
WAYS = {"SIGKILL": 0.4, "SIGKILL in a write": 0.3, "SIGTERM": 0.15, "SIGINT": 0.15}
NUMBERS = {"SIGTERM": signal.SIGTERM, "SIGINT": signal.SIGINT}
START = 4.0  # seconds that a script takes to begin, about
ENDS = (0, -signal.SIGKILL, 128 + signal.SIGTERM, 128 + signal.SIGINT)
SEEN = range(4)  # how many steps forward are seen before the moment comes
UPDATES = 24  # of a training
GAMES = 40_000  # of a tournament


def training(game: str, players: int, kills: int, seed: int, scratch: Path) -> Counter[str]:
    """Kill trainings of a game so often, and compare each with the undisturbed one.

    Raises:
        Fault: What must not be.
    """
    rng = np.random.default_rng([seed, *game.encode()])
    whole, broken = scratch / "whole", scratch / "broken"
    args = training_of(game, players)
    Script([*args, "--run-dir", str(whole)], scratch / "words").end([0])

    def begin() -> Script:
        resume = ["--resume"] if (broken / "config.json").exists() else []
        return Script([*args, "--run-dir", str(broken), *resume], scratch / "words")

    done: Counter[str] = Counter()
    while done.total() < kills:
        shutil.rmtree(broken, ignore_errors=True)
        done += until_finished(begin, lambda: _saved(broken), broken, kills - done.total(), rng)
        if found := differences(whole, broken):
            raise Fault(f"another run than the undisturbed one: {'; '.join(found[:5])}")
        nothing_hidden(broken)
    return done


def evaluation(kills: int, seed: int, scratch: Path) -> Counter[str]:
    """Kill tournaments with workers so often; raises Fault as well."""
    rng = np.random.default_rng([seed, 99])
    whole, broken = scratch / "whole.json", scratch / "broken.json"
    Script(tournament(whole), scratch / "words").end([0])

    def begin() -> Script:
        return Script([*tournament(broken), "--resume"], scratch / "words")

    def lines() -> int:
        return log_of(broken).read_bytes().count(b"\n") if log_of(broken).exists() else 0

    done: Counter[str] = Counter()
    while done.total() < kills:
        broken.unlink(missing_ok=True)
        done += until_finished(begin, lines, scratch, kills - done.total(), rng)
        if broken.read_bytes() != whole.read_bytes():
            raise Fault("another table than the undisturbed one")
        nothing_hidden(scratch)
    return done


def nothing_hidden(folder: Path) -> None:
    """Raise Fault if there are files that are written first and renamed, or locks."""
    if left := [path.name for path in folder.iterdir() if path.name.startswith(".")]:
        raise Fault(f"left in the folder: {left}")


def training_of(game: str, players: int) -> list[str]:
    """A short training of little networks, with a checkpoint after each update."""
    from agents.training.memory import game_length
    from kododo_env import registry

    batch = registry.batch_game(game, 8, seed=0, num_players=players)
    steps = UPDATES * game_length(batch).steps * 8 * players
    return ["train.py", "--game", game, "--players", str(players), "--steps", str(steps),
        "--num-envs", "8", "--width", "16", "--threads", "1", "--games", "24", "--evaluations",
        "2", "--checkpoint-minutes", "0.000001"]  # fmt: skip


def tournament(table: Path) -> list[str]:
    """A tournament of some seconds with workers."""
    return ["evaluate.py", "--agents", "random", "greedy", "follow", "--players", "3", "--games",
        str(GAMES), "--workers", "2", "--json", str(table)]  # fmt: skip


def _saved(folder: Path) -> int:
    """Changes whenever there is a new checkpoint."""
    try:
        return (folder / "checkpoint.zip").stat().st_mtime_ns
    except FileNotFoundError:
        return 0


def until_finished(
    begin: Callable[[], Script],
    progress: Callable[[], int],
    folder: Path,
    kills: int,
    rng: np.random.Generator,
) -> Counter[str]:
    """Begin, kill and begin again until the script comes to its end, at most this many kills."""
    done: Counter[str] = Counter()
    while True:
        script = begin()
        if done.total() == kills:
            script.end([0])
            return done
        way = str(rng.choice(list(WAYS), p=list(WAYS.values())))
        if not _wait(script, progress, way, folder, rng):
            script.end([0])
            return done
        script.send(NUMBERS.get(way, signal.SIGKILL))
        if script.end(ENDS) == 0:
            return done
        done[way] += 1


def _wait(
    script: Script,
    progress: Callable[[], int],
    way: str,
    folder: Path,
    rng: np.random.Generator,
) -> bool:
    """Wait for the moment; False if the script has ended before."""
    steps, rest = int(rng.choice(SEEN)), float(rng.random())
    for _ in range(steps):
        before = progress()
        if not script.wait_for(lambda before=before: progress() != before):
            return False
    if "write" in way:
        return script.wait_for(lambda: _writes(folder))
    until = time.monotonic() + rest * (0.3 if steps else START)
    return script.wait_for(lambda: time.monotonic() > until)


def _writes(folder: Path) -> bool:
    try:
        return any(folder.glob(".*.????????.*"))
    except OSError:
        return False
