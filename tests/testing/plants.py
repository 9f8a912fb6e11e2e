"""Sound things with one fault each, by which the checks of ``kododo_env.testing`` are tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from kododo_env.testing import CheckFailed, Report

Fault = Callable[..., Any]


class Plants:
    """A bed of faults; what plants one is a function or class, whose docstring is its story.

    Args:
        sound: The class that each fault is planted in.

    Attributes:
        planted: The check that is to find each, the faulty class, and what is to be said of it.
    """

    def __init__(self, sound: type[Any]) -> None:
        self.sound = sound
        self.planted: list[tuple[str, type[Any], str]] = []

    def kind(self, check: str, said: str) -> Callable[[type[Any]], type[Any]]:
        """Plant a class."""

        def plant(faulty: type[Any]) -> type[Any]:
            self.planted.append((check, faulty, said))
            return faulty

        return plant

    def instead(self, method: str, check: str, said: str) -> Callable[[Fault], type[Any]]:
        """Plant a function in place of a method."""

        def plant(fault: Fault) -> type[Any]:
            # By its own name in its own module, so that games can be pickled.
            named = {"__module__": fault.__module__, "__doc__": fault.__doc__, method: fault}
            faulty = type(fault.__name__, (self.sound,), named)
            fault.__name__ = method
            return self.kind(check, said)(faulty)

        return plant

    def after(self, method: str, check: str, said: str) -> Callable[[Fault], type[Any]]:
        """Plant a function that is called after a method, with the same arguments."""
        sound = getattr(self.sound, method)

        def plant(fault: Fault) -> type[Any]:
            def faulty(thing: Any, *given: Any, **named: Any) -> Any:
                result = sound(thing, *given, **named)
                fault(thing, *given, **named)
                return result

            faulty.__module__, faulty.__doc__ = fault.__module__, fault.__doc__
            faulty.__name__ = fault.__name__
            return self.instead(method, check, said)(faulty)

        return plant

    def each(self) -> Any:
        """A decorator: the test is called with each check, faulty class and what is to be said."""
        ids = [kind.__name__ for _, kind, _ in self.planted]
        return pytest.mark.parametrize(("check", "kind", "said"), self.planted, ids=ids)


def assert_found(call: Callable[[], Report], check: str, said: str) -> None:
    """The check fails, no other one does, and it says what is wrong."""
    with pytest.raises(CheckFailed) as caught:
        call()
    faults = caught.value.report.faults
    assert list(faults) == [check]
    assert re.search(said, faults[check]), faults[check]


def assert_sound(report: Report, plants: Plants, checks: tuple[str, ...]) -> None:
    """All checks were done and found nothing, and each has a fault that it finds elsewhere."""
    assert [found.check for found in report.findings] == list(checks)
    assert not any(found.fault or found.left_out for found in report.findings)
    assert {check for check, _, _ in plants.planted} == set(checks)
