"""Limits on the length of pages: words as by ``wc -w``, terms of the glossary, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages.scripts import ROOT

USERS_PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/games/*.md")])
EVIDENCE_PAGES = sorted(ROOT.glob("docs/evidence/*.md"))
WRITTEN_PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *USERS_PAGES, *EVIDENCE_PAGES]


def count_words(text: str) -> int:
    return len(text.split())


def remove_code(text: str) -> str:
    """Remove blocks between lines of three backticks, which may be indented."""
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)


def remove_generated(text: str) -> str:
    """Remove what ``docs.update_tables`` writes between two markers."""
    return re.sub(r"<!-- ([\w-]+) -->.*?<!-- /\1 -->", "", text, flags=re.DOTALL)


def count_prose(text: str) -> int:
    """Count the words outside tables and code."""
    lines = remove_code(text).splitlines()
    return sum(count_words(line) for line in lines if not line.lstrip().startswith("|"))


def table_lengths(text: str) -> Iterator[int]:
    """Yield the number of rows of each table written by hand, without its head."""
    lines = remove_code(remove_generated(text))
    for table in re.findall(r"(?:^ *\|.*\n?)+", lines, re.MULTILINE):
        yield len(table.splitlines()) - 2


def read(pages: list[Path]) -> list[str]:
    return [page.read_text() for page in pages]


@pytest.mark.parametrize(("page", "limit"), [("README.md", 900), ("CONTRIBUTING.md", 1500)])
def test_a_page_has_few_words(page: str, limit: int) -> None:
    assert count_words((ROOT / page).read_text()) <= limit


def test_the_users_pages_have_few_words() -> None:
    texts = read(USERS_PAGES)
    assert sum(map(count_words, texts)) <= 25_000
    assert sum(map(count_prose, texts)) <= 15_000


def test_the_evidence_has_little_prose() -> None:
    assert EVIDENCE_PAGES
    assert sum(map(count_prose, read(EVIDENCE_PAGES))) <= 4000


def test_the_glossary_has_few_terms() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    assert 1 <= len(re.findall(r"^- \*\*", glossary, re.MULTILINE)) <= 12
    assert not [*table_lengths(glossary)]


@pytest.mark.parametrize("page", WRITTEN_PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_table_written_by_hand_has_few_rows(page: Path) -> None:
    assert max(table_lengths(page.read_text()), default=0) <= 10


def test_counts_leave_out_code_and_generated_tables() -> None:
    table = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 3
    generated = f"<!-- x-y -->\n{table * 2}<!-- /x-y -->"
    text = f"two words\n\n{table}\n{generated}\n```sh\nls -l | wc\n```\nend"
    assert count_prose(text) == count_words("two words <!-- x-y --> <!-- /x-y --> end")
    assert [*table_lengths(text)] == [3]
