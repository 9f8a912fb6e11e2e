"""Rasterizing SVG documents with resvg and a fixed font."""

from __future__ import annotations

import io
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from kododo_env.arrays.dtypes import Uint8

MISSING = "rendering pixels needs {}: pip install 'kododo-env[render]'"
LIBRARIES = {"resvg_py": "resvg-py", "PIL": "Pillow"}


class RenderingUnavailable(ImportError, TypeError):
    """Raised when a library for rendering is not installed.

    It is also a TypeError, since stable-baselines3 creates environments with
    ``render_mode="rgb_array"`` and retries without a mode only after a TypeError.
    """


@cache
def font_files() -> tuple[str, ...]:
    """Return the paths of DejaVu Sans, regular and bold, which come with matplotlib.

    matplotlib is not imported.

    Raises:
        RenderingUnavailable: matplotlib is not installed, or comes without these files.
    """
    spec = find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise RenderingUnavailable(MISSING.format("the font that comes with matplotlib"))
    folder = Path(spec.submodule_search_locations[0], "mpl-data", "fonts", "ttf")
    files = [folder / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]
    if not all(file.is_file() for file in files):  # some Linux packages leave them out
        raise RenderingUnavailable(MISSING.format("the font that comes with matplotlib"))
    return tuple(map(str, files))


def check_libraries() -> None:
    """Check that the libraries for rendering are installed, without importing them.

    Raises:
        RenderingUnavailable: A library or the font is missing.
    """
    for module, name in LIBRARIES.items():
        if find_spec(module) is None:
            raise RenderingUnavailable(MISSING.format(name))
    font_files()


def png(svg: str, zoom: float = 1) -> bytes:
    """Render an SVG document as the bytes of a PNG file, with ``zoom`` pixels per unit.

    System fonts are not used, so that a picture is the same on every machine.

    Raises:
        RenderingUnavailable: A library or the font is missing.
        ValueError: The document is not SVG.
    """
    check_libraries()
    import resvg_py

    drawn = resvg_py.svg_to_bytes(
        svg_string=svg,
        zoom=zoom,
        skip_system_fonts=True,
        font_files=list(font_files()),
        sans_serif_family="DejaVu Sans",
    )
    return bytes(drawn)


def pixels(svg: str) -> Uint8:
    """Render an SVG document as an RGB array, uint8 (height, width, 3).

    Raises:
        RenderingUnavailable: A library or the font is missing.
        ValueError: The document is not SVG.
    """
    drawn = png(svg)
    from PIL import Image

    with Image.open(io.BytesIO(drawn)) as image:
        return np.array(image.convert("RGB"), np.uint8)
