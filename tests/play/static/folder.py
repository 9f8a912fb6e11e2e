"""The folder of the static page for tests, with numpy's wheel from an npm package.

That package (AGPL) is only the source of the wheel; no part of it is kept or redistributed. Its
numpy has the same version and binary interface as the numpy that pages load.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from docs.static_page.build import build
from docs.static_page.npm import PYODIDE, Package, archive, members, stored

BRINGS_NUMPY = Package(
    "@bentopdf/pymupdf-wasm",
    "0.11.16",
    "sha512-GPxxH2BokrS49fJa17mrt3hTBGRIDlMkLfJwk+tk45+ICTmIzcti7ACXT2JHK3FUJX916OQvnrJQb29ZajN3CA==",
)
# Finds accessibility problems: keyboard use, screen readers, contrast.
AXE = Package(
    "axe-core",
    "4.14.1",
    "sha512-FHfa+lmNjQZfJz1q8wKqIDwC6DExcHt/pkjNQb09a3NPjCKg2rhu5qb2S4r76ASyFNNtuFooJpZe37OgudVGtQ==",
)
WHEEL = "numpy-2.2.5-cp313-cp313-pyodide_2025_0_wasm32.whl"
SHA256 = "125230b4c3ecd08803e5c43f1162e017c0718d9f253146225a705a952b9c16c2"


def missing() -> str:
    """Return the name of a package that has not been fetched; empty if all have."""
    return next(
        (package.name for package in (PYODIDE, BRINGS_NUMPY) if not stored(package).exists()), ""
    )


def build_with_numpy(folder: Path) -> None:
    """Build the folder with all parts, fetching what is missing.

    Raises:
        ValueError: A part cannot be fetched.
    """
    with TemporaryDirectory() as scratch:
        wheel = Path(scratch) / WHEEL
        wheel.write_bytes(members(BRINGS_NUMPY, [f"assets/{WHEEL}"])[f"assets/{WHEEL}"])
        build(folder, wheel, SHA256)


if __name__ == "__main__":  # make web-parts
    print(archive(PYODIDE), archive(BRINGS_NUMPY), archive(AXE), sep="\n")
