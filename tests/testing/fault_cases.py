"""Plant faults in sound classes, to test the checks of ``kododo_env.testing``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kododo_env.testing import CheckFailed, Report

Fault = Callable[..., Any]


class FaultCases:
    """A collection of faults: functions or classes whose docstrings describe them.

    Args:
        sound: The class that each fault is planted in.

    Attributes:
        planted: For each fault (check that must find it, faulty class, words in the message).
    """

    def __init__(self, sound: type[Any]) -> None:
        self.sound = sound
        self.planted: list[tuple[str, type[Any], str]] = []

    def kind(self, check: str, words: str) -> Callable[[type[Any]], type[Any]]:
        """Plant a class."""

        def plant(faulty: type[Any]) -> type[Any]:
            self.planted.append((check, faulty, words))
            return faulty

        return plant

    def instead(self, method: str, check: str, words: str) -> Callable[[Fault], type[Any]]:
        """Plant a function in place of a method."""

        def plant(fault: Fault) -> type[Any]:
            # With its own name and module, so that games can be pickled.
            namespace = {"__module__": fault.__module__, "__doc__": fault.__doc__, method: fault}
            faulty = type(fault.__name__, (self.sound,), namespace)
            fault.__name__ = method
            return self.kind(check, words)(faulty)

        return plant

    def after(self, method: str, check: str, words: str) -> Callable[[Fault], type[Any]]:
        """Plant a function that is called after a method, with the same arguments."""
        sound = getattr(self.sound, method)

        def plant(fault: Fault) -> type[Any]:
            def faulty(subject: Any, *args: Any, **kwargs: Any) -> Any:
                result = sound(subject, *args, **kwargs)
                fault(subject, *args, **kwargs)
                return result

            faulty.__module__ = fault.__module__
            faulty.__doc__ = fault.__doc__
            faulty.__name__ = fault.__name__
            return self.instead(method, check, words)(faulty)

        return plant

    def parametrize(self) -> Any:
        """Return a decorator that calls a test with every check, faulty class and words."""
        ids = [kind.__name__ for _, kind, _ in self.planted]
        return pytest.mark.parametrize(("check", "kind", "words"), self.planted, ids=ids)


def assert_found(call: Callable[[], Report], check: str, words: str) -> None:
    """Assert that only this check fails, with these words in its message."""
    with pytest.raises(CheckFailed) as caught:
        call()
    faults = caught.value.report.faults
    assert list(faults) == [check]
    assert re.search(words, faults[check]), faults[check]


def assert_sound(report: Report, plants: FaultCases, checks: tuple[str, ...]) -> None:
    """Assert that all checks ran and passed, and that a fault is planted for each."""
    assert [finding.check for finding in report.findings] == list(checks)
    assert not any(finding.fault or finding.left_out for finding in report.findings)
    assert {check for check, _, _ in plants.planted} == set(checks)
