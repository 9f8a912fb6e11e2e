"""The checks of ``make lint`` on imports."""

from __future__ import annotations

from tests.import_circles import find_circles, find_large_packages


def test_a_circle_has_all_its_modules() -> None:
    upstream = {"a": {"b", "c"}, "b": {"b", "c"}, "c": {"b", "c"}}
    assert find_circles(upstream) == [["b", "c"]]


def test_a_package_has_at_most_thirteen_modules() -> None:
    modules = {f"small.m{number}" for number in range(13)}
    assert find_large_packages(modules) == []
    assert find_large_packages(modules | {"small.m13", "large.m0"}) == [
        "small has 14 modules; move some of them into a package of their own"
    ]
