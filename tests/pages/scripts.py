"""Import the scripts of docs/ and benchmarks/, which are not packages."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]


def script(name: str, folder: str = "docs") -> ModuleType:
    """One of them as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look there
    spec.loader.exec_module(module)
    return module


def run_block(code: str, folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run a page's code in a folder, as somebody without settings of their own does."""
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "HOME": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )


def blocks(language: str, text: str) -> list[str]:
    """The blocks of a language in a page."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def assert_page_does_as_it_says(page: str, folder: Path) -> None:
    """A page's Python, run as one, prints what stands in its block of text."""
    text = (ROOT / "docs" / f"{page}.md").read_text()
    done = run_block("".join(blocks("python", text)), folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert [done.stdout] == blocks("text", text)
