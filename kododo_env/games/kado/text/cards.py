"""The names and faces of the cards of KADO, and the visible part of a board."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kododo_env.arrays.dtypes import Int16
from kododo_env.games.kado.display import KadoDisplay
from kododo_env.games.kado.rules import GIFTS, RIBBONS, Rules
from kododo_env.rendering.languages import say
from kododo_env.rendering.svg import INK, at, circle, star
from kododo_env.rendering.svg_cards import PALETTE, Blank, Card, Suit

SOCK = "M-.55-.9H.05V.05L.75 .4A.3 .3 0 0 1 .6 .95H-.25Q-.55 .95-.55 .6Z"
CUBE = "M0-.95L.85-.48V.48L0 .95L-.85 .48V-.48Z"
BEAR = (
    "M-.55-.55A.3 .3 0 1 1-.3-.72A.85 .85 0 0 1 .3-.72A.3 .3 0 1 1 .55-.55A.82 .82 0 1 1-.55-.55Z"
)
FLOWER = star(5, 0.55)
CHOCOLATE = "M-.85-.6H.85V.6H-.85Z"

# For each gift its letter, a pale colour for the whole card, and the outline of its picture.
GIFT_SUITS = tuple(
    Suit(f"kado.gift.{name}", letter, fill, path)
    for name, letter, fill, path in zip(
        GIFTS,
        "SCPFH",
        ("#cbdcec", "#eadcae", "#e6c9b3", "#d2e6c5", "#d6c1d8"),
        (SOCK, CUBE, BEAR, FLOWER, CHOCOLATE),
        strict=True,
    )
)
RIBBON_SUITS = tuple(
    replace(suit, name=f"kado.ribbon.{name}")
    for name in RIBBONS
    for suit in PALETTE
    if suit.name == f"card.suit.{name}"
)

_LINE = f'fill="none" stroke="{INK}" stroke-width=".09" stroke-linejoin="round"'
# The drawings inside the outlines: the sock's bands, the cube's edges, the bear's face, ...
_INNER = (
    f'<path d="M-.55-.6H.05M-.2 .95Q-.05 .6-.5 .45" {_LINE}/>',
    f'<path d="M-.85-.48L0 0L.85-.48M0 0V.95" {_LINE}/>',
    f'<path d="M-.28-.15v.01M.28-.15v.01M-.15 .45Q0 .6 .15 .45M0 .2V.45" {_LINE} '
    'stroke-linecap="round"/>',
    circle(0, 0, 0.28, "#f3d638"),
    f'<path d="M-.28-.6V.6M.28-.6V.6M-.85 0H.85" {_LINE}/>',
)
_FILLS = ("#6f9bd1", "#d8a93a", "#a9714b", "#d8587c", "#7a4a33")
GIFT_EMBLEMS = tuple(
    at(
        0,
        0,
        0.72,
        f'<path d="{suit.symbol}" fill="{fill}" stroke="{INK}" stroke-width=".07"/>{inner}',
    )
    for suit, fill, inner in zip(GIFT_SUITS, _FILLS, _INNER, strict=True)
)


def gift_name(gift: int) -> str:
    """Return the name of a gift; gifts that the rulebook does not have are numbered."""
    if gift < len(GIFTS):
        return say(f"kado.gift.{GIFTS[gift]}")
    return say("kado.gift.number", number=gift + 1)


def ribbon_name(ribbon: int) -> str:
    """Return the colour of a ribbon; ribbons that the rulebook does not have are numbered."""
    if ribbon < len(RIBBONS):
        return say(f"card.suit.{RIBBONS[ribbon]}")
    return say("kado.ribbon.number", number=ribbon + 1)


def ribbon_words(ribbon: int) -> str:
    """Return a ribbon in words, such as "violet ribbon"."""
    return say(f"kado.ribbon.{RIBBONS[ribbon]}") if ribbon < len(RIBBONS) else ribbon_name(ribbon)


def card_name(rules: Rules, card: int) -> str:
    """Return the name of a card, such as "plush 3 (green ribbon)", by its id."""
    gift, ribbon, value = rules.parts(card)
    parts = {"suit": gift_name(gift), "value": value, "ribbon": ribbon_words(ribbon)}
    return say("card.name_with_ribbon", **parts)


def _suit(suits: tuple[Suit, ...], number: int, name: str) -> Suit:
    """Return the looks of a gift or ribbon by number; larger decks repeat them."""
    suit = suits[number % len(suits)]
    repeat = number // len(suits)
    return suit if not repeat else Suit(name, f"{suit.letter}{repeat}", suit.fill, suit.symbol)


def gift_suit(gift: int) -> Suit:
    """Return the suit of a gift: letter, colour and symbol."""
    return _suit(GIFT_SUITS, gift, gift_name(gift))


def ribbon_suit(ribbon: int) -> Suit:
    """Return the suit of a ribbon: letter, colour and symbol."""
    return _suit(RIBBON_SUITS, ribbon, ribbon_words(ribbon))


def face(game: KadoDisplay, number: int) -> Card | Blank:
    """Return the face of a card by its id, or its back for -1."""
    if number < 0:
        return Blank.BACK
    gift, ribbon, value = game.rules.parts(number)
    emblem = GIFT_EMBLEMS[gift % len(GIFT_EMBLEMS)]
    return Card(gift_suit(gift), value, emblem, second=ribbon_suit(ribbon))


def shown_cells(
    game: KadoDisplay, index: int, seat: int, with_places: bool = True
) -> tuple[Int16, tuple[int, int]]:
    """Return the part of a board to show, and the indices of its first row and column.

    Cells are card ids, -1 where the next card may be placed (``with_places``), and -2 elsewhere.
    Before the first card, a board without places has no cells.
    """
    board = game.tableaus[index, seat].astype(np.int16)
    places = game.open_cells[index, seat] & with_places
    cells = np.where(board >= 0, board, np.where(places, -1, -2))
    rows, columns = (np.flatnonzero((cells > -2).any(axis=axis)) for axis in (1, 0))
    if not rows.size:
        return cells[:0, :0], (0, 0)
    corner = int(rows[0]), int(columns[0])
    return cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1], corner
