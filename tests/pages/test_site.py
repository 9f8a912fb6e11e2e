"""The documentation site builds without warnings, and its links have targets."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from kododo_env import registry
from tests.helpers import made_once
from tests.pages.scripts import ROOT, blocks

pytest.importorskip("furo", reason="Sphinx and its theme are not installed (group docs)")


OPTIONS = ("-b", "html", "-EWq", "-D", "nb_execution_mode=off", "-c", "docs/site")
Tag = tuple[str, dict[str, str]]
"""A tag of a page, and its attributes."""
Pages = dict[Path, list[Tag]]


class Tags(HTMLParser):
    """The tags of a page; a tree of them would take five times as long."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[Tag] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, {name: value or "" for name, value in attrs}))


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site, without the games to play, built once for all processes of a run."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-P", "-m", "sphinx", *OPTIONS]
        done = subprocess.run(
            [*command, "-d", f"{folder}.doctrees", ".", str(folder)],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")

    return made_once(tmp_path_factory, "site", build)


@pytest.fixture(scope="module")
def pages(site: Path) -> Pages:
    return {path: Tags(path.read_text()).tags for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def ids(pages: Pages) -> dict[Path, set[str]]:
    """The places of each page to which a link can lead."""
    return {path: {has["id"] for _, has in page if "id" in has} for path, page in pages.items()}


def links(page: list[Tag]) -> Iterator[str]:
    for tag, has in page:
        if tag in ("a", "img", "link", "script", "source"):
            yield from (has[name] for name in ("href", "src") if has.get(name))


def test_every_link_leads_somewhere(pages: Pages, ids: dict[Path, set[str]]) -> None:
    for path, page in pages.items():
        for link in links(page):
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in ids:
                assert unquote(parts.fragment) in ids[target], f"{path.name}: {link}"


LOADED = ("img", "link", "script", "source", "iframe")


def test_no_other_host_is_asked(site: Path, pages: Pages) -> None:
    for path, page in pages.items():
        for tag, has in page:
            for name in ("href", "src", "srcset") if tag in LOADED else ():
                assert "//" not in has.get(name, ""), f"{path.name}: {tag} {has}"
    for sheet in site.rglob("*.css"):
        assert "url(//" not in (text := sheet.read_text()), sheet
        assert "url(http" not in text, sheet
        assert "@import" not in text, sheet


def test_each_page_is_there_once(site: Path, pages: Pages) -> None:
    assert {site / "index.html", site / "search.html"} < pages.keys()
    for source in (*ROOT.glob("docs/**/*.md"), *ROOT.glob("notebooks/*.ipynb")):
        if source.parent.name == "site":  # is part of the first page
            continue
        assert (site / source.relative_to(ROOT)).with_suffix(".html") in pages
    downloads = {path.suffix for path in (site / "_downloads").rglob("*.*")}
    assert not downloads & {".md", ".ipynb", ".rst"}, "a link leads to a page's source"


# --- the games ------------------------------------------------------------------------------------


# --- the reference --------------------------------------------------------------------------------


def imported() -> Iterator[tuple[str, str]]:
    """Module and name of all that pages, notebooks and examples import from the project."""
    code = [path.read_text() for path in ROOT.glob("docs/examples/*.py")]
    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        code += blocks("python", page.read_text())
    for path in ROOT.glob("notebooks/*.ipynb"):
        cells = json.loads(path.read_text())["cells"]
        code += ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    for node in (node for source in code for node in ast.walk(ast.parse(source))):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("kododo_env"):
            yield from ((str(node.module), alias.name) for alias in node.names)


def public() -> dict[str, object]:
    """All that the pages import and packages list, and the environment modules."""
    names = [*imported(), *(("kododo_env", f"{game}_v0") for game in registry.ENVIRONMENT_MODULES)]
    for file in ROOT.glob("kododo_env/**/__init__.py"):
        module = ".".join(file.parent.relative_to(ROOT).parts)
        names += [(module, name) for name in getattr(import_module(module), "__all__", ())]
    objects = {f"{module}.{name}": getattr(import_module(module), name) for module, name in names}
    return {name: thing for name, thing in objects.items() if not name.endswith("__version__")}


def test_all_that_is_public_is_in_the_reference(site: Path, ids: dict[Path, set[str]]) -> None:
    anchors = {
        anchor
        for path, of_page in ids.items()
        if path.parent.name == "reference"
        for anchor in of_page
    }
    start = "module-kododo_env"
    modules = {anchor.removeprefix("module-") for anchor in anchors if anchor.startswith(start)}
    parts = [anchor.rpartition(".") for anchor in anchors]
    things = [
        getattr(import_module(module), name) for module, _, name in parts if module in modules
    ]
    things += [import_module(module) for module in modules]
    missing = [
        name
        for name, thing in public().items()
        if not any(thing is documented for documented in things)
    ]
    assert missing == [], "name their modules in docs/reference/"
