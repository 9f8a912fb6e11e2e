"""Write the static page, for any file server: ``python -m docs.static_page.build FOLDER``."""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import kododo_env
from docs.static_page.icons import icons
from docs.static_page.npm import PYODIDE, members
from docs.static_page.puzzles import puzzles_json
from docs.static_page.start import RULES, START, rules_page, start_page
from kododo_env import registry
from kododo_env.agent_registry import POLICIES
from kododo_env.play import __file__ as play
from kododo_env.rendering.languages import LANGUAGES
from kododo_env.system.files import fingerprint

PLAY = Path(play).parent
TEXTS = Path(kododo_env.__file__).parent / "rendering" / "texts"
LIBRARY = "python_stdlib.zip"
RUNTIME = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", LIBRARY)
LOCK = "pyodide-lock.json"
# Pyodide's distribution, from which a page loads numpy if the folder does not contain it.
DISTRIBUTION = f"https://cdn.jsdelivr.net/pyodide/v{PYODIDE.version}/full/"
WHOLE_NUMPY = 3_000_000  # bytes of the compressed wheel
# The packages that play needs, with the modules directly in kododo_env.
ROOMS = (
    "core", "arrays", "checks", "layouts", "games", "baselines", "rendering", "records", "policy",
    "search", "bots", "review", "table", "play", "system",
)  # fmt: skip
STYLE = '<link rel="stylesheet" href="page.css" />'
INSTALLED = f'<link rel="manifest" href="manifest.webmanifest" />\n    {STYLE}'
BACK = """  <footer style="padding-top: 1rem">
      <a href="./" style="color: inherit" data-text="page.other_table"
        >Another game or other players.</a>
      <span data-text="page.hidden_cards"
        >The cards that you are not shown are in your own browser.</span>
    </footer>
  </body>"""
PAGE_FILES = {".html", ".css", ".js", ".svg", ".png", ".webmanifest", ".json"}
MARK = "site.json"  # marks a folder that build wrote and may replace
WORKER = "offline.js"
NAME = re.compile(r'const BUILD = "\w*";')


def build(folder: Path, wheel: Path | None = None, sha256: str | None = None) -> None:
    """Write the folder of the static page.

    Args:
        folder: The folder. It is replaced if ``build`` wrote it before.
        wheel: The wheel of numpy for Pyodide, which is put into the folder; None: a page loads it.
        sha256: The SHA-256 of the wheel; None: that in Pyodide's distribution.

    Raises:
        ValueError: The folder has other content, the wheel is a wrong one, or Pyodide cannot be
            fetched.
    """
    if folder.exists() and not (folder / MARK).is_file():
        raise ValueError(f"{folder} was not written by this command: choose another folder")
    runtime = members(PYODIDE, (*RUNTIME, LOCK))
    lock = _numpy_alone(runtime.pop(LOCK), wheel, sha256)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as scratch:
        site = Path(scratch) / folder.name
        (site / "pyodide").mkdir(parents=True)
        for name, content in {**runtime, LOCK: lock}.items():
            (site / "pyodide" / name).write_bytes(content)
        package = _add_package(site)
        archives = [site / "pyodide" / LIBRARY, package]
        if wheel is not None:
            archives.append(site / "pyodide" / _numpy(lock)["file_name"])
            shutil.copyfile(wheel, archives[-1])
        _compile(archives)
        if wheel is not None:
            (site / "pyodide" / LOCK).write_bytes(_with_hash(lock, archives[-1]))
        package = package.replace(site / f"kododo_env-{fingerprint(package)[:12]}.zip")
        _add_page(site)
        _add_contents(site, package.name)
        if folder.exists():
            shutil.rmtree(folder)
        site.replace(folder)


def _numpy(lock: bytes) -> dict[str, str]:
    entry: dict[str, str] = json.loads(lock)["packages"]["numpy"]
    return entry


def _numpy_alone(lock: bytes, wheel: Path | None, sha256: str | None) -> bytes:
    """Return Pyodide's list of packages with only numpy, whose hash browsers check.

    Raises:
        ValueError: The wheel has another hash than expected.
    """
    numpy = _numpy(lock)
    if wheel is None:
        numpy["file_name"] = DISTRIBUTION + numpy["file_name"]
    else:
        numpy["sha256"] = sha256 or numpy["sha256"]
        try:
            digest = fingerprint(wheel)
        except OSError as error:
            raise ValueError(f"cannot read {wheel}: {error.strerror}") from error
        if digest != numpy["sha256"]:
            raise ValueError(
                f"{wheel} is not {numpy['file_name']} of Pyodide {PYODIDE.version}: "
                f"its SHA-256 is {digest}, not {numpy['sha256']}"
            )
    return json.dumps({"info": json.loads(lock)["info"], "packages": {"numpy": numpy}}).encode()


def _compile(archives: list[Path]) -> None:
    """Compile archives in place, and leave out what no table needs; see ``compiler.py``.

    Raises:
        ValueError: Node, which runs Pyodide, is not installed or fails.
    """
    script = Path(__file__).with_name("compiled.mjs")
    command = ["node", str(script), str(archives[0].parent), *map(str, archives)]
    try:
        subprocess.run(command, capture_output=True, text=True, check=True)
    except FileNotFoundError as error:
        raise ValueError("node, which compiles the modules, is not installed") from error
    except subprocess.CalledProcessError as error:
        raise ValueError(f"node cannot compile the modules: {error.stderr[-500:]}") from error


def _with_hash(lock: bytes, wheel: Path) -> bytes:
    """Return Pyodide's list of packages with the hash of the wheel in the folder."""
    content = json.loads(lock)
    content["packages"]["numpy"]["sha256"] = fingerprint(wheel)
    return json.dumps(content).encode()


def _add_page(site: Path) -> None:
    """Add the page of a table, with a worker in place of the server, and the pages of rules."""
    files = [*(PLAY / "web").iterdir(), *(PLAY / "static").iterdir()]
    assert len({file.name for file in files}) == len(files), "two files have one name"
    for file in files:
        if file.name not in (START.name, RULES.name):
            shutil.copyfile(file, site / file.name)
    table = (PLAY / "served" / "index.html").read_text()
    assert table.count("</body>") == table.count(STYLE) == 1, "the page has no end or no style"
    (site / "table.html").write_text(table.replace("</body>", BACK).replace(STYLE, INSTALLED))
    for language in LANGUAGES:
        (site / f"puzzles-{language}.json").write_text(puzzles_json(language))
    (site / "languages.json").write_text(json.dumps(LANGUAGES))
    for file in TEXTS.iterdir():
        shutil.copyfile(file, site / file.name)
    for name, picture in icons().items():
        (site / name).write_bytes(picture)
    for game in registry.ENVIRONMENT_MODULES:
        for language in LANGUAGES:
            name = f"rules-{game}{'' if language == 'en' else f'-{language}'}.html"
            (site / name).write_text(rules_page(game, language), "utf-8")


def _add_package(site: Path) -> Path:
    """Add the package as a zip, and each policy; other languages' texts are separate files."""
    package = Path(kododo_env.__file__).parent
    files = [*package.glob("*.py"), TEXTS / "en.json"]
    for room in ROOMS:
        files += [*(package / room).rglob("*.py"), *(package / room).rglob("data/*")]
        files += (package / room).rglob("rules*.md")
    with zipfile.ZipFile(site / "kododo_env.zip", "w") as archive:
        for path in sorted(files):
            archive.write(path, path.relative_to(package.parent).as_posix())
    (site / "policies").mkdir()
    for policy in POLICIES.glob("*.onnx"):
        shutil.copyfile(policy, site / "policies" / policy.name)
    return site / "kododo_env.zip"


def _add_contents(site: Path, package: str) -> None:
    """Add the start page, and ``site.json``, which lists the files of the folder.

    All tables load ``loads``, with the bytes of each file, and then one of the ``policies``. The
    service worker checks files by their ``digests``, SHA-256.
    """
    names = [package, *(f"pyodide/{file.name}" for file in (site / "pyodide").iterdir())]
    loads = {name: (site / name).stat().st_size for name in sorted(names)}
    policies = {
        game: {
            players: f"{game}-{players}p" for players in registry.environment_module(game).PLAYERS
        }
        for game in registry.ENVIRONMENT_MODULES
    }
    (site / "index.html").write_text(start_page(_download_size(site, [*loads])))
    page = sorted(file.name for file in site.iterdir() if file.suffix in PAGE_FILES)
    page.remove(WORKER)
    contents = {"package": package, "page": page, "loads": loads, "policies": policies}
    (site / MARK).write_text(json.dumps(contents))
    name_build(site)


def name_build(site: Path) -> None:
    """Write the digest of each file to ``site.json``, and the build's name to the service worker.

    The name is the beginning of the digest of ``site.json``.
    """
    mark = site / MARK
    worker = site / WORKER
    files = (path for path in site.rglob("*") if path.is_file() and path not in (mark, worker))
    digests = {path.relative_to(site).as_posix(): fingerprint(path) for path in sorted(files)}
    contents = json.loads(mark.read_text()) | {"digests": digests}
    mark.write_text(json.dumps(contents) + "\n")
    code, places = NAME.subn(f'const BUILD = "{fingerprint(mark)[:12]}";', worker.read_text())
    assert places == 1, f"{WORKER} has no place for the build's name"
    worker.write_text(code)


def _download_size(site: Path, names: list[str]) -> float:
    """Return the compressed megabytes that a table loads: these files and the largest policy."""
    names = [*names, *(f"policies/{path.name}" for path in (site / "policies").iterdir())]
    sizes = {name: len(gzip.compress((site / name).read_bytes())) for name in names}
    policies = [size for name, size in sizes.items() if name.startswith("policies/")]
    whole = 0 if any(name.endswith(".whl") for name in names) else WHOLE_NUMPY
    return (sum(sizes.values()) - sum(policies) + max(policies) + whole) / 1e6


def main() -> int:
    """Run the command line; return 0, or 2 after printing an error."""
    parser = argparse.ArgumentParser(prog="python -m docs.static_page.build", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--numpy-wheel", type=Path, help="wheel of numpy to put into the folder")
    options = parser.parse_args()
    try:
        build(options.folder, options.numpy_wheel)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    kind = "works offline" if options.numpy_wheel else "downloads numpy from its distribution"
    print(
        f"python -m http.server --directory {options.folder} serves {options.folder}, which {kind}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
