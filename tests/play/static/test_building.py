"""The static page's folder: its content, and errors of its build."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from docs.static_page import build as building
from docs.static_page import compiler, start
from docs.static_page.start import rules_page, start_page
from kododo_env import registry
from kododo_env.agent_registry import baselines, shipped
from kododo_env.levels import LEVELS, levels
from kododo_env.rendering.languages import say
from tests.play.static.folder import build_with_numpy


def test_the_start_page_has_all_tables() -> None:
    page = start_page(5.9)
    assert 'data-size="6"' in page
    for game in registry.ENVIRONMENT_MODULES:
        form = page.split(f'value="{game}"')[1].split("</form>")[0]
        for option in (
            *map(str, registry.environment_module(game).PLAYERS),
            *baselines(game),
            *LEVELS,
        ):
            assert f'<option value="{option}"' in form
        assert f'href="rules-{game}.html"' in form
        assert rules_page(game).count("<figure><svg ") > 0
    assert page.count('value="variant=long"') == 1  # only one game has a variant
    texts = start._level_sentences("kododo", 4)
    first, last = (say(key, **parts) for key, parts in (texts["level-1"], texts["level-5"]))
    weakest, *_, strongest = levels("kododo", 4).values()
    wins = f"{100 * weakest['share']['mean']:.0f}"
    games = strongest["games"]
    assert first == f"Wins {wins} of 100 games against the best policy, where equals win 25."
    assert last.startswith(f"Looks ahead by search for half a second. In {games} games ")


def test_modules_that_nothing_imports_are_left_out_and_the_others_compiled() -> None:
    """Imports within functions count for the package, but not for the library."""
    library = {
        "a.py": "import b.c\ndef f():\n    import later\nif __name__ == '__main__':\n    import f",
        "b/__init__.py": "from . import d",
        "b/c.py": "def f():\n    from . import g",
        "b/g.py": "",
        "b/d.py": "'''Of no use.'''\nfrom ..e import name",
        "e.py": "name = 1",
        "later.py": "",
        "f.py": "",
    }
    package = {"mine.py": "def f():\n    from a import x", "data/rules.md": "Rules."}
    archives = compiler.compiled(archive(library), archive(package))
    library_zip, package_zip = (zipfile.ZipFile(io.BytesIO(content)) for content in archives)
    assert {*library_zip.namelist()} == {
        "a.pyc",
        "b/__init__.pyc",
        "b/c.pyc",
        "b/d.pyc",
        "b/g.pyc",
        "e.pyc",
    }
    assert {*package_zip.namelist()} == {"mine.pyc", "data/rules.md"}
    assert b"Of no use" not in library_zip.read("b/d.pyc")


LOADED = """
import sys
from kododo_env.play.worker import SharedDevice
for game in ("kododo", "combi_combo", "kado"):
    device = SharedDevice(game, 4, ["heuristic"], lesson=True)
    device.receive('{"type": "rules"}')
    device.receive('{"type": "look"}')
print(*(name for name in sys.modules if name.startswith("kododo_env.")))
"""


def test_the_archive_has_all_modules_that_tables_load(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiler, "STARTED", frozenset())  # here these are not Pyodide's
    package = building._add_package(tmp_path).read_bytes()
    _, compiled = compiler.compiled(archive({}), package)
    with zipfile.ZipFile(io.BytesIO(compiled)) as zip_file:
        names = {*zip_file.namelist()}
    command = [sys.executable, "-c", LOADED]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    paths = {module: module.replace(".", "/") for module in modules}
    assert len(paths) > 100
    assert [
        module
        for module, path in paths.items()
        if not {f"{path}.pyc", f"{path}/__init__.pyc"} & names
    ] == []


def test_a_table_loads_six_megabytes(site: Path) -> None:
    """Compressed, with the largest policy; without the page itself, which is small."""
    loads = json.loads((site / building.MARK).read_text())["loads"]
    assert building._download_size(site, loads) < 6.1


def archive(files: dict[str, str]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as into:
        for name, text in files.items():
            into.writestr(name, text)
    return packed.getvalue()


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "theirs").write_text("kept")
    command = [sys.executable, "-m", "docs.static_page.build", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"{tmp_path} was not written by this command: choose another folder\n"
    assert [path.name for path in tmp_path.iterdir()] == ["theirs"]


def test_the_folder_is_written_again_with_the_same_bytes(site: Path, tmp_path: Path) -> None:
    shutil.copytree(site, tmp_path / "site")
    (tmp_path / "site" / "old").touch()
    build_with_numpy(tmp_path / "site")
    digests = [
        {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).digest()
            for path in folder.rglob("*")
            if path.is_file()
        }
        for folder in (site, tmp_path / "site")
    ]
    assert digests[0] == digests[1]
    names = digests[0].keys()
    assert {f"policies/{policy}.onnx" for policy in shipped()} < names
    assert {f"rules-{game}.html" for game in registry.ENVIRONMENT_MODULES} < names
    assert {"index.html", "table.html", "host.js", "worker.js", "main.js", "licences.txt"} < names
    assert (tmp_path / "site" / "host.js").read_text() == (
        building.PLAY / "static" / "host.js"
    ).read_text()
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
