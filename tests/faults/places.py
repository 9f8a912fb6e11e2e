"""No room, no folder, no right to write: one line, and nothing is written elsewhere."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from agents.training.checkpoint import read_checkpoint
from agents.training.run_folder import CHECKPOINT
from kododo_env.commands.tournament import log_of
from tests.faults.equality import differences
from tests.faults.kills import nothing_hidden, tournament, training_of
from tests.faults.scripts import Fault, Script

SIZE = 8  # MB of the small file system


@contextmanager
def small_disk(scratch: Path) -> Iterator[Path | None]:
    """A file system of some MB, None where this user may not mount one."""
    place = scratch / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}m", "tmpfs", str(place)]
    try:
        mounted = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        mounted = False
    try:
        yield place if mounted else None
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(place)], check=True)
        shutil.rmtree(place, ignore_errors=True)


def full_disk_training(disk: Path, scratch: Path) -> None:
    """A run that finds the disk full ends in a line, keeps its checkpoint and goes on later."""
    args = training_of("kododo", 3)
    whole, run = scratch / "whole", disk / "run"
    Script([*args, "--run-dir", str(whole)], scratch / "words").end([0])
    script = Script([*args, "--run-dir", str(run)], scratch / "words")
    script.wait_for((run / CHECKPOINT).exists)
    _fill(disk)
    _refused(script, "No space left on device")
    (disk / "filler").unlink()
    _goes_on(args, run, whole, scratch)


def full_disk_evaluation(disk: Path, scratch: Path) -> None:
    """A tournament that finds the disk full keeps what was played."""
    whole, table = scratch / "whole.json", disk / "table.json"
    Script(tournament(whole), scratch / "words").end([0])
    script = Script(tournament(table), scratch / "words")
    script.wait_for(lambda: log_of(table).exists() and log_of(table).stat().st_size > 10_000)
    _fill(disk)
    _refused(script, "No space left on device")
    nothing_hidden(disk)
    (disk / "filler").unlink()
    Script([*tournament(table), "--resume"], scratch / "words").end([0])
    if table.read_bytes() != whole.read_bytes():
        raise Fault("another table than the undisturbed one")


def limited_training(scratch: Path, to_the_end: bool = True) -> None:
    """A run that may not write files of any size, which is a full disk for who is not root.

    Args:
        scratch: A folder for it.
        to_the_end: Whether it goes on and is compared with an undisturbed one.
    """
    args = training_of("kododo", 3)
    run = scratch / "run"
    script = Script([*args, "--run-dir", str(run)], scratch / "words")
    script.wait_for((run / CHECKPOINT).exists)
    psutil.Process(script.process.pid).rlimit(psutil.RLIMIT_FSIZE, (64, 64))
    _refused(script, "File too large")
    read_checkpoint(run / CHECKPOINT)
    nothing_hidden(run)
    if to_the_end:
        Script([*args, "--run-dir", str(scratch / "whole")], scratch / "words").end([0])
        _goes_on(args, run, scratch / "whole", scratch)


def _goes_on(args: list[str], run: Path, whole: Path, scratch: Path) -> None:
    """A run that was broken off has a checkpoint, and comes to what the undisturbed one has."""
    read_checkpoint(run / CHECKPOINT)
    nothing_hidden(run)
    Script([*args, "--run-dir", str(run), "--resume"], scratch / "words").end([0])
    if found := differences(whole, run):
        raise Fault(f"another run than the undisturbed one: {'; '.join(found[:5])}")


def training_loses_folder(take: Callable[[Path], None], scratch: Path) -> None:
    """A run whose folder is taken away ends in a line and writes nothing where it was."""
    run = scratch / "run"
    script = Script([*training_of("kododo", 3), "--run-dir", str(run)], scratch / "words")
    script.wait_for((run / CHECKPOINT).exists)
    take(run)
    before = _files(run)
    _refused(script, str(run))
    if _files(run) != before:
        raise Fault(f"written after all: {sorted(_files(run) - before)}")
    moved = run.with_name("moved")
    if moved.exists():
        read_checkpoint(moved / CHECKPOINT)


def evaluation_loses_folder(take: Callable[[Path], None], scratch: Path) -> None:
    """A tournament whose folder is taken away says so in a line."""
    folder = scratch / "run"
    folder.mkdir()
    script = Script(tournament(folder / "table.json"), scratch / "words")
    script.wait_for(lambda: log_of(folder / "table.json").exists())
    take(folder)
    before = _files(folder)
    _refused(script, str(folder))
    if _files(folder) != before:
        raise Fault(f"written after all: {sorted(_files(folder) - before)}")


def removed(folder: Path) -> None:
    """It is deleted."""
    aside = folder.with_name("removed")
    folder.rename(aside)  # at once, while files are written into it
    shutil.rmtree(aside, ignore_errors=True)


def renamed(folder: Path) -> None:
    """It is moved elsewhere, with all that is in it."""
    folder.rename(folder.with_name("moved"))


def replaced(folder: Path) -> None:
    """Another one, with another run's files, has its name."""
    renamed(folder)
    folder.mkdir()
    (folder / CHECKPOINT).write_text("another run's")


def read_only(folder: Path) -> None:
    """Nothing may be written into it any more."""
    folder.chmod(0o555)


WAYS = (removed, renamed, replaced)


def _fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler:
        for size in (1 << 16, 1 << 10, 1):
            try:
                while True:
                    filler.write(bytes(size))
            except OSError:
                continue


def _refused(script: Script, said: str) -> None:
    script.end([2])
    words = script.words.read_text()
    if said not in words:
        raise Fault(f"it does not say {said!r} but: {words.strip()[-300:]}")


def _files(folder: Path) -> set[str]:
    return {
        f"{path.relative_to(folder)} {path.stat().st_size if path.is_file() else ''}"
        for path in folder.rglob("*")
    }


def may_ignore_modes() -> bool:
    """Whether this user writes into folders that are read-only, as root does."""
    return os.geteuid() == 0
