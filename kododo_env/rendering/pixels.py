"""Pictures as pixels: an SVG document drawn by resvg, with a font that is always there."""

from __future__ import annotations

import io
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from kododo_env.core.arrays import Uint8

MISSING = "drawing pixels needs {}: pip install 'kododo-env[render]'"
LIBRARIES = {"resvg_py": "resvg-py", "PIL": "Pillow"}


class RenderingUnavailable(ImportError, TypeError):
    """A library that pictures need is not installed; the message says how to get it.

    It is a TypeError too, since stable-baselines3 makes each environment with
    ``render_mode="rgb_array"`` and, only on a TypeError, again without a mode.
    """


@cache
def font_files() -> tuple[str, ...]:
    """The files of DejaVu Sans, plain and bold, that come with matplotlib.

    matplotlib itself is not imported, which would take longer than all the drawing.

    Raises:
        RenderingUnavailable: matplotlib is not installed.
    """
    spec = find_spec("matplotlib")
    if spec is None or not spec.submodule_search_locations:
        raise RenderingUnavailable(MISSING.format("the font that comes with matplotlib"))
    folder = Path(spec.submodule_search_locations[0], "mpl-data", "fonts", "ttf")
    files = [folder / name for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]
    if not all(file.is_file() for file in files):  # some systems' packages leave them out
        raise RenderingUnavailable(MISSING.format("the font that comes with matplotlib"))
    return tuple(map(str, files))


def check_libraries() -> None:
    """Check that pixels can be drawn here, without importing the libraries.

    Raises:
        RenderingUnavailable: A library is missing.
    """
    for module, name in LIBRARIES.items():
        if find_spec(module) is None:
            raise RenderingUnavailable(MISSING.format(name))
    font_files()


def png(svg: str, zoom: float = 1) -> bytes:
    """The bytes of a PNG file of an SVG document, each unit of which takes ``zoom`` pixels.

    The machine's own fonts are left out, so that a picture is the same everywhere.

    Raises:
        RenderingUnavailable: A library is missing.
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
    """An SVG document as red, green and blue, shape (height, width, 3), uint8.

    Raises:
        RenderingUnavailable: A library is missing.
        ValueError: The document is not SVG.
    """
    drawn = png(svg)
    from PIL import Image

    with Image.open(io.BytesIO(drawn)) as image:
        return np.array(image.convert("RGB"), np.uint8)
