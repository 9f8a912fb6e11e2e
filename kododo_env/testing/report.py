"""Running checks, and the report of their results."""

from __future__ import annotations

import textwrap
import traceback
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path


class Fault(AssertionError):
    """Raised by a check that found a fault; the message describes the fault and its place."""


class SkippedCheck(Exception):
    """Raised by a check that does not apply; the message is the reason."""


@dataclass(frozen=True)
class Finding:
    """The result of one check.

    Attributes:
        check: The name of the check.
        fault: The description of the fault; empty if the check passed or was skipped.
        note: A description of what was checked, or why the check was skipped.
        left_out: Whether the check was skipped.
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
    """The results of all checks; ``str(report)`` formats them.

    Attributes:
        subject: The name of the game or environment.
        findings: The results, in the order in which the checks ran.
    """

    subject: str
    findings: tuple[Finding, ...]

    @property
    def faults(self) -> dict[str, str]:
        """The descriptions of the faults, by the name of the check."""
        return {finding.check: finding.fault for finding in self.findings if finding.fault}

    def __str__(self) -> str:
        done = sum(not finding.left_out for finding in self.findings)
        faults = len(self.faults)
        checks_text = "1 check" if done == 1 else f"{done} checks"
        faults_text = "1 fault" if faults == 1 else f"{faults or 'no'} faults"
        head = f"{self.subject}: {checks_text}, {faults_text}"
        return "\n".join([head, *map(str, self.findings)])


class CheckFailed(AssertionError):
    """Raised if at least one check found a fault; the message is the whole report.

    Attributes:
        report: The results of all checks.
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
    """Run all checks, or some of them.

    Args:
        subject: The name of the game or environment.
        checks: The checks by name: functions that return a description of what was checked, or
            raise an exception.
        only: The names of the checks to run; empty for all.
        skip: The names of checks to skip.

    Raises:
        CheckFailed: A check found a fault.
        ValueError: A name is unknown, or ``only`` or ``skip`` is a string.
    """
    if isinstance(only, str) or isinstance(skip, str):
        raise ValueError(f"only and skip must be lists of names, got {only!r} and {skip!r}")
    unknown = {*only, *skip} - set(checks)
    if unknown:
        raise ValueError(f"unknown check {min(unknown)!r}; choose from {', '.join(checks)}")
    findings = []
    for name, check in checks.items():
        if only and name not in only:
            continue
        if name in skip:
            findings.append(Finding(name, note="skipped by the caller", left_out=True))
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
    except SkippedCheck as reason:
        return Finding(name, note=str(reason), left_out=True)
    except Exception as error:  # other errors are faults of the game or environment too
        where = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{Path(where.filename).name}:{where.lineno}"
        return Finding(name, fault=f"{type(error).__name__} at {place}: {error}")
