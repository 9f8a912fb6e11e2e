"""docs/licences.md lists what an installation brings."""

from __future__ import annotations

from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.pages.scripts import script

ROOT = Path(__file__).parents[2]
update_licences = script("update_licences")


def test_the_list_of_licences_is_that_of_the_pinned_packages() -> None:
    """Packages of other versions than the pinned ones may say otherwise, or be others."""
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = {
        update_licences.normal(name): pin for name, _, pin in (x.partition("==") for x in lines)
    }
    rows = update_licences.rows()
    as_pinned = {
        name for name in rows if distribution(name).version.partition("+")[0] == pins.get(name)
    }
    listed = update_licences.PAGE.read_text().splitlines()
    missing = [rows[name] for name in as_pinned if rows[name] not in listed]
    assert missing == [], "run python docs/update_licences.py"
    if as_pinned == rows.keys():
        assert update_licences.PAGE.read_text() == update_licences.page()


@pytest.mark.parametrize(
    ("licence", "binds"),
    [
        ("LGPL", True),
        ("Mozilla Public License 2.0 (MPL 2.0)", True),
        ("MPL-2.0 AND MIT", True),
        ("GNU Affero General Public License v3", True),
        ("AGPL-3.0-or-later", True),
        ("BSD-3-Clause", False),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("BSL-1.0", False),
        ("MIT-CMU", False),
    ],
)
def test_copyleft_is_told_from_what_is_free_of_conditions(licence: str, binds: bool) -> None:
    assert bool(update_licences.COPYLEFT.search(licence)) is binds
