"""Drawing cards: suits, faces, backs and piles."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum

from kododo_env.rendering.languages import current_language, say
from kododo_env.rendering.svg import (
    FELT,
    FONT,
    GOLD,
    INK,
    PALE,
    PAPER,
    Box,
    at,
    circle,
    ink_on,
    label,
    rectangle,
    shadow,
    star,
)


@dataclass(frozen=True)
class Suit:
    """The appearance of a colour; its symbol identifies it for the colour-blind.

    Its letter is that of the English name, for short forms. Pictures show it in English only, and
    where a long palette repeats its symbols.
    """

    name: str  # the key of its name, or the name itself
    letter: str  # unique in a game
    fill: str  # the colour, ``#rrggbb``
    symbol: str  # a path in the square from (-1, -1) to (1, 1)


@dataclass(frozen=True)
class Card:
    """A card's face."""

    suit: Suit
    value: int
    # SVG in the square from (-1, -1) to (1, 1) for the middle; empty for the suit's symbol.
    emblem: str = ""
    second: Suit | None = None  # a second suit, drawn as a ribbon across the foot
    lit: bool = False  # whether it has a gold rim
    faded: bool = False  # whether it is pale, since the card is no longer there
    laid: bool = False  # whether it is on the table, where the page turns over new cards

    @property
    def short(self) -> str:
        """The short form: the letters of its suits and its value, such as "B3"."""
        return f"{self.suit.letter}{self.second.letter if self.second else ''}{self.value}"


class Blank(Enum):
    """A place for a card without a visible face."""

    BACK = "a card face down"
    SLOT = "an empty place"


# With common kinds of colour blindness, the first five still differ in hue, or in lightness (blue
# and violet, yellow and orange).
PALETTE = (
    Suit("card.suit.blue", "B", "#3a98dc", "M0-1C.3-.5.8-.1.8.3A.8.7 0 1 1-.8.3C-.8-.1-.3-.5 0-1Z"),
    Suit("card.suit.green", "G", "#0a7d58", star(3)),
    Suit("card.suit.yellow", "Y", "#f3d638", star(8, 0.55)),
    Suit("card.suit.orange", "O", "#e8751f", star(4)),
    Suit("card.suit.violet", "V", "#74409c", star(6)),
    Suit("card.suit.red", "R", "#b3202f", "M0 .95C-1.5-.1-.8-1.2 0-.45C.8-1.2 1.5-.1 0 .95Z"),
    Suit("card.suit.silver", "S", "#98a1a8", star(4, turn=0.125)),
    Suit("card.suit.turquoise", "T", "#62d0cf", star(5, 0.42)),
)


def suits(count: int) -> tuple[Suit, ...]:
    """Return ``count`` suits: the palette, repeated with numbered names if it is too short."""
    palette = []
    for k in range(count):
        suit = PALETTE[k % len(PALETTE)]
        repeat = k // len(PALETTE)
        if repeat:
            name = f"{say(suit.name)} {repeat + 1}"
            letter = suit.letter + "'" * repeat
            suit = replace(suit, name=name, letter=letter)
        palette.append(suit)
    return tuple(palette)


def symbol(suit: Suit, x: float, y: float, radius: float, fill: str) -> str:
    """Draw a suit's symbol around (x, y)."""
    # The faint outline keeps a pale symbol visible on paper.
    edge = f'stroke="{INK}" stroke-opacity=".3" stroke-width=".1"' if fill == suit.fill else ""
    return at(x, y, radius, f'<path d="{suit.symbol}" fill="{fill}" {edge}/>')


def suit_emblem(suit: Suit) -> str:
    """Draw a disc in a suit's colour with its symbol, in the square from -1 to 1."""
    ink = ink_on(suit.fill)
    disc = circle(0, 0, 1, suit.fill)
    return disc + _mark(suit, ink, (0, 0, 0.55), (-0.36, 0, 0.36), (0.45, 0.33, 0.9))


Place = tuple[float, float, float]
"""The x- and y-coordinate and the size of a sign."""


def _mark(suit: Suit, ink: str, alone: Place, beside: Place, letter: Place) -> str:
    """Draw a suit's symbol, alone or beside its letter."""
    if current_language() != "en" and len(suit.letter) == 1:
        return symbol(suit, *alone, ink)
    sign = label(suit.letter, *letter, ink, anchor="middle", bold=True)
    return symbol(suit, *beside, ink) + sign


CARD = Box(0, 0, 50, 70)
"""The size of a card before scaling."""


def card(face: Card | Blank, x: float, y: float, width: float) -> str:
    """Draw a card, or an empty place, with the upper left corner at (x, y)."""
    if isinstance(face, Card):
        drawn = at(x, y, width / CARD.width, _face(face))
        return f'<g class="laid" data-card="{face.short}">{drawn}</g>' if face.laid else drawn
    return at(x, y, width / CARD.width, _back() if face is Blank.BACK else _slot())


def card_document(face: Card | Blank) -> str:
    """Return a single card without a rim or shadow as an SVG document of 50 by 70."""
    plain = replace(face, lit=False, faded=False, laid=False) if isinstance(face, Card) else face
    return _document(f"0 0 {CARD.width} {CARD.height}", card(plain, 0, 0, CARD.width))


def emblem_document(emblem: str) -> str:
    """Return an emblem, which is drawn in the square from (-1, -1) to (1, 1), as SVG document."""
    return _document("-1.06 -1.06 2.12 2.12", emblem)


def _document(box: str, content: str) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" '
    return f'{head}font-family="{FONT}, Verdana, sans-serif">{content}</svg>'


def _face(face: Card) -> str:
    suit = face.suit
    ink = ink_on(face.suit.fill)
    middle, radius = (48, 16.5) if face.second is None else (39, 12)
    pieces = [
        shadow(CARD, 7),
        rectangle(CARD.inset(-2.5), 9, GOLD) if face.lit else "",
        rectangle(CARD, 7, PAPER),
        rectangle(CARD.inset(2.5), 5, suit.fill),
        label(str(face.value), 7, 27, 26, ink, bold=True),
        _mark(suit, ink, (35.5, 18, 6.5), (37.5, 24, 4), (37.5, 17, 13)),
        circle(25, middle, radius, PAPER),
        at(25, middle, radius - 0.5, face.emblem or symbol(suit, 0, 0, 0.62, suit.fill)),
    ]
    if face.second is not None:
        pieces.append(_ribbon(face.second))
    content = "".join(pieces)
    return f'<g opacity=".5">{content}</g>' if face.faded else content


def _ribbon(suit: Suit) -> str:
    """Draw a second suit across the foot of a card."""
    ink = ink_on(suit.fill)
    band = rectangle(Box(0, 51, 50, 14), 0, PAPER) + rectangle(Box(0, 52, 50, 12), 0, suit.fill)
    return band + _mark(suit, ink, (25, 58, 4.5), (17, 58, 4), (33, 62, 11))


def _back() -> str:
    lattice = (
        '<path d="M25 13L40 35L25 57L10 35ZM25 24L32 35L25 46L18 35Z" '
        f'fill="none" stroke="{PALE}" stroke-opacity=".55" stroke-width="1.6"/>'
    )
    body = rectangle(CARD, 7, PAPER) + rectangle(CARD.inset(2.5), 5, "#3b4a6b")
    return shadow(CARD, 7) + body + lattice


def _slot() -> str:
    return rectangle(CARD.inset(1), 6, "#000000", opacity=0.12, stroke="#6f979e", thick=1.2)


def pile(count: int, x: float, y: float, width: float) -> str:
    """Draw a stack of cards face down with their number on top, or an empty place for 0."""
    height = width * CARD.height / CARD.width
    layers = min(3, (count + 11) // 12)
    pieces = [card(Blank.SLOT, x, y, width)]
    pieces += [card(Blank.BACK, x - 2.5 * k, y - 2.5 * k, width) for k in range(layers)]
    rise = 2.5 * max(layers - 1, 0)
    middle_x = x - rise + width / 2
    middle_y = y - rise + height / 2
    pieces.append(circle(middle_x, middle_y, 15, FELT))
    pieces.append(label(str(count), middle_x, middle_y + 6, 16, anchor="middle", bold=True))
    return "".join(pieces)
