"""The notebooks run, leave no files behind, and are stored without outputs."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.pages.links import dead_links

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PICTURES = {"image/png", "image/svg+xml"}

all_notebooks = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def read(path: Path) -> nbformat.NotebookNode:
    return nbformat.read(path, as_version=4)


@all_notebooks
def test_a_notebook_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = tmp_path / "reader"
    temporary = tmp_path / "temporary"
    reader.mkdir()
    temporary.mkdir()
    monkeypatch.delenv("MPLBACKEND", raising=False)  # so that pictures end up in the notebook
    monkeypatch.setenv("TMPDIR", str(temporary))
    notebook = read(path)
    NotebookClient(notebook, timeout=240, resources={"metadata": {"path": reader}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert sum(not PICTURES.isdisjoint(output.get("data", {})) for output in outputs) >= 2
    assert list(reader.iterdir()) == []
    assert list(temporary.glob("tmp*")) == []  # tempfile's; libraries leave files of their own


@all_notebooks
def test_a_notebook_is_a_page_and_is_kept_without_outputs(path: Path) -> None:
    """One title, at the top, and chapters below it; the page of all notebooks has it."""
    cells = read(path).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    titles = re.findall(r"^(#+) ", text, re.MULTILINE)
    assert text.startswith(f"# {path.stem[0]}. ")
    assert titles[0] == "#"
    assert set(titles[1:]) == {"##"}
    assert dead_links(text, path) == []
    page = path.with_name("README.md").read_text()
    assert f"({path.name})" in page
    assert f"(../docs/images/notebook_{path.stem[0]}.png)" in page
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert len(code) > 3
    assert all(cell.outputs == [] and cell.execution_count is None for cell in code)
