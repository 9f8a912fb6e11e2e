"""Pictures one after the other: as one SVG document that moves by itself, or as a GIF."""

from __future__ import annotations

import io
from collections.abc import Sequence

from kododo_env.rendering.pixels import check_libraries, pixels
from kododo_env.rendering.svg import HEIGHT, WIDTH, document, number

LAST_PICTURE = 3  # times as long as the others the last picture is shown
LONGEST = 655_350  # milliseconds that a picture of a GIF can be shown: 16 bits of hundredths


def animated_svg(frames: Sequence[str], seconds: float, title: str, height: int = HEIGHT) -> str:
    """Pictures as one SVG document that shows them one after the other, again and again.

    Where nothing moves, as on paper, the last one is seen.

    Args:
        frames: SVG documents, one at least.
        seconds: How long each is shown; the last one longer.
        title: A description for those who cannot see them.
        height: Of each, in pixels.
    """
    total = len(frames) - 1 + LAST_PICTURE
    groups = [
        f'<g display="{"none" if place < len(frames) - 1 else "inline"}">'
        f"{_moment(place, total, seconds, len(frames))}{frame}</g>"
        for place, frame in enumerate(frames)
    ]
    return document(groups, title, WIDTH, height)


def _moment(place: int, total: int, seconds: float, count: int) -> str:
    """When a picture is seen: from its own place on to the next one's."""
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
    """Pictures as a GIF that shows them one after the other, again and again.

    Args:
        frames: SVG documents of the same size, one at least.
        seconds: How long each is shown, 655 at most; the last one longer, as far as a GIF can.

    Raises:
        RenderingUnavailable: A library is missing.
        ValueError: They are to be shown longer than a GIF can.
    """
    milliseconds = round(1000 * seconds)
    if milliseconds > LONGEST:
        raise ValueError(f"a picture of a GIF is shown {LONGEST // 1000} seconds at most")
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
