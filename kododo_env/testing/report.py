"""The results of the checks: one line for each, and all of them as text."""

from __future__ import annotations

import textwrap
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path


class Fault(AssertionError):
    """A check found a fault: one sentence on it, and where it was seen."""


class LeftOut(Exception):
    """A check has nothing to check: the reason."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        check: The name of the check.
        fault: The fault in words; empty if there is none.
        note: The things tried, or why nothing was.
        left_out: Whether the check was not done.
    """

    check: str
    fault: str = ""
    note: str = ""
    left_out: bool = False

    def __str__(self) -> str:
        mark = "FAULT" if self.fault else "-" if self.left_out else "ok"
        text = textwrap.fill(
            self.fault or self.note, 76, initial_indent=" " * 24, subsequent_indent=" " * 24
        )
        return f"  {mark:<6}{self.check:<16}" + text[24:]


@dataclass(frozen=True)
class Report:
    """The results of all checks; ``str`` of it is meant to be read.

    Attributes:
        subject: The name of the thing checked.
        findings: One for each check, in the order in which they were done.
    """

    subject: str
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> dict[str, str]:
        """The faults, by the name of the check; empty if there are none."""
        return {found.check: found.fault for found in self.findings if found.fault}

    def __str__(self) -> str:
        done = sum(not found.left_out for found in self.findings)
        faults = len(self.faults)
        counts = f"{done} check{'s' * (done != 1)}, {faults or 'no'} fault{'s' * (faults != 1)}"
        head = f"{self.subject}: {counts}"
        return "\n".join([head, *map(str, self.findings)])


class CheckFailed(AssertionError):
    """Something is wrong; the message is the whole report.

    Attributes:
        report: The results.
    """

    def __init__(self, report: Report) -> None:
        super().__init__(f"{report}")
        self.report = report


def run_checks(
    subject: str,
    checks: Mapping[str, Callable[[], str]],
    only: Collection[str] = (),
    skip: Collection[str] = (),
) -> Report:
    """Do all checks, or only some; each returns in words what it has tried, or raises.

    Raises:
        CheckFailed: Something is wrong.
        ValueError: There is no check of such a name, or a name is given in place of a list.
    """
    if isinstance(only, str) or isinstance(skip, str):
        raise ValueError("only and skip must be lists of names")
    unknown = {*only, *skip} - set(checks)
    if unknown:
        raise ValueError(f"no check is called {min(unknown)!r}; there are {', '.join(checks)}")
    findings = []
    for name, check in checks.items():
        if only and name not in only:
            continue
        if name in skip:
            findings.append(Finding(name, note="left out by the caller", left_out=True))
        else:
            findings.append(_do(name, check))
    report = Report(subject, tuple(findings))
    if report.faults:
        raise CheckFailed(report)
    return report


def _do(name: str, check: Callable[[], str]) -> Finding:
    try:
        return Finding(name, note=check())
    except Fault as fault:
        return Finding(name, fault=str(fault))
    except LeftOut as reason:
        return Finding(name, note=str(reason), left_out=True)
    except Exception as error:  # any other error is a fault of the thing checked
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return Finding(name, fault=f"{type(error).__name__} at {place}: {error}")
