"""Writes the static page, for any file server: ``python -m docs.static_page.build FOLDER``."""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import shutil
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import kododo_env
from docs.static_page.icons import icons
from docs.static_page.npm import PYODIDE, members
from docs.static_page.start import RULES, START, rules_page, start_page
from kododo_env import registry
from kododo_env.agent_registry import POLICIES
from kododo_env.play import __file__ as play

PLAY = Path(play).parent
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
LOCK = "pyodide-lock.json"
# Pyodide's own distribution, from where a page loads numpy if the folder does not have it.
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE.version}/full/"
# What play needs of the package: these rooms, and the modules above them.
ROOMS = (
    "core", "games", "baselines", "rendering", "records", "policy", "search", "bots", "play",
    "system",
)  # fmt: skip
STYLE = '<link rel="stylesheet" href="page.css" />'
INSTALLED = f'<link rel="manifest" href="manifest.webmanifest" />\n    {STYLE}'
BACK = """  <footer style="padding-top: 1rem">
      <a href="./" style="color: inherit">Another game or other players.</a>
      The cards that you are not shown are in your own browser.
    </footer>
  </body>"""
OLDEST = (1980, 1, 1, 0, 0, 0)  # the time in a zip, so that the same files give the same bytes
PAGE_FILES = {".html", ".css", ".js", ".svg", ".png", ".webmanifest"}
MARK = "site.json"  # what makes a folder one of ours, which may be replaced


def build(folder: Path, wheel: Path | None = None, sha256: str | None = None) -> None:
    """Write the folder.

    Args:
        folder: Is replaced if it is one that was written before.
        wheel: Numpy for Pyodide, to be put into the folder; None: a page loads it.
        sha256: The wheel's; None is that of Pyodide's own distribution.

    Raises:
        ValueError: The folder is another one, the wheel is, or Pyodide cannot be had.
    """
    if folder.exists() and not (folder / MARK).is_file():
        raise ValueError(f"{folder} is there and was not written by this: name another")
    runtime = members(PYODIDE, (*RUNTIME, LOCK))
    lock = _numpy_alone(runtime.pop(LOCK), wheel, sha256)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as scratch:
        site = Path(scratch) / folder.name
        (site / "pyodide").mkdir(parents=True)
        for name, content in {**runtime, LOCK: lock}.items():
            (site / "pyodide" / name).write_bytes(content)
        if wheel is not None:
            shutil.copyfile(wheel, site / "pyodide" / _numpy(lock)["file_name"])
        _add_page(site)
        _add_package(site)
        if folder.exists():
            shutil.rmtree(folder)
        site.replace(folder)


def _numpy(lock: bytes) -> dict[str, str]:
    found: dict[str, str] = json.loads(lock)["packages"]["numpy"]
    return found


def _numpy_alone(lock: bytes, wheel: Path | None, sha256: str | None) -> bytes:
    """Pyodide's list of packages with numpy alone, which browsers check by its hash.

    Raises:
        ValueError: The wheel is not the one that is meant.
    """
    numpy = _numpy(lock)
    if wheel is None:
        numpy["file_name"] = DISTRIBUTION + numpy["file_name"]
    else:
        numpy["sha256"] = sha256 or numpy["sha256"]
        try:
            found = hashlib.sha256(wheel.read_bytes()).hexdigest()
        except OSError as error:
            raise ValueError(f"cannot read {wheel}: {error.strerror}") from error
        if found != numpy["sha256"]:
            raise ValueError(
                f"{wheel} is not {numpy['file_name']} of Pyodide {PYODIDE.version}: "
                f"its SHA-256 is {found}, not {numpy['sha256']}"
            )
    return json.dumps({"info": json.loads(lock)["info"], "packages": {"numpy": numpy}}).encode()


def _add_page(site: Path) -> None:
    """The page of a table, its host in the page in place of the server; start page and rules."""
    files = [*(PLAY / "web").iterdir(), *(PLAY / "static").iterdir()]
    assert len({file.name for file in files}) == len(files), "two files have one name"
    for file in files:
        if file.name not in (START.name, RULES.name):
            shutil.copyfile(file, site / file.name)
    table = (PLAY / "served" / "index.html").read_text()
    assert table.count("</body>") == table.count(STYLE) == 1, "the page has no end or no style"
    (site / "table.html").write_text(table.replace("</body>", BACK).replace(STYLE, INSTALLED))
    for name, picture in icons().items():
        (site / name).write_bytes(picture)
    (site / "index.html").write_text(start_page())
    for game in registry.DOORS:
        (site / f"rules-{game}.html").write_text(rules_page(game))


def _add_package(site: Path) -> None:
    """The package as a zip named by its hash, and the policies each for itself."""
    package = Path(kododo_env.__file__).parent
    files = [*package.glob("*.py")]
    for room in ROOMS:
        files += [*(package / room).rglob("*.py"), *(package / room).rglob("data/*")]
        files += (package / room).rglob("rules.md")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(files):
            entry = zipfile.ZipInfo(path.relative_to(package.parent).as_posix(), OLDEST)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    name = f"kododo_env-{hashlib.sha256(packed.getvalue()).hexdigest()[:12]}.zip"
    (site / name).write_bytes(packed.getvalue())
    page = sorted(each.name for each in site.iterdir() if each.suffix in PAGE_FILES)
    (site / MARK).write_text(json.dumps({"package": name, "page": page}) + "\n")
    (site / "policies").mkdir()
    for policy in POLICIES.glob("*.onnx"):
        shutil.copyfile(policy, site / "policies" / policy.name)


def main() -> int:
    """Build from the command line: 0, or 2 after a line that says what was wrong."""
    parser = argparse.ArgumentParser(prog="python -m docs.static_page.build", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--numpy-wheel", type=Path, help="put this wheel into the folder")
    given = parser.parse_args()
    try:
        build(given.folder, given.numpy_wheel)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    kind = "plays without the network" if given.numpy_wheel else "loads numpy from its distribution"
    print(f"{given.folder}: python -m http.server --directory {given.folder} serves it; it {kind}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
