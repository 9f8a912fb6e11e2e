"""Limits on the length of pages: words as by ``wc -w``, terms of the glossary, rows of tables."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.pages.scripts import ROOT

USERS_PAGES = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("docs/games/*.md")])
EVIDENCE_PAGES = sorted(ROOT.glob("docs/evidence/*.md"))


def count_words(text: str) -> int:
    return len(text.split())


def remove_code(text: str) -> str:
    """Remove blocks between lines of three backticks, which may be indented."""
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE)


def count_prose(text: str) -> int:
    """Count the words outside tables and code."""
    lines = remove_code(text).splitlines()
    return sum(count_words(line) for line in lines if not line.lstrip().startswith("|"))


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
