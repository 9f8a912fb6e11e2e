"""Pieces of pictures that the games share: colours, cards, labels, panels, a whole table.

Every piece is a function that returns a bit of SVG; a game puts them together and wraps
them in :func:`picture`. Lengths are in pixels of a picture of 900 by 600.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from math import cos, pi, sin
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

WIDTH, HEIGHT = 900, 600
FONT = "DejaVu Sans"

FELT = "#1d4650"
FELT_LIGHT = "#2b6170"
PAPER = "#fbf7ec"
INK = "#20282c"
PALE = "#d5e4e4"
GOLD = "#ffd34d"
BACK = "#3b4a6b"


class Box(NamedTuple):
    """A rectangle: its left upper corner, width and height."""

    x: float
    y: float
    width: float
    height: float

    def inset(self, by: float) -> Box:
        """The same rectangle, smaller by so much on each side."""
        return Box(self.x + by, self.y + by, self.width - 2 * by, self.height - 2 * by)


@dataclass(frozen=True)
class Suit:
    """What a colour looks like. Letter and symbol tell it apart without its hue.

    Attributes:
        name: In words.
        letter: One letter, unique in a game.
        fill: The colour, ``#rrggbb``.
        symbol: A path in the square from (-1, -1) to (1, 1).
    """

    name: str
    letter: str
    fill: str
    symbol: str


@dataclass(frozen=True)
class Card:
    """A card's face.

    Attributes:
        suit: Its colour.
        value: The big number.
        emblem: SVG in the square from (-1, -1) to (1, 1) that stands in the middle in
            place of the suit's symbol; empty for the symbol.
        second: Another suit that the card has, drawn as a ribbon across it.
    """

    suit: Suit
    value: int
    emblem: str = ""
    second: Suit | None = None


class Blank(Enum):
    """What lies in a row where no face shows."""

    BACK = "a card face down"
    SLOT = "an empty place"


def number(value: float) -> str:
    """A number as SVG and people like it: no needless digits."""
    return f"{round(float(value), 2):g}"


def star(points: int, inner: float, turn: float = -0.25) -> str:
    """The path of a star in the unit circle.

    Args:
        points: How many tips.
        inner: Radius of the inner corners, the tips being at 1; 0 for a plain polygon.
        turn: Where the first tip points, in whole turns; -0.25 is up.
    """
    radii = (1.0, inner) if inner else (1.0,)
    corners = points * len(radii)
    steps = []
    for k in range(corners):
        angle = 2 * pi * (turn + k / corners)
        radius = radii[k % len(radii)]
        steps.append(f"{number(radius * cos(angle))} {number(radius * sin(angle))}")
    return "M" + "L".join(steps) + "Z"


# The hues follow Okabe and Ito (2008, "Color universal design"), with a yellow and an orange
# that lie further apart in lightness. A game takes as many as it has colours.
PALETTE = (
    Suit("blue", "B", "#2f86c9", "M0-1C.3-.5.8-.1.8.3A.8.7 0 1 1-.8.3C-.8-.1-.3-.5 0-1Z"),
    Suit("green", "G", "#12966d", star(3, 0)),
    Suit("yellow", "Y", "#f2d73b", star(8, 0.55)),
    Suit("orange", "O", "#e2711d", star(4, 0)),
    Suit("violet", "V", "#8a56b0", star(6, 0)),
    Suit("red", "R", "#c22f3d", "M0 .95C-1.5-.1-.8-1.2 0-.45C.8-1.2 1.5-.1 0 .95Z"),
    Suit("grey", "S", "#8c949b", star(4, 0, turn=0.125)),
    Suit("turquoise", "T", "#4fc3c7", star(5, 0.42)),
)


def suits(count: int) -> tuple[Suit, ...]:
    """The first suits of the palette; beyond its end they come again, numbered."""
    found = []
    for k in range(count):
        suit, again = PALETTE[k % len(PALETTE)], k // len(PALETTE)
        if again:
            name, letter = f"{suit.name} {again + 1}", f"{suit.letter}{again + 1}"
            suit = replace(suit, name=name, letter=letter)
        found.append(suit)
    return tuple(found)


def ink_on(fill: str) -> str:
    """Dark or light ink, whichever stands out more on a colour ``#rrggbb``."""
    red, green, blue = (int(fill[i : i + 2], 16) for i in (1, 3, 5))
    # The weights of ITU-R BT.601: how bright each primary looks.
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 165 else "#ffffff"


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
    """A line of text whose baseline starts (or, by ``anchor``, centres or ends) at (x, y)."""
    style = f'font-size="{number(size)}" fill="{fill}"'
    if anchor != "start":
        style += f' text-anchor="{anchor}"'
    if bold:
        style += ' font-weight="bold"'
    if turn:
        style += f' transform="rotate({number(turn)} {number(x)} {number(y)})"'
    return f'<text x="{number(x)}" y="{number(y)}" {style}>{escape(words)}</text>'


def rectangle(
    box: Box, radius: float, fill: str, *, opacity: float = 1, stroke: str = "", thick: float = 1
) -> str:
    """A rectangle with round corners."""
    x, y, width, height = map(number, box)
    style = f'fill="{fill}"'
    if opacity != 1:
        style += f' fill-opacity="{number(opacity)}"'
    if stroke:
        style += f' stroke="{stroke}" stroke-width="{number(thick)}"'
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="{number(radius)}" {style}/>'
    )


def shadow(box: Box, radius: float) -> str:
    """A soft shadow under a rectangle: two faint ones, shifted down."""
    near = rectangle(box._replace(y=box.y + 1.2), radius, "#000000", opacity=0.22)
    return rectangle(box._replace(y=box.y + 2.6), radius, "#000000", opacity=0.12) + near


def at(x: float, y: float, scale: float, content: str) -> str:
    """Content drawn around the origin, moved to (x, y) and scaled."""
    return f'<g transform="translate({number(x)} {number(y)}) scale({scale:.4g})">{content}</g>'


def symbol(suit: Suit, x: float, y: float, radius: float, fill: str) -> str:
    """A suit's symbol around (x, y)."""
    return at(x, y, radius, f'<path d="{suit.symbol}" fill="{fill}"/>')


def suit_emblem(suit: Suit) -> str:
    """A suit's symbol on its colour, with its letter beside: in the square from -1 to 1."""
    ink = ink_on(suit.fill)
    return (
        f'<circle r="1.15" fill="{suit.fill}"/>'
        + symbol(suit, -0.38, 0, 0.42, ink)
        + label(suit.letter, 0.48, 0.36, 0.95, ink, anchor="middle", bold=True)
    )


CARD = Box(0, 0, 50, 70)
"""The size in which a card is drawn before it is scaled."""


def card(face: Card, x: float, y: float, width: float) -> str:
    """A card, face up, its left upper corner at (x, y)."""
    suit, ink = face.suit, ink_on(face.suit.fill)
    emblem = face.emblem or symbol(suit, 0, 0, 0.62, suit.fill)
    pieces = [
        shadow(CARD, 7),
        rectangle(CARD, 7, PAPER),
        rectangle(CARD.inset(2.5), 5, suit.fill),
        label(str(face.value), 7, 27, 26, ink, bold=True),
        label(suit.letter, 37, 18, 13, ink, anchor="middle", bold=True),
        symbol(suit, 37, 25.5, 4, ink),
        f'<circle cx="25" cy="48" r="16" fill="{PAPER}"/>',
        at(25, 48, 15, emblem),
    ]
    if face.second is not None:
        pieces.append(_ribbon(face.second))
    return at(x, y, width / CARD.width, "".join(pieces))


def _ribbon(suit: Suit) -> str:
    """A second suit across the foot of a card."""
    ink = ink_on(suit.fill)
    return (
        rectangle(Box(0, 51, 50, 14), 0, PAPER)
        + rectangle(Box(0, 52, 50, 12), 0, suit.fill)
        + symbol(suit, 17, 58, 4, ink)
        + label(suit.letter, 33, 62, 11, ink, anchor="middle", bold=True)
    )


def blank(kind: Blank, x: float, y: float, width: float) -> str:
    """A card face down, or the outline of a place where none lies."""
    if kind is Blank.SLOT:
        content = rectangle(CARD.inset(1), 6, "#000000", opacity=0.12, stroke="#6f979e", thick=1.2)
    else:
        lattice = '<path d="M25 13L40 35L25 57L10 35Z M25 24L32 35L25 46L18 35Z" '
        lattice += f'fill="none" stroke="{PALE}" stroke-opacity=".55" stroke-width="1.6"/>'
        content = shadow(CARD, 7) + rectangle(CARD, 7, PAPER)
        content += rectangle(CARD.inset(2.5), 5, BACK) + lattice
    return at(x, y, width / CARD.width, content)


def row(cards: Sequence[Card | Blank], box: Box, gap: float = 6) -> str:
    """Cards side by side from the left, as high as the box; they overlap if they must."""
    width = box.height * CARD.width / CARD.height
    pitch = width + gap
    if len(cards) > 1:
        pitch = min(pitch, (box.width - width) / (len(cards) - 1))
    pieces = []
    for place, face in enumerate(cards):
        x = box.x + place * pitch
        drawn = blank(face, x, box.y, width) if isinstance(face, Blank) else None
        pieces.append(drawn or card(face, x, box.y, width))  # type: ignore[arg-type]
    return "".join(pieces)


def pile(count: int, x: float, y: float, width: float) -> str:
    """A stack of cards face down with their number on top; a place when there are none."""
    height = width * CARD.height / CARD.width
    layers = min(3, (count + 11) // 12)
    pieces = [blank(Blank.SLOT, x, y, width)]
    pieces += [blank(Blank.BACK, x - 2.5 * k, y - 2.5 * k, width) for k in range(layers)]
    top = 2.5 * max(layers - 1, 0)
    centre = (x - top + width / 2, y - top + height / 2)
    fill = BACK if count else FELT
    pieces.append(f'<circle cx="{number(centre[0])}" cy="{number(centre[1])}" r="14" fill="{fill}"/>')
    pieces.append(label(str(count), centre[0], centre[1] + 6, 16, anchor="middle", bold=True))
    return "".join(pieces)


def badge(words: str, x: float, y: float, fill: str = GOLD) -> str:
    """A tag with a few words, centred at (x, y)."""
    width = 14 + 7 * len(words)
    tag = rectangle(Box(x - width / 2, y - 9, width, 18), 9, fill)
    return tag + label(words, x, y + 4, 11, ink_on(fill), anchor="middle", bold=True)


@dataclass(frozen=True)
class Seat:
    """What stands at the head of a player's panel.

    Attributes:
        name: Who it is.
        points: So far.
        gained: By the last step.
        note: A few words more.
        tag: Words on a gold tag beside the name; empty for none.
        highlight: Whether this is the player who looks on.
    """

    name: str
    points: float
    gained: float = 0
    note: str = ""
    tag: str = ""
    highlight: bool = False


HEAD = 40
"""Height of a panel's head."""


def panel(box: Box, seat: Seat, content: str = "") -> str:
    """A player's part of the table: a tray with a head, and what lies on it."""
    stroke, thick = (GOLD, 2.5) if seat.highlight else ("#4d7f8b", 1.0)
    right, line = box.x + box.width - 14, box.y + 26
    points = label(number(seat.points), right, line + 2, 24, GOLD, anchor="end", bold=True)
    pieces = [
        rectangle(box, 12, "#0f2d35", opacity=0.45, stroke=stroke, thick=thick),
        label(seat.name, box.x + 14, line, 15, bold=True),
        label(seat.note, right - 46, line, 12, PALE, anchor="end"),
        points,
    ]
    place = box.x + 28 + 10.5 * len(seat.name)
    if seat.gained:
        pieces.append(badge(f"{seat.gained:+g}", place + 10, line - 5, "#7fd6a4"))
        place += 44
    if seat.tag:
        pieces.append(badge(seat.tag, place + 4 * len(seat.tag), line - 5))
    return "".join([*pieces, content])


def rows(box: Box, named: Sequence[tuple[str, Sequence[Card | Blank]]]) -> str:
    """Rows of cards under each other below a panel's head, their names at the left."""
    margin, gap, name = 13.0, 10.0, 18.0
    height = (box.height - HEAD - margin - gap * (len(named) - 1)) / len(named)
    pieces = []
    for place, (words, cards) in enumerate(named):
        x, y = box.x + margin, box.y + HEAD + place * (height + gap)
        style = {"size": 12.0, "fill": PALE, "anchor": "middle", "turn": -90.0}
        pieces.append(label(words, x + 8, y + height / 2, **style))  # type: ignore[arg-type]
        pieces.append(row(cards, Box(x + name, y, box.width - 2 * margin - name, height)))
    return "".join(pieces)


@dataclass(frozen=True)
class Meter:
    """How far something has come: a count and the number it is measured by.

    Attributes:
        name: What is counted.
        emblem: SVG in the square from (-1, -1) to (1, 1).
        fill: Colour of the bar.
        count: How many there are.
        goal: How many steps the bar has.
        note: What the goal means.
        mark: Words on a tag; empty for none.
        lit: Whether the tag is gold and the meter framed, or both are plain.
    """

    name: str
    emblem: str
    fill: str
    count: int
    goal: int
    note: str
    mark: str = ""
    lit: bool = False


def meter(shown: Meter, box: Box) -> str:
    """A tile with an emblem, a big count, a bar of steps and a tag."""
    centre = box.x + box.width / 2
    frame = {"stroke": GOLD, "thick": 4.0} if shown.lit else {}
    pieces = [
        shadow(box, 9),
        rectangle(box, 9, PAPER, **frame),  # type: ignore[arg-type]
        at(box.x + 24, box.y + 28, 14, shown.emblem),
        label(str(shown.count), box.x + box.width - 12, box.y + 39, 30, INK, anchor="end", bold=True),
        label(shown.name, centre, box.y + 63, 13, INK, anchor="middle", bold=True),
        _bar(shown, Box(box.x + 10, box.y + 73, box.width - 20, 9)),
        label(shown.note, centre, box.y + 98, 11, "#56646a", anchor="middle"),
    ]
    if shown.mark:
        fill = GOLD if shown.lit else "#5b666b"
        pieces.append(badge(shown.mark, centre, box.y + box.height - 12, fill))
    return "".join(pieces)


def _bar(shown: Meter, box: Box) -> str:
    """A step for each one up to the goal, filled as far as the count goes."""
    width = box.width / shown.goal
    steps = []
    for step in range(shown.goal):
        fill = shown.fill if step < shown.count else "#dcd6c6"
        place = Box(box.x + step * width + 0.8, box.y, width - 1.6, box.height)
        steps.append(rectangle(place, 2, fill))
    return "".join(steps)


def seats(num_players: int, band: float, margin: float = 10) -> list[Box]:
    """Where each player sits: clockwise around a band in the middle, from the left below.

    Args:
        num_players: P.
        band: Height of the band.
        margin: Space between seats, and to the picture's edge.

    Returns:
        A box for each player.
    """
    above = list(range(1, num_players // 2 + 1 + (num_players > 2) * (num_players % 2)))
    below = [player for player in [0, *range(num_players - 1, 0, -1)] if player not in above]
    height = (HEIGHT - band) / 2 - 2 * margin
    boxes: dict[int, Box] = {}
    for players, y in ((above, margin), (below, HEIGHT - margin - height)):
        width = min(430.0, (WIDTH - margin) / len(players) - margin)
        left = (WIDTH - len(players) * (width + margin) + margin) / 2
        for place, player in enumerate(players):
            boxes[player] = Box(left + place * (width + margin), y, width, height)
    return [boxes[player] for player in range(num_players)]


def picture(pieces: Iterable[str], title: str, width: int = WIDTH, height: int = HEIGHT) -> str:
    """A whole picture on a table of felt.

    Args:
        pieces: What to draw, the lowest first.
        title: What the picture shows, for those who cannot see it.
        width: In pixels.
        height: In pixels.

    Returns:
        An SVG document.
    """
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label={quoteattr(title)} '
        f'font-family="{FONT}, Verdana, sans-serif">'
    )
    felt = (
        f'<defs><radialGradient id="felt" r="75%"><stop offset="0" stop-color="{FELT_LIGHT}"/>'
        f'<stop offset="1" stop-color="{FELT}"/></radialGradient></defs>'
        f'<rect width="{width}" height="{height}" fill="url(#felt)"/>'
    )
    return "\n".join([head, felt, *pieces, "</svg>"]) + "\n"
