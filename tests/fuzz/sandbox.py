"""Cases in a process of their own, with limits, so that a fault is a finding and not the end."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import select
import shutil
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from tests.fuzz.expected import ROOT, Wrong, where

MEMORY = 3 << 30  # bytes that a case may have beside what the libraries take
PATIENCE = 12.0  # seconds without any processor time: it waits for something


@dataclass(frozen=True)
class Outcome:
    """How a case went.

    Attributes:
        number: The case's.
        given: Its input.
        word: ``"refused"``, ``"accepted"`` or such; None if it found a fault.
        fault: In a few words, the same for all cases that find the same.
        detail: More of it.
    """

    number: int
    given: Any
    word: str | None
    fault: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Cases:
    """What a process works at.

    Attributes:
        kind: The module that generates and checks the cases.
        seed: Seed of the series of cases.
        base: A folder with what the kind has prepared.
        seconds: Of processor time for each case.
    """

    kind: ModuleType
    seed: int
    base: Path
    seconds: float

    def generate(self, number: int) -> Any:
        """The input of a case."""
        return self.kind.generate(Random(f"{self.seed}/{self.kind.__name__}/{number}"))

    def outcomes(self, numbers: range, until: float) -> Iterator[Outcome]:
        """The cases of these numbers, as far as one comes until a time of the clock.

        A new process takes over from one that has found something.
        """
        left = numbers
        while left and time.monotonic() < until:
            for outcome in self._in_a_process(left, until):
                left = left[left.index(outcome.number) + 1 :]
                yield outcome

    def of_inputs(self, given: Sequence[Any]) -> Iterator[Outcome]:
        """Cases whose inputs are given, numbered from 0."""
        left = list(enumerate(given))
        while left:
            for outcome in self._in_a_process(left, time.monotonic() + 3600):
                left = left[1:]
                yield outcome

    def _in_a_process(self, cases: Sequence[Any], until: float) -> Iterator[Outcome]:
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            _work_and_leave(self, cases, until, writer)
        os.close(writer)
        try:
            yield from self._watched(child, reader)
        finally:
            os.close(reader)
            _kill(child)

    def _watched(self, child: int, reader: int) -> Iterator[Outcome]:
        """What a process tells of its cases, to its end or to the first that goes wrong."""
        number, given, buffer, used = None, None, b"", -1.0
        while True:
            ready, _, _ = select.select([reader], [], [], PATIENCE)
            before, used = used, _processor_time(child)
            if not ready and used > before:  # it works; the limit of its time will end it
                continue
            chunk = os.read(reader, 1 << 16) if ready else b""
            if not chunk:
                break
            *lines, buffer = (buffer + chunk).split(b"\n")
            for line in lines:
                told = json.loads(line)
                if "word" in told:
                    yield Outcome(number=number, given=given, **told)  # type: ignore[arg-type]
                    number = given = None
                else:
                    number, given = told["number"], told.get("given")
        if number is not None:
            fault, detail = _how_it_ended(child, bool(ready), self.base)
            yield Outcome(number, given, None, fault, detail)


def _how_it_ended(child: int, by_itself: bool, base: Path) -> tuple[str, str]:
    if not by_itself:  # it waits for something; the handler says where
        os.kill(child, signal.SIGXCPU)
        time.sleep(0.5)
    _kill(child)
    dump = (base / "dump").read_text(errors="replace")
    places = [line for line in dump.splitlines() if f'"{ROOT}/' in line and "/tests/" not in line]
    place = f" at {places[0].split(str(ROOT))[1]}" if places else ""
    if dump:
        what = "takes too much processor time" if by_itself else "waits for ever"
        return f"{what}{place}", dump[:2000]
    return "the process died", (base / "err").read_text(errors="replace")[-2000:]


def _processor_time(child: int) -> float:
    """What a process has used so far, in ticks; by the clock where nobody tells."""
    try:
        fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return float(fields[11]) + float(fields[12])


def _kill(child: int) -> None:
    """End a process and whatever it has started; nothing if that is done already."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)


# --- in the process -------------------------------------------------------------------------


def _work_and_leave(cases: Cases, numbers: Sequence[Any], until: float, writer: int) -> None:
    try:
        os.setsid()
        _limit_memory()
        dump = (cases.base / "dump").open("w")
        faulthandler.register(signal.SIGXCPU, dump, chain=True)
        for name, number in (("out", 1), ("err", 2)):
            os.dup2(os.open(cases.base / name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        for each in numbers:
            if time.monotonic() > until or not _one(cases, each, writer):
                break
    finally:
        os._exit(0)


def _one(cases: Cases, each: Any, writer: int) -> bool:
    """Work at a case and tell of it; whether another one may follow."""

    def tell(**content: Any) -> None:
        os.write(writer, json.dumps(content).encode() + b"\n")

    folder = cases.base / "case"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "here").mkdir(parents=True)
    os.chdir(folder / "here")
    number, given = (each, None) if isinstance(each, int) else each
    tell(number=number)
    _limit_time(cases.seconds)
    try:
        if given is None:
            given = cases.generate(number)
        tell(number=number, given=given)
        word = cases.kind.check(given, cases.base)
    except Wrong as wrong:
        tell(word=None, fault=wrong.fault, detail=str(wrong))
        return False
    except BaseException as error:
        tell(word=None, fault=where(error), detail=_in_short(error))
        return False
    tell(word=word)
    return True


def _in_short(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}"[:500]
    except Exception:
        return type(error).__name__


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":  # elsewhere there is no way to know how much it has already
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


def _limit_time(seconds: float) -> None:
    """From now on so much processor time; then SIGXCPU."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = int(used.ru_utime + used.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.RLIM_INFINITY))
