"""The static page's folder: its content, and errors of its build."""

from __future__ import annotations

import hashlib
import io
import json
import marshal
import shutil
import subprocess
import sys
import traceback
import zipfile
from pathlib import Path
from typing import Any

import pytest

from docs.static_page import build as building
from docs.static_page import compiler, npm, start
from docs.static_page.start import rules_page, start_page
from kododo_env import registry
from kododo_env.agent_registry import LEVELS, baselines, levels, shipped
from kododo_env.rendering.languages import say
from tests.play.static.folder import build_with_numpy

LOCK = {"numpy": {"name": "numpy", "file_name": "numpy.whl", "sha256": "0" * 64}, "more": {}}


def lock() -> bytes:
    return json.dumps({"info": {}, "packages": LOCK}).encode()


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


def test_numpy_is_the_one_of_the_distribution_unless_it_is_given(tmp_path: Path) -> None:
    packages = json.loads(building._numpy_alone(lock(), None, None))["packages"]
    assert packages == {"numpy": LOCK["numpy"] | {"file_name": f"{building.DISTRIBUTION}numpy.whl"}}
    wheel = tmp_path / "mine.whl"
    wheel.write_bytes(b"numpy")
    with pytest.raises(ValueError, match=r"mine.whl is not numpy.whl of Pyodide .* SHA-256"):
        building._numpy_alone(lock(), wheel, None)
    digest = hashlib.sha256(b"numpy").hexdigest()
    numpy_package = json.loads(building._numpy_alone(lock(), wheel, digest))["packages"]["numpy"]
    assert (numpy_package["file_name"], numpy_package["sha256"]) == ("numpy.whl", digest)
    with pytest.raises(ValueError, match=r"cannot read .*: No such file"):
        building._numpy_alone(lock(), tmp_path / "none.whl", None)


def test_another_package_than_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm, "CACHE", tmp_path)
    path = npm.stored(npm.PYODIDE)
    path.write_bytes(b"something else")
    with pytest.raises(ValueError, match="wrong SHA-512"):
        npm.archive(npm.PYODIDE)
    assert not path.exists()


def test_without_npm_there_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npm, "CACHE", tmp_path / "cache")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match=r"npm, which fetches pyodide@[0-9.]+, is not installed"):
        npm.archive(npm.PYODIDE)
    assert list((tmp_path / "cache").iterdir()) == []


def test_without_node_there_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="node, which compiles the modules, is not installed"):
        building._compile([tmp_path / "library.zip"])


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


def test_what_python_has_in_itself_is_left_out_and_what_is_never_called_has_a_stand_in() -> None:
    library = {"os.py": "", "tarfile.py": "def open():\n    raise ValueError", "queue.py": ""}
    needs = "import os, tarfile\nimport kododo_env.play.server"
    package = {"kododo_env/__init__.py": needs, "kododo_env/play/worker.py": "import queue"}
    package |= {"kododo_env/play/server.py": "", "kododo_env/play/terminal.py": "import os"}
    library_bytes, package_bytes = compiler.compiled(archive(library), archive(package))
    with zipfile.ZipFile(io.BytesIO(library_bytes)) as zip_file:
        assert {*zip_file.namelist()} == {"tarfile.pyc", "queue.pyc"}
        stand_in: dict[str, Any] = {}
        code = marshal.loads(zip_file.read("tarfile.pyc")[16:])
        exec(code, stand_in)
        assert stand_in["__getattr__"]("open") is None
        assert not [place for place in code.co_positions() if place[0]]
    with zipfile.ZipFile(io.BytesIO(package_bytes)) as zip_file:
        assert "kododo_env/play/server.pyc" in zip_file.namelist()
        assert "kododo_env/play/terminal.pyc" not in zip_file.namelist()


def test_an_error_of_code_without_lines_has_its_message() -> None:
    """Regression: Python could not format an error of code without line numbers."""
    code = compile("def f():\n    raise ValueError('why')\nf()\n" * 5, "far.py", "exec")
    with pytest.raises(ValueError, match="why") as error:
        exec(compiler._without_lines(code), {})
    lines = traceback.format_exception(error.value)
    assert lines[-1] == "ValueError: why\n"
    assert [line for line in lines if '"far.py"' in line]


def test_a_table_loads_six_megabytes(site: Path) -> None:
    """Compressed, with the largest policy; without the page itself, which is small."""
    loads = json.loads((site / building.MARK).read_text())["loads"]
    assert building._download_size(site, loads) < 6.0


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


def test_the_files_have_the_sizes_that_are_told(site: Path) -> None:
    """A table loads little: compressed, with numpy and the largest policy."""
    contents = json.loads((site / building.MARK).read_text())
    for name, size in contents["loads"].items():
        assert (site / name).stat().st_size == size
    assert building._download_size(site, [*contents["loads"]]) < 6.2
