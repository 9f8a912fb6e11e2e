"""Every Python block in README.md and docs/ runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.scripts import ROOT, blocks, run_block

PAGES = {
    str(path.relative_to(ROOT)): blocks("python", path.read_text())
    for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"))
}
# Pages whose blocks continue each other; in other pages each block runs by itself.
TOGETHER = {"docs/quickstart.md"}
# Pages whose blocks are run by a test that compares their output with the page.
ELSEWHERE = {
    "docs/evidence/exact.md": "tests/pages/test_exact.py",
    "docs/evidence/open_spiel.md": "tests/pages/test_exact.py",
    "docs/records.md": "tests/records/test_page.py",
}
# Texts in blocks that are not run, with the reason.
NOT_RUN = {"my_game.batch_game": "the reader's own game is not here"}
# PettingZoo imports its own games by their old names.
WARNINGS = ("error", "ignore:The old environment creation API:DeprecationWarning")


def code() -> list[tuple[str, str]]:
    """The blocks to run, each with a name: its page, and the last of its imports."""
    named_blocks = []
    for page, of_page in PAGES.items():
        if page in ELSEWHERE or not of_page:
            continue
        for block in ["".join(of_page)] if page in TOGETHER else of_page:
            if not any(part in block for part in NOT_RUN):
                *_, last = re.findall(r"^(?:import|from) (\S+)", block, re.MULTILINE)
                named_blocks.append((f"{page}-{last}", block))
    return named_blocks


@pytest.mark.parametrize("block", [pytest.param(block, id=name) for name, block in code()])
def test_a_block_runs(block: str, tmp_path: Path) -> None:
    done = run_block(block, tmp_path, *(f"-W{warning}" for warning in WARNINGS))
    assert (done.returncode, done.stderr) == (0, "")
    assert bool(done.stdout) == ("print(" in block)


@pytest.mark.parametrize("page", ELSEWHERE)
def test_a_page_that_is_run_elsewhere_is_run_there(page: str) -> None:
    assert PAGES[page]
    test = (ROOT / ELSEWHERE[page]).read_text()
    name = page.removeprefix("docs/").removesuffix(".md")
    whole = f'assert_page_does_as_it_says("{name}", tmp_path)'
    assert whole in test or (Path(page).name in test and "exec(block, names)" in test)
