"""Animations of pictures, as one SVG document or as a GIF."""

from __future__ import annotations

import io
from collections.abc import Sequence

from kododo_env.rendering.pixels import check_libraries, pixels
from kododo_env.rendering.svg import HEIGHT, WIDTH, document, number

LAST_PICTURE = 3  # the last picture is shown this many times longer than each other
LONGEST = 655_350  # milliseconds, the longest duration in a GIF: 16 bits of hundredths


def animated_svg(frames: Sequence[str], seconds: float, title: str, height: int = HEIGHT) -> str:
    """Return an SVG document that shows pictures one after the other in a loop.

    Where animations do not run, such as in print, it shows the last picture.

    Args:
        frames: At least one SVG document.
        seconds: The duration of each picture; the last picture is shown three times as long.
        title: A description for screen readers.
        height: The height of each picture in pixels.
    """
    total = len(frames) - 1 + LAST_PICTURE
    groups = [
        f'<g display="{"none" if place < len(frames) - 1 else "inline"}">'
        f"{_moment(place, total, seconds, len(frames))}{frame}</g>"
        for place, frame in enumerate(frames)
    ]
    return document(groups, title, WIDTH, height)


def _moment(place: int, total: int, seconds: float, count: int) -> str:
    """Return the SVG animation that shows a picture from its place to the next one's."""
    after = total if place == count - 1 else place + 1
    times = [0.0, place / total, after / total]
    values = ["none", "inline", "none"]
    if place == 0:
        times = times[1:]
        values = values[1:]
    if after == total:
        times = times[:-1]
        values = values[:-1]
    moments = ";".join(f"{time:.6g}" for time in times)
    return (
        f'<animate attributeName="display" calcMode="discrete" values="{";".join(values)}" '
        f'keyTimes="{moments}" dur="{number(total * seconds)}s" repeatCount="indefinite"/>'
    )


def animated_gif(frames: Sequence[str], seconds: float) -> bytes:
    """Return a GIF that shows pictures one after the other in a loop.

    Args:
        frames: At least one SVG document, all of the same size.
        seconds: The duration of each picture, at most 655. The last picture is shown three times as
            long, but also at most 655 seconds.

    Raises:
        RenderingUnavailable: A library or the font is missing.
        ValueError: ``seconds`` is longer than a GIF allows.
    """
    milliseconds = round(1000 * seconds)
    if milliseconds > LONGEST:
        raise ValueError(f"seconds must be at most {LONGEST // 1000} in a GIF, not {seconds}")
    check_libraries()
    from PIL import Image

    pictures = [
        Image.fromarray(pixels(frame)).quantize(method=Image.Quantize.FASTOCTREE)
        for frame in frames
    ]
    times = [milliseconds] * (len(frames) - 1) + [min(LAST_PICTURE * milliseconds, LONGEST)]
    buffer = io.BytesIO()
    first, *later_pictures = pictures
    first.save(buffer, "GIF", save_all=True, append_images=later_pictures, duration=times, loop=0)
    return buffer.getvalue()
