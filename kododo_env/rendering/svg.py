"""Building blocks of SVG pictures: boxes, shapes, labels and documents.

Functions that draw return SVG code as a string. Lengths are in units of a picture of 900 by 600.
``svg_cards`` draws cards, ``svg_table`` draws tables.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from math import cos, pi, sin
from typing import NamedTuple

WIDTH = 900
HEIGHT = 600
FONT = "DejaVu Sans"

PAPER = "#fbf7ec"
INK = "#20282c"
PALE = "#d5e4e4"
GOLD = "#ffd34d"
FELT = "#1b434d"
FELT_LIGHT = "#2a5f6d"


class Box(NamedTuple):
    """A rectangle: its left upper corner, width and height."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, by: float) -> Box:
        """Return the rectangle reduced by a width on each side."""
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)


def number(value: float) -> str:
    """Format a number with at most two decimals and without trailing zeros."""
    return f"{round(float(value), 2):g}"


def ink_on(fill: str) -> str:
    """Return a dark or light text colour for good contrast on a colour ``#rrggbb``."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    # The luma weights of ITU-R BT.601.
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 165 else "#ffffff"


def star(points: int, inner: float = 0, turn: float = -0.25) -> str:
    """Return the SVG path of a star, or of a regular polygon, in the unit circle.

    Args:
        points: The number of tips.
        inner: The radius of the inner corners, below 1; 0 draws a polygon without these.
        turn: The angle of the first tip in turns, clockwise from the right; -0.25 is the top.
    """
    radii = (1.0, inner) if inner else (1.0,)
    corners = points * len(radii)
    steps = []
    for k in range(corners):
        angle = 2 * pi * (turn + k / corners)
        radius = radii[k % len(radii)]
        steps.append(f"{number(radius * cos(angle))} {number(radius * sin(angle))}")
    return "M" + "L".join(steps) + "Z"


def label(
    words: str,
    x: float,
    y: float,
    size: float = 14,
    fill: str = PAPER,
    *,
    anchor: str = "start",
    bold: bool = False,
    turn: float = 0,
) -> str:
    """Draw a line of text at (x, y), rotated clockwise around this point by ``turn`` degrees.

    Its baseline starts at the point; with the anchor ``"middle"`` it is centred there, and with
    ``"end"`` it ends there.
    """
    style = f'font-size="{number(size)}" fill="{fill}"'
    if anchor != "start":
        style += f' text-anchor="{anchor}"'
    if bold:
        style += ' font-weight="bold"'
    if turn:
        style += f' transform="rotate({number(turn)} {number(x)} {number(y)})"'
    return f'<text x="{number(x)}" y="{number(y)}" {style}>{escape(words, quote=False)}</text>'


def rectangle(
    box: Box, radius: float, fill: str, *, opacity: float = 1, stroke: str = "", thick: float = 1
) -> str:
    """Draw a rectangle with round corners, and with ``stroke`` an outline of width ``thick``."""
    x, y, width, height = map(number, box)
    style = f'fill="{fill}"'
    if opacity != 1:
        style += f' fill-opacity="{number(opacity)}"'
    if stroke:
        style += f' stroke="{stroke}" stroke-width="{number(thick)}"'
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{number(radius)}" {style}/>'
    )


def circle(x: float, y: float, radius: float, fill: str) -> str:
    """Draw a disc around (x, y)."""
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{fill}"/>'


def shadow(box: Box, radius: float) -> str:
    """Draw a soft shadow under a rectangle: two faint rectangles, shifted down."""
    far = rectangle(box._replace(y=box.y + 2.6), radius, "#000000", opacity=0.12)
    return far + rectangle(box._replace(y=box.y + 1.2), radius, "#000000", opacity=0.22)


def at(x: float, y: float, scale: float, content: str) -> str:
    """Scale content that is drawn around the origin, and move it to (x, y)."""
    return f'<g transform="translate({number(x)} {number(y)}) scale({scale:.4g})">{content}</g>'


def badge(words: str, x: float, y: float, fill: str = GOLD) -> str:
    """Draw a round tag with a few words, centred at (x, y)."""
    width = 14 + 7 * len(words)
    tag = rectangle(Box(x - width / 2, y - 9, width, 18), 9, fill)
    return tag + label(words, x, y + 4, 11, ink_on(fill), anchor="middle", bold=True)


def document(pieces: Iterable[str], title: str, width: int, height: int) -> str:
    """Return an SVG document of SVG elements, drawn in order, with a title for screen readers."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}" '
        f'font-family="{FONT}, Verdana, sans-serif">'
    )
    return "\n".join([head, *pieces, "</svg>"]) + "\n"


def picture(pieces: Iterable[str], title: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    """Return an SVG document of SVG elements on a felt table; see ``document``."""
    stops = "".join(
        f'<stop offset="{place}" stop-color="{colour}"/>'
        for place, colour in ((0, FELT), (0.5, FELT_LIGHT), (1, FELT))
    )
    background = (
        f'<defs><linearGradient id="felt" x2="0" y2="1">{stops}</linearGradient></defs>'
        f'<rect width="{width}" height="{height}" fill="url(#felt)"/>'
    )
    return document([background, *pieces], title, width, height)
