"""The links of pages and notebooks, and their targets."""

from __future__ import annotations

import re
from pathlib import Path


def dead_links(text: str, page: Path) -> list[str]:
    """Links of a page to no file of the project, or to no heading of it."""
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    return [link for link in links if "://" not in link and not _leads_somewhere(link, page)]


def _leads_somewhere(link: str, page: Path) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.is_file() and (not anchor or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """The places in a page to which a link can lead: its headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
