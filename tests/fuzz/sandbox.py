"""Running a case in a limited process, so that a fault does not end the fuzzer."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from tests.fuzz.promises import ROOT, FaultFound, where

MEMORY = 3 << 30  # maximum bytes of a case in addition to the libraries
PATIENCE = 12.0  # seconds without processor time after which a case is waiting


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case.

    Attributes:
        case: Its input.
        word: ``"refused"``, ``"accepted"`` or another word; None if a fault was found.
        fault: The fault in a few words, equal for all cases with the same fault.
        detail: Further information.
    """

    case: Any = None
    word: str | None = None
    fault: str = ""
    detail: str = ""


def outcome_of(
    generate: Callable[[], Any], check: Callable[[Any, Path], str], base: Path, seconds: float
) -> Outcome:
    """Run a case in a separate process.

    Args:
        generate: A function that makes the input.
        check: A function that gives the input to the project.
        base: The folder that ``prepare`` of this kind has filled.
        seconds: The maximum processor time.
    """
    for name in ("told", "dump", "out", "err"):
        (base / name).unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        _work_and_leave(generate, check, base, seconds)
    try:
        by_itself = _ends(child)
        if not by_itself:  # the process is waiting; the handler reports where
            os.kill(child, signal.SIGXCPU)
            time.sleep(0.5)
    finally:
        _kill(child)
    record: dict[str, Any] = {}
    for line in (base / "told").read_text().splitlines():
        record |= json.loads(line)
    if "word" not in record:
        record |= _how_it_ended(by_itself, base)
    return Outcome(**record)


def _ends(child: int) -> bool:
    """Wait for the end of a process; return False if it stops using the processor."""
    cpu_time = -1.0
    until = time.monotonic() + PATIENCE
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.002)
        if time.monotonic() > until:
            previous_cpu_time = cpu_time
            cpu_time = sum(psutil.Process(child).cpu_times()[:2])
            if cpu_time <= previous_cpu_time:
                return False
            until += PATIENCE
    return True


def _how_it_ended(by_itself: bool, base: Path) -> dict[str, str]:
    dump = (base / "dump").read_text(errors="replace")
    places = [line for line in dump.splitlines() if f'"{ROOT}/' in line and "/tests/" not in line]
    place = f" at {places[0].split(str(ROOT))[1]}" if places else ""
    if dump:
        fault = "takes too much processor time" if by_itself else "waits for ever"
        return {"fault": f"{fault}{place}", "detail": dump[:2000]}
    errors = (base / "err").read_text(errors="replace")[-2000:]
    return {"fault": "the process died", "detail": errors}


def _kill(child: int) -> None:
    """Kill a process and its children, if they still exist."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


# --- in the process -------------------------------------------------------------------------


def _work_and_leave(
    generate: Callable[[], Any], check: Callable[[Any, Path], str], base: Path, seconds: float
) -> None:
    try:
        os.setsid()
        with (base / "told").open("w", buffering=1) as report, (base / "dump").open("w") as dump:
            faulthandler.register(signal.SIGXCPU, dump, chain=True)
            for name, number in (("out", 1), ("err", 2)):
                os.dup2(os.open(base / name, os.O_RDWR | os.O_CREAT), number)
            folder = base / "case"
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "here").mkdir(parents=True)
            os.chdir(folder / "here")
            _limit(seconds)
            try:
                case = generate()
                print(json.dumps({"case": case}), file=report)
                result = {"word": check(case, base)}
            except FaultFound as wrong:
                result = {"word": None, "fault": wrong.fault, "detail": str(wrong)}
            except BaseException as error:
                result = {"word": None, "fault": where(error), "detail": _in_short(error)}
            print(json.dumps(result), file=report)
    finally:
        os._exit(0)


def _in_short(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:
        return type(error).__name__


def _limit(seconds: float) -> None:
    """Limit the further processor time (then SIGXCPU) and the memory."""
    used = sum(psutil.Process().cpu_times()[:2])
    resource.setrlimit(resource.RLIMIT_CPU, (int(used + seconds) + 1, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # other systems do not report the memory in use
        memory_limit = psutil.Process().memory_info().vms + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (memory_limit, memory_limit))
